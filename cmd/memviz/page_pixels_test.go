package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// geometry is what memviz.geometry gives.
type geometry struct {
	Left, Top, Width, Height float64
	Axis                     string  // events or time
	From, To                 float64 // states, on the axis of events
	BytesFrom                float64 `json:"bytes_from"`
	BytesTo                  float64 `json:"bytes_to"`
	Ratio                    float64
	Columns                  []int
}

// pixelColumn is one column of the raster: RGBA of each row, top first.
type pixelColumn [][4]int

// band is a tensor in a pile.
type band struct {
	liveEntry
	color [3]float64
}

// TestPagePixels recomputes sampled columns of the picture by stacking the live
// allocations one by one, in whole views and in close ones, and asks the page
// what lies under the pointer there.
func TestPagePixels(t *testing.T) {
	browser := chromium(t)
	for _, path := range testkit.Snapshots(t) {
		t.Run(shortName(path), func(t *testing.T) {
			s, err := snapshot.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, browser, writeReport(t, path), "c=family&theme=light", 1100, 700)
			for i, device := range s.Devices() {
				if i > 0 { // the first one is shown as the hash says, coloured by family
					p.await("memviz.select(%d)", device)
				}
				colors := newColors(p, s, device)
				n := s.Events(device).Len()
				views := [][2]int{{0, n + 1}}
				if n > 100 {
					views = append(views, [2]int{n / 3, n/3 + 60}, [2]int{n / 2, n/2 + n/20})
				}
				for _, view := range views {
					p.await("memviz.view({from: %d, to: %d})", view[0], view[1])
					checkView(p, colors, rand.New(rand.NewPCG(uint64(view[0]), 3)))
					if t.Failed() {
						t.Fatalf("in the view of states %d to %d of device %d", view[0], view[1], device)
					}
				}
			}
			p.requireNoTrouble()
		})
	}
}

// colors knows the colour of every allocation of a device.
type colors struct {
	device   *replay.Device
	families *families.Assignment
	stacks   *stacks.Table
	palette  map[string][5]string // by family
	byKey    map[string]int       // address and start, or address and end -> index in the replay
	paper    [3]float64
	line     float64 // the separator line's share of a colour
}

func newColors(p *page, s *snapshot.Snapshot, id snapshot.DeviceID) *colors {
	in := answer.NewInput("", s)
	c := &colors{stacks: in.Stacks, palette: map[string][5]string{}, byKey: map[string]int{}, line: 0.86,
		paper: [3]float64{255, 255, 255}}
	for i, d := range in.Devices {
		if d.ID == id {
			c.device, c.families = d, in.Recordings[i].Families()
		}
	}
	r := eval[report.Report](p, "JSON.parse(document.getElementById('memviz-report').textContent)")
	for _, family := range r.Families {
		c.palette[family.Key] = r.Palette.Light[family.Hue].Shades
	}
	for i := range c.device.Allocations {
		a := &c.device.Allocations[i]
		c.byKey[key(fmt.Sprintf("0x%x", a.Addr), int(a.Start), int(a.End))] = i
	}
	return c
}

func key(addr string, start, end int) string { return fmt.Sprint(addr, " ", start, " ", end) }

func (c *colors) of(entry liveEntry) ([3]float64, error) {
	start, end := -1, -1
	if entry.Start != nil {
		start = *entry.Start
	}
	if entry.End != nil {
		end = *entry.End
	}
	i, ok := c.byKey[key(entry.Addr, start, end)]
	if !ok {
		return [3]float64{}, fmt.Errorf("the replay has no allocation at %s from %d to %d", entry.Addr, start, end)
	}
	shades := c.palette[c.families.Family(i).Key()]
	return parseColor(shades[c.stacks.Shade[c.device.Allocations[i].Stack]])
}

func parseColor(text string) (rgb [3]float64, err error) {
	v, err := strconv.ParseUint(text[1:], 16, 32)
	return [3]float64{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)}, err
}

// checkView compares a dozen columns of the view that is shown.
func checkView(p *page, c *colors, random *rand.Rand) {
	t := p.t
	g := eval[geometry](p, "(() => {const g = memviz.geometry(); return {...g, columns: Array.from(g.columns)}})()")
	for range 12 {
		x := random.IntN(len(g.Columns))
		state := g.Columns[x]
		if state < 0 {
			continue
		}
		var pile []band
		for _, entry := range eval[[]liveEntry](p, "memviz.live(%d).map(({stack, ...rest}) => rest)", state) {
			color, err := c.of(entry)
			if err != nil {
				t.Fatal(err)
			}
			pile = append(pile, band{entry, color})
		}
		column := eval[pixelColumn](p, `(() => {
			const {width, height, data} = memviz.pixels(), x = %d, rows = [];
			for (let y = 0; y < height; y++) rows.push(Array.from(data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)));
			return rows;
		})()`, x)
		compareColumn(t, c, g, pile, column)
		checkPointer(p, g, x, state, pile, random)
		if t.Failed() {
			t.Fatalf("in column %d, at state %d", x, state)
		}
	}
}

// compareColumn stacks the pile by brute force and compares every row, but for
// those that a separator line may darken.
func compareColumn(t *testing.T, c *colors, g geometry, pile []band, column pixelColumn) {
	t.Helper()
	height := float64(len(column))
	scale := height / (g.BytesTo - g.BytesFrom)
	for y := range column {
		low, high := height-float64(y)-1, height-float64(y) // rows from below
		var want [3]float64
		covered, single, line := 0.0, false, false
		for i := range pile {
			from, to := (float64(pile[i].Offset)-g.BytesFrom)*scale,
				(float64(pile[i].Offset+pile[i].Size)-g.BytesFrom)*scale
			share := math.Min(high, to) - math.Max(low, from)
			if share <= 0 {
				continue
			}
			for channel := range want {
				want[channel] += share * pile[i].color[channel]
			}
			covered += share
			single = share > 1-1e-9
			line = single && to-from >= 4 && to-high < 1
		}
		for channel := range want {
			want[channel] += math.Max(0, 1-covered) * c.paper[channel]
			if line {
				want[channel] *= c.line
			}
			if diff := math.Abs(want[channel] - float64(column[y][channel])); diff > 2 {
				t.Errorf("row %d is %v, brute force has %.0f", y, column[y], want)
				return
			}
		}
	}
}

// checkPointer asks what lies under a few client pixels of the column.
func checkPointer(p *page, g geometry, x, state int, pile []band, random *rand.Rand) {
	p.t.Helper()
	clientX := g.Left + (float64(x)+0.5)/g.Ratio
	for range 4 {
		clientY := g.Top + g.Height*random.Float64()
		bytes := g.BytesTo - (clientY-g.Top)/g.Height*(g.BytesTo-g.BytesFrom)
		var want *band
		for i := range pile {
			if float64(pile[i].Offset) <= bytes && bytes < float64(pile[i].Offset+pile[i].Size) {
				want = &pile[i]
			}
		}
		got := eval[*liveEntry](p, "memviz.at(%f, %f)", clientX, clientY)
		switch {
		case got == nil && want == nil:
		case got == nil || want == nil || got.ID != want.ID || got.Offset != want.Offset:
			p.t.Errorf("at %.1f, %.1f in state %d the page has %+v, brute force %+v", clientX, clientY, state,
				got, want)
		}
	}
}
