package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/export"
	"github.com/memviz-go/memviz/pkg/units"
)

type exportOptions struct {
	inputOptions
	format  *export.Format
	at      *answer.Moment
	table   *export.Table
	minSize *int64
	omit    export.Omission
	output  output
}

// largeTensor is the default of --min-size.
const largeTensor = 16 * units.MiB

func exportCommand(t *terminal) *cli.Command {
	var o exportOptions
	return &cli.Command{
		Name:      "export",
		Usage:     "write recordings for pprof, Perfetto, spreadsheets, data frames or SQLite",
		ArgsUsage: "SNAPSHOT...",
		Description: "Numbers are exact and have the same names as in the JSON of other commands.\n\n" +
			"pprof has the memory in use at a moment and the memory allocated over the recording, with\n" +
			"the labels family, phase, site, stream and device. All allocations are made by C++, so\n" +
			"select Python files or call sites:\n\n" +
			"    memviz export --to pprof -o snap.pb.gz snap.pickle\n" +
			"    go tool pprof -top -show '\\.py$' snap.pb.gz\n" +
			"    go tool pprof -tags -sample_index=alloc_space snap.pb.gz\n" +
			"    go tool pprof -http : -diff_base before.pb.gz after.pb.gz\n\n" +
			"perfetto is a trace for ui.perfetto.dev: active and reserved bytes, bytes of each family,\n" +
			"steps, phases, annotations, large tensors, failed requests and retries. It has the same\n" +
			"clock as torch's profiler, so that both can be merged into one trace:\n\n" +
			"    memviz export --to perfetto -o mem.json snap.pickle\n" +
			"    jq -s '{traceEvents: map(.traceEvents[])}' prof.json mem.json > both.json\n\n" +
			"csv and jsonl have a row for each allocation, event, segment, call site or state:\n\n" +
			"    memviz export --to csv --table sites snap.pickle > sites.csv\n" +
			"    memviz export --to jsonl --table events rank*.pickle > events.jsonl\n\n" +
			"sqlite has all these tables, frames and stacks, and views of what is live at the peak\n" +
			"and at the end:\n\n" +
			"    memviz export --to sqlite -o snap.db snap.pickle\n" +
			"    sqlite3 snap.db 'SELECT sum(bytes) FROM live_at_peak GROUP BY recording'\n\n" +
			"Stacks for flamegraph.pl, inferno and speedscope are memviz folded; every number of an\n" +
			"answer is in its --format json; the page exports what it shows.",
		Flags:  o.flags(o.own(t)...),
		Action: action(t, func(args []string) error { return o.write(t, args) }),
	}
}

// own returns the flags before those for reading.
func (o *exportOptions) own(t *terminal) []cli.Flag {
	var formats, tables []string
	for _, f := range export.Formats {
		formats = append(formats, f.Name)
	}
	for _, table := range export.Tables {
		tables = append(tables, table.Name)
	}
	at := option("at", "", "with pprof and the tables sites and segments, look at `MOMENT`: "+answer.MomentForms, &o.at,
		func(text string) (*answer.Moment, error) {
			moment, err := answer.ParseMoment(text)
			return &moment, err
		}, momentChoices...)
	at.DefaultText = "peak, of segments end"
	table := option("table", "", "with csv and jsonl, write the rows of `TABLE`: "+strings.Join(tables, ", "), &o.table,
		func(text string) (*export.Table, error) {
			if _, err := oneOf(text, tables); err != nil {
				return nil, err
			}
			return export.Tables[slices.Index(tables, text)], nil
		}, tables...)
	table.DefaultText = tables[0]
	minSize := option("min-size", "", "with perfetto, each tensor of `SIZE` or more has a slice of its own", &o.minSize,
		func(text string) (*int64, error) {
			n, err := units.ParseBytes(text)
			return &n, err
		})
	minSize.DefaultText = "16MiB"
	return []cli.Flag{
		option("to", "", "write `FORMAT`: "+strings.Join(formats, ", "), &o.format,
			func(text string) (*export.Format, error) {
				if _, err := oneOf(text, formats); err != nil {
					return nil, err
				}
				return export.Formats[slices.Index(formats, text)], nil
			}, formats...),
		o.output.flag("write to `FILE` (default: standard output)"),
		table, at, minSize,
		option("omit", "", "leave `WHAT` out: addresses, times or both, as addresses,times", &o.omit,
			func(text string) (export.Omission, error) {
				omit, err := parseOmission(text)
				return export.Omission(omit), err
			}, "addresses", "times", "addresses,times"),
		o.familiesFlag(),
		o.deviceFlag(),
		t.quietFlag(),
	}
}

// options returns the options of the export. A flag that the format does not take is wrong usage.
func (o *exportOptions) options() (export.Options, error) {
	e := export.Options{Program: program, At: o.at, Table: export.Tables[0], MinSize: largeTensor, Omit: o.omit}
	for _, flag := range []struct {
		name  string
		given bool
		what  export.Option
	}{
		{"table", o.table != nil, export.TableOption}, {"at", o.at != nil, export.AtOption},
		{"min-size", o.minSize != nil, export.MinSizeOption},
	} {
		if flag.given && !slices.Contains(o.format.Takes, flag.what) {
			return e, misuse("--%s cannot go with --to %s", flag.name, o.format.Name)
		}
	}
	if o.table != nil {
		e.Table = o.table
	}
	if o.minSize != nil {
		e.MinSize = *o.minSize
	}
	if o.at != nil && slices.Contains(o.format.Takes, export.TableOption) && !e.Table.TakesAt {
		return e, misuse("--at cannot go with the table %s, which is of the whole recording", e.Table.Name)
	}
	return e, nil
}

func (o *exportOptions) write(t *terminal, args []string) error {
	if o.format == nil {
		return misuse("--to FORMAT is missing")
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	toFile := o.output.toFile()
	if _, shown := terminalFile(t.stdout); shown && !toFile && o.format.Binary {
		return misuse("--to %s is not for a terminal; name a file with -o", o.format.Name)
	}
	files, err := o.find(t, args, &o.output)
	if err != nil {
		return err
	}
	o.needsEach = true
	in, err := o.openAll(t, files)
	if err != nil {
		return err
	}
	for i := range in {
		if lost := lostInReport(in[i].Source, o.omit); lost != "" {
			t.warn("%s was made without %s, so the export has none", in[i].FileName(), lost)
		}
	}
	if !toFile {
		t.clear()
		return o.format.Write(t.stdout, in, options)
	}
	progress := t.bytes("exporting")
	size, err := o.output.write(t, func(w io.Writer) error {
		return o.format.Write(&countingWriter{w: w, seen: func(n int64) { progress(n, 0) }}, in, options)
	})
	if err != nil {
		return err
	}
	t.confirm("wrote %s: %s", &o.output, units.FileSize(size))
	return nil
}

// lostInReport names what would be exported but is missing from the report that a snapshot came
// from, or is "".
func lostInReport(s *analysis.Source, omit export.Omission) string {
	var lost []string
	if (s.Origin.AddressesLost || s.Snapshot.Redaction.Addresses) && !omit.Addresses {
		lost = append(lost, "addresses")
	}
	if s.Snapshot.Redaction.Times && !omit.Times {
		lost = append(lost, "times")
	}
	return strings.Join(lost, " and ")
}
