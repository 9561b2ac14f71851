package answer

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// written is a sheet in one form.
func written(t *testing.T, s *Sheet, format Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, format, Look{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTop(t *testing.T) {
	in := []Input{NewInput("training.pickle", testsnap.Training()), NewInput("hostile.pickle", testsnap.Hostile())}
	var all bytes.Buffer
	for by := range holders.ByCount {
		s, err := Top(in, TopOptions{At: Peak, Grouping: holders.Grouping{By: holders.By(by), Depth: 1 + by%2},
			Rows: 3})
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "top", s)
		for _, d := range s.value.(*devices[TopDevice]).Devices {
			var sum int64
			for _, row := range d.Rows {
				sum += row.Bytes
			}
			if sum != d.ActiveBytes {
				t.Errorf("by %s: the rows of %s hold %d of %d bytes", d.By, d.File, sum, d.ActiveBytes)
			}
		}
		fitsTerminal(t, string(written(t, s, Text)))
		all.Write(written(t, s, Text))
		all.Write(written(t, s, Markdown))
	}
	testkit.Golden(t, "top.txt", all.Bytes())
}

func TestTopNotThere(t *testing.T) {
	at, err := ParseMoment("oom")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Top([]Input{NewInput("state_only.pickle", testsnap.StateOnly())}, TopOptions{At: at})
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

// Text for people fits a terminal of 80 columns and holds nothing that one
// obeys. What is there to be copied stays whole: a word, a line of Python or of a
// shell.
func fitsTerminal(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		code, _ := strings.CutPrefix(line, "    ")
		copied := strings.HasPrefix(code, "torch.") || strings.HasPrefix(code, "export ") ||
			!strings.Contains(strings.TrimSpace(line), " ")
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > DefaultWidth && !copied {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// eventBound is an event as an end of a range.
func eventBound(event int) Bound {
	bound, err := ParseBound(strconv.Itoa(event))
	if err != nil {
		panic(err)
	}
	return bound
}
