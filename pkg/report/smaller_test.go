package report

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

func encoded(t testing.TB, in []answer.Input) *decodedPage {
	t.Helper()
	return written(t, Encode("memviz test", in, nil))
}

func written(t testing.TB, d *Document) *decodedPage {
	t.Helper()
	var data bytes.Buffer
	writeData(t, &data, d)
	page, err := decodePage(data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// checkSmaller compares a page with the page that has everything.
func checkSmaller(t testing.TB, full, page *decodedPage, d *Document, in []answer.Input) {
	t.Helper()
	for i := range in {
		wantStacks, gotStacks := stacksOf(t, full, i), stacksOf(t, page, i)
		for j := range full.report.Files[i].Devices {
			wantView, gotView := full.report.Files[i].Devices[j], page.report.Files[i].Devices[j]
			want, got := deviceOf(t, full, i, j), deviceOf(t, page, i, j)
			checkSameTotals(t, wantView, gotView, want, got)
			checkTimes(t, want, got, gotView.TimeStepMicros, d.omitted[codec.FineTimes])
			switch {
			case d.omitted[codec.Addresses] && (len(got.addr) != 0 || gotView.HasAddr):
				t.Errorf("%d addresses, announced as %v", len(got.addr), gotView.HasAddr)
			case !d.omitted[codec.Addresses] && !slices.Equal(want.addr, got.addr):
				t.Error("the addresses differ")
			}
			for place := range want.stack {
				checkStack(t, wantStacks, gotStacks, want.stack[place], got.stack[place], d.omitted[codec.InnerFrames])
				wantFree, gotFree := decodeFree(want, place), decodeFree(got, place)
				if d.omitted[codec.FreeStacks] {
					wantFree = 0
				}
				checkStack(t, wantStacks, gotStacks, wantFree, gotFree, d.omitted[codec.InnerFrames])
			}
		}
	}
}

func stacksOf(t testing.TB, page *decodedPage, file int) *decodedStacks {
	t.Helper()
	s, err := decodeStacks(page.payloads[page.report.Files[file].Stacks])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func deviceOf(t testing.TB, page *decodedPage, file, device int) *decodedDevice {
	t.Helper()
	view := &page.report.Files[file].Devices[device]
	d, err := decodeDevice(page, view)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func decodeFree(d *decodedDevice, place int) uint64 {
	switch code := d.freeStack[place]; code {
	case 0:
		return 0
	case 1:
		return d.stack[place]
	default:
		return code - 2
	}
}

// checkSameTotals: everything but addresses, times and stacks is the same, and
// with it the active bytes of every state and their peak.
func checkSameTotals(t testing.TB, wantView, gotView recording.Device, want, got *decodedDevice) {
	t.Helper()
	wantView.Warnings, gotView.Warnings = nil, nil
	wantView.TimeStepMicros, wantView.HasAddr, wantView.BaseAddr, wantView.WideAddr = gotView.TimeStepMicros,
		gotView.HasAddr, gotView.BaseAddr, gotView.WideAddr
	if !reflect.DeepEqual(wantView, gotView) {
		t.Errorf("the report says %+v, want %+v", gotView, wantView)
	}
	wantCurve, gotCurve := activeCurve(want, wantView.Events), activeCurve(got, gotView.Events)
	if !slices.Equal(wantCurve, gotCurve) {
		t.Error("the active bytes differ")
	}
	if peak := slices.Max(gotCurve); peak != gotView.PeakBytes || slices.Index(gotCurve, peak) != gotView.PeakState ||
		gotCurve[gotView.Events] != gotView.FinalBytes {
		t.Errorf("the curve peaks with %d and ends with %d, want %d, %d", peak, gotCurve[gotView.Events],
			gotView.PeakBytes, gotView.FinalBytes)
	}
	same, other := *want, *got
	for _, d := range []*decodedDevice{&same, &other} {
		d.time, d.addr, d.stack, d.freeStack = nil, nil, nil, nil
		if d.space != nil {
			places := *d.space
			places.laneAddr = nil
			d.space = &places
		}
	}
	if !reflect.DeepEqual(same, other) {
		t.Error("a column differs that is none of addresses, times and stacks")
	}
}

// activeCurve is the active bytes of each state, from the rows.
func activeCurve(d *decodedDevice, events int) []int64 {
	curve := make([]int64, events+1)
	preExisting := len(d.life) - len(d.start)
	for i, size := range d.size {
		start := -1
		if i >= preExisting {
			start = int(d.start[i-preExisting]) - 1
		}
		end := events
		if d.life[i] > 0 {
			end = start + int(d.life[i])
		}
		for k := start + 1; k <= end; k++ {
			curve[k] += int64(size)
		}
	}
	return curve
}

func checkTimes(t testing.TB, want, got *decodedDevice, step int64, coarse bool) {
	t.Helper()
	if !coarse && step != 1 || len(want.time) != len(got.time) {
		t.Fatalf("%d times in steps of %d, want %d", len(got.time), step, len(want.time))
	}
	for i, v := range got.time {
		if v%step != 0 || v > want.time[i] || want.time[i]-v >= step {
			t.Errorf("event %d is at %d, want %d in steps of %d", i, v, want.time[i], step)
		}
	}
}

// checkStack: the same facts, and the same frames but for those inside the site.
func checkStack(t testing.TB, want, got *decodedStacks, a, b uint64, inner bool) {
	t.Helper()
	site := func(s *decodedStacks, i uint64) string {
		if s.site[i] == 0 {
			return ""
		}
		return s.frame(s.site[i] - 1)
	}
	facts := func(s *decodedStacks, i uint64) string {
		return fmt.Sprint(site(s, i), s.strings[s.operator[i]], s.shade[i], s.backwardStackID[i])
	}
	if facts(want, a) != facts(got, b) {
		t.Errorf("stack %d says %s, want %s", b, facts(got, b), facts(want, a))
	}
	frames := want.frames(int(a))
	if inner && site(want, a) != "" {
		frames = nil
		begun := false
		for node := want.node[a]; node > 0; node -= want.parent[node-1] {
			f := want.nodeFrame[node-1]
			begun = begun || f == want.site[a]-1
			if begun && want.class[f] != 2 {
				frames = append(frames, want.frame(f))
			}
		}
	}
	if !slices.Equal(frames, got.frames(int(b))) {
		t.Errorf("stack %d is %q, want %q", b, got.frames(int(b)), frames)
	}
}
