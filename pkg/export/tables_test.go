package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

func hexOf(n uint64) string { return units.Address(n) }

func intOf(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// statsOf returns the JSON of memviz stats, by device and name.
func statsOf(t testing.TB, in []answer.Input) []map[string]any {
	t.Helper()
	var text bytes.Buffer
	if err := stats.Answer(in, stats.Options{}).Write(&text, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	var value struct{ Devices []map[string]any }
	d := json.NewDecoder(&text)
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value.Devices
}

// TestSums: the rows of the tables add up to the numbers of memviz stats, top and segments.
func TestSums(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		for _, table := range Tables {
			sums := sumRows(t, in, table)
			for i, stats := range statsOf(t, in) {
				if sums[i] == nil {
					sums[i] = map[string]int64{}
				}
				for name, got := range sums[i] {
					if want := fmt.Sprint(stats[name]); strconv.FormatInt(got, 10) != want {
						t.Errorf("%s: %s is %d, want %s", table.Name, name, got, want)
					}
				}
			}
		}
	})
}

// sumRows adds up numbers of memviz stats from the rows of a table, by device.
func sumRows(t *testing.T, in []answer.Input, table *Table) []map[string]int64 {
	all := make([]map[string]int64, len(in[0].Devices))
	byOrdinal := map[string]int{}
	for i, d := range in[0].Devices {
		byOrdinal[strconv.Itoa(int(d.ID))] = i
		all[i] = map[string]int64{}
	}
	for _, row := range csvRows(t, in, Options{Table: table}) {
		i := byOrdinal[row["device"]]
		sums, totals := all[i], &in[0].Devices[i].Totals
		number := func(name string) int64 { return intOf(t, row[name]) }
		switch table {
		case allocationsTable:
			sums["allocations"]++
			bytes := number("bytes")
			if row["start"] == "" {
				sums["baseline_bytes"] += bytes
			}
			if row["end"] == "" {
				sums["final_bytes"] += bytes
				sums["live_at_end"]++
			}
			if (row["start"] == "" || number("start") < int64(totals.PeakState)) &&
				(row["end"] == "" || number("end") >= int64(totals.PeakState)) {
				sums["peak_bytes"] += bytes
			}
		case eventsTable:
			sums["events"]++
			if row["action"] == "oom" {
				sums["oom_events"]++
			}
			sums["final_bytes"], sums["reserved_final_bytes"] = number("active_bytes"), number("reserved_bytes")
		case segmentsTable:
			sums["segments"]++
		case sitesTable:
			sums["peak_bytes"] += number("bytes")
			if number("state") != int64(totals.PeakState) {
				t.Errorf("a site has state %s", row["state"])
			}
		case curveTable:
			active, reserved := number("active_bytes"), number("reserved_bytes")
			if row["state"] == "0" {
				sums["baseline_bytes"], sums["reserved_baseline_bytes"] = active, reserved
			}
			if active > sums["peak_bytes"] {
				sums["peak_bytes"], sums["peak_state"] = active, number("state")
			}
			sums["reserved_peak_bytes"] = max(sums["reserved_peak_bytes"], reserved)
			sums["live_at_end"], sums["final_bytes"] = number("allocations"), active
			sums["reserved_final_bytes"] = reserved
		}
	}
	return all
}

// TestFormatsAgree: JSON Lines have the rows of CSV.
func TestFormatsAgree(t *testing.T) {
	story, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", "data-stream", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*snapshot.Snapshot{testsnap.Training(), testsnap.Hostile(), testsnap.HostMemory(), story} {
		in, all := input(s), 0
		for _, table := range Tables {
			o := Options{Table: table}
			rows, objects := csvRows(t, in, o), jsonRows(t, in, o)
			all += len(rows)
			if len(rows) != len(objects) {
				t.Fatalf("%s has %d rows and %d objects", table.Name, len(rows), len(objects))
			}
			for i, object := range objects {
				if len(object) != len(table.header()) {
					t.Fatalf("%s: %d keys of %d: %v", table.Name, len(object), len(table.header()), object)
				}
				for name, v := range object {
					if got := flat(v); got != strings.TrimPrefix(rows[i][name], "'") {
						t.Fatalf("%s, row %d: %s is %s and %s", table.Name, i, name, got, rows[i][name])
					}
				}
			}
		}
		if all == 0 {
			t.Error("there are no rows")
		}
	}
}

// flat formats a JSON value as a CSV cell.
func flat(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		lines := make([]string, len(v))
		for i := range v {
			lines[i] = v[i].(string)
		}
		return units.Printable(strings.Join(lines, stackSeparator))
	case string:
		return units.Printable(v)
	}
	return fmt.Sprint(v)
}

