package pagetest

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
	view "github.com/memviz-go/memviz/pkg/report/recording"
)

// pixelColumn is one column of the raster: RGBA of each row, top first.
type pixelColumn [][4]int

// band is a tensor in a pile.
type band struct {
	liveEntry
	color [3]float64
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

func newColors(r *recording, device int) *colors {
	c := &colors{stacks: r.Stacks, palette: map[string][5]string{}, byKey: map[string]int{}, line: 0.86,
		paper: [3]float64{255, 255, 255}}
	c.device, c.families = r.Devices[device], r.Recordings[device].Families()
	model := view.New("memviz", []answer.Input{r.Input}, true)
	for _, family := range model.Families {
		c.palette[family.Key] = model.Palette.Light[family.Hue].Shades
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

// compareViews compares some columns of the whole recording, of a close view and
// of one between.
func compareViews(p *page, c *colors) {
	t := p.t
	t.Helper()
	n := c.device.Events.Len()
	views := [][2]int{{0, n + 1}}
	if n > 100 {
		views = append(views, [2]int{n / 3, n/3 + 60}, [2]int{n / 2, n/2 + n/20})
	}
	for _, view := range views {
		random := rand.New(rand.NewPCG(uint64(view[0]), 3))
		type look struct {
			X float64   `json:"x"` // part of the width
			Y []float64 `json:"y"` // parts of the height
		}
		var where []look
		for range tries(6) {
			where = append(where,
				look{random.Float64(), []float64{random.Float64(), random.Float64(), random.Float64()}})
		}
		shown := eval[shownView](p, `(async () => {
			await memviz.view({from: %d, to: %d});
			const g = memviz.geometry(), {width, height, data} = memviz.pixels();
			const columns = %s.map(({x, y}) => {
				const column = Math.floor(x * g.columns.length), state = g.columns[column], rows = [];
				if (state < 0) return {column, state};
				for (let i = 4 * column; i < data.length; i += 4 * width) rows.push(Array.from(data.slice(i, i + 4)));
				const live = memviz.live(state).map(({stack, ...rest}) => rest);
				const places = y.map((part) => [g.left + (column + 0.5) / g.ratio, g.top + g.height * part]);
				return {column, state, rows, live, pointed: places.map(([x, y]) => ({x, y, at: memviz.at(x, y)}))};
			});
			return {geometry: {...g, columns: []}, columns};
		})()`, view[0], view[1], asJSON(t, where))
		compared := 0
		for _, column := range shown.Columns {
			if column.State < 0 {
				continue
			}
			compared++
			var pile []band
			for _, entry := range column.Live {
				color, err := c.of(entry)
				if err != nil {
					t.Fatal(err)
				}
				pile = append(pile, band{entry, color})
			}
			compareColumn(t, c, shown.Geometry, pile, column.Rows)
			for _, pointed := range column.Pointed {
				checkPointer(t, shown.Geometry, pointed.Y, pile, pointed.At)
			}
			if t.Failed() {
				t.Fatalf("in column %d, at state %d, in the view of states %d to %d of device %d", column.Column,
					column.State, view[0], view[1], c.device.ID)
			}
		}
		if compared == 0 {
			t.Errorf("in the view of states %d to %d no column is drawn", view[0], view[1])
		}
	}
}

// shownView is a view with some of its columns.
type shownView struct {
	Geometry geometry
	Columns  []struct {
		Column, State int // State is negative where the column shows none
		Rows          pixelColumn
		Live          []liveEntry
		Pointed       []struct {
			X, Y float64
			At   *liveEntry
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

// checkPointer compares what lies under a height of a column with its pile.
func checkPointer(t *testing.T, g geometry, y float64, pile []band, got *liveEntry) {
	t.Helper()
	bytes := g.BytesTo - (y-g.Top)/g.Height*(g.BytesTo-g.BytesFrom)
	var want *band
	for i := range pile {
		if float64(pile[i].Offset) <= bytes && bytes < float64(pile[i].Offset+pile[i].Size) {
			want = &pile[i]
		}
	}
	switch {
	case got == nil && want == nil:
	case got == nil || want == nil || got.ID != want.ID || got.Offset != want.Offset:
		t.Errorf("at height %.1f the page has %+v, brute force %+v", y, got, want)
	}
}
