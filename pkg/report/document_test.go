package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// render writes a page and decodes it again.
func render(t testing.TB, in ...answer.Input) ([]byte, *decodedPage) {
	t.Helper()
	var html bytes.Buffer
	if err := WriteHTML(&html, "memviz test", in); err != nil {
		t.Fatal(err)
	}
	page, err := decodePage(html.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return html.Bytes(), page
}

func TestPageHoldsEverything(t *testing.T) {
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training()),
		answer.NewInput("hostile.pickle", testsnap.Hostile())}
	_, page := render(t, in...)
	if page.report.Schema != "memviz.report/2" || len(page.report.Files) != len(in) {
		t.Fatalf("the report is %+v", page.report)
	}
	for i := range in {
		checkFile(t, page, i, &in[i])
	}
}

// TestPageNamesWhatIsNotKnown: a page, and one that is made of the recording in it, names each action, key and
// value that no program is known to write, once, and they condemn nothing.
func TestPageNamesWhatIsNotKnown(t *testing.T) {
	for file, names := range map[string][]string{
		"future": {"allocator_settings.warp_drive", "mood", "tide", "orbital_segments", "orbital_traces",
			"defragment"},
		"future_values": {"segment_type=medium", "state=active_mirrored", "state=inactive_zeroed", "category=wobble"},
	} {
		s, err := snapshot.Open("../snapshot/testdata/newer/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		html, written := render(t, answer.NewInput(file, s))
		d, err := Read(bytes.NewReader(html))
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := d.Snapshot(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, read := render(t, answer.NewInput(file, again))
		for _, page := range []*decodedPage{written, read} {
			device := page.report.Files[0].Devices[0]
			if !device.Verdict.OK {
				t.Errorf("%s: %+v", file, device.Verdict)
			}
			said := ""
			for _, w := range device.Warnings {
				said += w.Fact + " " + w.Consequence + "\n"
			}
			for _, unknown := range names {
				if n := strings.Count(said, strconv.Quote(unknown)); n != 1 {
					t.Errorf("%s: %q is named %d times in\n%s", file, unknown, n, said)
				}
			}
		}
	}
}

// A page that people send each other stays small.
func TestSmallReports(t *testing.T) {
	const limit = 330_000
	paths, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "*.p*[tz]"))
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d example files, want 25 or more (%v)", len(paths), err)
	}
	for _, path := range paths {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		size, err := Encode("memviz test", []answer.Input{answer.NewInput(filepath.Base(path), s)}, nil).Size()
		if err != nil || size > limit {
			t.Errorf("the report of %s has %d bytes, %d more than it may have (%v)", path, size, size-limit, err)
		}
	}
}

// checkFile compares the payloads of a file with what they were made from.
func checkFile(t testing.TB, page *decodedPage, number int, in *answer.Input) {
	t.Helper()
	file := &page.report.Files[number]
	stacks, err := decodeStacks(page.payloads[file.Stacks])
	if err != nil {
		t.Fatal(err)
	}
	checkStacks(t, stacks, in)
	for i, d := range in.Devices {
		view := &file.Devices[i]
		got, err := decodeDevice(page, view)
		if err != nil {
			t.Fatal(err)
		}
		places := checkPile(t, got, d)
		for place, index := range places {
			checkAllocation(t, got, place, d, index)
			families := in.Recordings[i].Families()
			reason := families.Reason(families.Rules[index])
			if key := page.report.Families[got.family[place]].Key; key != reason.Family.Key() {
				t.Errorf("allocation %d is %s, want %s", place, key, reason.Family.Key())
			}
			if because := page.report.Rules[got.rule[place]].Because; because != reason.Because {
				t.Errorf("allocation %d because %q, want %q", place, because, reason.Because)
			}
		}
		checkEvents(t, got, d, stacks, in.Snapshot)
		checkLanes(t, page, view, in.Recordings[i])
	}
}