// TestNames: values that other answers have, too, have the same keys here.
func TestNames(t *testing.T) {
	keysOf := func(v any) (keys []string) {
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			keys = append(keys, name)
		}
		return keys
	}
	for _, tt := range []struct {
		table *Table
		keys  []string
		ours  []string // columns that the answer does not have
	}{
		{eventsTable, keysOf(events.Event{}), []string{"phase"}},
		{segmentsTable, keysOf(segments.Segment{}), []string{"state"}},
	} {
		for _, name := range tt.table.header()[2:] {
			if !slices.Contains(tt.keys, name) && !slices.Contains(tt.ours, name) {
				t.Errorf("%s: there is no %s among %v", tt.table.Name, name, tt.keys)
			}
		}
	}
}

// TestEventRows: the events match memviz events, except for the wording.
func TestEventRows(t *testing.T) {
	in := input(testsnap.Training())
	said, err := events.Answer(in, events.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := said.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Devices []struct{ Events []map[string]any }
	}
	d := json.NewDecoder(&text)
	d.UseNumber()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	rows := jsonRows(t, in, Options{Table: eventsTable})
	if len(rows) != len(log.Devices[0].Events) || len(rows) == 0 {
		t.Fatalf("%d rows of %d events", len(rows), len(log.Devices[0].Events))
	}
	for i, e := range log.Devices[0].Events {
		for key, v := range e {
			if got := rows[i][key]; key != "text" && flat(got) != flat(v) {
				t.Errorf("event %d: %s is %v, want %v", i, key, got, v)
			}
		}
	}
}

// TestAllocationRows: each row agrees with replay and analysis.
func TestAllocationRows(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		rows := csvRows(t, in, Options{})
		for _, r := range in[0].Recordings {
			// By event, computed independently: the step, counted from 1, and the phase.
			steps, phases := make([]string, r.Device.Events.Len()), make([]string, r.Device.Events.Len())
			for j, step := range r.Steps().Steps {
				for i := step.From; i < step.To; i++ {
					steps[i] = strconv.Itoa(j + 1)
				}
			}
			for _, p := range r.Phases() {
				for i := p.Start; i <= p.End; i++ {
					phases[i] = p.Phase.PhaseName()
				}
			}
			for i := range r.Device.Allocations {
				a, row := &r.Device.Allocations[i], rows[i]
				want := map[string]string{
					"device": strconv.Itoa(int(r.Device.ID)), "allocation": strconv.Itoa(i),
					"bytes": strconv.FormatInt(a.Size, 10), "address": hexOf(a.Addr),
					"stream": hexOf(r.Snapshot.Streams[a.Stream]), "family": r.Families().Family(i).Key(),
					"site": csvText(r.Stacks.Site(a.Stack).String()), "step": "", "phase": "", "free_site": "",
				}
				for name, event := range map[string]replay.EventIndex{
					"start": a.Start, "free_requested": a.FreeRequested, "end": a.End,
				} {
					if want[name] = ""; event != replay.None {
						want[name] = strconv.Itoa(int(event))
					}
				}
				if a.Start != replay.None {
					want["step"], want["phase"] = steps[a.Start], phases[a.Start]
				}
				if a.FreeStack != 0 {
					want["free_site"] = csvText(r.Stacks.Site(a.FreeStack).String())
				}
				for name, text := range want {
					if row[name] != text {
						t.Fatalf("allocation %d: %s is %q, want %q", i, name, row[name], text)
					}
				}
			}
			rows = rows[len(r.Device.Allocations):]
		}
		if len(rows) > 0 {
			t.Errorf("%d rows are too many", len(rows))
		}
	})
}

// TestSites: sites match memviz top, at any moment and over the recording.
func TestSites(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		for _, moment := range []string{"peak", "end", "start"} {
			at, err := answer.ParseMoment(moment)
			if err != nil {
				t.Fatal(err)
			}
			rows := map[string]map[string]string{}
			for _, row := range csvRows(t, in, Options{Table: sitesTable, At: &at}) {
				rows[row["device"]+" "+row["site"]] = row
			}
			for _, r := range in[0].Recordings {
				state, err := at.State(r)
				if err != nil {
					t.Fatal(err)
				}
				check := func(key string, want map[string]int64) {
					row := rows[fmt.Sprintf("%d %s", r.Device.ID, key)]
					for name, n := range want {
						if row == nil || intOf(t, row[name]) != n {
							t.Fatalf("%s: %s of %q is %v, want %d", moment, name, key, row[name], n)
						}
					}
				}
				for _, h := range r.Holders(state, holders.Grouping{}).Rows {
					check(h.Key, map[string]int64{"bytes": h.Bytes, "allocations": int64(h.Allocations)})
				}
				for _, c := range r.Churn(holders.Grouping{}).Rows {
					check(c.Key, map[string]int64{"allocated_bytes": c.Bytes, "requests": int64(c.Allocations),
						"temporary_bytes": c.TemporaryBytes, "temporaries": int64(c.Temporaries)})
				}
			}
		}
	})
}
