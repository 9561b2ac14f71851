package holders_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// slowKeys is what an allocation counts to, worked out from its stack each time:
// the row itself and all rows that its user frames make.
func slowKeys(r *analysis.Recording, i int, g holders.Grouping) (key string, through []string) {
	a := &r.Device.Allocations[i]
	var files, functions, sites []string
	for _, id := range r.Snapshot.Stacks.Frames(a.Stack) {
		f := r.Snapshot.Frames[id]
		file, function := r.Snapshot.String(f.File), r.Snapshot.String(f.Name)
		if r.Stacks.FrameClass[id] == stacks.UserCode {
			files, functions = append(files, file), append(functions, function)
			sites = append(sites, fmt.Sprintf("%s:%d:%s", file, f.Line, function))
		}
	}
	site := r.Stacks.Site(a.Stack).String()
	if site == "" && a.Stack != 0 {
		site = "malloc" // the only innermost function here that is not a site
	}
	switch {
	case g.By == holders.ByModule:
		return slowModules(r, a.Stack)
	case g.By == holders.ByLayer: // no block repeats here
		key, _ := slowModules(r, a.Stack)
		return key, nil
	case g.By == holders.ByAnnotation || g.By == holders.ByCompileContext || g.By == holders.ByMetadata:
		return "", nil // TestHoldersLabels has some
	case g.By == holders.ByFamily:
		return r.Families().Family(i).Key(), nil
	case g.By == holders.BySize:
		return fmt.Sprint(a.Size), nil
	case g.By == holders.ByStream:
		return fmt.Sprint(r.Snapshot.Streams[a.Stream]), nil
	case g.By == holders.ByPool:
		for _, seg := range r.Snapshot.Segments {
			if a.Addr >= seg.Address && a.Addr < seg.Address+uint64(seg.TotalSize) {
				return fmt.Sprintf("%d,0", r.Snapshot.Pools[seg.Pool].A), nil
			}
		}
		return "", nil
	case g.By == holders.ByOperator:
		return r.Stacks.Operator[a.Stack], nil
	case g.By == holders.ByStack:
		return fmt.Sprintf("%s #%d", site, a.Stack), nil
	case len(sites) == 0:
		return site, []string{site}
	case g.By == holders.ByFile:
		return files[0], files
	case g.By == holders.ByFunction:
		return functions[0], functions
	}
	return strings.Join(sites[:min(max(g.Depth, 1), len(sites))], " < "), nil
}

// slowModules is the module of a stack and those around it, by name: the file of a
// function called forward, then the line above it and that above each module around it.
func slowModules(r *analysis.Recording, id snapshot.StackID) (key string, through []string) {
	above, lines := "", []string{}
	for _, frame := range slices.Backward(r.Snapshot.Stacks.Frames(id)) {
		f := r.Stacks.Frame(frame)
		if f.Function == "forward" {
			if above != "" {
				lines = append([]string{above}, lines...)
			}
			key = strings.Join(append([]string{f.File}, lines...), " < ")
			through = append(through, key)
		}
		if r.Stacks.FrameClass[frame] == stacks.UserCode {
			above = f.String()
		}
	}
	if key == "" {
		through = []string{""}
	}
	return key, through
}

// slowHolders adds every row up by itself.
func slowHolders(r *analysis.Recording, state, before int, g holders.Grouping) map[string]holders.Row {
	rows := map[string]holders.Row{}
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		key, through := slowKeys(r, i, g)
		row, known := rows[key]
		if !known {
			row.Largest = -1
		}
		if before >= 0 && a.LiveIn(before) {
			row.BeforeBytes += a.Size
			rows[key] = row
		}
		if !a.LiveIn(state) {
			continue
		}
		row.Bytes += a.Size
		row.Allocations++
		if row.Largest < 0 || a.Size > r.Device.Allocations[row.Largest].Size {
			row.Largest = i
		}
		rows[key] = row
		slices.Sort(through)
		for _, key := range slices.Compact(through) {
			row, known := rows[key]
			if !known {
				row.Largest = -1
			}
			row.TotalBytes += a.Size
			rows[key] = row
		}
	}
	return rows
}

