package pagetest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// screenshots is the folder for [TestScreenshots]. The pictures of the README go to
// examples.
var screenshots = flag.String("screenshots", "", "take pictures of the pages into this folder, and those in examples")

// situation is a page that is worth a look.
type situation struct {
	name          string
	story         string // see [situationReport]
	hash          string
	width, height int64
	do            func(p *page, g geometry) // with the keyboard and the mouse
}

// sizes are the page in windows from a phone's to a large screen's, in each look.
func sizes() (list []situation) {
	for _, size := range [][2]int64{{390, 844}, {720, 900}, {1024, 700}, {1440, 900}, {2560, 1440}} {
		for look, story := range map[string]string{"light": "out-of-memory", "dark": "leaking-loss",
			"forced": "training-loop"} {
			s := situation{fmt.Sprintf("size-%d-%s", size[0], look), story, "theme=" + look, size[0], size[1], nil}
			if look == "forced" {
				s.hash, s.do = "theme=light", func(p *page, _ geometry) { p.forceColors() }
			}
			list = append(list, s)
		}
		for _, story := range []string{"compare", "job", "piles"} {
			for _, theme := range []string{"light", "dark"} {
				name := fmt.Sprintf("size-%d-%s-%s", size[0], story, theme)
				list = append(list, situation{name, story, "theme=" + theme, size[0], size[1], nil})
			}
		}
	}
	return list
}

func situations() []situation {
	keys := func(keys string) func(*page, geometry) {
		return func(p *page, _ geometry) { p.typed(keys) }
	}
	click := func(x, y float64) func(*page, geometry) {
		return func(p *page, g geometry) { p.clickAt(g.Left+g.Width*x, g.Top+g.Height*y) }
	}
	return []situation{
		{"01-start", "training-loop", "", 1440, 900, nil},
		{"02-zoom", "training-loop", "x=e:1500-1560", 1440, 900, func(p *page, g geometry) {
			p.typed("y")
			click(0.9, 0.75)(p, g)
		}},
		{"03-search", "training-loop", "", 1440, 900, keys("/model.py size>4MiB\r\u001b")},
		{"04-peak-breakdown", "leaking-loss", "tab=function", 1440, 900, keys("1")},
		{"05-leak-alone", "leaking-loss", "", 1440, 900, keys("2")},
		{"06-oom", "out-of-memory", "", 1440, 900, keys("4")},
		{"07-dark", "training-loop", "theme=dark", 1440, 900, func(p *page, g geometry) {
			p.point(g.Left+g.Width*0.36, g.Top+g.Height*0.7)
		}},
		{"08-small", "out-of-memory", "", 1024, 700, click(0.88, 0.7)},
		{"09-state-only", "", "", 1440, 900, nil},
		{"10-help", "training-loop", "", 1440, 900, keys("w?")},
		{"report", "training-loop", "", 1440, 900, click(0.36, 0.55)},
		{"compare", "compare", "", 1440, 900, nil},
		{"job", "job", "", 1440, 900, nil},
	}
}

// TestScreenshots takes pictures of situations and of all sizes, to be looked at, and those of the README.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("pictures are only taken with -screenshots")
	}
	if err := os.MkdirAll(*screenshots, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, s := range append(sizes(), situations()...) {
		to := filepath.Join(*screenshots, s.name+".png")
		if !strings.Contains(s.name, "-") {
			to = filepath.Join(testkit.Root(t), "examples", s.name+".png")
		}
		if !strings.Contains(s.hash, "theme=") {
			s.hash = strings.TrimPrefix(s.hash+"&theme=light", "&")
		}
		p := openSized(t, situationReport(t, s.story), s.hash, s.width, s.height)
		p.await("memviz.settled()")
		if s.do != nil {
			s.do(p, plot(p))
		}
		p.rest()
		p.takePicture(to)
	}
}

func (p *page) takePicture(to string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(to, png, 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// situationReport is the report of a story of the examples. "compare" is a page that compares
// two recordings, "job" and "piles" are those of a large job and of a small one, and "" is an
// example as it would be had its history not been recorded.
func situationReport(t *testing.T, story string) string {
	t.Helper()
	switch story {
	case "compare":
		return storyPage(t, "checkpointing")
	case "job":
		return jobReport(t, 1024)
	case "piles":
		return jobReport(t, 8)
	case "":
		s, err := snapshot.Open(example(t, "training-loop"))
		if err != nil {
			t.Fatal(err)
		}
		s.Traces, s.Annotations = nil, nil
		return reportOf(t, "snapshot.pickle", s)
	}
	return exampleReport(t, story)
}
