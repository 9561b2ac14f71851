package job

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/units"
)

func jobHTML(t testing.TB, digests []job.Digest) string {
	t.Helper()
	var set job.DigestSet
	for _, d := range digests {
		if err := set.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	document, err := Encode("memviz test", job.Jobs(set.Digests()))
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if _, err := document.WriteTo(&html); err != nil {
		t.Fatal(err)
	}
	return html.String()
}

// TestJobPages writes job pages of several sizes where MEMVIZ_PAGES says, to look at.
func TestJobPages(t *testing.T) {
	dir := os.Getenv("MEMVIZ_PAGES")
	if dir == "" {
		t.Skip("MEMVIZ_PAGES names no folder")
	}
	for _, n := range []int{2, 8, 64, 1024, 4081} {
		stages := 4
		if n < 64 {
			stages = 1
		}
		html := jobHTML(t, recorded.Job(n, stages))
		t.Logf("%d ranks: %d bytes", n, len(html))
		if err := os.WriteFile(filepath.Join(dir, "job-"+strconv.Itoa(n)+".html"), []byte(html), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJobPageSize(t *testing.T) {
	if size := len(jobHTML(t, recorded.Job(4096, 4))); size > 2_000_000 {
		t.Errorf("the page of 4,096 ranks has %d bytes", size)
	}
}

// TestJobPageSameBytes: the order of the digests and repetitions do not matter.
func TestJobPageSameBytes(t *testing.T) {
	digests := recorded.Job(64, 4)
	want := jobHTML(t, digests)
	mixed := append(slices.Clone(digests), digests[3:40]...)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	if got := jobHTML(t, mixed); got != want {
		t.Error("shuffled and repeated digests give another page")
	}
}

// TestJobNeed compares the first answer with the peaks of the ranks.
func TestJobNeed(t *testing.T) {
	digests := recorded.Job(64, 4)
	var peaks []int64
	for i := range digests {
		peaks = append(peaks, digests[i].PeakBytes)
	}
	slices.Sort(peaks)
	got := newPageModel("memviz test", job.Jobs(digests)).Jobs[0].Answers[0]
	between := units.Bytes(peaks[0]) + " to " + units.Bytes(peaks[63]) + " in 4 groups; most on rank "
	if middle := units.Bytes((peaks[31] + peaks[32]) / 2); got.Value != middle ||
		!strings.HasPrefix(got.Line, between) {
		t.Errorf("%s, %s; want %s, %s", got.Value, got.Line, middle, between)
	}
}

func TestJobPageHostile(t *testing.T) {
	const hostile = `</script><img src=x onerror=alert(1)>__f__alert(1)__f__`
	digests := recorded.Job(64, 4)
	for i := range digests {
		d := &digests[i]
		d.File.Name, d.File.Host, d.File.Report, d.Name.Label = hostile, hostile, "javascript:alert(1)", hostile
		for k := range d.Sites {
			d.Sites[k].Site = hostile + ":" + d.Sites[k].Site
		}
		for k := range d.OOMs {
			d.OOMs[k].Site, d.OOMs[k].Verdict = hostile, hostile
		}
	}
	digests[5].Error = hostile
	html := jobHTML(t, digests)
	if strings.Contains(html, "<img") || strings.Contains(html, "javascript:alert") {
		t.Error("text of a digest became markup")
	}
	clean := jobHTML(t, recorded.Job(64, 4))
	if got, want := strings.Count(html, "</script>"), strings.Count(clean, "</script>"); got != want {
		t.Errorf("%d scripts end, want %d", got, want)
	}
}
