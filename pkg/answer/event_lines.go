package answer

import (
	"iter"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// eventColumns are the widths of the log's columns, which are known before its
// first line is.
type eventColumns struct {
	event, time, what, where int // no time, no room for where: 0
	look                     Look
	wheres                   map[snapshot.StackID]string // see where
}

// activeWidth is that of the longest number of bytes, leastWhat that of the
// longest words that hold no names. In less than leastWhere a site says nothing.
const (
	activeWidth = len("1000 KiB")
	leastWhat   = len("OOM(1000 MiB) # 1000 MiB free")
	leastWhere  = len("...:39")
)

func (l *eventLog) columns(look Look) eventColumns {
	longest := tensorName(len(l.d.Allocations)) + " = s" + strconv.Itoa(newSegmentNames(l.r).atMost()) +
		"[1.00 MiB:1.00 MiB]"
	c := eventColumns{event: max(len("event"), len(strconv.Itoa(l.end))), what: max(leastWhat, len(longest)),
		look: look, wheres: map[snapshot.StackID]string{}}
	left := look.width() - len(indent) - c.event - len(gutter) - c.what - len(gutter) - activeWidth - len(gutter)
	if l.timed() {
		var first, last int64
		for i := l.from; i < l.end; i++ {
			t := l.d.Events.SinceFirst(i)
			first, last = min(first, t), max(last, t)
		}
		for _, a := range l.annotations {
			t := l.annotationEnds(a).TimeMicros
			first, last = min(first, t), max(last, t)
		}
		c.time = max(len("seconds"), len(seconds(first)), len(seconds(last)))
		left -= c.time + len(gutter)
	}
	if left >= leastWhere {
		c.where = left
	}
	return c
}

// row is a line of the log. Without anything in the columns behind it, what may
// take their room.
func (c eventColumns) row(event, time, what, active, where string) string {
	var b strings.Builder
	b.WriteString(indent + text.AlignRight.Apply(event, c.event) + gutter)
	if c.time > 0 {
		b.WriteString(text.AlignRight.Apply(time, c.time) + gutter)
	}
	if active == "" {
		room := c.what + len(gutter) + activeWidth + len(gutter) + c.where
		b.WriteString(c.look.cutEnd(c.look.Show(what), room))
		return strings.TrimRight(b.String(), " ")
	}
	b.WriteString(text.AlignLeft.Apply(c.look.cutEnd(c.look.Show(what), c.what), c.what) + gutter)
	b.WriteString(text.AlignRight.Apply(active, activeWidth) + gutter)
	if c.where > 0 {
		b.WriteString(where)
	}
	return strings.TrimRight(b.String(), " ")
}

// seconds is a time with all its microseconds.
func seconds(micros int64) string {
	return strconv.FormatFloat(float64(micros)/1e6, 'f', 6, 64)
}

// lines yields the log for people.
func (l *eventLog) lines(look Look) iter.Seq[string] {
	return func(yield func(string) bool) {
		c, remarks, shown := l.columns(look), l.newRemarks(), 0
		remark := func(before int) bool {
			for r := range remarks.before(before) {
				if !yield(look.paint(c.row("", r.time, r.text, "", ""), text.Faint)) {
					return false
				}
			}
			return true
		}
		if !yield(look.paint(c.row("event", "seconds", "what", "active", "where"), text.Faint)) {
			return
		}
		for h := range l.happenings() {
			if !remark(h.event) || !yield(l.line(c, h)) {
				return
			}
			shown++
		}
		if remark(l.end) && l.grep != nil {
			yield(look.paint(indent+units.Count(shown)+" of "+units.Plural(l.end-l.from, "event", "events")+" shown",
				text.Faint))
		}
	}
}

// line is the line of an event. That memory ran out stands out.
func (l *eventLog) line(c eventColumns, h happening) string {
	e := l.d.Events
	time := ""
	if l.timed() {
		time = seconds(e.SinceFirst(h.event))
	}
	where := ""
	if e.Action[h.event] != snapshot.UserDefined { // whose stack is its label
		where = l.where(c, e.Stack[h.event])
	}
	line := c.row(strconv.Itoa(h.event), time, asText(name(h.what)), units.Bytes(l.active[h.event+1]), where)
	if e.Action[h.event] == snapshot.OOM {
		return c.look.paint(line, text.Bold)
	}
	return line
}

// where is a site for people: the file without its folders, its line and, as
// far as there is room, the function.
func (l *eventLog) where(c eventColumns, id snapshot.StackID) string {
	where, known := c.wheres[id]
	if known {
		return where
	}
	site := l.r.Stacks.Site(id)
	function := asText(name(site.Function))
	if site.File == "" {
		where = c.look.cutEnd(function, c.where)
	} else {
		line := asText(name(site.File[strings.LastIndexAny(site.File, `/\`)+1:])) + ":" + strconv.Itoa(site.Line)
		where = c.look.cutBeginning(line, c.where)
		if text.StringWidthWithoutEscSequences(where)+len(" f"+c.look.Show("…")) <= c.where {
			where = c.look.cutEnd(where+" "+function, c.where)
		}
	}
	c.wheres[id] = where
	return where
}
