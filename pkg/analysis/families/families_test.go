package families_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

func TestFamilyNames(t *testing.T) {
	keys := map[string]bool{}
	for f := range families.Family(families.Count) {
		if f.Key() == "" || f.Label() == "" || f.One() == "" {
			t.Errorf("family %d lacks a name: %q, %q, %q", f, f.Key(), f.Label(), f.One())
		}
		if keys[f.Key()] {
			t.Errorf("key %q names two families", f.Key())
		}
		keys[f.Key()] = true
	}
	if got := families.Family(families.Count).Key(); got != "unknown" {
		t.Errorf("a family out of range has key %q", got)
	}
	if families.Optimizer.Key() != "optimizer" || families.Optimizer.Label() != "Optimizer state" ||
		families.Optimizer.One() != "optimizer state" {
		t.Errorf(
			"optimizer state is called %q, %q, %q",
			families.Optimizer.Key(),
			families.Optimizer.Label(),
			families.Optimizer.One(),
		)
	}
}

func TestConfidence(t *testing.T) {
	for c, want := range map[families.Confidence]string{families.High: "", families.Medium: "by its lifetime",
		families.Low: "probably"} {
		if got := c.Qualifier(); got != want {
			t.Errorf("confidence %d reads %q, want %q", c, got, want)
		}
	}
}

// TestBytesIn checks the states at both edges of a life: an allocation of event
// 0 freed in event 2 is live in states 1 and 2.
func TestBytesIn(t *testing.T) {
	tape := testsnap.NewTape()
	scratch := tape.Alloc(testsnap.Module, 100)
	moment := tape.Alloc(testsnap.InitGroup, 30)
	tape.Free(scratch, testsnap.Module)
	tape.Free(moment, testsnap.Step)
	tape.Block(7, testsnap.Loading)
	r := recorded.Tape(tape)
	f, d := r.Families(), r.Device
	for state, want := range [][families.Count]int64{
		{families.Parameter: 7},
		{families.Parameter: 7, families.Temporary: 100},
		{families.Parameter: 7, families.Temporary: 100, families.Optimizer: 30},
		{families.Parameter: 7, families.Optimizer: 30},
		{families.Parameter: 7},
	} {
		if got := f.BytesIn(d, state); got != want {
			t.Errorf("state %d: %v, want %v", state, got, want)
		}
	}
}
