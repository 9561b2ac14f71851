package allocator

import (
	"errors"
	"testing"
)

func TestAllocRejects(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	for _, requested := range []int64{0, -1, maxRequest} {
		if _, err := a.Alloc(requested, 0); err == nil {
			t.Errorf("Alloc(%d) succeeds", requested)
		}
	}
	a.expect()
}

func TestOutOfMemory(t *testing.T) {
	for _, settings := range []Settings{{}, {Expandable: true}} {
		a := newRecorder(t, settings, 50*mib)
		a.alloc(30 * mib)
		a.free(a.alloc(600 * kib))
		a.actions()

		_, err := a.Alloc(30*mib-100, 0)
		var oom *OutOfMemoryError
		if !errors.As(err, &oom) {
			t.Fatalf("error %v, want an OutOfMemoryError", err)
		}
		want := OutOfMemoryError{Requested: 30*mib - 100, SegmentSize: 30 * mib, DeviceFree: 20 * mib,
			Reserved: 30 * mib}
		if settings.Expandable {
			want.DeviceFree, want.Reserved = 10*mib, 40*mib
		}
		if *oom != want || err.Error() == "" {
			t.Errorf("%+v, want %+v", *oom, want)
		}
		if s := a.Stats(); s.Retries != 1 || s.OOMs != 1 {
			t.Errorf("%d retries and %d OOMs, want one of each", s.Retries, s.OOMs)
		}
		// A request beyond all address space must fail in the same way.
		if _, err := a.Alloc(maxRequest-1, 0); !errors.As(err, &oom) {
			t.Errorf("error %v, want an OutOfMemoryError", err)
		}
		checkInvariants(t, a.Allocator)
	}
}

// refusingDriver has no address space to reserve.
type refusingDriver struct{ *SimulatedDriver }

func (refusingDriver) Reserve(int64) (uint64, bool) { return 0, false }

func TestNoAddressSpace(t *testing.T) {
	a := New(Settings{Expandable: true}, refusingDriver{NewSimulatedDriver(1 << 30)})
	var oom *OutOfMemoryError
	if _, err := a.Alloc(512, 0); !errors.As(err, &oom) {
		t.Errorf("error %v, want an OutOfMemoryError", err)
	}
}
