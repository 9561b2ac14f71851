package templates

import (
	"encoding/json"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

type verdict struct {
	OK        bool
	Text, Why string
}

type (
	fact    struct{ Name, Value string }
	warning struct{ Fact, Consequence, Code string }
	summary struct {
		File, Device string
		Facts        []fact
		Verdict      verdict
		Warnings     []warning
		Measures     []string
		Curve        template.HTML
	}
	compared struct {
		Before, After, Device string
		Warnings              []warning
		Answers               []answerText
		Rows                  []rowText
		Rest                  string
	}
	answerText struct{ Question, Value, Line string }
	rowText    struct{ Change, What, Site string }
	page       struct {
		Title, Program, Policy string
		SummaryStyles          template.CSS
		Theme, Loader          template.JS
		Styles                 template.HTML
		ECharts, Viewer        template.HTML
		Summaries              []summary
		Compared               []compared
		Jobs                   []jobSummary
	}
	jobSummary struct {
		Label            string
		Facts            []fact
		Verdict          verdict
		Warnings         []warning
		Answers          []answer
		Findings, Groups [][]string
		Left             int
	}
	answer struct{ Question, Value, Small, Line string }
)

const hostile = `</script><img src=x onerror=alert(1)>" onload='x' __f__alert(1)__f__`

// kinds are the templates of pages.
var kinds = []string{"recording", "compare", "job"}

func render(t *testing.T, kind string, p page) string {
	t.Helper()
	var out strings.Builder
	for _, half := range []string{kind, "tail"} {
		if err := Pages.ExecuteTemplate(&out, half, p); err != nil {
			t.Fatal(err)
		}
		out.WriteString("<!data>")
	}
	return out.String()
}

// TestVerbatim: the policy holds the hashes of the styles and scripts, so they have
// to be in the page verbatim, alone in their elements.
func TestVerbatim(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			p := page{
				Policy:        "script-src 'sha256-a+b/c='",
				SummaryStyles: `a > b { content: "<é>" }`,
				Theme:         `if (1 < 2 && "'") x("\u2028")`,
				Loader:        "/* loader */ a<b\n&&c `${x}`",
				Styles:        "a+b/c=", ECharts: "d+e/f=", Viewer: "g+h/i=",
			}
			html := render(t, kind, p)
			for _, want := range []string{
				"<style>" + string(p.SummaryStyles) + "</style>",
				"<script>" + string(p.Theme) + "</script>",
				"<script>" + string(p.Loader) + "</script>",
				`<script type="text/plain" id="packed-styles">a+b/c=</script>`,
				`<script type="text/plain" id="packed-echarts">d+e/f=</script>`,
				`<script type="text/plain" id="packed-viewer">g+h/i=</script>`,
			} {
				if !strings.Contains(html, want) {
					t.Errorf("the page does not hold %q", want)
				}
			}
			policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(
				html)
			if policy == nil || unescape(policy[1]) != p.Policy {
				t.Errorf("policy is %q", policy)
			}
			head, _, _ := strings.Cut(html, "<!data>")
			if strings.Index(head, "<meta http-equiv") > strings.Index(head, "<style>") {
				t.Error("the policy comes after elements it governs")
			}
			if strings.Index(head, "packed-viewer") > strings.Index(head, "/* loader */") {
				t.Error("the loader comes before the data it unpacks")
			}
			if strings.Contains(head, "</body>") ||
				!strings.HasSuffix(strings.TrimSpace(strings.TrimSuffix(html, "<!data>")),
					"</html>") {
				t.Error("the data is not inside the body")
			}
		})
	}
}

func unescape(s string) string {
	return strings.NewReplacer("&#39;", "'", "&#43;", "+", "&#34;", `"`, "&amp;", "&").Replace(s)
}

func TestHostileText(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			html := render(t, kind, page{Title: hostile, Program: hostile, Summaries: []summary{{
				File: hostile, Device: hostile,
				Facts:    []fact{{hostile, hostile}},
				Verdict:  verdict{Text: hostile, Why: hostile},
				Warnings: []warning{{hostile, hostile, hostile}},
				Measures: []string{hostile},
				Curve:    `<svg class="curve"></svg>`,
			}}, Compared: []compared{{
				Before: hostile, After: hostile, Device: hostile, Rest: hostile,
				Warnings: []warning{{hostile, hostile, hostile}},
				Answers:  []answerText{{hostile, hostile, hostile}},
				Rows:     []rowText{{hostile, hostile, hostile}},
			}}, Jobs: []jobSummary{{
				Label: hostile, Facts: []fact{{hostile, hostile}}, Verdict: verdict{Text: hostile},
				Warnings: []warning{{hostile, hostile, hostile}},
				Answers:  []answer{{hostile, hostile, hostile, hostile}},
				Findings: [][]string{{hostile, hostile, hostile, hostile}},
				Groups:   [][]string{{hostile, hostile, hostile, hostile}},
			}}})
			if strings.Contains(html, "<img") || strings.Count(html, "</script>") != 5 {
				t.Error("text of a snapshot became markup")
			}
			unquoted := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(html, `""`)
			if regexp.MustCompile(`<[^>]*\son\w+=`).MatchString(unquoted) {
				t.Error("text of a snapshot became an attribute")
			}
			if kind != "job" && !strings.Contains(html, `<svg class="curve"></svg>`) {
				t.Error("the curve is not in the page")
			}
		})
	}
}

func TestSummary(t *testing.T) {
	html := render(t, "recording", page{Summaries: []summary{
		{File: "a.pickle", Device: "cuda:0", Facts: []fact{{"peak", "6.53 GiB"}},
			Verdict: verdict{OK: true, Text: "adds up"}, Measures: []string{"Predicted."}},
		{File: "a.pickle", Device: "cuda:1", Verdict: verdict{Text: "history cut"},
			Warnings: []warning{{"History was cut.", "So what.", "code()"}}},
	}})
	for _, want := range []string{"<dt>peak</dt><dd>6.53 GiB</dd>", "✓ adds up", "⚠ history cut",
		"<p class=\"measure\">Predicted.</p>", "<b>History was cut.</b>", "<code>code()</code>", "<noscript>"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if got := strings.Count(html, "<article>"); got != 2 {
		t.Errorf("%d articles, want 2", got)
	}
	if !strings.Contains(render(t, "recording", page{}), "no memory at all") {
		t.Error("a report without devices says nothing")
	}
}

// TestPolicyFriendly: the policy refuses inline styles and handlers, and nothing may
// be loaded.
func TestPolicyFriendly(t *testing.T) {
	names, err := fs.Glob(files, "*.tmpl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no templates (%v)", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`\s(style|on\w+|src|href|action)=`).Find(text); bad != nil {
			t.Errorf("%s has the attribute %s", name, bad)
		}
	}
}

// TestIDs: the viewer finds its elements by id, so ids must be unique.
func TestIDs(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			seen := map[string]int{}
			for _, id := range regexp.MustCompile(`\bid="([^"]*)"`).FindAllStringSubmatch(render(t, kind, page{}), -1) {
				seen[id[1]]++
			}
			if seen["viewer"] != 1 || seen["summary"] != 1 {
				text, _ := json.Marshal(seen)
				t.Errorf("ids: %s", text)
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("id %q occurs %d times", id, n)
				}
			}
		})
	}
}
