package analysis

import "testing"

func TestFamilyNames(t *testing.T) {
	keys := map[string]bool{}
	for f := range Family(FamilyCount) {
		if f.Key() == "" || f.Label() == "" || f.One() == "" {
			t.Errorf("family %d lacks a name: %q, %q, %q", f, f.Key(), f.Label(), f.One())
		}
		if keys[f.Key()] {
			t.Errorf("key %q names two families", f.Key())
		}
		keys[f.Key()] = true
	}
	if got := Family(FamilyCount).Key(); got != "unknown" {
		t.Errorf("a family out of range has key %q", got)
	}
	if Optimizer.Key() != "optimizer" || Optimizer.Label() != "Optimizer state" ||
		Optimizer.One() != "optimizer state" {
		t.Errorf("optimizer state is called %q, %q, %q", Optimizer.Key(), Optimizer.Label(), Optimizer.One())
	}
}

func TestConfidence(t *testing.T) {
	for c, want := range map[Confidence]string{High: "", Medium: "by its lifetime", Low: "probably"} {
		if got := c.Qualifier(); got != want {
			t.Errorf("confidence %d reads %q, want %q", c, got, want)
		}
	}
}

// TestBytesIn checks the states at both edges of a life: an allocation of event
// 0 freed in event 2 is live in states 1 and 2.
func TestBytesIn(t *testing.T) {
	tape := newTape()
	scratch := tape.alloc(module, 100)
	moment := tape.alloc(initGroup, 30)
	tape.free(scratch, loop)
	tape.free(moment, step)
	tape.block(7, loading)
	r := recordedTape(tape)
	f, d := r.Families(), r.Device
	for state, want := range [][FamilyCount]int64{
		{Parameter: 7},
		{Parameter: 7, Temporary: 100},
		{Parameter: 7, Temporary: 100, Optimizer: 30},
		{Parameter: 7, Optimizer: 30},
		{Parameter: 7},
	} {
		if got := f.BytesIn(d, state); got != want {
			t.Errorf("state %d: %v, want %v", state, got, want)
		}
	}
}
