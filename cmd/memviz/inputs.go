package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// stdinName is standard input as an argument, stdinShown in messages.
const (
	stdinName  = "-"
	stdinShown = "standard input"
)

// inputOptions say how the inputs of a command are read. A command offers the flags it needs;
// fields without a flag keep their zero value.
type inputOptions struct {
	limits   snapshot.Limits
	salvage  bool
	redact   redact.Options
	device   *snapshot.DeviceID // nil: all
	families string             // a file of rules
	rules    *families.Overrides

	// What is needed of a report, which may lack it.
	needsAddresses, needsTimes, needsAll bool

	needsEach    bool // file that is named: without it there is no answer
	sideBySide   bool // read all files at the same time
	takesDigests bool // a directory without snapshots stands for the digests in it
	unread       int  // files that could not be read, of
	named        int

	opened func(files *sources, in []answer.Input) error // called with what each file held; nil: nothing to do

	reportCapacity *recording.GivenCapacity // with needsAll: that the last report was written with, if any
}

// flags appends the flags of every command that reads snapshots to its own.
func (o *inputOptions) flags(own ...cli.Flag) []cli.Flag {
	words := []string{"paths", "names", "all"}
	return append(own,
		option("redact", "", "replace `WHAT` by pseudonyms: paths, names (functions and texts that people wrote) or "+
			"all; public names and all numbers stay", &o.redact, func(text string) (redact.Options, error) {
			chosen := o.redact
			for word := range strings.SplitSeq(text, ",") {
				if _, err := oneOf(word, words); err != nil {
					return chosen, err
				}
				chosen.Paths = chosen.Paths || word != "names"
				chosen.Names = chosen.Names || word != "paths"
			}
			return chosen, nil
		}, words...).in(pseudonymOptions),
		listOption("keep-prefix", "do not redact paths below `PATH` and functions in them", &o.redact.Keep,
			asText).in(pseudonymOptions),
		listOption("strip-prefix", "remove `PATH` from the front of paths, even without --redact", &o.redact.Strip,
			asText).in(pseudonymOptions),
		saltFlag(&o.redact.Salt),
		limitFlag(&o.limits),
		&cli.BoolFlag{Name: "salvage", Category: readingOptions, Destination: &o.salvage,
			Usage: "read as much as possible of a truncated or damaged file, and report what is missing"},
	)
}

func saltFlag(to *[]byte) cli.Flag {
	salt := option("salt", "",
		"derive pseudonyms from this secret `TEXT`, the same in every run; otherwise they are random",
		to, func(text string) ([]byte, error) { return []byte(text), nil }).in(pseudonymOptions)
	salt.EnvVars = []string{"MEMVIZ_SALT"}
	return salt
}

// limitFlag is one flag for all limits. Hardly anyone needs it, and an error about a limit names
// its key.
func limitFlag(to *snapshot.Limits) cli.Flag {
	keys := snapshot.LimitKeys()
	for i := range keys {
		keys[i] += "="
	}
	return option("limit", "", "change a limit that protects from hostile files: `KEY=VALUE`, such as memory=8GiB; "+
		"errors name the KEY; may be repeated", to, func(text string) (snapshot.Limits, error) {
		limits := *to
		for limit := range strings.SplitSeq(text, ",") {
			if err := snapshot.SetLimit(&limits, limit); err != nil {
				return limits, err
			}
		}
		return limits, nil
	}, keys...).in(readingOptions)
}

// pinnedDevice stands for snapshot.Pinned among the values of --device.
const pinnedDevice = "pinned"

func (o *inputOptions) deviceFlag() cli.Flag {
	const usage = "only the GPU with this `ORDINAL`, or pinned for pinned host memory"
	f := option("device", "", usage, &o.device, func(text string) (*snapshot.DeviceID, error) {
		if text == pinnedDevice {
			id := snapshot.Pinned
			return &id, nil
		}
		n, err := strconv.Atoi(text)
		id := snapshot.DeviceID(n)
		if err != nil || int(id) != n || n < 0 {
			return nil, fmt.Errorf("%q is neither the ordinal of a GPU, such as 0, nor %s", text, pinnedDevice)
		}
		return &id, nil
	}, pinnedDevice)
	f.DefaultText = "all"
	return f
}

func (o *inputOptions) familiesFlag() cli.Flag {
	return option("families", "", "classify tensors by the rules in `FILE` before the built-in ones; a rule looks "+
		"like 'cache: function =~ kv_cache'", &o.families, asText)
}

// check checks and completes options that depend on one another.
func (o *inputOptions) check() error {
	if len(o.redact.Keep) > 0 && !o.redact.Paths && !o.redact.Names {
		return misuse("--keep-prefix is an exception from --redact, which is not given")
	}
	if len(o.redact.Salt) == 0 {
		o.redact.Salt = redact.NewSalt()
	}
	if o.families == "" {
		return nil
	}
	f, err := os.Open(o.families)
	if err != nil {
		return fmt.Errorf("--families: %w", err)
	}
	defer f.Close()
	// Reports are passed on, so they must not say where the file was.
	if o.rules, err = families.ParseOverrides(units.Printable(filepath.Base(o.families)), f); err != nil {
		return fmt.Errorf("--families: %w", err)
	}
	if o.redact.Redaction().Any() {
		o.rules.HideText()
	}
	return nil
}

