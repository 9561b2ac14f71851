package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

var quietFlag = &cli.BoolFlag{Name: "quiet", Category: printing, Aliases: []string{"q"},
	Usage: "say nothing but errors, and what was left out"}

// patience is how long a run is silent before it shows how far it is.
const patience = time.Second

// progressLine is the line that is shown, with a bar where an end is in sight.
const progressLine = `{{string . "stage"}} {{if gt .Total 0}}{{bar . "[" "=" ">" " " "]"}} {{percent .}} {{end}}{{string . "done"}}`

// progress shows on a terminal how far a run has come. Its methods may be
// called at any time from any goroutine.
type progress struct {
	w     io.Writer // nil: show nothing
	began time.Time

	mu      sync.Mutex
	current string // stage
	bar     *pb.ProgressBar
}

// newProgress shows nothing when --quiet is given or stderr is no terminal.
func newProgress(c *cli.Context) *progress {
	p := &progress{began: time.Now()}
	if f, ok := c.App.ErrWriter.(*os.File); ok && !c.Bool("quiet") &&
		(isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())) {
		p.w = f
	}
	return p
}

// bytes begins a stage that counts bytes.
func (p *progress) bytes(stage string) func(done, total int64) {
	return p.counted(stage, units.FileSize)
}

// events begins a stage that counts events.
func (p *progress) events(stage string) func(done, total int64) {
	return p.counted(stage, func(n int64) string { return units.Plural(n, "event", "events") })
}

// stage begins a stage without a measure.
func (p *progress) stage(name string) {
	p.counted(name, func(int64) string { return "" })(0, 0)
}

// counted begins a stage. What is said of an earlier one no longer counts.
func (p *progress) counted(stage string, text func(int64) string) func(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = stage
	return func(done, total int64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.w == nil || p.current != stage || time.Since(p.began) < patience {
			return
		}
		p.show(stage, text(done), done, total)
	}
}

func (p *progress) show(stage, done string, value, total int64) {
	if p.bar == nil {
		p.bar = pb.New64(0).SetTemplateString(progressLine).
			Set(pb.Terminal, true).Set(pb.Color, true).Set(pb.CleanOnFinish, true).SetWriter(p.w)
	}
	p.bar.Set("stage", stage).Set("done", done).SetTotal(total).SetCurrent(value).Start()
}

// end takes the line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current, p.w = "", nil
	if p.bar != nil {
		p.bar.Finish()
	}
}
