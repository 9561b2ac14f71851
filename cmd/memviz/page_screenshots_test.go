package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// screenshots is the folder for [TestScreenshots]; its first picture is also the
// README's.
var screenshots = flag.String("screenshots", "", "take pictures of the page into this folder, and examples/report.png")

// situation is a page worth a look.
type situation struct {
	name, example string // a path, where it ends in .pickle
	hash          string
	width, height int64
	do            func(p *page, g geometry) // with the keyboard and the mouse
}

func situations(t *testing.T) []situation {
	keys := func(keys string) func(*page, geometry) {
		return func(p *page, _ geometry) { p.typed(keys) }
	}
	return []situation{
		{"01-start", "training-loop", "", 1440, 900, nil},
		{"02-zoom", "training-loop", "x=e:1500-1560", 1440, 900, func(p *page, g geometry) {
			p.typed("y")
			p.do(chromedp.MouseClickXY(g.Left+g.Width*0.9, g.Top+g.Height*0.75))
		}},
		{"03-search", "training-loop", "", 1440, 900, keys("/model.py size>4MiB\r\u001b")},
		{"04-peak-breakdown", "leaking-loss", "tab=function", 1440, 900, keys("1")},
		{"05-leak-alone", "leaking-loss", "", 1440, 900, keys("2")},
		{"06-oom", "out-of-memory", "", 1440, 900, keys("4")},
		{"07-dark", "training-loop", "theme=dark", 1440, 900, func(p *page, g geometry) {
			p.do(chromedp.MouseEvent("mouseMoved", g.Left+g.Width*0.36, g.Top+g.Height*0.7))
		}},
		{"08-small", "out-of-memory", "", 1024, 700, func(p *page, g geometry) {
			p.do(chromedp.MouseClickXY(g.Left+g.Width*0.88, g.Top+g.Height*0.7))
		}},
		{"09-state-only", stateOnly(t), "", 1440, 900, nil},
		{"10-help", "training-loop", "", 1440, 900, keys("w?")},
		{"report", "training-loop", "", 1440, 900, func(p *page, g geometry) {
			p.do(chromedp.MouseClickXY(g.Left+g.Width*0.36, g.Top+g.Height*0.55))
		}},
	}
}

// TestScreenshots takes pictures of ten situations, to be looked at, and the README's.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("pictures are only taken with -screenshots")
	}
	if err := os.MkdirAll(*screenshots, 0o777); err != nil {
		t.Fatal(err)
	}
	browser := chromium(t)
	for _, s := range situations(t) {
		path, to := s.example, filepath.Join(*screenshots, s.name+".png")
		if filepath.Ext(path) == "" {
			path = example(path)
		}
		if s.name == "report" {
			to = filepath.Join("..", "..", "examples", "report.png")
		}
		if !strings.Contains(s.hash, "theme=") {
			s.hash = strings.TrimPrefix(s.hash+"&theme=light", "&")
		}
		p := open(t, browser, writeReport(t, path), s.hash, s.width, s.height)
		g := plot(p)
		if s.do != nil {
			s.do(p, g)
		}
		p.await("new Promise(r => setTimeout(r, 600))")
		png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, png, 0o666); err != nil {
			t.Fatal(err)
		}
		p.requireNoTrouble()
	}
}

// stateOnly is an example as it would be had its history not been recorded.
func stateOnly(t *testing.T) string {
	t.Helper()
	s, err := snapshot.Open(example("training-loop"))
	if err != nil {
		t.Fatal(err)
	}
	s.Traces, s.Annotations = nil, nil
	path := filepath.Join(t.TempDir(), "snapshot.pickle")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(snapshot.Write(f, s, 4), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
