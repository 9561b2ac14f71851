// Package answertest has what the tests of several answers share.
package answertest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// Kept is a recording of one line that allocates these sizes and keeps them, in a segment of 1 MiB.
func Kept(sizes ...int64) *analysis.Recording {
	c := snapshot.NewComposer(snapshot.Format{})
	stack := c.Stack(snapshot.FrameText{File: "/home/x.py", Line: 7, Name: "load"})
	at := uint64(1 << 20)
	var blocks []snapshot.Block
	for _, size := range sizes {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: at, Size: size, Stack: stack})
		blocks = append(blocks,
			snapshot.Block{Address: at, Size: size, RequestedSize: size, State: snapshot.ActiveAllocated})
		at += uint64(size)
	}
	c.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 1 << 20}, blocks...)
	return RecordingOf(c)
}

// RecordingOf is device 0 of what was composed.
func RecordingOf(c *snapshot.Composer) *analysis.Recording {
	c.Trace(0)
	s := c.Snapshot()
	return analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
}

// Expanding is a recording of an expandable segment that grows, gets a hole and is
// filled again, with everything that can stand between events.
func Expanding() *snapshot.Snapshot {
	const base, MiB = 0x300000000, units.MiB
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true, HasUserMetadata: true})
	where := c.Stack(snapshot.FrameText{File: "/home/ada/a_rather_long_name_of_a_module.py", Line: 1234,
		Name: "forward"})
	label := c.Stack(snapshot.FrameText{File: "a label", Name: "START"})
	now := int64(1_000_000)
	event := func(e snapshot.EventText) {
		now += 1_000_250
		e.TimeMicros = now
		if e.Stream == 0 {
			e.Stream = 7
		}
		c.Event(0, e)
	}
	c.Annotation("before the first event", true, 1_500_000)
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base, Size: 2 * MiB})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: base, Size: MiB, Stack: where, Metadata: "epoch 1",
		Context: "0/0 [fn]"})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 2*MiB, Size: 20 * MiB})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: base + MiB, Size: 20 * MiB, Stack: where})
	c.Annotation("Optimizer.step#AdamW.step", true, now+1)
	c.Annotation("Optimizer.step#AdamW.step", false, now+2)
	event(snapshot.EventText{Action: snapshot.UserDefined, Stack: label})
	event(snapshot.EventText{Action: snapshot.Annotate, Addr: base, Metadata: "the weights"})
	event(snapshot.EventText{Action: snapshot.Free, Addr: base + MiB, Size: 20 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentUnmap, Addr: base + 4*MiB, Size: 10 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 4*MiB, Size: 10 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 100*MiB, Size: 2 * MiB})
	event(snapshot.EventText{Action: snapshot.FreeRequested, Addr: 77, Size: 512})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: 99, Size: 512, Stream: 8})
	event(snapshot.EventText{Action: snapshot.NoAction})
	c.Segment(snapshot.Segment{Address: base, TotalSize: 22 * MiB, Stream: c.Stream(7), Expandable: true,
		SizeClass: snapshot.SizeClassLarge},
		snapshot.Block{Address: base, Size: MiB, RequestedSize: MiB, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: base + MiB, Size: 21 * MiB})
	c.Segment(snapshot.Segment{Address: base + 100*MiB, TotalSize: 2 * MiB, Stream: c.Stream(7), Expandable: true},
		snapshot.Block{Address: base + 100*MiB, Size: 2 * MiB})
	return c.Snapshot()
}

// Example is one of the committed examples.
func Example(t *testing.T, story string) answer.Input {
	t.Helper()
	s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", story, "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return answer.NewInput(story+".pickle", s)
}

func Asked(s *sheet.Sheet, err error) *sheet.Sheet {
	if err != nil {
		return nil
	}
	return s
}

// Said is all that a part of an answer says, in one line.
func Said(t *testing.T, say func(s *sheet.Sheet)) string {
	t.Helper()
	s := &sheet.Sheet{}
	say(s)
	return WithSpaces(strings.Join(strings.Fields(string(Written(t, s, sheet.Text))), " "))
}

// Newer is where make.py writes one snapshot for each thing that torch 2.12 to 2.14 and
// other programs write and that earlier torch did not.
func Newer(t testing.TB) string {
	return filepath.Join(testkit.Root(t), "pkg", "snapshot", "testdata", "newer")
}

func Condition(t *testing.T, command, text string) answer.Condition {
	t.Helper()
	c, err := answer.ParseCondition(command, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Fits holds an answer's JSON against the schema of its command.
func Fits(t *testing.T, command string, s *sheet.Sheet) {
	t.Helper()
	var answer bytes.Buffer
	if err := s.Write(&answer, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	FitsSchema(t, command, answer.Bytes())
}

// FitsSchema holds JSON against the schema of a command.
func FitsSchema(t *testing.T, command string, text []byte) {
	t.Helper()
	published, ok := answer.Schema(command)
	if !ok {
		t.Fatalf("%s has no schema; there are %s", command,
			strings.Join(slices.Sorted(slices.Values(answer.Schemas())), ", "))
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("memviz %s: %v\n%s", command, err, text)
	}
}

func Printable(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text holds %U:\n%q", r, text)
		}
	}
}

// Written is a sheet in one form.
func Written(t *testing.T, s *sheet.Sheet, format sheet.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, format, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Text for people fits a terminal of 80 columns and holds nothing that one
// obeys. What is there to be copied stays whole: a word, a line of Python or of a
// shell.
func FitsTerminal(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		code, _ := strings.CutPrefix(line, "    ")
		copied := strings.HasPrefix(code, "torch.") || strings.HasPrefix(code, "export ") ||
			!strings.Contains(strings.TrimSpace(line), " ")
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > sheet.DefaultWidth && !copied {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// EventBound is an event as an end of a range.
func EventBound(event int) answer.Bound {
	bound, err := answer.ParseBound(strconv.Itoa(event))
	if err != nil {
		panic(err)
	}
	return bound
}

// WithSpaces is a text without no-break spaces.
func WithSpaces(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }
