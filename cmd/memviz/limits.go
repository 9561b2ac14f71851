package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/container"
	"github.com/memviz-go/memviz/pkg/pickle"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// How a snapshot is read. One flag holds all limits, because hardly anyone
// needs any: an error names the one that would help.
var (
	limitFlag = &cli.StringSliceFlag{Name: "limit", Category: reading,
		Usage: "allow a file more, or less, of what bounds hostile ones: `KEY=VALUE`, such as memory=8GiB; errors " +
			"name the KEY; may be repeated"}
	salvageFlag = &cli.BoolFlag{Name: "salvage", Category: reading,
		Usage: "show what can be read of a file that is cut or damaged, and say what is missing"}
)

// readFlags are the flags of every command that reads snapshots.
func readFlags(more ...cli.Flag) []cli.Flag {
	return append(append(more, redactFlags()...), limitFlag, salvageFlag)
}

func limitKeys() string {
	keys := make([]string, len(pickle.Bounds))
	for i := range pickle.Bounds {
		keys[i] = pickle.Bounds[i].Key
	}
	return strings.Join(keys[:len(keys)-1], ", ") + " or " + keys[len(keys)-1]
}

// readOptions are what the flags say about reading.
func readOptions(c *cli.Context) (snapshot.Options, error) {
	o := snapshot.Options{Salvage: c.Bool(salvageFlag.Name)}
	for _, text := range c.StringSlice(limitFlag.Name) {
		if err := setLimit(&o.Limits, text); err != nil {
			return o, misused(c, "--limit %s: %v", text, err)
		}
	}
	return o, nil
}

// setLimit sets a field of limits by KEY=VALUE.
func setLimit(l *pickle.Limits, text string) error {
	key, value, _ := strings.Cut(text, "=")
	for i := range pickle.Bounds {
		b := &pickle.Bounds[i]
		if b.Key != key {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil && b.Bytes {
			n, err = units.ParseBytes(value)
		}
		if err != nil || n <= 0 {
			return fmt.Errorf("%q is no number above zero for %s", value, b.Means)
		}
		*b.Of(l) = n
		return nil
	}
	return fmt.Errorf("there is no limit %q; there are %s", key, limitKeys())
}

// advised adds which flag would help with a file that cannot be read.
func advised(err error) error {
	var located *pickle.Error
	var damaged *snapshot.Damaged
	var unpacked *container.LimitError
	limit := ""
	switch {
	case errors.As(err, &located):
		limit = located.Limit
	case errors.As(err, &unpacked) && unpacked.Limit == "bytes":
		limit = "input"
	case errors.As(err, &unpacked):
		limit = unpacked.Limit
	}
	if limit != "" {
		err = fmt.Errorf("%w: --limit %s=N", err, limit) // the advice is to raise it
	}
	if errors.As(err, &damaged) && damaged.Events > 0 {
		err = fmt.Errorf("%w; --salvage shows what was read", err)
	}
	return err
}

// sayPart tells a person that only a part of a file was read. It is said also
// where results go to a program.
func sayPart(c *cli.Context, in *answer.Input) {
	if text := in.SalvagedSentence(); text != "" {
		complain(c.App.ErrWriter, in.FileName()+": "+strings.ToLower(text[:1])+strings.TrimSuffix(text[1:], "."))
	}
}
