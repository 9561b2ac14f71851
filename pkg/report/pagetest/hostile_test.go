package pagetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// hostileNames are texts that would run, load or break something in a page
// that trusted them.
var hostileNames = []string{
	`</script><img src=x onerror="document.title='owned'">`,
	`<img src=x onerror=alert(1)>`,
	`__f__alert(1)__f__`,
	`<!--<script>`,
	"line\u2028separator\u2029",
	`"'` + "`" + `${alert(1)}`,
	`{{.Title}}`,
	`javascript:alert(1)`,
}

// TestHostileNames gives every text of a snapshot a hostile name and looks
// whether the page shows it and runs nothing.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasTime: true, HasSettings: true,
		HasCompileContext: true, HasUserMetadata: true})
	for i, name := range hostileNames {
		stack := c.Stack(snapshot.FrameText{File: name + ".py", Line: 1, Name: name},
			snapshot.FrameText{File: "train.py", Line: 2, Name: "main"})
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) << 20, Size: 1 << 20, Stack: stack,
			TimeMicros: int64(i), Context: name, Metadata: name})
		c.Segment(snapshot.Segment{Address: uint64(i+1) << 20, TotalSize: 1 << 20},
			snapshot.Block{Address: uint64(i+1) << 20, Size: 1 << 20, RequestedSize: 1 << 20,
				State: snapshot.ActiveAllocated, Stack: stack})
		c.Setting(name, name)
		c.Annotation(name, true, int64(i))
	}
	p := open(t, reportOf(t, `<img src=x onerror=alert(1)>__f__alert(2)__f__.pickle`, c.Snapshot()), "")
	g := plot(p)
	n := len(hostileNames)
	for i, name := range hostileNames {
		// The last column has all of them live, one upon the other.
		x := g.Left + g.Width - 2
		y := g.Top + g.Height*(1-(float64(i)+0.5)*float64(1<<20)/(g.BytesTo-g.BytesFrom))
		got := eval[struct{ Stack []string }](p, "memviz.at(%f, %f)", x, y)
		if len(got.Stack) != 2 || got.Stack[0] != name+".py:1:"+name {
			t.Errorf("tensor %d of %d has the stack %q, want the name %q", i, n, got.Stack, name)
			continue
		}
		p.clickAt(x, y)
		if text := eval[string](p, "document.body.innerText"); !strings.Contains(stripped(text), stripped(name)) {
			t.Errorf("the page does not show %q", name)
		}
	}
	if title := eval[string](p, "document.title"); !strings.Contains(title, "<img src=x") {
		t.Errorf("the title is %q", title)
	}
	if images := eval[int](p, "document.querySelectorAll('img, iframe, object, embed').length"); images != 0 {
		t.Errorf("%d elements came out of names", images)
	}
}

// stripped takes out what innerText does to white space.
func stripped(s string) string {
	return strings.Join(strings.FieldsFunc(s,
		func(r rune) bool { return r == ' ' || r == '\n' || r == '\u2028' || r == '\u2029' || r == '\u00a0' }), "")
}

// TestLongName: a name of 5 MiB in 20 frames is cut where the file is read, so that
// no key makes the page lay out megabytes of text.
func TestLongName(t *testing.T) {
	t.Parallel()
	c := snapshot.NewComposer(snapshot.Format{HasTime: true})
	c.Trace(0)
	var frames []snapshot.FrameText
	for i := range int32(20) {
		frames = append(frames, snapshot.FrameText{File: "train.py", Line: i, Name: strings.Repeat("x", 5<<20)})
	}
	for i := range uint64(20) {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: i << 20, Size: 1 << 20,
			Stack:      c.Stack(frames[i:]...),
			TimeMicros: int64(i)})
	}
	var file bytes.Buffer
	if err := snapshot.Write(&file, c.Snapshot(), 4); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.ReadWith(bytes.NewReader(file.Bytes()), int64(file.Len()), snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, reportOf(t, "long.pickle", s), "")
	plot(p)
	for _, key := range "p1234+-0y[]oeranRAilnNxvhsmdkW?" {
		p.press(string(key))
		if n := eval[int](p, "document.body.textContent.length"); n > 1<<20 {
			t.Fatalf("after %c the page has %d characters", key, n)
		}
		p.press(kb.Escape)
	}
}
