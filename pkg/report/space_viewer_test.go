package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// viewerSpace is what testdata/spaces.mjs gets, and what it answers.
type viewerSpace struct {
	ID       string            `json:"id"`
	Report   *recording.Device `json:"report"`
	Payloads map[string]string `json:"payloads"`

	Error       string   `json:"error"`
	Place       []uint64 `json:"place"`
	Block       []uint64 `json:"block"`
	Reservation []uint64 `json:"reservation"`
	Addresses   []string `json:"addresses"`

	States int     `json:"states"` // that were added up
	Pixels int     `json:"pixels"` // that were compared
	Off    float64 `json:"off"`    // by how much the worst channel of them is, of 255
}

// decodedByViewer is what the viewer says of address spaces: "places" or "pictures".
func decodedByViewer(t *testing.T, list []viewerSpace, what string) []viewerSpace {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, so the viewer's modules cannot run")
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/spaces.mjs", what)
	cmd.Stdin = bytes.NewReader(text)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	var answers []viewerSpace
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(list) {
		t.Fatalf("%d answers to %d questions, %v", len(answers), len(list), err)
	}
	return answers
}

func newViewerSpace(id string, view *recording.Device, payloads map[string][]byte) viewerSpace {
	v := viewerSpace{ID: id, Report: view, Payloads: map[string]string{}}
	for name, raw := range payloads {
		v.Payloads[name] = base64.StdEncoding.EncodeToString(raw)
	}
	return v
}

// recordings are those that are known, and random ones.
func recordings(t *testing.T) map[string]*snapshot.Snapshot {
	all := known(t)
	for seed := range uint64(12) {
		all[fmt.Sprintf("random %d", seed)] = randomRecording(t, seed)
	}
	return all
}

// randomRecording is what the allocator records when it is asked for random blocks, on
// several streams, with expandable segments or without.
func randomRecording(t testing.TB, seed uint64) *snapshot.Snapshot {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	settings := allocator.Settings{Expandable: seed%2 == 1}
	if seed%4 == 2 { // up to 8 MiB
		copy(settings.RoundUpPower2Divisions[:], []int64{4, 4, 4, 4})
		c.Setting("PYTORCH_CUDA_ALLOC_CONF", "roundup_power2_divisions:[8:4]")
	}
	a := allocator.New(settings, allocator.NewSimulatedDriver(40<<30))
	record := func(e allocator.Event) {
		c.Event(0, snapshot.EventText{Action: e.Action, Addr: e.Addr, Size: e.Size, Stream: uint64(e.Stream)})
	}
	var live []uint64
	for step := range 3000 {
		if step == 500*int(seed%3) {
			a.Emit = record // what is there now was there before the recording
		}
		switch n := random.IntN(100); {
		case n < 55 && len(live) < 300:
			size := int64(1) << random.IntN(26)
			addr, err := a.Alloc(size+random.Int64N(size), allocator.Stream(random.IntN(3)*16))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, addr)
		case n == 99:
			a.EmptyCache()
		case len(live) > 0:
			i := random.IntN(len(live))
			if err := a.Free(live[i]); err != nil {
				t.Fatal(err)
			}
			live = slices.Delete(live, i, i+1)
		}
	}
	for _, s := range a.Segments() {
		var blocks []snapshot.Block
		for _, b := range s.Blocks {
			blocks = append(blocks, snapshot.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize,
				State: b.State})
		}
		c.Segment(snapshot.Segment{Address: s.Address, TotalSize: s.TotalSize, AllocatedSize: s.AllocatedSize,
			ActiveSize: s.ActiveSize, RequestedSize: s.RequestedSize, Stream: c.Stream(uint64(s.Stream)),
			SizeClass: s.SizeClass, Expandable: s.Expandable}, blocks...)
	}
	return c.Snapshot()
}

