package pagetest

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// legend is what the legend says, a line a group: name and bytes.
func (p *page) legend() []string {
	p.t.Helper()
	p.await("memviz.settled()")
	lines := eval[[]string](p,
		`[...document.querySelectorAll('.legend .group')].map(e => [...e.children].slice(1, 3).map(c => c.textContent).join(' = '))`)
	for i := range lines {
		lines[i] = plainSpaces(lines[i])
	}
	return lines
}

// TestColours goes through the colour modes with C and compares the legend of
// each with the replay.
func TestColours(t *testing.T) {
	t.Parallel()
	r := load(t, example(t, "training-loop"))
	d, st := r.d, r.Stacks
	p := open(t, exampleReport(t, "training-loop"), "")

	site := func(a *replay.Allocation) string {
		at := st.Site(a.Stack)
		if at == (stacks.Site{}) {
			return "(no stack recorded)"
		} else if at.File == "" {
			return at.Function
		}
		return fmt.Sprintf("%s %s:%d", at.Function, filepath.Base(at.File), at.Line)
	}
	file := func(a *replay.Allocation) string {
		if at := st.Site(a.Stack); at.File != "" {
			parts := strings.Split(at.File, "/")
			return strings.Join(parts[max(0, len(parts)-2):], "/")
		}
		return site(a)
	}
	for _, mode := range []struct {
		hash  string
		kind  func(*replay.Allocation) string
		names bool // of stacks, only the bytes are compared
	}{
		{"site", site, true},
		{"file", file, true},
		{"stack", func(a *replay.Allocation) string { return fmt.Sprint(a.Stack) }, false},
	} {
		p.press("c")
		got := p.legend()
		if hash := eval[string](p, "location.hash"); !strings.Contains(hash, "c="+mode.hash) {
			t.Errorf("the address is %s, want c=%s in it", hash, mode.hash)
		}
		want := largestAt(d, mode.kind)
		if len(got) < len(want) {
			t.Fatalf("%s: the legend has %q, want %q", mode.hash, got, want)
		}
		for i, line := range want {
			if !mode.names {
				_, line, _ = strings.Cut(line, " = ")
				_, got[i], _ = strings.Cut(got[i], " = ")
			}
			if got[i] != line {
				t.Errorf("%s: group %d of the legend is %q, want %q", mode.hash, i, got[i], line)
			}
		}
	}
	p.press("c")
	p.press("c")
	p.legend()
	if hash := eval[string](p, "location.hash"); !strings.Contains(hash, "c=life") {
		t.Errorf("the address is %s, want c=life in it", hash)
	}
	p.press("c")
	p.legend()
	if hash := eval[string](p, "location.hash"); strings.Contains(hash, "c=") {
		t.Errorf("after the last mode the address is %s", hash)
	}
}

// TestPatterns draws patterns over the picture and takes them away again. It counts
// the pixels that have the opacity of the patterns' ink.
func TestPatterns(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "")
	inked := func() int {
		plot(p)
		return eval[int](p, `(() => {
			const marks = document.getElementById('marks');
			const g = new OffscreenCanvas(marks.width, marks.height).getContext('2d', {willReadFrequently: true});
			g.drawImage(marks, 0, 0);
			const {data} = g.getImageData(0, 0, marks.width, marks.height);
			let n = 0;
			for (let i = 3; i < data.length; i += 4) if (data[i] === 31) n++;
			return n;
		})()`)
	}
	before := inked()
	p.press("h")
	if with := inked(); with < before+10_000 {
		t.Errorf("%d pixels have the ink of patterns, without them %d", with, before)
	}
	if swatches := eval[int](p, "document.querySelectorAll('.legend .p0').length"); swatches == 0 {
		t.Error("no swatch has a pattern")
	}
	p.press("h")
	if after := inked(); after != before {
		t.Errorf("%d pixels have the ink of patterns after they were taken away, %d before", after, before)
	}
}

// largestAt are the kinds that hold most bytes at the peak, as lines of the legend.
// The list ends before two that hold the same, whose order is not known.
func largestAt(d *replay.Device, kind func(*replay.Allocation) string) []string {
	sums := map[string]int64{}
	for i := range d.Allocations {
		if a := &d.Allocations[i]; a.LiveIn(d.Totals.PeakState) {
			sums[kind(a)] += a.Size
		}
	}
	kinds := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	var lines []string
	for i, k := range kinds[:min(8, len(kinds))] {
		if i+1 < len(kinds) && sums[kinds[i+1]] == sums[k] || i > 0 && sums[kinds[i-1]] == sums[k] {
			break
		}
		lines = append(lines, fmt.Sprintf("%s = %s", k, plainSpaces(units.Bytes(sums[k]))))
	}
	return lines
}

// TestFamilies: where a rule of the user's own gives a family, the page says by
// which line of the file.
func TestFamilies(t *testing.T) {
	t.Parallel()
	s, err := snapshot.Open(example(t, "training-loop"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := families.ParseOverrides("mine.txt", strings.NewReader("# this job's own\ncache: file train.py\n"))
	if err != nil {
		t.Fatal(err)
	}
	in := answer.NewInput("snapshot.pickle.gz", s)
	in.Override(rules)
	sum := int64(0)
	for i := range in.Devices[0].Allocations {
		a := &in.Devices[0].Allocations[i]
		if !a.LiveIn(in.Devices[0].Totals.PeakState) {
			continue
		}
		for _, f := range s.Stacks.Frames(a.Stack) {
			if strings.HasSuffix(s.String(s.Frames[f].File), "/train.py") {
				sum += a.Size
				break
			}
		}
	}
	p := open(t, writeReport(t, report.Encode("memviz", []answer.Input{in}, nil)), "")
	line := "KV cache = " + plainSpaces(units.Bytes(sum))
	if got := p.legend(); !slices.Contains(got, line) || sum == 0 {
		t.Errorf("the legend is %q, want %q in it", got, line)
	}
	p.clickIn(".entry", "KV cache", "?")
	p.shows("said so by line 2 of mine.txt: cache: file train.py")
	p.shows("train.py:")
	p.clickIn(".entry", "KV cache", "?")
	if left := eval[int](p, "document.querySelectorAll('.reasons').length"); left != 0 {
		t.Errorf("%d explanations are left open", left)
	}
}
