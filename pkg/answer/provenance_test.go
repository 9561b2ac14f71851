package answer_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// partOf is a sample of which only a part was read.
func partOf(part snapshot.Salvaged) answer.Input {
	s := testsnap.Training()
	s.Salvaged = &part
	if part.From != snapshot.NoDevice || part.NoEnd {
		s.Segments = nil
	}
	return answer.NewInput("half.pickle", s)
}

// TestSalvaged: the first line of every answer, and its JSON, say that a file
// was read in part.
func TestSalvaged(t *testing.T) {
	cut := &pickle.Error{Offset: 1234, What: "no STOP", Err: pickle.ErrTruncated}
	in := partOf(snapshot.Salvaged{At: 1234, Events: 200, From: 0, Err: cut})
	list := []answer.Input{in}
	for command, s := range map[string]*sheet.Sheet{
		"stats": stats.Answer(list, stats.Options{}), "leaks": answertest.Asked(leaks.Answer(list,
			leaks.Options{Rows: 3})),
		"oom":  answertest.Asked(oom.Answer(list, oom.Options{})),
		"top":  answertest.Asked(top.Answer(list, top.Options{At: answer.Peak, Rows: 3})),
		"diff": answertest.Asked(diff.Answer(&in, &in, diff.Options{Rows: 3})), "ranks": ranksOf(in, in, in),
		"segments": answertest.Asked(segments.Answer(list, answer.Peak, 20)),
		"events":   answertest.Asked(events.Answer(list, events.Options{})),
	} {
		if s == nil {
			t.Errorf("%s: no answer", command)
			continue
		}
		answer.MarkSalvaged(s, list)
		var text, json bytes.Buffer
		if err := errors.Join(s.Write(&text, sheet.Text, sheet.Look{}), s.Write(&json, sheet.JSON,
			sheet.Look{})); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(text.String(), "\n")
		if want := "! half.pickle: The file was cut at byte 1,234: only the 200 events before it"; first != want {
			t.Errorf("%s begins with %q, want %q", command, first, want)
		}
		if !strings.Contains(strings.ReplaceAll(json.String(), " ", ""), `"byte":1234,`) {
			t.Errorf("%s: the JSON does not say it:\n%.300s", command, &json)
		}
		answertest.Fits(t, command, s)
	}
}

func TestSalvagedWords(t *testing.T) {
	err := func(kind error) error { return &pickle.Error{Err: kind} }
	for _, tt := range []struct {
		part    snapshot.Salvaged
		says    string
		verdict string
	}{
		{snapshot.Salvaged{At: 5, Events: 1, From: 0, Err: err(pickle.ErrMalformed)},
			"The file is damaged at byte 5: only the 1 event before it was read. The end state of cuda:0 is missing, " +
				"so nothing confirms its replay.", "part of a file"},
		{snapshot.Salvaged{At: 5, Events: 2, From: snapshot.NoDevice, NoEnd: true, Err: err(pickle.ErrLimit)},
			"The file goes beyond a limit at byte 5: only the 2 events before it were read. The end state is " +
				"missing, so nothing confirms the replay.", "part of a file"},
		{snapshot.Salvaged{At: 5, Events: 2, From: snapshot.NoDevice, Err: err(pickle.ErrTruncated)},
			"The file was cut at byte 5: only the 2 events before it were read. The end state was read before that; " +
				"settings and annotations may be missing.", "adds up"},
		{snapshot.Salvaged{At: 5, From: snapshot.NoDevice, Err: err(pickle.ErrTruncated)},
			"The file was cut at byte 5: only the 0 events before it were read. What is shown is the end state, as " +
				"far as it was read.", "adds up"},
	} {
		in := partOf(tt.part)
		if got := in.SalvagedSentence(); got != tt.says {
			t.Errorf("got  %s\nwant %s", got, tt.says)
		}
		if got := trust.VerdictOn(in.Devices[0]); got.Text != tt.verdict {
			t.Errorf("verdict %+v, want %s", got, tt.verdict)
		}
		if w := trust.WarningsOn(in.Snapshot, in.Devices[0])[0]; w.Fact+" "+w.Consequence != tt.says {
			t.Errorf("the first warning is %+v", w)
		}
	}
}

// TestSalvagedFile is what programs learn of a file that was read in part.
func TestSalvagedFile(t *testing.T) {
	for _, tt := range []struct {
		read snapshot.Salvaged
		end  bool
		err  string
	}{
		{snapshot.Salvaged{From: snapshot.NoDevice}, true, ""},
		{snapshot.Salvaged{From: snapshot.NoDevice, NoEnd: true}, false, ""},
		{snapshot.Salvaged{From: 0, Err: errors.New("the disk is gone\n")}, false, "the disk is gone\uFFFD"},
	} {
		in := partOf(tt.read)
		if got := in.Salvaged(); got.EndKnown != tt.end || got.Error != tt.err {
			t.Errorf("%+v: %+v", tt.read, got)
		}
	}
}

