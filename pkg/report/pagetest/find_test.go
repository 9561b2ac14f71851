package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// found is what memviz.search gives.
type found struct {
	Allocations int   `json:"allocations"`
	BytesAtPeak int64 `json:"bytes_at_peak"`
	First       *int  `json:"first"`
}

// find sums up what a search must find. The page has its own order of what was
// there before the recording, so first is known only among what came later.
func (r *recording) find(is func(a *replay.Allocation) bool) (f found, bytesAtEnd int64) {
	for i := range r.d.Allocations {
		a := &r.d.Allocations[i]
		if !is(a) {
			continue
		}
		f.Allocations++
		if a.LiveIn(r.d.Totals.PeakState) {
			f.BytesAtPeak += a.Size
		}
		if a.LiveAtEnd() {
			bytesAtEnd += a.Size
		}
		if f.First == nil && !a.PreExisting() {
			f.First = &i
		}
	}
	return f, bytesAtEnd
}

// said is what the search box says of what it found, once it says something else
// than before.
func (p *page) said(before string) string {
	p.t.Helper()
	const text = `document.querySelector('#find output').title.replaceAll('\u00a0', ' ')`
	p.until("%s !== %q", text, before)
	return eval[string](p, text)
}

// sentence is what the search box says of what it found; where is another moment
// than the peak, if there is one.
func sentence(f found, where string, bytesThere int64) string {
	text := fmt.Sprintf("%s tensors, %s B at peak", units.Count(f.Allocations), units.Count(f.BytesAtPeak))
	if where != "" {
		text += fmt.Sprintf(", %s B at %s", units.Count(bytesThere), where)
	}
	return text
}

// TestFind searches with the keyboard and compares what the search box says with
// the replay.
func TestFind(t *testing.T) {
	t.Parallel()
	path := example(t, "training-loop")
	x := load(t, path)
	p := open(t, makeReport(t, path), "")
	picture := fmt.Sprintf("(() => {const {data} = memviz.pixels(); let sum = 0; for (let i = 0; i < data.length; i "+
		"+= %d) sum += data[i]; return sum})()", 4*97)
	before := eval[int](p, picture)

	p.typed("/train.py:5")
	want, atEnd := x.find(x.inStack("train.py:5"))
	if want.Allocations == 0 || want.Allocations == len(x.d.Allocations) {
		t.Fatalf("the search tells nothing apart: %+v", want)
	}
	said := p.said("")
	for said != sentence(want, "", 0) { // it may have searched before all of it was typed
		said = p.said(said)
	}
	if plot(p); eval[int](p, picture) == before {
		t.Error("nothing has faded")
	}
	// In the legend a family fades if nothing of it is found at the peak.
	r := x.Recordings[0]
	found := map[string]bool{}
	for i := range r.Device.Allocations {
		if a := &r.Device.Allocations[i]; a.LiveIn(r.Device.Totals.PeakState) && x.inStack("train.py:5")(a) {
			found[r.Families().Family(i).Label()] = true
		}
	}
	entries := eval[map[string]bool](p,
		"Object.fromEntries([...document.querySelectorAll('.legend .entry')].map(e => [e.querySelector('.group > "+
			"span').textContent, !e.matches('.faded')]))")
	for label, shown := range entries {
		if shown != found[label] {
			t.Errorf("%s in the legend: not faded is %v, want %v", label, shown, found[label])
		}
	}
	if len(found) == 0 || len(found) == len(entries) {
		t.Errorf("found are %v among %v", found, entries)
	}

	// Enter goes from match to match, in the order of allocation.
	p.typed("\r")
	if text := p.said(sentence(want, "", 0)); !strings.HasPrefix(text, "1 of ") {
		t.Errorf("after Enter the box says %q", text)
	}
	p.typed("\u001bn")
	if text := p.said(""); !strings.HasPrefix(text, "2 of ") {
		t.Errorf("after n the box says %q", text)
	}
	p.typed("NN")
	if text := p.said(""); !strings.HasPrefix(text, units.Count(want.Allocations)+" of ") {
		t.Errorf("before the first match comes the last, but the box says %q", text)
	}

	// The panel's moment has a sum of its own. Esc unpins, then ends the search.
	p.typed("\u001be")
	if text := p.said(sentence(want, "", 0)); text != sentence(want, "end", atEnd) {
		t.Errorf("at the end the box says %q, want %q", text, sentence(want, "end", atEnd))
	}
	p.typed("l")
	both, _ := x.find(func(a *replay.Allocation) bool { return a.LiveAtEnd() && x.inStack("train.py:5")(a) })
	if text := p.said(sentence(want, "end", atEnd)); text != sentence(both, "end", atEnd) {
		t.Errorf("live at the end the box says %q, want %q", text, sentence(both, "end", atEnd))
	}
	if hash := eval[string](p, "location.hash"); hash != "#at=end&q=train.py:5&f=live" {
		t.Errorf("the address is %s", hash)
	}
	p.typed("\u001b")
	if text := p.said(sentence(both, "end", atEnd)); text != "" {
		t.Errorf("after Esc the box says %q", text)
	}
	if plot(p); eval[int](p, picture) != before {
		t.Error("something is still faded")
	}
}

