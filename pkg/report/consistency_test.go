package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestConsistency takes every sentence of the commands and of the page about every
// story and every real recording. Numbers of one name agree, no advice is denied, a
// recording without history gets no verdict, and no headline denies what could not
// have been seen.
func TestConsistency(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*", "*.pickle*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	if os.Getenv("MEMVIZ_CORPUS") != "" {
		files = append(files, testkit.Corpus(t)...)
	}
	used := map[string]bool{}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+" "+filepath.Base(file), func(t *testing.T) {
			s, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range eachDevice(answer.NewInput("FILE", s)) {
				x := speak(t, in)
				for _, wrong := range x.inconsistencies(used) {
					t.Error(wrong)
				}
			}
		})
	}
	for _, r := range names {
		if !used[r.text] && os.Getenv("MEMVIZ_CORPUS") != "" && !r.rare {
			t.Errorf("no sentence is like %s", r.text)
		}
	}
}

// eachDevice are inputs of one device each.
func eachDevice(all answer.Input) (list []answer.Input) {
	for i := range all.Devices {
		in := all
		in.Devices, in.Recordings = all.Devices[i:i+1], all.Recordings[i:i+1]
		list = append(list, in)
	}
	return list
}

// spoken is everything that memviz says of one device.
type spoken struct {
	texts    map[string][]string // by command, and of the page: a sentence, or the row of a table, a line
	values   map[string]object   // the same as JSON
	salvaged bool
	stacks   bool // allocations have some
}

func speak(t *testing.T, in answer.Input) *spoken {
	t.Helper()
	x := &spoken{texts: map[string][]string{}, values: map[string]object{}}
	x.salvaged = in.Snapshot.Salvaged != nil
	x.stacks = in.Devices[0].WithStack() > 0
	list := []answer.Input{in}
	add := func(command string) func(*sheet.Sheet, error) {
		return func(s *sheet.Sheet, err error) {
			t.Helper()
			x.texts[command] = linesOf(t, s, err)
			var file bytes.Buffer
			var v struct{ Devices []object }
			if err == nil {
				err = s.Write(&file, sheet.JSON, sheet.Look{})
			}
			if err == nil {
				err = json.Unmarshal(file.Bytes(), &v)
			}
			if err != nil || len(v.Devices) != 1 {
				t.Fatalf("%s: %d devices, %v", command, len(v.Devices), err)
			}
			x.values[command] = v.Devices[0]
		}
	}
	add("stats")(stats.Answer(list, stats.Options{Rows: 1000}), nil)
	add("one line")(stats.Answer(list, stats.Options{OneLine: true}), nil)
	add("leaks")(leaks.Answer(list, leaks.Options{Rows: 1000}))
	add("oom")(oom.Answer(list, oom.Options{Rows: 1000}))
	add("whatif")(whatif.Answer(list, whatif.Options{}))
	add("top")(top.Answer(list, top.Options{Grouping: holders.Grouping{By: holders.BySite}, Rows: 1000}))
	add("segments")(segments.Answer(list, answer.Peak, 1000))
	add("diff")(diff.Answer(&in, &in, diff.Options{Rows: 1000}))

	first, err := answer.ParseBound("0")
	if err != nil {
		t.Fatal(err)
	}
	events, err := events.Answer(list, events.Options{From: first, To: first})
	x.texts["events"] = linesOf(t, events, err)
	x.texts["ranks"] = linesOf(t, ranksOf(&in, "rank0.pickle", "rank1.pickle", "rank2.pickle"), nil)

	var text bytes.Buffer
	bytesIn := func(folded error) (sum float64) {
		for line := range strings.Lines(text.String()) {
			n, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndex(line, " "):]), 64)
			if folded != nil || err != nil {
				t.Fatal(folded, err)
			}
			sum += n
		}
		text.Reset()
		return sum
	}
	x.values["folded"] = object{"peak_bytes": bytesIn(top.Folded(&text, &in, answer.Peak))}
	x.values["folded"]["reserved_final_bytes"] = bytesIn(top.FoldedSegments(&text, &in))

	if _, err = Encode("memviz test", list, nil).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	document, err := Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	inspected := document.Inspect("report.html")
	x.texts["inspect"] = linesOf(t, inspect.Answer(inspected, 1), nil)
	x.values["inspect"] = object{"names": float64(len(inspected.Census.Names())), "times": float64(inspected.Times),
		"pseudonyms": float64(inspected.Census.Pseudonyms()), "public": float64(inspected.Census.Public())}

	d := recording.New("memviz test", list, true).Files[0].Devices[0]
	x.values["page"] = objectsOf(t, []recording.Device{d})[0]
	page := []string{"verdict: " + d.Verdict.Text + ". " + d.Verdict.Why}
	for _, c := range d.Answers {
		page = append(page, fmt.Sprintf("%s %s %s: %s", c.Question, c.Value, c.Small, c.Line), c.Detail)
	}
	for _, f := range d.Failures {
		page = append(page, fmt.Sprintf("failure %d: %s", f.State, f.Diagnosis), f.Evidence, "→ "+f.Try)
	}
	for _, r := range d.Retries {
		page = append(page, fmt.Sprintf("retry %d: %s", r.State, r.Text))
	}
	if d.Predicted != nil {
		page = append(page, "→ "+d.Predicted.Text)
	}
	if m := d.Measures; m != nil {
		for _, line := range m.Lines {
			page = append(page, line.Text, line.Assumption)
		}
		page = append(page, m.Note)
	}
	for _, w := range d.Warnings {
		page = append(page, w.Fact, w.Consequence)
	}
	x.texts["page"] = page
	for command, lines := range x.texts {
		for i, line := range lines {
			x.texts[command][i] = strings.TrimRight(strings.ReplaceAll(line, "\u00a0", " "), " ")
		}
	}
	return x
}

