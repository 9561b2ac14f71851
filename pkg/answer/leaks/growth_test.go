package leaks

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

func leaksText(t *testing.T, in []answer.Input, o Options) string {
	t.Helper()
	said, err := Answer(in, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := said.Write(&b, sheet.Text, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(b.String()), " "), "\u00a0", " ")
}

// TestGrowthWords: what is said of growth is what the script does, and nothing is
// denied that the rules could not see.
func TestGrowthWords(t *testing.T) {
	for name, want := range map[string][]string{
		"3 clean steps": {"cannot be judged from 3 steps", "Record 8 steps or more: memviz snippet leak"},
		"4 clean steps": {"no growth of a call site seen in 4 steps", "in every third step only", "Record 12 or more"},
		"12 clean steps": {"cuda:0 nothing keeps growing",
			"A leak at other call sites each time would not be seen under 4.00 KiB each step."},
		"a regrown buffer": {"no call site keeps more tensors, but some are replaced by larger ones",
			"The least memory of each step rises by ", "replaced by others of another size", "buffer.py:1:regrow"},
		"a leak and an OOM": {"keeps growing, at 1 place", "At this rate the 4.00 GiB that PyTorch could see when a " +
			"request failed are full after at most "},
		"4 steps of a cut file": {"no growth of a call site seen in 4 steps", "Only a part of the file could be " +
			"read: the whole one may hold more of them."},
		"3 steps of a cut file":  {"cannot be judged from 3 steps", "getting ready. Only a part of the file"},
		"no steps of a cut file": {"Leaks cannot be judged from this file. Only a part of the file"},
		"a leak in 6 steps of a cut file": {"only 6 steps were recorded",
			"would look the same. Only a part of the file"},
		"a leak over 3 steps": {"cannot be judged from 3 steps", "by 1.00 MiB each step",
			"only 3 steps were recorded"},
		"a leak": {"keeps growing, at 1 place", "by 1.00 MiB each step, to 12.0 MiB now, and nothing",
			"A cache that holds more than 12 steps of entries, and is still filling, would look the same."},
		"every third step": {"may keep growing", "by 3.00 MiB every 3 steps, to 15.0 MiB",
			"only 4 of 13 steps add to it", "Record 21 or more."},
		"a tiny leak": {"may keep growing", "by 4 B each step"},
		"a queue": {"keeps growing, and no call site explains it", "grows by 4.00 MiB ± 0",
			"queue.py:1:push"},
		"a queue from nothing": {"is freed more slowly than it is made: it grows by 4.00 MiB each step, to 96.0 MiB " +
			"in 24"},
		"a cache that fills": {"nothing keeps growing",
			"5.00 MiB allocated in several steps and kept, but no more since step 6"},
		"no history": {"cannot be judged"},
	} {
		text := leaksText(t, answertest.GrowingScripts[name](), Options{Rows: 9})
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %q: %s", name, part, text)
			}
		}
		if strings.HasSuffix(name, "of a cut file") && regexp.MustCompile(`[Rr]ecord (\d|several)`).MatchString(text) {
			t.Errorf("%s: advises to record more: %s", name, text)
		}
		for _, no := range []string{"nothing keeps growing", "12 steps were recorded", "replaced by"} {
			said := strings.Contains(text, no)
			if said != strings.Contains(strings.Join(want, " "), no) {
				t.Errorf("%s: says %q: %t", name, no, said)
			}
		}
	}
}

// TestStepsLeft: 60 tensors of 4 MiB and one more each step, 4 of them for a moment,
// fill a device of 1 GiB after the 24 steps recorded in so many more.
func TestStepsLeft(t *testing.T) {
	in := answertest.GrowingScripts["a queue"]()
	text := leaksText(t, in, Options{Capacity: 1 << 30})
	full := regexp.MustCompile(`the 1.00 GiB of the device are full after at most ([0-9]+) more steps`)
	found := full.FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	// In its last whole step, the 24th, the queue holds 60+23 tensors, and 4 more
	// before it is trimmed.
	left, _ := strconv.Atoi(found[1])
	if want := (256 - (60 + 23 + 4)) / 1; left < want-2 || left > want+2 {
		t.Errorf("%d steps left, want about %d", left, want)
	}
	if text := leaksText(t, in, Options{Capacity: 350 << 20}); !strings.Contains(text, "full after at most") &&
		!strings.Contains(text, "do not last for another step") {
		t.Error(text)
	}
	for _, name := range []string{"12 clean steps", "3 clean steps", "no history"} {
		if text := leaksText(t, answertest.GrowingScripts[name](), Options{Capacity: 1 << 30}); strings.Contains(text,
			"rate") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