// openInputs reads and replays the file at path: a snapshot, or a report with one or more. A
// snapshot is shown under name, or its pseudonym. stage is called at the start of each stage.
func (o *inputOptions) openInputs(t *terminal, path, name string, stage stages) (in []answer.Input, isReport bool,
	err error) {
	progress := stage("reading")
	options := snapshot.Options{Limits: o.limits, Salvage: o.salvage, Progress: progress}
	s, document, err := open(t, path, options)
	if err != nil {
		return nil, false, withAdvice(err)
	}
	stage("replaying")(0, 0)
	if document != nil {
		in, err := o.inputsOf(document, name)
		return in, true, err
	}
	if path != stdinName {
		name = o.redact.FileName(name)
	}
	o.redact.Snapshot(s)
	in = []answer.Input{answer.NewInput(name, s)}
	if o.rules != nil {
		in[0].Override(o.rules)
	}
	return in, false, nil
}

// open reads a file or standard input: a snapshot or a report.
func open(t *terminal, path string, o snapshot.Options) (*snapshot.Snapshot, *report.Document, error) {
	if err := checkStdout(t, path); err != nil {
		return nil, nil, err
	}
	if path != stdinName {
		return report.Open(path, o)
	}
	s, document, err := report.ReadPipe(t.stdin, o)
	if err != nil {
		err = fmt.Errorf("%s: %w", stdinShown, err)
	}
	return s, document, err
}

// inputsOf returns the snapshots in a report, under the names that the report has for them.
func (o *inputOptions) inputsOf(document *report.Document, name string) ([]answer.Input, error) {
	if o.needsAll {
		if err := document.Incomplete(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.reportCapacity = document.Report().GivenCapacity
	}
	in := make([]answer.Input, len(document.Report().Files))
	for i := range in {
		s, origin, err := document.Snapshot(i, o.limits.Memory)
		if errors.Is(err, codec.ErrMemory) {
			err = fmt.Errorf("%w: --limit memory=N", err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if lacks := o.lacks(s, &origin); lacks != "" {
			why := "was written without " + lacks + " (--omit)"
			if len(document.Report().LeftOut) > 0 {
				why = "was made smaller (--max-size) and lacks " + lacks
			}
			return nil, fmt.Errorf("%s %s, which the answer needs; name the snapshot", name, why)
		}
		o.redact.Snapshot(s)
		shown := o.redact.FileName(document.Report().Files[i].Name)
		if origin.Predicted != nil && o.redact.Paths {
			shown = predict.PredictedAt(origin.Predicted.X)
		}
		if o.rules != nil {
			origin.Decisions = nil
		} else if origin.Decisions != nil && o.redact.Redaction().Any() {
			origin.Decisions.HideText()
		}
		if in[i], err = answer.NewInputFrom(shown, s, origin); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if o.rules != nil {
			in[i].Override(o.rules)
		}
	}
	return in, nil
}

// lacks names what the answer needs and a snapshot from a report does not have, or is "".
func (o *inputOptions) lacks(s *snapshot.Snapshot, origin *analysis.Origin) string {
	switch {
	case o.needsAddresses && origin.AddressesLost:
		return "addresses"
	case o.needsTimes && s.Redaction.Times:
		return "times"
	}
	return ""
}

// stages starts a stage of the work and returns the function that reports its progress.
type stages func(name string) (progress func(done, total int64))

// withAdvice adds the flag that helps with a file that cannot be read.
func withAdvice(err error) error {
	if limit := snapshot.ExceededLimit(err); limit != "" {
		err = fmt.Errorf("%w: --limit %s=N", err, limit) // the error already advises to raise the limit
	}
	if damaged := new(snapshot.Damaged); errors.As(err, &damaged) && damaged.Events > 0 {
		err = fmt.Errorf("%w; --salvage shows what was read", err)
	}
	return err
}

// find checks the options and finds the files that args stand for. It is an error if out
// cannot be written, for example because it is one of them.
func (o *inputOptions) find(t *terminal, args []string, out *output) (*sources, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	files, err := findSources(t, args, o.takesDigests)
	if err != nil {
		return nil, err
	}
	inputs := files.paths()
	if o.families != "" {
		inputs = append(inputs, o.families)
	}
	return files, out.check(t, inputs...)
}

// read opens all files that args stand for.
func (o *inputOptions) read(t *terminal, args []string) ([]answer.Input, error) {
	files, err := o.find(t, args, &output{})
	if err != nil {
		return nil, err
	}
	return o.openAll(t, files)
}

// onlyDevice keeps the device of --device, if one was given. Inputs without it are dropped, but
// not all of them.
func (o *inputOptions) onlyDevice(in []answer.Input) ([]answer.Input, error) {
	if o.device == nil {
		return in, nil
	}
	var left []answer.Input
	for i := range in {
		if in[i].Only(*o.device) {
			left = append(left, in[i])
		}
	}
	if len(left) == 0 {
		if *o.device == snapshot.Pinned {
			return nil, errors.New("pinned host memory has no events or segments")
		}
		return nil, fmt.Errorf("there is no device %d with events or segments", *o.device)
	}
	return left, nil
}

// warnSalvaged warns that only part of a file was read. The answer says so too, but may be read by
// a program.
func warnSalvaged(t *terminal, in *answer.Input) {
	if text := in.SalvagedSentence(); text != "" {
		t.warn("%s: %s%s", in.FileName(), strings.ToLower(text[:1]), strings.TrimSuffix(text[1:], "."))
	}
}
