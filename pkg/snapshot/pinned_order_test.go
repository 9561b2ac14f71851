package snapshot

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// hostEvents is what happens in host memory: at each address, segments that are used one or more
// times, in the order in which it happens. The end of each address is its final state.
type hostEvents []struct {
	action string
	addr   int
}

func randomHostEvents(random *rand.Rand, addresses, cycles int) (all hostEvents) {
	left := make([]hostEvents, addresses)
	for a := range left {
		add := func(action string) {
			left[a] = append(left[a], hostEvents{{action, (a + 1) << 12}}...)
		}
		for range cycles {
			add("segment_alloc")
			for range 1 + random.IntN(3) {
				add("alloc")
				add("free_requested")
				add("free_completed")
			}
			add("segment_free")
		}
		left[a] = left[a][:len(left[a])-random.IntN(5)]
	}
	for slices.ContainsFunc(left, func(l hostEvents) bool { return len(l) > 0 }) {
		if a := random.IntN(addresses); len(left[a]) > 0 {
			all, left[a] = append(all, left[a][0]), left[a][1:]
		}
	}
	return all
}

// actions are those at each address, in their order.
func (all hostEvents) actions() map[int][]string {
	of := map[int][]string{}
	for _, e := range all {
		of[e.addr] = append(of[e.addr], e.action)
	}
	return of
}

// read is the events as they are after reading a file that has them, and the end that happened.
func (all hostEvents) read(t *testing.T, happened hostEvents) (hostEvents, *Snapshot) {
	t.Helper()
	rows, segments := list{}, list{}
	for _, e := range all {
		rows = append(rows, hostEvent(e.action, e.addr, 64))
	}
	for addr, actions := range happened.actions() {
		switch actions[len(actions)-1] {
		case "alloc":
			segments = append(segments, hostSegment(addr, 64, "active_allocated"))
		case "free_requested":
			segments = append(segments, hostSegment(addr, 64, "active_pending_free"))
		case "free_completed", "segment_alloc":
			segments = append(segments, hostSegment(addr, 64, "inactive"))
		}
	}
	s := load(t, dict{"host_segments", segments, "host_traces", rows})
	var got hostEvents
	e := s.Events(Pinned)
	for i, action := range e.Action {
		got = append(got, hostEvents{{s.ActionName(action), int(e.Addr[i])}}...)
	}
	return got, s
}

// delayed is the events in the order in which they are recorded if some are recorded late.
func (all hostEvents) delayed(delay func(action string) int) hostEvents {
	at := make([]int, len(all))
	rows := make([]int, len(all))
	for i, e := range all {
		rows[i], at[i] = i, i+delay(e.action)
	}
	slices.SortStableFunc(rows, func(x, y int) int { return cmp.Compare(at[x], at[y]) })
	late := make(hostEvents, len(all))
	for i, row := range rows {
		late[i] = all[row]
	}
	return late
}

// TestLateFrees: however late frees are recorded, reading finds the order in which
// the events of each address happened.
func TestLateFrees(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		happened := randomHostEvents(random, 1+random.IntN(8), 20)
		most := []int{8, 50, 5000}[seed%3]
		recorded := happened.delayed(func(action string) int {
			if action == "alloc" || action == "segment_alloc" || random.IntN(10) > 0 {
				return 0
			}
			return random.IntN(most)
		})
		got, s := recorded.read(t, happened)
		if fmt.Sprint(got.actions()) != fmt.Sprint(happened.actions()) {
			t.Fatalf("seed %d:\n%v, want\n%v", seed, got.actions(), happened.actions())
		}
		isLate := fmt.Sprint(recorded.actions()) != fmt.Sprint(happened.actions())
		if late := s.Trace(Pinned).LateEvents; (late > 0) != isLate {
			t.Fatalf("seed %d: %d late events", seed, late)
		}
	}
}