// TestSearch compares what memviz.search finds with the replay.
func TestSearch(t *testing.T) {
	t.Parallel()
	path := example(t, "training-loop")
	x := load(t, path)
	p := open(t, makeReport(t, path), "q=%2Fmodel%5C.py%2F&f=size%3E%3D1MiB+pre:no")
	large := func(a *replay.Allocation) bool {
		return a.Size >= 1<<20 && !a.PreExisting() && x.inStack("model.py")(a)
	}
	want, _ := x.find(large)
	if text := p.said(""); text != sentence(want, "", 0) {
		t.Errorf("opened with a search, the box says %q, want %q", text, sentence(want, "", 0))
	}
	p.typed("\u001b")
	p.said(sentence(want, "", 0))

	last := &x.d.Allocations[len(x.d.Allocations)-1]
	for query, is := range map[string]func(a *replay.Allocation) bool{
		"train.py":          x.inStack("train.py"),
		"nowhere":           func(*replay.Allocation) bool { return false },
		`/train\.py:5\d\b/`: x.inStack("train.py:5"),
		"train.py size>1MiB": func(a *replay.Allocation) bool {
			return a.Size > 1<<20 && x.inStack("train.py")(a)
		},
		"live:no": func(a *replay.Allocation) bool { return !a.LiveAtEnd() },
		"life<=2 pre:no": func(a *replay.Allocation) bool {
			return !a.PreExisting() && !a.LiveAtEnd() && a.End-a.Start <= 2
		},
		fmt.Sprintf("0x%x", last.Addr): func(a *replay.Allocation) bool { return a.Addr == last.Addr },
		fmt.Sprintf("b%x_0", last.Addr): func(a *replay.Allocation) bool {
			return a.Addr == last.Addr && a.Version == 0
		},
		fmt.Sprintf("%#x", last.Addr>>20): func(a *replay.Allocation) bool {
			return a.Addr>>20 == last.Addr>>20
		},
		fmt.Sprintf("b%x_%d", last.Addr, last.Version): func(a *replay.Allocation) bool { return a == last },
	} {
		want, _ := x.find(is)
		got := eval[found](p, "memviz.search(%q)", query)
		if got.Allocations != want.Allocations || got.BytesAtPeak != want.BytesAtPeak {
			t.Errorf("memviz.search(%q) gives %+v, want %+v", query, got, want)
		}
		if want.Allocations == 1 && want.First != nil && (got.First == nil || *got.First != *want.First) {
			t.Errorf("the first of memviz.search(%q) is %v, want %d", query, got.First, *want.First)
		}
	}
	for _, text := range []string{`a%3Ab%2C`, `"x, y" +&=#`, `/a b\d/`, "ä→\u00a0<b>"} {
		p.await("memviz.search(%q)", text)
		if kept := eval[string](p, "new URLSearchParams(location.hash.slice(1)).get('q')"); kept != text {
			t.Errorf("of %q the address keeps %q", text, kept)
		}
	}
	if why := eval[string](p,
		`(() => {try {memviz.search("/(a/"); return ""} catch (e) {return e.message}})()`); why != "a ( is not closed" {
		t.Errorf("an open parenthesis is %q", why)
	}
	// With backtracking these would take longer than any test may.
	p.await(`["/((\\\\w?){300}|(.*a)*)b{3}$/", "/(x+x+)+y/", "/(a|a)*b/"].forEach((pattern) => {
		try { memviz.search(pattern); } catch {}
	})`)
}

// TestGo goes to events and addresses, and filters with the panel of filters.
func TestGo(t *testing.T) {
	t.Parallel()
	path := example(t, "training-loop")
	x := load(t, path)
	p := open(t, makeReport(t, path), "")
	p.typed("gevent 1,234\r")
	p.shows("before event 1,234")
	p.typed("g99999999\r")
	p.shows("The last state is")
	p.typed("\u001b")
	last := &x.d.Allocations[len(x.d.Allocations)-1]
	p.typed(fmt.Sprintf("gb%x_%d\r", last.Addr, last.Version))
	p.shows(fmt.Sprintf("%s B requested", units.Count(last.Size)))
	p.typed("\u001b")

	at := eval[struct{ X, Y float64 }](p,
		"(({x, y}) => ({x: x + 5, y: y + 5}))(document.querySelector('#find > button').getBoundingClientRect())")
	p.clickAt(at.X, at.Y)
	p.shows("At the end")
	p.typed("1 MiB\t")
	want, _ := x.find(func(a *replay.Allocation) bool { return a.Size >= 1<<20 })
	if text := p.said(""); !strings.HasPrefix(text, units.Count(want.Allocations)+" tensors") {
		t.Errorf("of at least 1 MiB are %q, want %d", text, want.Allocations)
	}
	p.typed("\u001b")
	p.shows("Filter 1")
}
