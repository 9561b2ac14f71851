package recording

import (
	"fmt"
	"html/template"
	"iter"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// The static curve's drawing, in SVG user units.
const (
	curveWidth, curveHeight = 800, 260
	curveLeft, curveRight   = 64, 784 // one column a unit: 720 of them
	curveTop, curveBottom   = 28, 232
	curveColumns            = curveRight - curveLeft
)

// CurveSVG draws a device's active memory over its states, and its reserved
// memory as a dashed line, for readers without JavaScript and for print. It has
// presentation attributes and classes but no styles, which the page's policy
// refuses, and takes its colour from the text around it. Its size does not grow
// with the recording.
func CurveSVG(s *Curve) template.HTML {
	c := drawing{states: s.Events + 1, top: max(s.Totals.PeakBytes, s.Totals.ReservedPeakBytes, 1)}
	active := c.line(s.Active, true)
	reserved := c.line(s.Reserved, false)

	fmt.Fprintf(&c.svg, `<svg class="curve" viewBox="0 0 %d %d" role="img" aria-label="%s">`, curveWidth, curveHeight,
		template.HTMLEscapeString(curveSentence(s)))
	c.grid()
	fmt.Fprintf(&c.svg,
		`<path class="curve-active" d="%s" fill="currentColor" fill-opacity=".14" stroke="currentColor"/>`,
		active)
	fmt.Fprintf(&c.svg,
		`<path class="curve-reserved" d="%s" fill="none" stroke="currentColor" stroke-dasharray="4 3"/>`, reserved)
	c.peak(&s.Totals)
	c.text("curve-axis", curveLeft, curveBottom+16, "start", "0")
	c.text("curve-axis", curveRight, curveBottom+16, "end", units.Plural(s.Events, "event", "events"))
	c.svg.WriteString("</svg>")
	return template.HTML(c.svg.String())
}

func curveSentence(s *Curve) string {
	t := &s.Totals
	return fmt.Sprintf("Active memory of %s over %s: it begins with %s, peaks at %s and ends with %s; reserved "+
		"at most %s.",
		s.Label, units.Plural(s.Events, "event", "events"), units.Bytes(t.BaselineBytes),
		units.Bytes(t.PeakBytes), units.Bytes(t.FinalBytes), units.Bytes(t.ReservedPeakBytes))
}

type drawing struct {
	svg    strings.Builder
	states int
	top    int64 // bytes at the upper edge
}

// x is where state k begins.
func (c *drawing) x(k int) float64 {
	return curveLeft + curveColumns*float64(k)/float64(c.states)
}

func (c *drawing) y(bytes int64) float64 {
	share := min(max(float64(bytes)/float64(c.top), 0), 1)
	return curveBottom - share*(curveBottom-curveTop)
}

// line is the path of a value per state: a step line while every state has a
// column of its own, else the highest and lowest value of each column, in the
// order in which they come. An area begins and ends at the bottom.
func (c *drawing) line(steps iter.Seq[Step], area bool) string {
	path := curvePath{drawing: c}
	if area {
		path.to(curveLeft, curveBottom)
	}
	for s := range steps {
		if c.states <= curveColumns {
			path.to(c.x(s.State), c.y(s.Bytes))
		} else {
			for s.State >= c.columnStart(path.column+1) {
				path.nextColumn(s.State)
			}
			path.inside = append(path.inside, s.Bytes)
		}
		path.last = s.Bytes
	}
	if c.states > curveColumns {
		for path.column < curveColumns {
			path.nextColumn(c.states)
		}
	}
	path.to(curveRight, c.y(path.last))
	if area {
		path.to(curveRight, curveBottom)
	}
	return path.done()
}

// curvePath is a line that is being drawn, of horizontal and vertical strokes in
// relative coordinates, which take the fewest bytes. Lengths are in tenths of a
// unit, heights in whole units.
type curvePath struct {
	*drawing
	text         strings.Builder
	endX, endY   int
	across, down int // its last stroke, not yet in the text; one of them is 0

	last   int64   // the value of the last state
	column int     // the column whose values are being collected
	inside []int64 // its values
}

// to draws a horizontal and then a vertical stroke.
func (p *curvePath) to(unitX, unitY float64) {
	x, y := int(math.Round(unitX*10)), int(math.Round(unitY))*10
	if p.text.Len() == 0 {
		p.text.WriteString("M" + tenths(x) + " " + tenths(y))
	} else {
		p.stroke(x-p.endX, 0)
		p.stroke(0, y-p.endY)
	}
	p.endX, p.endY = x, y
}

// stroke goes on in the direction of the last stroke, or ends that one.
func (p *curvePath) stroke(across, down int) {
	if across == 0 && down == 0 {
		return
	}
	if across*p.across <= 0 && down*p.down <= 0 {
		p.endStroke()
	}
	p.across += across
	p.down += down
}

func (p *curvePath) endStroke() {
	if p.across != 0 {
		p.text.WriteString("h" + tenths(p.across))
	}
	if p.down != 0 {
		p.text.WriteString("v" + tenths(p.down))
	}
	p.across, p.down = 0, 0
}

func (p *curvePath) done() string {
	p.endStroke()
	return p.text.String()
}

// tenths writes a number of tenths as briefly as SVG takes it.
func tenths(v int) string {
	text := decimal(float64(v) / 10)
	if rest, ok := strings.CutPrefix(text, "0."); ok {
		return "." + rest
	}
	if rest, ok := strings.CutPrefix(text, "-0."); ok {
		return "-." + rest
	}
	return text
}

// nextColumn draws a column and begins the next one, into which the last value
// reaches unless a state at its very start has another.
func (p *curvePath) nextColumn(changes int) {
	first, second := extremes(p.inside)
	x := float64(curveLeft+p.column) + 0.5
	p.to(x, p.y(first))
	p.to(x, p.y(second))
	p.column++
	p.inside = p.inside[:0]
	if changes > p.columnStart(p.column) {
		p.inside = append(p.inside, p.last)
	}
}

// columnStart is the first state of a column.
func (c *drawing) columnStart(column int) int {
	return int(int64(column) * int64(c.states) / curveColumns)
}

// extremes are the lowest and the highest value, the one that comes first first.
func extremes(values []int64) (first, second int64) {
	low, high := 0, 0
	for i, v := range values {
		if v < values[low] {
			low = i
		}
		if v > values[high] {
			high = i
		}
	}
	return values[min(low, high)], values[max(low, high)]
}

// grid draws two to five lines at powers of two, labelled in one unit.
func (c *drawing) grid() {
	step := int64(1)
	for c.top/step > 5 {
		step *= 2
	}
	unit := int64(1) << (10 * ((bits.Len64(uint64(c.top)) - 1) / 10))
	for i := range c.top/step + 1 {
		v := i * step
		y := c.y(v)
		fmt.Fprintf(&c.svg, `<path class="curve-grid" d="M%d %sH%d" stroke="currentColor" stroke-opacity=".18"/>`,
			curveLeft, decimal(y), curveRight)
		label := "0"
		if v > 0 {
			name := strings.Fields(units.Bytes(unit))[1]
			label = units.NoBreak(strconv.FormatFloat(float64(v)/float64(unit), 'f', -1, 64) + " " + name)
		}
		c.text("curve-axis", curveLeft-8, y+4, "end", label)
	}
}

// peak marks the first state with the most active memory. Its label and that
// of the reserved line stand above the plot, apart from each other.
func (c *drawing) peak(t *replay.Totals) {
	x, y := c.x(t.PeakState), c.y(t.PeakBytes)
	fmt.Fprintf(&c.svg, `<path class="curve-peak" d="M%s %sl-4 -7h8z" fill="currentColor"/>`, decimal(x), decimal(y))
	anchor, other, opposite := "start", "end", curveRight
	if x > (curveLeft+curveRight)/2 {
		anchor, other, opposite = "end", "start", curveLeft
	}
	c.text("curve-peak", x, curveTop-14, anchor, "peak "+units.NoBreak(units.Bytes(t.PeakBytes)))
	c.text("curve-reserved", float64(opposite), curveTop-14, other,
		"reserved "+units.NoBreak(units.Bytes(t.ReservedPeakBytes)))
}

func (c *drawing) text(class string, x, y float64, anchor, text string) {
	fmt.Fprintf(&c.svg, `<text class="%s" x="%s" y="%s" text-anchor="%s" font-size="11" fill="currentColor">%s</text>`,
		class, decimal(x), decimal(y), anchor, template.HTMLEscapeString(text))
}

// decimal is a coordinate to a tenth of a unit.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// Curve is what the static curve shows, from a replay or from a payload.
type Curve struct {
	Label            string // of the device
	Events           int
	Totals           replay.Totals
	Active, Reserved iter.Seq[Step]
}

// Step is a state from which on a number of bytes is another. The first one is
// state 0.
type Step struct {
	State int
	Bytes int64
}

// RecordedCurve is the curve of a device as replayed.
func RecordedCurve(d *replay.Device, label string) *Curve {
	return &Curve{
		Label: label, Events: d.Events.Len(), Totals: d.Totals,
		Active: stepsOf(d.ActiveBytes()), Reserved: reservedSteps(d),
	}
}

// stepsOf are the steps of a value per state, of which there may be millions.
func stepsOf(values []int64) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		var last int64
		for k, v := range values {
			if (k == 0 || v != last) && !yield(Step{k, v}) {
				return
			}
			last = v
		}
	}
}

// reservedSteps are the steps of reserved memory, without its value in each state.
func reservedSteps(d *replay.Device) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		bytes := d.Totals.ReservedBaselineBytes
		more := yield(Step{0, bytes})
		for _, c := range d.Reserved {
			if bytes += c.Delta; c.Delta != 0 && more {
				more = yield(Step{int(c.Event) + 1, bytes})
			}
		}
	}
}
