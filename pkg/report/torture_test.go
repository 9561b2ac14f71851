package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/export"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

var (
	mutants   = flag.Int("mutants", 450, "damaged files that TestTorture reads")
	oneMutant = flag.Int("mutant", -1, "the only damaged file that TestTorture reads")
)

// patience is when a damaged file counts as one that hangs the program.
const patience = 5 * time.Minute

// exampleShare is which part of the damaged files are examples, which are large: coprime to the
// number of damages, so that each meets all.
const exampleShare = 11

// outcome is what became of a damaged file.
type outcome struct {
	mutant int
	damage int
	what   string // refused, salvaged, flagged, sound
	took   time.Duration
}

// TestTorture damages files and takes each through all that memviz does with a
// file: reading, replay, answers, the page. Nothing panics and nothing takes
// long. A file that is read at all reads the same in both ways through package
// pickle; where a device is said to add up, an account that shares no code with
// the replay finds nothing wrong either; and what was salvaged is said to be.
func TestTorture(t *testing.T) {
	small, examples := smallSeeds(t), exampleSeeds(t)
	numbers := make(chan int)
	outcomes := make(chan outcome)
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			for n := range numbers {
				seeds := small
				if n%exampleShare == 0 {
					seeds = examples
				}
				outcomes <- tortured(t, seeds, n)
			}
		})
	}
	go func() {
		if *oneMutant >= 0 {
			numbers <- *oneMutant
		}
		for n := range *mutants {
			if *oneMutant < 0 {
				numbers <- n
			}
		}
		close(numbers)
		done.Wait()
		close(outcomes)
	}()
	t.Log("\n" + tortureTable(outcomes))
}

// tortured reads the n-th damaged file.
func tortured(t *testing.T, seeds []seed, n int) outcome {
	from, damage, data := mutant(seeds, n)
	var step atomic.Value
	step.Store("reading")
	began := time.Now()
	watch := time.AfterFunc(patience, func() {
		panic(fmt.Sprintf("mutant %d of %s (%s) takes more than %v for %s", n, from.name, damages[damage].name,
			patience, step.Load()))
	})
	defer watch.Stop()
	fail := func(format string, args ...any) {
		t.Errorf("mutant %d of %s (%s): %s", n, from.name, damages[damage].name, fmt.Sprintf(format, args...))
	}
	defer func() {
		if p := recover(); p != nil {
			fail("panic while %s: %v\n%s", step.Load(), p, debug.Stack())
		}
	}()
	what := judged(data, &step, fail)
	return outcome{n, damage, what, time.Since(began)}
}

// judged takes a file through everything and says what became of it.
func judged(data []byte, step *atomic.Value, fail func(string, ...any)) string {
	s, err := snapshot.Read(bytes.NewReader(data), int64(len(data)), pickle.Limits{})
	if err != nil {
		step.Store("salvaging")
		part, salvageErr := snapshot.ReadWith(bytes.NewReader(data), int64(len(data)), snapshot.Options{Salvage: true})
		if salvageErr != nil {
			return "refused"
		}
		if part.Salvaged == nil {
			fail("refused for %v, and salvaged without a word", err)
		}
		answered(part, step, fail)
		return "salvaged"
	}
	step.Store("reading again")
	other := otherWay(data)
	again, err := snapshot.Read(bytes.NewReader(other), int64(len(other)), pickle.Limits{})
	if err == nil && account(s) != account(again) {
		fail("both ways read it, as\n%.2000s\nand\n%.2000s", account(s), account(again))
	}
	if answered(s, step, fail) {
		return "sound"
	}
	return "flagged"
}