// TestHolders compares every grouping of random recordings with brute force. In
// every state the rows sum up to the active bytes.
func TestHolders(t *testing.T) {
	groupings := []holders.Grouping{{By: holders.BySite, Depth: 2}, {By: holders.BySite, Depth: 9}}
	for by := range holders.By(holders.ByCount) {
		groupings = append(groupings, holders.Grouping{By: by})
	}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 2))
		r := recorded.Random(random)
		for state, active := range r.Device.ActiveBytes() {
			before := random.IntN(r.Device.States()+1) - 1
			for _, g := range groupings {
				h := r.HoldersSince(state, before, g)
				checkHolding(t, r, h, active)
				if t.Failed() {
					t.Fatalf("seed %d, state %d, before %d, %+v", seed, state, before, g)
				}
			}
		}
	}
}

func checkHolding(t *testing.T, r *analysis.Recording, h *holders.Holding, active int64) {
	t.Helper()
	want := slowHolders(r, h.State, h.Before, h.Grouping)
	var sum, sumBefore, changes int64
	var allocations int
	var shares float64
	for _, row := range h.Rows {
		sum += row.Bytes
		changes += row.Change()
		shares += h.Share(&row)
		sumBefore += row.BeforeBytes
		allocations += row.Allocations
		key := row.Key
		if h.By == holders.ByStack {
			key = fmt.Sprintf("%s #%d", row.Key, row.Stack)
		}
		w := want[key]
		if h.By != holders.ByFile && h.By != holders.ByFunction && h.By != holders.ByModule {
			w.TotalBytes = w.Bytes
		}
		if row.Largest >= 0 && row.Stack != r.Device.Allocations[row.Largest].Stack {
			t.Errorf("%q shows stack %d, which is not that of its largest allocation", key, row.Stack)
		}
		got := row
		got.Key, got.Stack = "", 0
		if got != w {
			t.Errorf("%q: got %+v, want %+v", key, got, w)
		}
		delete(want, key)
	}
	for key := range want {
		t.Errorf("%q has no row", key)
	}
	if sum != active || h.Bytes != active {
		t.Errorf("rows sum up to %d and the total is %d, active are %d", sum, h.Bytes, active)
	}
	if want := len(r.Device.Live(nil, h.State)); allocations != want || h.Allocations != want {
		t.Errorf("rows count %d allocations and the total is %d, live are %d", allocations, h.Allocations, want)
	}
	if h.Before != timeline.NoState && sumBefore != r.Device.ActiveBytes()[h.Before] {
		t.Errorf("before: rows sum up to %d, active were %d", sumBefore, r.Device.ActiveBytes()[h.Before])
	}
	if changes != sum-sumBefore {
		t.Errorf("changes sum up to %d, not to %d", changes, sum-sumBefore)
	}
	if active > 0 && math.Abs(shares-1) > 1e-9 || active == 0 && shares != 0 {
		t.Errorf("shares sum up to %f", shares)
	}
	if !slices.IsSortedFunc(h.Rows, func(a, b holders.Row) int { return int(b.Bytes - a.Bytes) }) {
		t.Errorf("the rows are not in order of bytes")
	}
}