// TestSwappedEvents: threads that record at the same time swap events, also of one address, and
// reading finds the order in which they happened.
func TestSwappedEvents(t *testing.T) {
	const addresses, cycles = 5, 20
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		type event struct {
			action string
			addr   int
		}
		left := make([][]event, addresses) // what happens at each address
		for a := range left {
			addr := (a + 1) << 12
			add := func(action string) { left[a] = append(left[a], event{action, addr}) }
			for range cycles {
				add("segment_alloc")
				for range 1 + random.IntN(3) {
					add("alloc")
					add("free_requested")
					add("free_completed")
				}
				add("segment_free")
			}
		}
		want := make([][]string, addresses)
		var all []event
		for a := range left {
			for _, e := range left[a] {
				want[a] = append(want[a], e.action)
			}
		}
		swapped := make([]bool, 0)
		for slices.ContainsFunc(left, func(l []event) bool { return len(l) > 0 }) {
			if a := random.IntN(addresses); len(left[a]) > 0 {
				all, left[a] = append(all, left[a][0]), left[a][1:]
				swapped = append(swapped, false)
			}
		}
		n := 0
		for i := range all {
			// One pair of neighbours in a while, so that what happened can be told.
			j := i + 1
			for j < len(all) && all[j].addr != all[i].addr {
				j++
			}
			before := max(i-40, 0)
			if j < len(all) && j-i < 8 && i > 8 && i < len(all)-40 && !slices.Contains(swapped[before:], true) {
				all[i], all[j] = all[j], all[i]
				swapped[i], swapped[j] = true, true
				n++
			}
		}
		if n == 0 {
			t.Fatal("nothing was swapped")
		}
		rows := list{}
		for _, e := range all {
			rows = append(rows, hostEvent(e.action, e.addr, 64))
		}
		s := load(t, dict{"host_segments", list{}, "host_traces", rows})
		got := make([][]string, addresses)
		e := s.Events(Pinned)
		for i, action := range e.Action {
			a := int(e.Addr[i]>>12) - 1
			got[a] = append(got[a], s.ActionName(action))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %d swaps:\n%v, want\n%v", seed, n, got, want)
		}
	}
}

// TestEventsThatStand: where an event is missing, those before it stand as they are in the file,
// and the order behind it is found all the same.
func TestEventsThatStand(t *testing.T) {
	e := func(action string) hostEvents { return hostEvents{{action, 64}} }
	a, r, c := e("alloc"), e("free_requested"), e("free_completed")
	for _, test := range []struct{ file, want hostEvents }{
		{slices.Concat(a, r, c, a, c, a, r, c), nil}, // a request is missing
		{slices.Concat(a, r, a, c, c, a, r, a, c, r, c), slices.Concat(a, r, a, c, c, a, r, c, a, r, c)},
		{slices.Concat(c, c, c), nil},
		{slices.Concat(a, c, r, a), slices.Concat(a, r, c, a)},
		{slices.Concat(a, r, c), nil},
		{slices.Concat(c, a, r, a, c), slices.Concat(c, a, r, c, a)}, // the first is from before
		{slices.Concat(a, c, r, r, c), slices.Concat(r, c, a, r, c)}, // so are the late ones
	} {
		if test.want == nil {
			test.want = test.file
		}
		happened := test.want
		if got, _ := test.file.read(t, happened); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v\nis read as %v,\nwant %v", test.file, got, test.want)
		}
	}
}

// TestLateTimes: an event that is moved gets the time of the one that follows it, so that no
// time runs backwards, and all others keep theirs.
func TestLateTimes(t *testing.T) {
	rows := list{}
	for i, e := range []struct {
		action string
		addr   int
	}{{"alloc", 64}, {"free_requested", 64}, {"alloc", 64}, {"alloc", 128}, {"free_completed", 64}} {
		row := hostEvent(e.action, e.addr, 64)
		for j := range row {
			if row[j] == "time_us" {
				row[j+1] = 10 * (i + 1)
			}
		}
		rows = append(rows, row)
	}
	s := load(t, dict{"host_segments", list{hostSegment(64, 64, "active_allocated")}, "host_traces", rows})
	e := s.Events(Pinned)
	if !slices.Equal(e.Action, []Action{Alloc, FreeRequested, FreeCompleted, Alloc, Alloc}) ||
		!slices.Equal(e.TimeMicros, []int64{10, 20, 30, 30, 40}) || s.Trace(Pinned).LateEvents != 1 {
		t.Errorf("actions %v at %v, %d late", e.Action, e.TimeMicros, s.Trace(Pinned).LateEvents)
	}
}
