package stats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestWindowHeads: windows are headed by what they are.
func TestWindowHeads(t *testing.T) {
	calls := answertest.NewScript()
	for range 5 {
		for i := range 3 {
			stack := fmt.Sprintf("model.py|layer%d\n%s", i, answertest.ScriptForward)
			calls.Free(calls.Make(64, stack), stack)
		}
	}
	for head, in := range map[string][]answer.Input{
		"window peak": {answer.NewInput("calls.pickle",
			calls.Snapshot())}, "step peak": answertest.GrowingScripts["4 clean steps"](),
	} {
		var b strings.Builder
		if err := Answer(in, Options{Rows: 8}).Write(&b, sheet.Text, sheet.Look{}); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, head) {
			t.Errorf("no head %q in %s", head, text)
		} else if head == "window peak" && !strings.Contains(text, " 5 64 B") {
			t.Errorf("not five windows: %s", text)
		}
	}
}