// TestPredictedSpace: the viewer finds the places that the prediction has, in the order of
// its addresses and with its blocks; as much is reserved at most as the report says.
func TestPredictedSpace(t *testing.T) {
	var list []viewerSpace
	type served struct {
		pile *recording.Pile
		view *recording.Device
	}
	wants := map[string]served{}
	for _, story := range []string{"out-of-memory/snapshot", "fragmentation/before"} {
		s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", story+".pickle.gz"))
		if err != nil {
			t.Fatal(err)
		}
		doc := Encode("memviz test", []answer.Input{answer.NewInput(story, s)}, nil)
		page := written(t, doc)
		view := &page.report.Files[0].Devices[0]
		if !view.HasPredictedSpace() {
			t.Fatalf("%s: nothing is predicted", story)
		}
		in := doc.in[0]
		wants[story] = served{recording.NewPile(in.Devices[0], in.Recordings[0].Families()), &doc.report.Files[0].Devices[0]}
		list = append(list, newViewerSpace(story, view, map[string][]byte{"device": page.payloads[view.Payload],
			"predicted": page.payloads[view.Predicted.Space.Payload]}))
	}
	for _, got := range decodedByViewer(t, list, "places") {
		want := wants[got.ID]
		layout, unit := want.view.Predicted.Best.Layout, uint64(want.view.Predicted.Space.Unit)
		if got.Error != "" || len(got.Place) != want.pile.Len() {
			t.Errorf("%s: %d places, %s", got.ID, len(got.Place), got.Error)
			continue
		}
		var order []int // positions of what was served, by address
		for i := range got.Place {
			if served := layout.Addr[want.pile.Index(i)] != 0; served != (got.Place[i] != naiveOutside) {
				t.Errorf("%s: allocation %d is at %d, and is served: %t", got.ID, i, got.Place[i], served)
			} else if served {
				order = append(order, i)
			}
		}
		addr := func(i int) uint64 { return layout.Addr[want.pile.Index(i)] }
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(addr(a), addr(b)) })
		for n, i := range order {
			if got.Block[i]*unit != uint64(layout.Block[want.pile.Index(i)]) {
				t.Errorf("%s: allocation %d has %d units", got.ID, i, got.Block[i])
			}
			if n > 0 && (got.Place[i] < got.Place[order[n-1]] ||
				(got.Place[i] == got.Place[order[n-1]]) != (addr(i) == addr(order[n-1]))) {
				t.Errorf("%s: allocation %d is at %d, and %d at %d", got.ID, i, got.Place[i], order[n-1],
					got.Place[order[n-1]])
			}
		}
		change := make([]int64, want.view.Events+2)
		for _, r := range layout.Reservations {
			change[r.Reserved+1] += r.Size
			if r.Returned != replay.None {
				change[r.Returned+1] -= r.Size
			}
		}
		now, peak := int64(0), int64(0)
		for _, n := range change {
			now += n
			peak = max(peak, now)
		}
		if said := want.view.Predicted.Settings[0].ReservedPeak; peak != said {
			t.Errorf("%s: %d bytes are reserved at most, want %d", got.ID, peak, said)
		}
	}
}

// TestViewerSpace: the viewer finds the places, blocks and reservations that the columns
// say, for all recordings, and the recorded addresses.
func TestViewerSpace(t *testing.T) {
	var list []viewerSpace
	wants := map[string]*decodedDevice{}
	for name, s := range recordings(t) {
		in := answer.NewInput(name, s)
		page := encoded(t, []answer.Input{in})
		for i := range in.Devices {
			view := &page.report.Files[0].Devices[i]
			if view.Space == nil {
				if strings.HasPrefix(name, "random") {
					t.Errorf("%s has no address space", name)
				}
				continue
			}
			id := fmt.Sprint(name, " ", i)
			wants[id] = deviceOf(t, page, 0, i)
			list = append(list, newViewerSpace(id, view, map[string][]byte{"device": page.payloads[view.Payload],
				"space": page.payloads[view.Space.Payload], "addresses": page.payloads[view.Space.Addresses]}))
		}
	}
	if len(list) < 30 {
		t.Fatalf("only %d address spaces", len(list))
	}
	coded, odd := 0, 0
	for _, got := range decodedByViewer(t, list, "places") {
		want := wants[got.ID]
		if got.Error != "" {
			t.Errorf("%s: %s", got.ID, got.Error)
			continue
		}
		for i, place := range want.space.place {
			within := uint64(naiveOutside)
			if want.space.within[i] >= 0 {
				within = uint64(want.space.within[i])
			}
			if got.Place[i] != place || got.Reservation[i] != within || got.Block[i] != want.space.block[i] ||
				got.Addresses[i] != "0x"+strconv.FormatUint(want.addr[i], 16) {
				t.Fatalf("%s: allocation %d is at %d (%s) in %d with %d units, want %d (%#x), %d, %d", got.ID, i,
					got.Place[i],
					got.Addresses[i], got.Reservation[i], got.Block[i], place, want.addr[i], within,
					want.space.block[i])
			}
		}
		for _, code := range want.space.code {
			coded++
			if code > 0 {
				odd++
			}
		}
	}
	if odd == 0 || odd > coded/5 {
		t.Errorf("%d of %d codes say that something is not as predicted", odd, coded)
	}
}

