package top

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// Folded writes the stacks of what is live at a moment in the format that
// flamegraph.pl, inferno and speedscope read: a stack per line, outermost function
// first, joined by semicolons, then a space and the bytes.
func Folded(w io.Writer, in *answer.Input, at answer.Moment) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		state, err := at.State(r)
		return holders.FoldedActive(r.Stacks, r.Device, state), err
	})
}

// FoldedSegments writes, in the same format, what the segments hold at the end,
// including rounding and free memory.
func FoldedSegments(w io.Writer, in *answer.Input) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		return holders.FoldedSegments(r.Stacks, r.Device), nil
	})
}

// writeFolded writes the stacks of each device; if there are several, the device
// is the outermost function.
func writeFolded(w io.Writer, in *answer.Input, stacks func(*analysis.Recording) (iter.Seq2[[]string, int64],
	error)) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := answer.EachRecording(new(sheet.Sheet), []answer.Input{*in}, func(in *answer.Input,
		r *analysis.Recording) error {
		paths, err := stacks(r)
		if err != nil {
			return err
		}
		root := ""
		if len(in.Recordings) > 1 {
			root = in.Snapshot.DeviceLabel(r.Device.ID) + ";"
		}
		for path, bytes := range paths {
			if _, err := fmt.Fprintf(b, "%s%s %d\n", root, strings.Join(path, ";"), bytes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