// linesOf is the text of an answer, in lines as long as its sentences.
func linesOf(t *testing.T, s *sheet.Sheet, err error) []string {
	t.Helper()
	var text bytes.Buffer
	if err == nil {
		err = s.Write(&text, sheet.Text, sheet.Look{Width: 1 << 20})
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(text.String(), "\n")
}

// inconsistencies are what is wrong with what is said. used gets the rules that
// named a number.
func (x *spoken) inconsistencies(used map[string]bool) (wrong []string) {
	known := x.facts(func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) })
	said := map[string]string{} // of names that no JSON has
	for _, command := range slices.Sorted(maps.Keys(x.texts)) {
		for _, line := range x.texts[command] {
			named, rest := numbersIn(line, used)
			for _, n := range named {
				values, isKnown := known[n.name]
				if before, seen := said[n.name]; !isKnown && seen && before != n.value {
					wrong = append(wrong, fmt.Sprintf("%s: %s is %s here, %s elsewhere: %s", command, n.name, n.value,
						before, line))
				}
				if said[n.name] = n.value; isKnown && !slices.Contains(values, n.value) {
					wrong = append(wrong, fmt.Sprintf("%s: %s is %s, not %s: %s", command, n.name, values, n.value,
						line))
				}
			}
			if rest != "" {
				wrong = append(wrong, fmt.Sprintf("%s: %s has no name in %q: add a rule to consistency_rules_test.go",
					command, rest, line))
			}
		}
	}
	return slices.Concat(wrong, x.deniedAdvice(), x.otherMeasures(), x.unfounded())
}

// keys are what tells the members of a list apart; else it is their order.
var keys = map[string]string{
	"ooms": "state", "retries": "state", "settings": "setting", "suspects": "site", "caches": "site",
	"avoidable": "remedy",
}

// drawn are the keys of the page's JSON that are made of sentences, or drawn.
var drawn = []string{"answers", "failures", "retries", "predicted", "measures", "lanes", "capacity"}