func TestHoldersKeys(t *testing.T) {
	tape := testsnap.NewTape()
	tape.Alloc("model.py|attend\nmodel.py|forward\n"+testsnap.Loop, 30)
	tape.Alloc(testsnap.Loop, 5)
	tape.Alloc("", 1)
	r := recorded.Tape(tape)
	type row struct {
		key         string
		self, total int64
	}
	tests := []struct {
		holders.Grouping
		want []row
	}{
		{
			holders.Grouping{By: holders.BySite},
			[]row{{"model.py:1:attend", 30, 30}, {"train.py:1:main", 5, 5}, {"", 1, 1}},
		},
		{
			holders.Grouping{By: holders.BySite, Depth: 2},
			[]row{{"model.py:1:attend < model.py:2:forward", 30, 30}, {"train.py:1:main", 5, 5},
				{"", 1, 1}},
		},
		{holders.Grouping{By: holders.ByFile}, []row{{"model.py", 30, 30}, {"train.py", 5, 35}, {"", 1, 1}}},
		{
			holders.Grouping{By: holders.ByFunction},
			[]row{{"attend", 30, 30}, {"main", 5, 35}, {"", 1, 1}, {"forward", 0, 30}},
		},
		{holders.Grouping{By: holders.BySize}, []row{{"30", 30, 30}, {"5", 5, 5}, {"1", 1, 1}}},
		{holders.Grouping{By: holders.ByStream}, []row{{"0", 36, 36}}},
		{holders.Grouping{By: holders.ByPool}, []row{{"", 36, 36}}}, // nothing in the file names a pool
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.By, test.Depth), func(t *testing.T) {
			var got []row
			for _, h := range r.Holders(3, test.Grouping).Rows {
				got = append(got, row{h.Key, h.Bytes, h.TotalBytes})
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestHoldersEventPool reads the pool of an allocation from its event.
func TestHoldersEventPool(t *testing.T) {
	tape := testsnap.NewTape()
	tape.Alloc(testsnap.Loop, 5)
	private := tape.Pool(snapshot.Pool{A: 3, B: 1})
	r := recorded.Tape(tape)
	r.Device.Events.Pool = []snapshot.PoolID{private}
	h := r.Holders(1, holders.Grouping{By: holders.ByPool})
	if len(h.Rows) != 1 || h.Rows[0].Key != "3,1" {
		t.Errorf("rows %+v, want one of pool 3,1", h.Rows)
	}
}

func TestParseBy(t *testing.T) {
	for by := range holders.By(holders.ByCount) {
		if got, ok := holders.ParseBy(by.String()); !ok || got != by {
			t.Errorf("%q reads as %d", by, got)
		}
	}
	if past := holders.By(holders.ByCount).String(); past != "" {
		t.Errorf("a By that does not exist is called %q", past)
	}
	if _, ok := holders.ParseBy("colour"); ok {
		t.Error("colour is no way to group")
	}
}

func TestLargest(t *testing.T) {
	for seed := range uint64(40) {
		r := recorded.Random(rand.New(rand.NewPCG(seed, 3)))
		for state := range r.Device.States() {
			all := holders.Largest(r.Device, state, 1000)
			live := r.Device.Live(nil, state)
			if !slices.Equal(slices.Sorted(slices.Values(all)), live) {
				t.Fatalf("seed %d, state %d: %v of %v", seed, state, all, live)
			}
			for i := 1; i < len(all); i++ {
				a, b := r.Device.Allocations[all[i-1]].Size, r.Device.Allocations[all[i]].Size
				if a < b || a == b && all[i-1] > all[i] {
					t.Fatalf("seed %d, state %d: %d before %d", seed, state, a, b)
				}
			}
			for n := range len(all) {
				if got := holders.Largest(r.Device, state, n); !slices.Equal(got, all[:n]) {
					t.Fatalf("seed %d, state %d: the %d largest are %v, want %v", seed, state, n, got, all[:n])
				}
			}
		}
	}
}

// TestHoldersLabels: annotated ranges and texts that the program has written.
func TestHoldersLabels(t *testing.T) {
	tape := testsnap.NewTapeIn(snapshot.Format{HasTime: true, HasCompileContext: true, HasUserMetadata: true})
	emit := func(action snapshot.Action, x testsnap.Tensor, context, metadata string) {
		tape.Now++
		tape.Event(0, snapshot.EventText{Action: action, Addr: x.Addr, Size: x.Size, TimeMicros: tape.Now,
			Context: context, Metadata: metadata})
	}
	noted := tape.Fresh(10)
	tape.Annotated("outer", func() {
		emit(snapshot.Alloc, noted, "N/A", "")
		tape.Annotated("inner", func() { emit(snapshot.Alloc, tape.Fresh(20), "Torch-Compiled Region: 0/1", "tokens") })
		emit(snapshot.Alloc, tape.Fresh(40), "", "tokens")
	})
	emit(snapshot.Annotate, noted, "", "kept")
	emit(snapshot.Annotate, noted, "", "later")
	emit(snapshot.Alloc, tape.Fresh(80), "N/A", "")
	r := recorded.Tape(tape)
	for by, want := range map[holders.By]string{
		holders.ByAnnotation:     "[ 80 outer 40 inner 20 kept; later 10]",
		holders.ByCompileContext: "[ 130 Torch-Compiled Region: 0/1 20]",
		holders.ByMetadata:       "[ 80 tokens 60 kept; later 10]",
	} {
		var got []any
		for _, row := range r.Holders(r.Device.States()-1, holders.Grouping{By: by}).Rows {
			got = append(got, row.Key, row.Bytes)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("by %s: %v, want %s", by, got, want)
		}
	}
}

// TestHoldersByKey: the values of a key, where metadata is a dict. Step counters do not
// distinguish rows.
func TestHoldersByKey(t *testing.T) {
	tape := testsnap.NewTapeIn(snapshot.Format{HasTime: true, HasUserMetadata: true})
	for size, text := range []string{"", `{"step":1,"stage":"train"}`, `{"step":2,"stage":"train"}`, `{"step":3,"stage":"eval"}`,
		"train", `{"step":4}`} {
		x := tape.Fresh(int64(1) << size)
		tape.Now++
		tape.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: x.Addr, Size: x.Size, TimeMicros: tape.Now, Metadata: text})
	}
	r := recorded.Tape(tape)
	for key, want := range map[string]string{
		"stage": "[ 49 eval 8 train 6]",
		"step":  "[4 32  17 3 8 2 4 1 2]",
		"":      "[step=4 32 train 16 step=3, stage=eval 8 step=2, stage=train 4 step=1, stage=train 2  1]",
	} {
		var got []any
		for _, row := range r.Holders(r.Device.States()-1, holders.Grouping{By: holders.ByMetadata, Key: key}).Rows {
			got = append(got, row.Key, row.Bytes)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("by %q: %v, want %s", key, got, want)
		}
	}
}

// TestChurn compares every grouping of random recordings with brute force.
func TestChurn(t *testing.T) {
	for seed := range uint64(40) {
		r := recorded.Random(rand.New(rand.NewPCG(seed, 4)))
		for by := range holders.By(holders.ByCount) {
			g := holders.Grouping{By: by}
			want := map[string]holders.ChurnRow{}
			var bytes int64
			for i, a := range r.Device.Allocations {
				if a.PreExisting() {
					continue
				}
				key, _ := slowKeys(r, i, g)
				row := want[key]
				row.Bytes += a.Size
				row.Allocations++
				if r.Families().Family(i) == families.Temporary {
					row.TemporaryBytes += a.Size
					row.Temporaries++
				}
				want[key] = row
				bytes += a.Size
			}
			c := r.Churn(g)
			for _, row := range c.Rows {
				key := row.Key
				if by == holders.ByStack {
					key = fmt.Sprintf("%s #%d", row.Key, row.Stack)
				}
				got := row
				got.Key, got.Stack = "", 0
				if got != want[key] {
					t.Errorf("seed %d, by %s, %q: got %+v, want %+v", seed, by, key, got, want[key])
				}
				delete(want, key)
			}
			if len(want) > 0 || c.Bytes != bytes {
				t.Errorf("seed %d, by %s: %d bytes of %d, no rows for %v", seed, by, c.Bytes, bytes, want)
			}
		}
	}
}
