package allocator

import (
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// recorder is an allocator on a strict driver together with its events.
type recorder struct {
	*Allocator
	t      *testing.T
	events []Event
}

func newRecorder(t *testing.T, settings Settings, capacity int64) *recorder {
	r := &recorder{New(settings, newStrictDriver(t, capacity)), t, nil}
	r.Emit = func(e Event) { r.events = append(r.events, e) }
	return r
}

// alloc is a request on the default stream that must succeed.
func (r *recorder) alloc(requested int64) uint64 {
	r.t.Helper()
	addr, err := r.Alloc(requested, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return addr
}

func (r *recorder) free(addr uint64) {
	r.t.Helper()
	if err := r.Free(addr); err != nil {
		r.t.Fatal(err)
	}
}

// actions are the actions of the events since the last call.
func (r *recorder) actions() (actions []snapshot.Action) {
	for _, e := range r.events {
		actions = append(actions, e.Action)
	}
	r.events = nil
	return actions
}

// expect fails unless these are the actions since the last call.
func (r *recorder) expect(want ...snapshot.Action) {
	r.t.Helper()
	if got := r.actions(); !slices.Equal(got, want) {
		r.t.Errorf("actions %v, want %v", got, want)
	}
	checkInvariants(r.t, r.Allocator)
}
