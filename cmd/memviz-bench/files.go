package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/memviz-go/memviz/pkg/units"
)

// The readers of a snapshot that are measured, the yardsticks first.
const (
	sha256sum      = "sha256sum"
	pythonPickle   = "python3 pickle"
	pythonPickleNG = "python3, gc off" // without its garbage collector
	gopickle       = "gopickle"
	stats          = "memviz stats"
	digest         = "memviz digest"
	trace          = "memviz trace"
)

var readers = []string{sha256sum, pythonPickle, pythonPickleNG, gopickle, stats, digest, trace}

// The figures of a reader on a file.
const (
	wall   = "wall"   // seconds
	cpu    = "CPU"    // seconds
	memory = "memory" // highest resident bytes
	output = "output" // bytes; of the file in the case of digest and trace
)

const (
	// eventsPerMB makes a snapshot of the training shape about as large as its name.
	eventsPerMB = 5_300
	// slowMB is the size beyond which slow readers run only with --slow.
	slowMB = 100
	// shellBytes is about the size of the part that all reports share.
	shellBytes = 0.3e6
)

// fileBenchmark measures programs that read a snapshot from its first byte to
// its last.
type fileBenchmark struct {
	noHooks
	slow         bool // run the slow readers at every size
	memviz, html string
	digests      string // output folder of digest
	python       string
	commands     map[string][]string // by reader; the path of the snapshot follows
}

// parse reads 10MB or 1GB, decimal units.
func (*fileBenchmark) parse(size string) (*input, error) {
	mb, err := parseSize(size, map[string]int{"": 1, "mb": 1, "gb": 1000}, 20_000)
	name := fmt.Sprintf("%dMB", mb)
	if mb%1000 == 0 {
		name = fmt.Sprintf("%dGB", mb/1000)
	}
	return &input{name: name, shape: "training-shaped", events: mb * eventsPerMB, live: 9_500}, err
}

func (b *fileBenchmark) start(ctx context.Context, p *programs) error {
	own, err := os.Executable()
	b.memviz, b.html, b.python = p.memviz, filepath.Join(p.dir, "report.html"), findPython(ctx)
	b.digests = filepath.Join(p.dir, "digest.jsonl.gz")
	b.commands = map[string][]string{
		gopickle: {own, "gopickle"},
		stats:    {p.memviz, "stats"},
		digest:   {p.memviz, "digest", "-o", b.digests},
		trace:    {p.memviz, "trace", "-o", b.html},
	}
	if path, err := exec.LookPath(sha256sum); err == nil {
		b.commands[sha256sum] = []string{path}
	}
	if b.python != "" {
		const load = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"
		b.commands[pythonPickle] = []string{b.python, "-c", load}
		b.commands[pythonPickleNG] = []string{b.python, "-c", "import gc; gc.disable(); " + load}
	}
	return err
}

func (b *fileBenchmark) measure(ctx context.Context, in *input, r *results) error {
	if err := readOnce(in.path); err != nil {
		return err
	}
	for _, reader := range readers {
		slow := reader == pythonPickle || reader == gopickle
		command := b.commands[reader]
		if command == nil || slow && !b.slow && in.events > slowMB*eventsPerMB {
			continue
		}
		used, err := runProgram(ctx, command[0], append(command[1:len(command):len(command)], in.path)...)
		if err != nil {
			return err
		}
		if file := map[string]string{digest: b.digests, trace: b.html}[reader]; file != "" {
			if used.output, err = sizeOf(file); err != nil {
				return err
			}
		}
		r.addUsage(in, reader, used)
	}
	return nil
}