func checkStacks(t testing.TB, got *decodedStacks, in *answer.Input) {
	t.Helper()
	s := in.Snapshot
	for id := range s.Stacks.Len() {
		var want []string
		for _, f := range s.Stacks.Frames(snapshot.StackID(id)) {
			frame := s.Frames[f]
			want = append(want, fmt.Sprintf("%s:%d:%s", valid(s.String(frame.File)), max(0, frame.Line),
				valid(s.String(frame.Name))))
		}
		if frames := got.frames(id); !slices.Equal(frames, want) {
			t.Errorf("stack %d is %q, want %q", id, frames, want)
		}
		if site := int(got.site[id]) - 1; site != int(in.Stacks.SiteFrame[id]) {
			t.Errorf("stack %d has the site %d, want %d", id, site, in.Stacks.SiteFrame[id])
		}
		if operator := got.strings[got.operator[id]]; operator != valid(in.Stacks.Operator[id]) {
			t.Errorf("stack %d has the operator %q, want %q", id, operator, in.Stacks.Operator[id])
		}
		if got.shade[id] != uint64(in.Stacks.Shade[id]) || (got.backwardStackID[id] == 1) != in.Stacks.Backward[id] {
			t.Errorf("stack %d: shade %d, backward %d", id, got.shade[id], got.backwardStackID[id])
		}
	}
	for i := range s.Frames {
		if got.class[i] != uint64(in.Stacks.FrameClass[i]) {
			t.Errorf("frame %d has the class %d, want %d", i, got.class[i], in.Stacks.FrameClass[i])
		}
	}
}

