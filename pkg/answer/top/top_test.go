package top

import (
	"bytes"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestTop(t *testing.T) {
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training()), answer.NewInput("hostile.pickle",
		testsnap.Hostile())}
	var all bytes.Buffer
	for by := range holders.ByCount {
		s, err := Answer(in, Options{At: answer.Peak, Grouping: holders.Grouping{By: holders.By(by), Depth: 1 + by%2},
			Rows: 3})
		if err != nil {
			t.Fatal(err)
		}
		answertest.Fits(t, "top", s)
		for _, d := range s.Value.(*answer.Devices[Device]).Devices {
			var sum int64
			for _, row := range d.Rows {
				sum += row.Bytes
			}
			if sum != d.ActiveBytes {
				t.Errorf("by %s: the rows of %s hold %d of %d bytes", d.By, d.File, sum, d.ActiveBytes)
			}
		}
		answertest.FitsTerminal(t, string(answertest.Written(t, s, sheet.Text)))
		all.Write(answertest.Written(t, s, sheet.Text))
		all.Write(answertest.Written(t, s, sheet.Markdown))
	}
	testkit.Golden(t, "top.txt", all.Bytes())
}

func TestTopNotThere(t *testing.T) {
	at, err := answer.ParseMoment("oom")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Answer([]answer.Input{answer.NewInput("state_only.pickle", testsnap.StateOnly())}, Options{At: at})
	if want := "state_only.pickle, cuda:0: an out-of-memory event is not in this recording"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRowKeys(t *testing.T) {
	for by := range holders.By(holders.ByCount) {
		if key := rowKeys[by]; key.none == "" || key.show == nil {
			t.Errorf("nothing says how a key by %s is shown", by)
		}
	}
}

func TestShortChain(t *testing.T) {
	for key, want := range map[string]string{
		"/a/b.py:1:f":                         "/a/b.py:1:f",
		"/a/b.py:1:f < /a/c.py:2:g":           "b.py:1:f < c.py:2:g",
		`C:\x\b.py:1:f < c.py:2:g < /d.py:0:`: "b.py:1:f < c.py:2:g < d.py:0:",
	} {
		if got := shortChain(key); got != want {
			t.Errorf("shortChain(%q) = %q, want %q", key, got, want)
		}
	}
}