// readOnce brings a file into the cache of the system.
func readOnce(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// ratio compares the figures of two readers on a file run by run.
func (r *results) ratio(input, reader, to, figure string) float64 {
	return medianRatio(r.samples[measure{input, reader, figure}], r.samples[measure{input, to, figure}])
}

// ofFile returns the peak memory of a reader as a share of the file size.
func (r *results) ofFile(in *input, reader string) float64 {
	return median(r.samples[measure{in.name, reader, memory}]) / float64(in.bytes)
}

// htmlPerEvent returns the bytes per event in a report.
func (r *results) htmlPerEvent(in *input) float64 {
	return (median(r.samples[measure{in.name, trace, output}]) - shellBytes) / float64(in.events)
}

func (*fileBenchmark) report(r *results) ([]*table, []budget) {
	to := func(header, yardstick, figure string) column {
		return column{header, func(in *input, reader string) string {
			return number(r.ratio(in.name, reader, yardstick, figure), "")
		}}
	}
	measured := r.table("Measured, medians", readers, func(in *input) string {
		return units.Bytes(in.bytes) + ", " + units.Count(in.events) + " events"
	}, r.figure(wall, units.Duration, 1e6), r.figure(cpu, units.Duration, 1e6), r.figure(memory, units.Bytes, 1),
		r.figure(output, units.Bytes, 1))
	measured.notes = []string{
		fmt.Sprintf("-: not installed, or slow and therefore not run beyond %d MB without --slow, or memory below", slowMB),
		"memviz-bench's own, which Linux counts as memory of the programs it starts.",
	}
	ratios := r.table("Ratios, medians over runs", readers, func(*input) string { return "" },
		to("wall/sha256", sha256sum, wall), to("wall/python", pythonPickleNG, wall),
		to("memory/python", pythonPickleNG, memory),
		column{"memory/file", func(in *input, reader string) string { return number(r.ofFile(in, reader), "") }})
	ratios.notes = []string{"python: python3 pickle.load with its garbage collector off."}
	return []*table{measured, ratios}, fileBudgets(r)
}

func fileBudgets(r *results) []budget {
	var ofFile, perEvent []float64
	for _, in := range r.inputs {
		if in.events >= 100*eventsPerMB {
			ofFile = append(ofFile, r.ofFile(in, stats), r.ofFile(in, trace))
		}
		if in.events >= 1_000_000 {
			perEvent = append(perEvent, r.htmlPerEvent(in))
		}
	}
	growth := func(figure string) float64 {
		of := func(reader string) float64 {
			return medianRatio(r.samples[measure{"1GB", reader, figure}], r.samples[measure{"100MB", reader, figure}])
		}
		return worst(of(stats), of(trace))
	}
	return []budget{
		{"stats, 1GB: wall / sha256sum", r.ratio("1GB", stats, sha256sum, wall), 0.7, ""},
		{"digest, 1GB: wall / stats", r.ratio("1GB", digest, stats, wall), 1.1, ""},
		{"digest, 1GB: memory / stats", r.ratio("1GB", digest, stats, memory), 1.1, ""},
		{"trace, 1GB: wall / sha256sum", r.ratio("1GB", trace, sha256sum, wall), 0.9, ""},
		{"trace, 1GB: wall / python", r.ratio("1GB", trace, pythonPickleNG, wall), 0.5, ""},
		{"trace, 1GB: memory / python", r.ratio("1GB", trace, pythonPickleNG, memory), 0.2, ""},
		{"both, 100MB and up: memory / file", worst(ofFile...), 0.45, ""},
		{"trace, 1M events and up: HTML beyond 0.3 MB per event", worst(perEvent...), 3.5, " B"},
		{"both, 100MB to 1GB: wall", growth(wall), 11, "x"},
		{"both, 100MB to 1GB: memory", growth(memory), 11, "x"},
	}
}

// check compares memviz with Python on the largest file.
func (b *fileBenchmark) check(ctx context.Context, r *results, out io.Writer) error {
	fmt.Fprintln(out)
	if b.python == "" {
		fmt.Fprintln(out, "Not verified: no python3 found.")
		return nil
	}
	largest := slices.MaxFunc(r.inputs, func(a, b *input) int { return a.events - b.events })
	return verify(ctx, b.memviz, b.python, largest.path, out)
}
