package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/compare"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// comparedStory are the snapshots before and after of an example.
func comparedStory(t *testing.T, name string) (before, after answer.Input) {
	t.Helper()
	read := func(file string) answer.Input {
		s, err := snapshot.Open(filepath.Join("..", "..", "examples", name, file))
		if err != nil {
			t.Fatal(err)
		}
		return answer.NewInput(file, s)
	}
	return read("before.pickle.gz"), read("after.pickle.gz")
}

// renderCompare is the page of two snapshots.
func renderCompare(t *testing.T, before, after answer.Input) []byte {
	t.Helper()
	d, err := EncodeCompare("memviz test", before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if _, err := d.WriteTo(&page); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// TestComparePageIsAReport: a compare page is read as the two snapshots that it was made
// of, and memviz writes it again with the same bytes.
func TestComparePageIsAReport(t *testing.T) {
	before, after := comparedStory(t, "checkpointing")
	page := renderCompare(t, before, after)
	if !bytes.Equal(page, renderCompare(t, before, after)) {
		t.Error("the same snapshots give other bytes")
	}
	d, err := Read(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Incomplete(); err != nil {
		t.Fatal(err)
	}
	var in []answer.Input
	for i, name := range []string{"before.pickle.gz", "after.pickle.gz"} {
		s, _, err := d.Snapshot(i, 0)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, answer.NewInput(name, s))
	}
	if !bytes.Equal(page, renderCompare(t, in[0], in[1])) {
		t.Error("the snapshots in the page give another page")
	}
}

// TestComparePolicy: the policy of a compare page allows its own scripts and styles, and
// each stands in it.
func TestComparePolicy(t *testing.T) {
	page := renderCompare(t, answer.NewInput("a", testsnap.Hostile()), answer.NewInput("b", testsnap.Hostile()))
	policy := policyOf(t, page)
	packed := func(id string) string {
		m := regexp.MustCompile(`id="packed-` + id + `">(.*?)</script>`).FindSubmatch(page)
		if m == nil {
			t.Fatalf("no %s", id)
		}
		return string(inflateText(t, m[1]))
	}
	hashOf := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, id := range []string{"echarts", "viewer"} {
		if !strings.Contains(policy["script-src"], hashOf(packed(id))) {
			t.Errorf("the policy does not allow %s: %s", id, policy["script-src"])
		}
	}
	if !strings.Contains(policy["style-src"], hashOf(packed("styles"))) {
		t.Errorf("the policy does not allow the styles: %s", policy["style-src"])
	}
	if packed("viewer") == string(inflateText(t, []byte(recording.Frame().Viewer))) {
		t.Error("the page has the viewer of recordings")
	}
	outside := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`).ReplaceAll(page, nil)
	for _, bad := range []string{"<img", "onerror=alert(1)>", "<!--", "]]>", "\u2028", "\xff"} {
		if bytes.Contains(outside, []byte(bad)) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// TestCompareSummary: without JavaScript a page has the four answers, the largest rows
// and a curve of each recording.
func TestCompareSummary(t *testing.T) {
	before, after := comparedStory(t, "checkpointing")
	page := string(renderCompare(t, before, after))
	_, summary, _ := strings.Cut(page, `<main id="summary">`)
	summary, _, _ = strings.Cut(summary, "</main>")
	pairs, err := diff.Pairs(&before, &after)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range pairs[0].Answers() {
		if !strings.Contains(summary, "<dt>"+a.Question+"</dt><dd>"+a.Value+"</dd>") {
			t.Errorf("the summary lacks %q: %q", a.Question, a.Value)
		}
	}
	if n := strings.Count(summary, "<svg"); n != 2 {
		t.Errorf("%d curves, want 2", n)
	}
	if n := strings.Count(summary, "<tr>"); n < 3 {
		t.Errorf("%d rows in the table", n)
	}
}

// TestCompareFewerFrames: where a report leaves out frames, stacks that are then the same
// are one; each allocation stays in its group.
func TestCompareFewerFrames(t *testing.T) {
	before, after := comparedStory(t, "ten-steps")
	d, err := EncodeCompare("memviz test", before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	// groups are those of all allocations, and stacks how many the file before has.
	groups := func() (list []uint64, stacks int) {
		page := written(t, d)
		r := columnReader{rest: page.payloads["compare-0"]}
		r.column()
		for side := range 2 {
			of := r.column()
			for range 3 {
				r.column()
			}
			for _, stack := range deviceOf(t, page, side, 0).stack {
				list = append(list, of[stack])
			}
			if side == 0 {
				stacks = len(of)
			}
		}
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		return list, stacks
	}
	whole, stacks := groups()
	for _, f := range d.files {
		f.Omit(codec.InnerFrames)
	}
	fewer, left := groups()
	if left >= stacks {
		t.Fatalf("%d stacks of %d are left", left, stacks)
	}
	if !slices.Equal(fewer, whole) {
		t.Error("allocations are in other groups")
	}
}

// TestComparedAnswersSwapped: the answers of the files swapped name the same row.
func TestComparedAnswersSwapped(t *testing.T) {
	before, after := comparedStory(t, "checkpointing")
	d, err := EncodeCompare("memviz test", before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &d.comparison.Pairs[0]
	i := slices.IndexFunc(p.Answers[0], func(a compare.Answer) bool { return a.Key == "row" })
	if a, b := p.Answers[0][i], p.Answers[1][i]; a.Group < 0 || a.Group != b.Group || a.Value == b.Value {
		t.Errorf("group %d, %q and swapped group %d, %q", a.Group, a.Value, b.Group, b.Value)
	}
	if text, err := json.Marshal(d.comparison); err != nil || bytes.Contains(text, []byte(":null")) {
		t.Errorf("%v: %s", err, text)
	}
}