// answered asks everything of a snapshot and makes its page. It reports whether
// nothing is said against any device.
func answered(s *snapshot.Snapshot, step *atomic.Value, fail func(string, ...any)) bool {
	step.Store("replaying")
	in := answer.NewInput("mutant.pickle", s)
	list, sound := []answer.Input{in}, true
	for _, d := range in.Devices {
		wrong := ledger(s, d.ID)
		if d.AddsUp() && wrong != "" {
			fail("device %d is said to add up, but: %s", d.ID, wrong)
		}
		sound = sound && d.AddsUp() && d.Anomalies[replay.UnevenSegments] == 0
		for k, bytes := range d.ActiveBytes() {
			if bytes < 0 || bytes > d.Totals.PeakBytes {
				fail("device %d: %d bytes in state %d, with a peak of %d", d.ID, bytes, k, d.Totals.PeakBytes)
				break
			}
		}
	}
	for name, find := range questions(&in) {
		step.Store(name)
		shown, err := find()
		if err != nil {
			continue // a moment or a device that is not there
		}
		answer.MarkSalvaged(shown, list)
		var text bytes.Buffer
		if err := errors.Join(shown.Write(&text, sheet.Text, sheet.Look{}),
			shown.Write(io.Discard, sheet.JSON, sheet.Look{})); err != nil {
			fail("%s: %v", name, err)
		}
		if s.Salvaged != nil && !bytes.HasPrefix(text.Bytes(), []byte("! mutant.pickle: The file ")) {
			fail("%s does not begin with what is missing", name)
		}
	}
	for _, f := range export.Formats {
		step.Store("exporting as " + f.Name)
		tables := export.Tables
		if !slices.Contains(f.Takes, export.TableOption) {
			tables = tables[:1]
		}
		for _, table := range tables {
			if err := f.Write(io.Discard, list, export.Options{Table: table}); err != nil {
				fail("%s of %s: %v", f.Name, table.Name, err)
			}
		}
	}
	step.Store("encoding")
	var page bytes.Buffer
	if _, err := Encode("memviz test", list, nil).WriteTo(&page); err != nil {
		fail("the page: %v", err)
	}
	step.Store("reading the page")
	read, err := Read(&page)
	if err != nil {
		fail("the page is refused: %v", err)
		return sound
	}
	if back, _, err := read.Snapshot(0, 0); err != nil {
		fail("the page gives no snapshot: %v", err)
	} else if contents(back) != contents(s) {
		fail("the page holds another snapshot")
	}
	return sound
}

// questions are most of what commands ask of a snapshot.
func questions(in *answer.Input) map[string]func() (*sheet.Sheet, error) {
	list := []answer.Input{*in}
	return map[string]func() (*sheet.Sheet, error){
		"stats": func() (*sheet.Sheet, error) { return stats.Answer(list, stats.Options{Rows: 5}), nil },
		"top":   func() (*sheet.Sheet, error) { return top.Answer(list, top.Options{At: answer.Peak, Rows: 5}) },
		"leaks": func() (*sheet.Sheet, error) { return leaks.Answer(list, leaks.Options{Rows: 5}) },
		"oom":   func() (*sheet.Sheet, error) { return oom.Answer(list, oom.Options{Rows: 5}) },
		"diff": func() (*sheet.Sheet, error) {
			return diff.Answer(in, in, diff.Options{Rows: 5})
		},
		"segments": func() (*sheet.Sheet, error) { return segments.Answer(list, answer.Peak, 20) },
		"events":   func() (*sheet.Sheet, error) { return events.Answer(list, events.Options{}) },
		"ranks": func() (*sheet.Sheet, error) {
			return ranksOf(in, in.Name), nil
		},
	}
}

// ranksOf compares files of these names, all of the same content.
func ranksOf(in *answer.Input, names ...string) *sheet.Sheet {
	var list []job.Digest
	for _, name := range names {
		for _, r := range in.Recordings {
			d := job.DigestOf(r)
			d.File.Name, d.File.Path = name, name
			list = append(list, d)
		}
	}
	return ranks.Answer(job.Jobs(list), 1000)
}

// tortureTable counts what became of the files, by damage.
func tortureTable(outcomes <-chan outcome) string {
	kinds := []string{"refused", "salvaged", "flagged", "sound"}
	counts := make([]map[string]int, len(damages)+1)
	slowest := make([]outcome, len(damages)+1)
	for i := range counts {
		counts[i] = map[string]int{}
	}
	for o := range outcomes {
		for _, row := range []int{o.damage, len(damages)} {
			counts[row][o.what]++
			counts[row]["mutants"]++
			if o.took > slowest[row].took {
				slowest[row] = o
			}
		}
	}
	w := table.NewWriter()
	w.AppendHeader(table.Row{"damage", "mutants", "refused", "salvaged", "flagged", "sound", "slowest", "which is"})
	for i := range counts {
		name := "all"
		if i < len(damages) {
			name = damages[i].name
		}
		row := table.Row{name, counts[i]["mutants"]}
		for _, kind := range kinds {
			row = append(row, counts[i][kind])
		}
		w.AppendRow(append(row, slowest[i].took.Round(time.Millisecond), slowest[i].mutant))
	}
	return w.Render()
}