// TestSalvagedOnce: stats leave the warning to [Sheet.Salvaged], and give all others.
func TestSalvagedOnce(t *testing.T) {
	s := testsnap.Hostile()
	s.Salvaged = &snapshot.Salvaged{At: 5, From: 0, Err: errors.New("cut")}
	in := answer.NewInput("hostile", s)
	fact, _ := trust.Salvaged(s)
	text := answertest.Said(t, func(said *sheet.Sheet) { trust.WriteWarnings(said, in.Recordings[0]) })
	if strings.Contains(text, fact.Fact) ||
		!strings.Contains(text, "Parts of the file could not be read as expected.") {
		t.Error(text)
	}
}

// TestNewWarnings tells of keys that nobody knows yet, and of clocks.
func TestNewWarnings(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true})
	for _, micros := range []int64{50, 60, 40, 41, 7} {
		c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken, TimeMicros: micros})
	}
	s := c.Snapshot()
	s.Oddity.UnknownKeys = map[string]int{"color": 12, "<b>": 1}
	in := answer.NewInput("odd.pickle", s)
	var text, json bytes.Buffer
	shown := stats.Answer([]answer.Input{in}, stats.Options{})
	if err := errors.Join(shown.Write(&text, sheet.Text, sheet.Look{}), shown.Write(&json, sheet.JSON,
		sheet.Look{})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`They were left out: "<b>" (1), "color" (12).`,
		"The clock runs backwards. 2 events have an earlier time"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	var log bytes.Buffer
	if err := answertest.Asked(events.Answer([]answer.Input{in}, events.Options{})).Write(&log, sheet.Text,
		sheet.Look{}); err != nil ||
		!strings.Contains(log.String(), "The clock runs backwards.") {
		t.Errorf("the log shows times below zero without a word: %v\n%s", err, &log)
	}
	if !strings.Contains(json.String(), `"color": 12`) {
		t.Errorf("the keys are missing in\n%s", &json)
	}
	answertest.Fits(t, "stats", shown)
}

// TestCutFileGetsNoAdvice: what the end of a file would have said is not said of its
// beginning: not that nothing was recorded, not which setting helps, not what a block
// weighs.
func TestCutFileGetsNoAdvice(t *testing.T) {
	idle := func() *answertest.Script { // reserves much, and the blocks in it were not read
		s := answertest.NewScript()
		s.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 2048 * answertest.GrowthMiB,
			SizeClass: snapshot.SizeClassLarge})
		return s
	}
	state := []answer.Input{answer.NewInput("state.pickle", idle().Snapshot())}
	state[0].Snapshot.Salvaged = &snapshot.Salvaged{From: snapshot.NoDevice, Err: io.ErrUnexpectedEOF}
	if advice := statsOf(state, stats.Options{}).Advice; len(advice) > 0 {
		t.Errorf("advises %+v", advice)
	}
	for command, tell := range map[string]func() (*sheet.Sheet, error){
		"stats":   func() (*sheet.Sheet, error) { return stats.Answer(state, stats.Options{}), nil },
		"summary": func() (*sheet.Sheet, error) { return stats.Answer(state, stats.Options{Summary: true}), nil },
		"leaks":   func() (*sheet.Sheet, error) { return leaks.Answer(state, leaks.Options{}) },
		"oom":     func() (*sheet.Sheet, error) { return oom.Answer(state, oom.Options{}) },
		"whatif":  func() (*sheet.Sheet, error) { return whatif.Answer(state, whatif.Options{}) },
	} {
		var b strings.Builder
		said, err := tell()
		if err == nil {
			err = said.Write(&b, sheet.Text, sheet.Look{Width: 100_000})
		}
		for _, no := range []string{"No history was recorded", "The file holds no history", "expandable_segments",
			"start recording"} {
			if err != nil || strings.Contains(b.String(), no) {
				t.Errorf("%s says %q, %v: %s", command, no, err, b.String())
			}
		}
	}

	first := answertest.NewScript()
	first.Make(100*answertest.GrowthMiB, "model.py|layer\n"+answertest.ScriptForward)
	first.Make(100*answertest.GrowthMiB, "model.py|layer\n"+answertest.ScriptForward)
	in := answertest.Cut([]answer.Input{answer.NewInput("first.pickle", first.Snapshot())})
	in[0] = answer.NewInput("first.pickle", in[0].Snapshot)
	m := statsOf(in, stats.Options{Summary: true}).Summary
	if m.Allocated.All.Current != nil || m.Active.Large.Peak != nil || m.InactiveSplit.All.Current != nil ||
		*m.Requested.All.Current != 200*answertest.GrowthMiB {
		t.Errorf("%+v", m)
	}
}
