package answer

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
)

// Folded writes the stacks of what is live at a moment, one a line, as
// flamegraph.pl, inferno and speedscope read them: names from the outermost
// inwards with semicolons between, a space, and bytes.
func Folded(w io.Writer, in *Input, at Moment) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		state, err := at.State(r)
		return holders.FoldedActive(r.Stacks, r.Device, state), err
	})
}

// FoldedSegments likewise writes what the segments hold at the end: also what
// rounding adds to a block, and what is free.
func FoldedSegments(w io.Writer, in *Input) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		return holders.FoldedSegments(r.Stacks, r.Device), nil
	})
}

// writeFolded writes the stacks of each device, under its name if there are
// several.
func writeFolded(w io.Writer, in *Input, stacks func(*analysis.Recording) (iter.Seq2[[]string, int64], error)) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := new(Sheet).eachRecording([]Input{*in}, func(in *Input, r *analysis.Recording) error {
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
