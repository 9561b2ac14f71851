package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

var examples = filepath.Join("..", "..", "examples")

func allStories(t *testing.T) []*story {
	t.Helper()
	stories, err := readStories(examples)
	if err != nil {
		t.Fatal(err)
	}
	return stories
}

// TestStories: each folder with a story is in the gallery, and each kind of page.
func TestStories(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(examples, "*", "train.py"))
	if err != nil {
		t.Fatal(err)
	}
	stories := allStories(t)
	if len(scripts) != len(stories) {
		t.Errorf("%d folders have a train.py, and %d stories were found", len(scripts), len(stories))
	}
	kinds := map[*kind]int{}
	for _, s := range stories {
		kinds[s.Kind]++
		if s.About == "" || s.Answer == "" || len(s.Pages) == 0 || len(s.inputs) == 0 {
			t.Errorf("%s: %q, %q, %d pages of %d files", s.Name, s.About, s.Answer, len(s.Pages), len(s.inputs))
		}
	}
	if len(kinds) != 4 {
		t.Errorf("%d kinds of pages, want 4", len(kinds))
	}
}

func TestPlan(t *testing.T) {
	for _, test := range []struct {
		files string
		kind  *kind
		want  []page
	}{
		{"segments.pt snapshot.pt", recording, []page{{"x.html", "", []string{"trace", "segments.pt", "snapshot.pt"}}}},
		{"after.pickle.gz before.pickle.gz", compared,
			[]page{{"x.html", "", []string{"diff", "before.pickle.gz", "after.pickle.gz"}}}},
		{"rank0.pickle.gz rank1.pickle.gz", job,
			[]page{{"x.html", "", []string{"ranks", "rank0.pickle.gz", "rank1.pickle.gz"}}}},
		{"128.pickle.gz 64.pickle.gz", predicted, []page{
			{"x-predicted-at-256.html", "predicted at 256",
				[]string{"predict", "64=64.pickle.gz", "128=128.pickle.gz", "--at", "256"}},
			{"x-recorded-at-64.html", "recorded at 64", []string{"trace", "64.pickle.gz"}},
			{"x-recorded-at-128.html", "recorded at 128", []string{"trace", "128.pickle.gz"}},
		}},
		{"before.pickle.gz smaller.pickle.gz", predicted, []page{
			{"x.html", "", []string{"trace", "before.pickle.gz"}},
			{"x-then-smaller.html", "then smaller", []string{"diff", "before.pickle.gz", "smaller.pickle.gz"}},
		}},
	} {
		s := &story{Name: "x", files: strings.Fields(test.files)}
		s.plan()
		if s.Kind != test.kind || !reflect.DeepEqual(s.Pages, test.want) {
			t.Errorf("%s: %s, %q, want %q", test.files, s.Kind.Title, s.Pages, test.want)
		}
	}
}

// TestPictures: the highest column of a picture is the peak, and each column has the bytes
// of one state, counted here from the allocations.
func TestPictures(t *testing.T) {
	for _, s := range allStories(t) {
		for _, r := range s.inputs[0].Recordings {
			columns := largestTotals(r, 20)
			sums := make([]int64, len(columns))
			for i, bytes := range columns {
				for _, b := range bytes {
					sums[i] += b
				}
			}
			if got, want := slices.Max(sums), r.Device.Totals.PeakBytes; got != want {
				t.Errorf("%s: the highest column has %d bytes, the peak %d", s.Name, got, want)
			}
			first := [families.Count]int64{}
			most := int64(-1)
			for state := 0; state*20/r.Device.States() == 0; state++ {
				bytes, sum := r.Families().BytesIn(r.Device, state), int64(0)
				for _, b := range bytes {
					sum += b
				}
				if sum >= most {
					first, most = bytes, sum
				}
			}
			if columns[0] != first {
				t.Errorf("%s: the first column has %v, want %v", s.Name, columns[0], first)
			}
		}
	}
}

// TestGallery writes a story of each kind, and follows the links of the index.
func TestGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memviz")
	}
	memviz, out := filepath.Join(t.TempDir(), "memviz"), t.TempDir()
	if runtime.GOOS == "windows" {
		memviz += ".exe"
	}
	if text, err := exec.Command("go", "build", "-o", memviz, "../memviz").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	var some []*story
	for _, s := range allStories(t) {
		if !slices.ContainsFunc(some, func(other *story) bool { return other.Kind == s.Kind }) {
			some = append(some, s)
		}
	}
	if err := writeGallery(t.Context(), memviz, examples, out, some); err != nil {
		t.Fatal(err)
	}
	text := testkit.ReadFile(t, filepath.Join(out, "index.html"))
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for node := range root.Descendants() {
		for _, a := range node.Attr {
			switch {
			case a.Key == "src", a.Key == "href" && node.Data == "link" && a.Val != "data:,":
				t.Errorf("%s loads %s", node.Data, a.Val)
			case a.Key == "href" && node.Data == "a" && strings.HasSuffix(a.Val, ".html"):
				linked[a.Val] = true
			}
		}
	}
	for _, s := range some {
		for _, p := range s.Pages {
			page, err := os.ReadFile(filepath.Join(out, p.File))
			if err != nil || !bytes.Contains(page, []byte(`<meta name="generator" content="memviz `)) {
				t.Errorf("%s is not a memviz page: %v", p.File, err)
			}
			if !linked[p.File] {
				t.Errorf("no link leads to %s", p.File)
			}
			delete(linked, p.File)
		}
	}
	if len(linked) > 0 {
		t.Errorf("links to %v lead nowhere", linked)
	}
}