// facts are the numbers in the JSON of all commands and of the page, by their names: as
// sentences may write them. What two of them have must be the same.
func (x *spoken) facts(differs func(string, ...any)) map[string][]string {
	known := map[string][]string{}
	from := map[string]string{}
	var walk func(command, name string, v any)
	walk = func(command, name string, v any) {
		switch v := v.(type) {
		case float64:
			n := int64(v)
			texts := []string{units.Bytes(n), units.Count(n), units.Bytes(max(n, -n)), strconv.FormatInt(n, 10)}
			if before, is := known[name]; is && before[3] != texts[3] {
				differs("%s is %s in %s and %s in %s", name, before[3], from[name], texts[3], command)
			}
			known[name], from[name] = texts, command
		case object:
			for key, member := range v {
				walk(command, strings.TrimPrefix(name+"."+key, "."), member)
			}
		case []any:
			walk(command, "number of "+name, float64(len(v)))
			for i, member := range v {
				key := strconv.Itoa(i)
				switch by := member.(type) {
				case object:
					switch id := by[keys[name]].(type) {
					case string:
						key = id
					case float64:
						key = strconv.FormatInt(int64(id), 10)
					}
				}
				walk(command, name+"["+key+"]", member)
				if i == 0 {
					walk(command, name+"[first]", member)
				}
				if i == len(v)-1 {
					walk(command, name+"[last]", member)
				}
			}
		}
	}
	own := map[string]bool{"top": true, "segments": true, "diff": true, "one line": true, "inspect": true}
	for _, command := range slices.Sorted(maps.Keys(x.values)) {
		prefix := ""
		if own[command] {
			prefix = command
		}
		for key, v := range x.values[command] {
			if command == "page" && slices.Contains(drawn, key) {
				continue
			}
			walk(command, strings.TrimPrefix(prefix+"."+key, "."), v)
		}
	}
	number := func(command, key string) float64 { n, _ := x.values[command][key].(float64); return n }
	walk("sum", "unrequested_at_peak", max(0, number("page", "reserved_at_peak_bytes")-number("page", "peak_bytes")))
	walk("sum", "avoidable", number("stats", "peak_bytes")-number("stats", "avoidable_peak_bytes"))
	walk("sum", "growth.whole", number("stats", "final_bytes")-number("stats", "baseline_bytes"))
	retries, _ := x.values["stats"]["retries"].([]any)
	least := math.Inf(1)
	for _, r := range retries {
		least = min(least, r.(object)["margin_bytes"].(float64))
	}
	if len(retries) > 0 {
		walk("sum", "least margin", least)
	}
	if times := number("inspect", "times"); times > 0 {
		walk("inspect", "events", times)
	}
	rows, _ := x.values["top"]["rows"].([]any)
	if i := slices.IndexFunc(rows, func(row any) bool { return row.(object)["key"] != "" }); i >= 0 {
		walk("top", "top.named", rows[i])
	}
	strong, perStep := 0.0, 0.0
	suspects, _ := x.values["leaks"]["suspects"].([]any)
	for _, s := range suspects {
		if s.(object)["verdict"] == "strong" {
			strong++
			perStep += s.(object)["bytes_per_step"].(float64)
		}
	}
	walk("sum", "strong suspects", strong)
	walk("sum", "strong per step", perStep)
	ooms, _ := x.values["oom"]["ooms"].([]any)
	for i, o := range ooms {
		o := o.(object)
		visible := o["reserved_bytes"].(float64) + o["device_free_bytes"].(float64)
		walk("sum", fmt.Sprintf("visible[%.0f]", o["state"]), visible)
		if i == len(ooms)-1 {
			walk("sum", "visible[last]", visible)
		}
	}
	return known
}