// columnsOfSpace is how many columns a payload of a space has.
const columnsOfSpace = 18

// TestHostileSpaces: columns that were tampered with are refused by program and viewer
// alike, or decoded to the same addresses.
func TestHostileSpaces(t *testing.T) {
	var list []viewerSpace
	type outcome struct {
		device *decodedDevice // as it was written
		read   *Document
		err    error
	}
	wants := map[string]outcome{}
	random := rand.New(rand.NewPCG(7, 7))
	for seed := range uint64(4) {
		page := encoded(t, []answer.Input{answer.NewInput("", randomRecording(t, seed))})
		device := deviceOf(t, page, 0, 0)
		view := &page.report.Files[0].Devices[0]
		raw, addresses := page.payloads[view.Space.Payload], page.payloads[view.Space.Addresses]
		for column := range columnsOfSpace {
			for range 6 {
				id := fmt.Sprintf("seed %d column %d #%d", seed, column, len(list))
				bad := tampered(t, raw, column, random)
				read, err := readWithSpace(t, page, bad)
				wants[id] = outcome{device, read, err}
				list = append(list, newViewerSpace(id, view,
					map[string][]byte{"device": page.payloads[view.Payload], "space": bad, "addresses": addresses}))
			}
		}
	}
	refused, decoded := 0, 0
	for _, got := range decodedByViewer(t, list, "places") {
		want := wants[got.ID]
		if (got.Error == "") != (want.err == nil) {
			t.Errorf("%s: the viewer says %q, the program %v", got.ID, got.Error, want.err)
			continue
		}
		if want.err != nil {
			refused++
			continue
		}
		decoded++
		s, _, err := want.read.Snapshot(0, 0)
		if err != nil {
			t.Fatalf("%s: %v", got.ID, err)
		}
		before := len(want.device.size) - len(want.device.start)
		for i, state := range want.device.start {
			addr := "0x" + strconv.FormatUint(s.Traces[0].Events.Addr[state-1], 16)
			if got.Addresses[before+i] != addr {
				t.Errorf("%s: allocation %d is at %s, and at %s", got.ID, before+i, got.Addresses[before+i], addr)
				break
			}
		}
	}
	if refused < 100 || decoded < 20 {
		t.Errorf("%d refused and %d decoded", refused, decoded)
	}
}

// readWithSpace reads a page with other columns of the space of its first device.
func readWithSpace(t testing.TB, page *decodedPage, space []byte) (*Document, error) {
	t.Helper()
	model, err := json.Marshal(page.report)
	if err != nil {
		t.Fatal(err)
	}
	payloads := maps.Clone(page.payloads)
	payloads["space-0-0"] = space
	return Read(bytes.NewReader(pageOf(t, model, payloads)))
}

// tampered is a payload of a space with another value in a column.
func tampered(t testing.TB, raw []byte, column int, random *rand.Rand) []byte {
	t.Helper()
	return edited(t, raw, column, func(values []uint64) []uint64 {
		other := []uint64{0, 1, 2, 3, 5, 100, 4097, 1 << 20, 1<<32 - 2, 1 << 33, 1<<53 - 1}[random.IntN(11)]
		switch at := random.IntN(len(values) + 1); {
		case at == len(values):
			return append(values, other)
		case random.IntN(4) == 0:
			return slices.Delete(values, at, at+1)
		default:
			values[at] = other
			return values
		}
	})
}

// FuzzSpace: nothing that stands for an address space can do more than be refused.
func FuzzSpace(f *testing.F) {
	page := encoded(f, []answer.Input{answer.NewInput("", randomRecording(f, 1))})
	raw := page.payloads["space-0-0"]
	random := rand.New(rand.NewPCG(3, 3))
	f.Add(raw)
	for column := range columnsOfSpace {
		f.Add(tampered(f, raw, column, random))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if read, err := readWithSpace(t, page, raw); err == nil {
			read.Snapshot(0, 0) // its error is one thing that may be
		}
	})
}
