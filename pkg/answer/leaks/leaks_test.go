package leaks

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestCycleSites lists five sites and counts the others.
func TestCycleSites(t *testing.T) {
	r := answertest.Kept(512)
	stack := r.Device.Allocations[0].Stack
	cycle := leaks.Cycle{Stack: stack, Proof: r.Stacks.SiteFrame[stack], Bytes: 2048, Allocations: 3}
	const sentence = "2.00 KiB in 3 tensors from /home/x.py:7:load were freed by Python's cyclic collector (load in " +
		"the free's stack), so they were part of a reference cycle."
	for n, more := range map[int]string{1: "", 5: "", 6: "And 1 more site of memory in reference cycles.",
		8: "And 3 more sites of memory in reference cycles."} {
		c := &leaks.Cycles{}
		for range n {
			c.Cycles = append(c.Cycles, cycle)
		}
		got := answertest.Said(t, func(s *sheet.Sheet) { writeCycles(s, r, c) })
		if strings.Count(got, sentence) != min(n, 5) || !strings.HasSuffix(got, more) ||
			strings.Contains(got, "more") != (more != "") {
			t.Errorf("%d sites: %s", n, got)
		}
	}
	c := &leaks.Cycles{Unwound: leaks.Unwound{Allocations: 1, Bytes: 512}}
	if got := answertest.Said(t, func(s *sheet.Sheet) {
		writeCycles(s, r,
			c)
	}); got != "512 B in 1 tensor were released while an exception "+
		"unwound." {
		t.Error(got)
	}
	if proof := cycleProof(r, &leaks.Cycle{Proof: stacks.NoFrame}); proof != "" {
		t.Errorf("without a frame the proof is %q", proof)
	}
}

// TestSuspectRows cuts the list of suspects at --rows.
func TestSuspectRows(t *testing.T) {
	r := answertest.Kept(512)
	site := leaks.Site{Stack: r.Device.Allocations[0].Stack}
	leak := leaks.Leak{Strong: true, Every: 1, Frame: stacks.NoFrame, Sites: []leaks.Site{site}}
	leak.PerStep, leak.Bytes = 512, 4096
	for n, more := range map[int]string{2: "", 3: "And 1 more; --rows shows more.",
		5: "And 3 more; --rows shows more."} {
		found := &leaks.Findings{}
		for range n {
			found.Leaks = append(found.Leaks, leak)
		}
		got := answertest.Said(t, func(s *sheet.Sheet) { writeSuspects(s, r, found, Options{Rows: 2}) })
		if strings.Count(got, "Memory allocated at /home/x.py:7:load grows by 512 B each") != 2 ||
			!strings.Contains(got, more) || strings.Contains(got, "--rows") != (more != "") {
			t.Errorf("%d suspects: %s", n, got)
		}
	}
	for want, found := range map[string]leaks.Findings{
		"":                                    {},
		"Not counted: 512 B allocated in one": {Once: leaks.Kept{Sites: 1, Bytes: 512}},
		"Not counted: 100 B from before the recording.": {Before: 100},
	} {
		got := answertest.Said(t, func(s *sheet.Sheet) { writeSuspects(s, r, &found, Options{Rows: 2}) })
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLeakOfSeveralSites speaks of several sites if there are, and lists five of them.
func TestLeakOfSeveralSites(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	var sites []leaks.Site
	for i := range int32(7) {
		stack := c.Stack(snapshot.FrameText{File: "/x.py", Line: i + 1, Name: "f"})
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 1, Stack: stack})
		sites = append(sites, leaks.Site{Stack: stack})
	}
	r := answertest.RecordingOf(c)
	for n, want := range map[int]struct {
		begin, more string
		rows        int
	}{
		1: {"Memory allocated at /x.py:1:f grows by 512 B", "", 0},
		2: {"2 sites hold 512 B more each", "", 2},
		5: {"5 sites hold", "", 5},
		7: {"7 sites hold", "and 2 more sites", 5},
	} {
		leak := &leaks.Leak{Strong: true, Every: 1, Frame: stacks.NoFrame, Sites: sites[:n]}
		leak.PerStep = 512
		table := leakTable(r, leak)
		if got := answertest.WithSpaces(Sentence(r, leak).String()); !strings.HasPrefix(got, want.begin) ||
			len(table.Rows) != want.rows || table.More != want.more {
			t.Errorf("%d sites: %s %d rows, %q", n, got, len(table.Rows), table.More)
		}
	}
}