// TestConsistencyFalsified: sentences that are made false are found.
func TestConsistencyFalsified(t *testing.T) {
	told := map[string]*spoken{}
	story := func(name string) *spoken {
		if told[name] == nil {
			told[name] = speakOfStory(t, name)
		}
		return told[name].clone()
	}
	for _, test := range []struct{ story, command, is, made, found string }{
		{"out-of-memory", "oom", "Out of memory: 576 MiB", "Out of memory: 577 MiB", "ooms[8117].requested_bytes is"},
		{"out-of-memory", "oom", "270 MiB free in the cache", "271 MiB free in the cache", "ooms[8117].free_bytes is"},
		{"out-of-memory", "page", "Asked 576 MiB", "Asked 0.57 GiB", "requested_bytes is"},
		{"out-of-memory", "leaks", "memory, 5 times", "memory, 4 times", "number of retries is"},
		{"out-of-memory", "stats", "with 3.92 GiB reserved", "with 3.29 GiB reserved", "reserved_peak_bytes is"},
		{"out-of-memory", "stats", "expandable_segments:True", "max_split_size_mb:128", "stats advises max_split"},
		{"out-of-memory", "oom", "ran out of memory", "no request failed while it was recorded", "1 requests failed"},
		{"out-of-memory", "page", "2.09 GiB active at the peak", "2.90 GiB active at the peak", "oom does not say"},
		{"training-loop", "page", " active at the peak, instead of 1.17 GiB", " less than 1.17 GiB",
			"whatif has no measure like"},
		{"leaking-loss", "leaks", "hold 24.6 MiB more", "hold 24.7 MiB more", "bytes_per_step is"},
		{"leaking-loss", "leaks", "memory changes by +197 MiB", "memory changes by +179 MiB", "growth.bytes is"},
		{"leaking-loss", "page", "keeps 24.6 MiB more", "keeps 2.46 MiB more", "bytes_per_step is"},
		{"leaking-loss", "leaks", "keeps growing, at 1 place", "nothing keeps growing", "leaks has suspects"},
		{"training-loop", "leaks", "no growth of a call site seen in 4 steps", "nothing keeps growing",
			"could not have seen it"},
		{"training-loop", "leaks", "no growth of a call site seen in 4 steps", "every tensor is freed",
			"denies something"},
		{"training-loop", "one line", "peak 1.17 GiB", "peak 1.71 GiB", "peak_bytes is"},
		{"training-loop", "oom", "no request failed", "no step failed", "denies something"},
		{"training-loop", "whatif", ": 1.20 GiB reserved", ": 1.02 GiB reserved", "reserved_peak_bytes is"},
		{"training-loop", "inspect", "149 public names", "194 public names", "inspect.public is"},
		{"training-loop", "top", "1.17 GiB", "1.17 GiB of 80.0 GiB", "has no name"},
	} {
		x := story(test.story)
		for i, line := range x.texts[test.command] {
			x.texts[test.command][i] = strings.Replace(line, test.is, test.made, 1)
		}
		if !x.has(test.command, test.made) {
			t.Errorf("%s no longer says %q of %s", test.command, test.is, test.story)
		}
		x.finds(t, test.made, test.found)
	}
	for name, test := range map[string]struct {
		falsify func(x *spoken)
		found   string
	}{
		"stacks of other bytes": {func(x *spoken) { x.values["folded"]["peak_bytes"] = 1.0 }, "peak_bytes is"},
		"times without events":  {func(x *spoken) { x.values["inspect"]["times"] = 1.0 }, "events is"},
		"numbers that differ":   {func(x *spoken) { x.values["page"]["peak_bytes"] = 1.0 }, "peak_bytes is"},
		"no history":            {func(x *spoken) { x.values["stats"]["events"] = 1.0 }, "judges without a history"},
		"salvaged":              {func(x *spoken) { x.salvaged = true }, "could not have seen it"},
		"denied":                {func(x *spoken) { x.values["whatif"]["export"] = "" }, "stats advises expandable"},
	} {
		of := map[string]string{"denied": "out-of-memory"}[name]
		if of == "" {
			of = "ten-steps"
		}
		x := story(of)
		test.falsify(x)
		x.finds(t, name, test.found)
	}
}

// clone is a copy whose sentences and numbers can be changed.
func (x *spoken) clone() *spoken {
	c := *x
	c.texts, c.values = maps.Clone(x.texts), maps.Clone(x.values)
	for command, lines := range c.texts {
		c.texts[command] = slices.Clone(lines)
	}
	for command, value := range c.values {
		c.values[command] = maps.Clone(value)
	}
	return &c
}

// speakOfStory is what is said of the first file of a story.
func speakOfStory(t *testing.T, name string) *spoken {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", name, "*.pickle.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no file (%v)", name, err)
	}
	s, err := snapshot.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return speak(t, eachDevice(answer.NewInput("FILE", s))[0])
}

func (x *spoken) finds(t *testing.T, made, words string) {
	t.Helper()
	wrong := x.inconsistencies(map[string]bool{})
	if !slices.ContainsFunc(wrong, func(text string) bool { return strings.Contains(text, words) }) {
		t.Errorf("%s: nothing found like %q, but %q", made, words, wrong)
	}
}
