package report

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// hostilePage is a page with as many hostile texts as one can hold.
func hostilePage(t *testing.T) []byte {
	t.Helper()
	var in []answer.Input
	for _, name := range testsnap.HostileTexts {
		in = append(in, answer.NewInput(strings.ReplaceAll(name, "/", "_"), testsnap.Hostile()))
	}
	page, _ := render(t, in...)
	return page
}

// A text of a snapshot never stands in the page as it is, only escaped or packed.
func TestHostileTextsStayText(t *testing.T) {
	page := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`).ReplaceAll(hostilePage(t), nil) // ours
	for _, bad := range []string{"<img", "onerror=alert(1)>", "<!--", "]]>", "\u2028", "\u2029", "\xff", "\x00", `'"`} {
		if i := bytes.Index(page, []byte(bad)); i >= 0 {
			t.Errorf("the page holds %q: ...%q...", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
}

// What the viewer parses is what the file said.
func TestHostileTextsComeBack(t *testing.T) {
	in := answer.NewInput(strings.ReplaceAll(testsnap.HostileTexts[0], "/", "_"), testsnap.Hostile())
	_, page := render(t, in)
	if got := page.report.Files[0].Name; got != in.Name {
		t.Errorf("the name comes back as %q, want %q", got, in.Name)
	}
	stacks, err := decodeStacks(page.payloads["stacks-0"])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range testsnap.HostileTexts {
		if !slices.Contains(stacks.strings, valid(text)) {
			t.Errorf("%q does not come back", text)
		}
	}
}

// The policy allows exactly the scripts and styles of the page, those that stand in
// it and those that its loader inflates. What a browser would do is done here by
// other means than when writing: find each element in the file, hash what stands
// between its tags.
func TestPolicyFitsThePage(t *testing.T) {
	page := hostilePage(t)
	policy := policyOf(t, page)
	for _, test := range []struct {
		directive       string
		element, packed *regexp.Regexp
	}{
		{"script-src", regexp.MustCompile(`(?s)<script>(.*?)</script>`),
			regexp.MustCompile(`<script type="text/plain" id="packed-(?:echarts|viewer)">(.*?)</script>`)},
		{"style-src", regexp.MustCompile(`(?s)<style>(.*?)</style>`),
			regexp.MustCompile(`<script type="text/plain" id="packed-styles">(.*?)</script>`)},
	} {
		texts := submatches(test.element, page)
		for _, text := range submatches(test.packed, page) {
			texts = append(texts, inflateText(t, text))
		}
		var found []string
		for _, text := range texts {
			sum := sha256.Sum256(text)
			found = append(found, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		allowed := strings.Fields(policy[test.directive])
		slices.Sort(found)
		slices.Sort(allowed)
		if want := map[string]int{"script-src": 4, "style-src": 2}[test.directive]; len(found) != want {
			t.Errorf("%s: the page holds %d, want %d", test.directive, len(found), want)
		}
		if !slices.Equal(found, allowed) {
			t.Errorf("%s allows %v, the page holds %v", test.directive, allowed, found)
		}
	}
	for directive, want := range map[string]string{
		"default-src": "'none'",
		"img-src":     "data: blob:",
		"worker-src":  "blob:",
		"base-uri":    "'none'",
		"form-action": "'none'",
	} {
		if policy[directive] != want {
			t.Errorf("%s is %q, want %q", directive, policy[directive], want)
		}
	}
	if len(policy) != 7 {
		t.Errorf("the policy has %d directives: %v", len(policy), policy)
	}
}

func submatches(pattern *regexp.Regexp, page []byte) [][]byte {
	var found [][]byte
	for _, m := range pattern.FindAllSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return found
}

// inflateText unpacks base64 of raw DEFLATE.
func inflateText(t *testing.T, text []byte) []byte {
	t.Helper()
	raw, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text))))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var policyMeta = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)

func policyOf(t *testing.T, page []byte) map[string]string {
	t.Helper()
	m := policyMeta.FindAllSubmatchIndex(page, -1)
	if len(m) != 1 {
		t.Fatalf("%d policies, want 1", len(m))
	}
	if first := bytes.Index(page, []byte("<script")); first < m[0][0] {
		t.Error("a script stands before the policy")
	}
	policy := map[string]string{}
	for directive := range strings.SplitSeq(html.UnescapeString(string(page[m[0][2]:m[0][3]])), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		policy[name] = value
	}
	return policy
}

// Every element that can fetch, run or submit is one that we wrote, in a form
// that the policy covers.
func TestPageAsksForNothing(t *testing.T) {
	page := hostilePage(t)
	outside := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`).ReplaceAll(page, nil)
	for _, bad := range []string{
		`<(link|iframe|frame|form|base|object|embed|img|image|audio|video|source|a)\b`, // fetch or lead away
		`<[a-z]+[^>]* (src|href|style|on[a-z]+)=`,
	} {
		if m := regexp.MustCompile(bad).Find(outside); m != nil {
			t.Errorf("the page holds %q", m)
		}
	}
	for _, m := range regexp.MustCompile(`<script[^>]*>`).FindAll(outside, -1) {
		if !bytes.Contains(m, []byte(`type="application/json"`)) && !bytes.Contains(m, []byte(`type="text/plain"`)) {
			t.Errorf("a script of another kind: %s", m)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	page := func() []byte {
		html, _ := render(t, answer.NewInput("training.pickle", testsnap.Training()),
			answer.NewInput("hostile.pickle", testsnap.Hostile()))
		return html
	}
	if first, second := page(), page(); !bytes.Equal(first, second) {
		t.Errorf("two pages of the same input differ: %d and %d bytes", len(first), len(second))
	}
}

// A report of nothing is still a page that the viewer can read.
func TestPageOfNothing(t *testing.T) {
	for _, in := range [][]answer.Input{nil,
		{answer.NewInput("empty", snapshot.NewComposer(snapshot.Format{}).Snapshot())}} {
		_, page := render(t, in...)
		if len(page.report.Files) != len(in) {
			t.Errorf("%d files in the report, want %d", len(page.report.Files), len(in))
		}
		if text, err := json.Marshal(page.report); err != nil || bytes.Contains(text, []byte("null")) {
			t.Errorf("%d files: the report holds a null: %s, %v", len(in), text, err)
		}
	}
}
