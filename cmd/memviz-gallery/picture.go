package main

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	view "github.com/memviz-go/memviz/pkg/report/recording"
)

// The size of a picture, in its own units.
const (
	pictureWidth  = 640
	pictureHeight = 240
	columnWidth   = 4 // each column draws its state with the most memory
	pictureGap    = 8 // between devices
	mostDevices   = 8
)

// picture draws the active memory of devices over their events, by family in the colours of the
// viewer, side by side and on one scale. A red line marks where memory ran out.
func picture(inputs []answer.Input, legend []view.Family) template.HTML {
	var recordings []*analysis.Recording
	highest := int64(1)
	for _, in := range inputs {
		for _, r := range in.Recordings {
			if len(recordings) < mostDevices {
				recordings = append(recordings, r)
				highest = max(highest, r.Device.Totals.PeakBytes)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">`,
		pictureWidth, pictureHeight)
	n := max(1, len(recordings))
	width := (pictureWidth - (n-1)*pictureGap) / n / columnWidth * columnWidth
	for i, r := range recordings {
		drawRecording(&b, r, legend, i*(width+pictureGap), width, highest)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers only
}

// drawRecording draws one device from x on.
func drawRecording(b *strings.Builder, r *analysis.Recording, legend []view.Family, x, width int, highest int64) {
	totals := largestTotals(r, width/columnWidth)
	keys := map[string]families.Family{}
	for f := range families.Count {
		keys[families.Family(f).Key()] = families.Family(f)
	}
	// From the top of the pile down, so that each family needs only its upper edge: the
	// next ones cover the area below.
	for i := len(legend) - 1; i >= 0; i-- {
		tops, any := make([]int, len(totals)), false
		for column, bytes := range totals {
			var sum int64
			for _, below := range legend[:i+1] {
				sum += bytes[keys[below.Key]]
			}
			any = any || bytes[keys[legend[i].Key]] > 0
			tops[column] = int(sum * pictureHeight / highest)
		}
		if any {
			fmt.Fprintf(b, `<path class="hue%d" d="%s"/>`, legend[i].Hue, outline(x, tops))
		}
	}
	for _, failure := range r.OOMs(0) {
		at := x + int(failure.Event)*width/max(1, r.Device.States()-1)
		fmt.Fprintf(b, `<path class="oom" d="M%d 0v%d"/>`, at, pictureHeight)
	}
}

// outline is the area below steps of columnWidth.
func outline(x int, tops []int) string {
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %d", x, pictureHeight)
	height, run := 0, 0
	for _, top := range append(tops, 0) {
		if top != height {
			if run > 0 {
				fmt.Fprintf(&d, "h%d", run)
			}
			fmt.Fprintf(&d, "v%d", height-top)
			height, run = top, 0
		}
		run += columnWidth
	}
	return d.String() + "z"
}

// largestTotals returns, for each column, the bytes by family of its largest state.
func largestTotals(r *analysis.Recording, columns int) [][families.Count]int64 {
	d, assigned := r.Device, r.Families()
	changes := make([][families.Count]int64, d.States()+1)
	for i := range d.Allocations {
		a := &d.Allocations[i]
		from, to := int(a.Start)+1, d.States() // live in the states from, to-1
		if a.End >= 0 {
			to = int(a.End) + 1
		}
		changes[from][assigned.Family(i)] += a.Size
		changes[to][assigned.Family(i)] -= a.Size
	}
	largest := make([][families.Count]int64, columns)
	most := make([]int64, columns)
	var now [families.Count]int64
	for state := range d.States() {
		var sum int64
		for f, change := range changes[state] {
			now[f] += change
			sum += now[f]
		}
		first, last := state*columns/d.States(), max(state*columns, (state+1)*columns-1)/d.States()
		for column := first; column <= last && column < columns; column++ {
			if sum >= most[column] {
				largest[column], most[column] = now, sum
			}
		}
	}
	return largest
}