// valid is a text as a browser decodes it.
func valid(text string) string { return string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD"))) }

// checkPile finds the allocation of the replay that stands at each place of the
// pile, and says when one is missing, appears twice or is out of order.
func checkPile(t testing.TB, got *decodedDevice, d *replay.Device) []int {
	t.Helper()
	m := len(d.Allocations)
	if len(got.size) != m || len(got.start) != m-d.PreExisting || len(got.source) != d.PreExisting {
		t.Fatalf("%d allocations with %d starts and %d sources, want %d, %d pre-existing",
			len(got.size), len(got.start), len(got.source), m, d.PreExisting)
	}
	type key struct {
		addr, size, stack, life uint64
		source                  replay.Source
	}
	unplaced := map[key][]int{}
	for i := range d.PreExisting {
		a := &d.Allocations[i]
		k := key{a.Addr, uint64(a.Size), uint64(a.Stack), lifeOf(a), a.From}
		unplaced[k] = append(unplaced[k], i)
	}
	places := make([]int, m)
	for place := range places {
		if place >= d.PreExisting {
			places[place] = place
			continue
		}
		k := key{got.addr[place], got.size[place], got.stack[place], got.life[place], replay.Source(got.source[place])}
		if len(unplaced[k]) == 0 {
			t.Fatalf("place %d holds %+v, which the replay does not have (again)", place, k)
		}
		places[place], unplaced[k] = unplaced[k][0], unplaced[k][1:]
	}
	for place := 1; place < d.PreExisting; place++ {
		before := [3]int64{int64(got.family[place-1]), int64(got.stack[place-1]), -int64(got.freeStack[place-1])}
		after := [3]int64{int64(got.family[place]), int64(got.stack[place]), -int64(got.freeStack[place])}
		if before[0] > after[0] || before[0] == after[0] && before[1] > after[1] {
			t.Errorf("place %d: family and stack %v above %v", place, after, before)
		}
		if before == after && got.size[place-1] < got.size[place] {
			t.Errorf("place %d: %d bytes above %d of the same place", place, got.size[place], got.size[place-1])
		}
	}
	return places
}

func lifeOf(a *replay.Allocation) uint64 {
	if a.LiveAtEnd() {
		return 0
	}
	return uint64(a.End) - uint64(a.Start)
}

func checkAllocation(t testing.TB, got *decodedDevice, place int, d *replay.Device, index int) {
	t.Helper()
	a := d.Allocations[index]
	if place >= d.PreExisting && got.start[place-d.PreExisting] != uint64(a.Start)+1 {
		t.Errorf("allocation %d starts at %d, want %d", place, got.start[place-d.PreExisting], a.Start+1)
	}
	var freeStack uint64
	switch got.freeStack[place] {
	case 0:
	case 1:
		freeStack = got.stack[place]
	default:
		freeStack = got.freeStack[place] - 2
	}
	got5 := [5]uint64{got.life[place], got.size[place], got.addr[place], got.stack[place], freeStack}
	want5 := [5]uint64{lifeOf(&a), uint64(a.Size), a.Addr, uint64(a.Stack), uint64(a.FreeStack)}
	if got5 != want5 || got.stream[place] != uint64(a.Stream) {
		t.Errorf("allocation %d is %v on stream %d, want %v on %d", place, got5, got.stream[place], want5, a.Stream)
	}
	// What waits longer than its completion takes is listed.
	end := int(a.End)
	if a.LiveAtEnd() {
		end = d.Events.Len()
	}
	waited := a.PendingAtEnd() || a.FreeRequested != replay.None && end-int(a.FreeRequested) > 1
	at := slices.Index(got.pendingAlloc, uint64(place))
	if waited != (at >= 0) {
		t.Errorf("allocation %d pending: %v, want %v", place, at >= 0, waited)
	} else if waited && int(got.pendingWait[at]) != end-int(a.FreeRequested) {
		t.Errorf("allocation %d waited %d events, want %d", place, got.pendingWait[at], end-int(a.FreeRequested))
	}
}

// checkEvents compares what is told by event.
func checkEvents(t testing.TB, got *decodedDevice, d *replay.Device, stacks *decodedStacks, s *snapshot.Snapshot) {
	t.Helper()
	e := d.Events
	if e.TimeMicros == nil && len(got.time) != 0 || e.TimeMicros != nil && len(got.time) != e.Len() {
		t.Errorf("%d times of %d events", len(got.time), e.Len())
	}
	for i, v := range got.time {
		span := e.TimeMicros[i] - e.TimeMicros[0]
		if near := span > -recording.MaxExact && span < recording.MaxExact &&
			(span < 0) == (e.TimeMicros[i] < e.TimeMicros[0]); near &&
			v != span {
			t.Errorf("event %d is at %d, want %d", i, v, span)
		}
	}
	var reserved []replay.ReservedChange
	for i, event := range got.reservedEvent {
		reserved = append(reserved, replay.ReservedChange{Event: replay.EventIndex(event), Delta: got.reservedDelta[i]})
	}
	if !slices.Equal(reserved, d.Reserved) {
		t.Errorf("reserved changes %v, want %v", reserved, d.Reserved)
	}
	var markers, wantMarkers []string
	for i, event := range got.markerEvent {
		markers = append(markers, fmt.Sprint(event, got.markerKind[i], got.markerSize[i], got.markerFree[i]))
	}
	for i, action := range e.Action {
		size := min(max(e.Size[i], 0), recording.MaxExact)
		switch action {
		case snapshot.OOM:
			wantMarkers = append(wantMarkers, fmt.Sprint(i, 0, size, min(e.Addr[i], recording.MaxExact)))
		case snapshot.SnapshotTaken:
			wantMarkers = append(wantMarkers, fmt.Sprint(i, 1, size, 0))
		}
	}
	if !slices.Equal(markers, wantMarkers) {
		t.Errorf("markers %v, want %v", markers, wantMarkers)
	}
	checkNotes(t, "context", got.contextAlloc, got.contextText, e.CompileContext, d, stacks, s)
	checkNotes(t, "metadata", got.metadataAlloc, got.metadataText, e.Metadata, d, stacks, s)
}

func checkNotes(t testing.TB, what string, alloc, text []uint64, column []snapshot.StringID, d *replay.Device,
	stacks *decodedStacks, s *snapshot.Snapshot) {
	t.Helper()
	var got, want []string
	for i, place := range alloc {
		got = append(got, strconv.FormatUint(place, 10)+" "+stacks.strings[text[i]])
	}
	for i := d.PreExisting; i < len(d.Allocations) && column != nil; i++ {
		if note := s.String(column[d.Allocations[i].Start]); note != "" && note != "N/A" {
			want = append(want, strconv.Itoa(i)+" "+valid(note))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s is %q, want %q", what, got, want)
	}
}

// gpuAndHost is a recording of a GPU and of pinned host memory.
func gpuAndHost() *snapshot.Snapshot {
	s, host := testsnap.StateOnly(), testsnap.HostMemory()
	for _, seg := range host.Segments {
		seg.FirstBlock += int32(len(s.Blocks))
		s.Segments = append(s.Segments, seg)
	}
	s.Blocks = append(s.Blocks, host.Blocks...)
	s.Strings, s.Frames, s.Stacks, s.Streams = host.Strings, host.Frames, host.Stacks, host.Streams
	s.Traces = append(s.Traces, host.Traces...)
	s.Format.HasHost, s.Format.HasTime = true, true
	s.SortSegments()
	return s
}
