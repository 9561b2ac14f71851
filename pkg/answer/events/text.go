package events

import (
	"cmp"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// eventColumns are the widths of the log's columns. They are found before the
// events are, because the first line is written before the last event is read.
type eventColumns struct {
	event, time, what, where int  // 0: there is no time, or no room for where
	narrow                   bool // what and where have a line of their own
	look                     sheet.Look
	wheres                   map[snapshot.StackID]string // see where
}

// Widths of columns.
const (
	activeWidth = len("1000 KiB")                      // the longest number of bytes
	leastWhat   = len("OOM(1000 MiB) # 1000 MiB free") // the longest description without names
	leastWhere  = len("...:39")                        // below this, a site says nothing
)

func (l *eventLog) columns(look sheet.Look) eventColumns {
	longest := tensorName(len(l.d.Allocations)) + " = s" + strconv.Itoa(newSegmentNames(l.r).atMost()) +
		"[1.00 MiB:1.00 MiB]"
	c := eventColumns{event: max(len("event"), len(strconv.Itoa(l.end))), what: max(leastWhat, len(longest)),
		look: look, wheres: map[snapshot.StackID]string{}}
	left := look.Columns() - len(sheet.Indent) - c.event - c.what - activeWidth - 3*len(sheet.Gutter)
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
		left -= c.time + len(sheet.Gutter)
	}
	if c.narrow = left < 0; c.narrow {
		room := look.Columns() - 2*len(sheet.Indent)
		c.what = min(c.what, room)
		left = room - c.what - len(sheet.Gutter)
	}
	if left >= leastWhere {
		c.where = left
	}
	return c
}

// row is a line of the log. If the columns to its right are empty, what may be
// longer.
func (c eventColumns) row(event, time, what, active, where string) string {
	start := sheet.Indent + text.AlignRight.Apply(event, c.event) + sheet.Gutter
	if c.time > 0 {
		start += text.AlignRight.Apply(time, c.time) + sheet.Gutter
	}
	room, end := c.what, text.AlignRight.Apply(active, activeWidth)
	if active == "" {
		room += len(sheet.Gutter) + activeWidth
		if c.where > 0 {
			room += len(sheet.Gutter) + c.where
		}
	}
	if c.narrow {
		start, end = strings.TrimRight(start+end, " ")+"\n"+sheet.Indent+sheet.Indent, ""
		room = min(room, c.look.Columns()-2*len(sheet.Indent))
	} else if active != "" {
		end += sheet.Gutter
	}
	what = c.look.CutEnd(c.look.Show(what), room)
	if active == "" {
		return strings.TrimPrefix(strings.TrimRight(start+what, " "), "\n")
	}
	if c.where == 0 {
		where = ""
	}
	return strings.TrimRight(start+text.AlignLeft.Apply(what, c.what)+sheet.Gutter+end+where, " ")
}

// seconds is a time with all its microseconds.
func seconds(micros int64) string {
	return strconv.FormatFloat(float64(micros)/1e6, 'f', 6, 64)
}

// lines yields the log as text.
func (l *eventLog) lines(look sheet.Look) iter.Seq[string] {
	return func(yield func(string) bool) {
		c, remarks, shown := l.columns(look), l.newRemarks(), 0
		remark := func(before int) bool {
			for _, r := range remarks.before(before) {
				if !yield(look.Paint(c.row("", r.time, r.text, "", ""), text.Faint)) {
					return false
				}
			}
			return true
		}
		if !yield(look.Paint(c.row("event", "seconds", "what", "active", "where"), text.Faint)) {
			return
		}
		for h := range l.matching() {
			if !remark(h.event) || !yield(l.line(c, h)) {
				return
			}
			shown++
		}
		if remark(l.end) && l.grep != nil {
			yield(look.Paint(sheet.Indent+units.Count(shown)+" of "+units.Plural(l.end-l.from, "event",
				"events")+" shown",
				text.Faint))
		}
	}
}

// line is the line of an event; an OOM is bold.
func (l *eventLog) line(c eventColumns, h loggedEvent) string {
	e := l.d.Events
	time := ""
	if l.timed() {
		time = seconds(e.SinceFirst(h.event))
	}
	where := ""
	if e.Action[h.event] != snapshot.UserDefined { // whose stack is its label
		where = l.where(c, e.Stack[h.event])
	}
	line := c.row(strconv.Itoa(h.event), time, sheet.Name(h.what).Shown(), units.Bytes(l.active[h.event+1]), where)
	if e.Action[h.event] == snapshot.OOM {
		return c.look.Paint(line, text.Bold)
	}
	return line
}

// where is a site as text: the file without its folders, the line and, if there
// is room, the function.
func (l *eventLog) where(c eventColumns, id snapshot.StackID) string {
	where, known := c.wheres[id]
	if known {
		return where
	}
	site := l.r.Stacks.Site(id)
	function := sheet.Name(site.Function).Shown()
	if site.File == "" {
		where = c.look.CutEnd(function, c.where)
	} else {
		line := sheet.Name(site.File[strings.LastIndexAny(site.File, `/\`)+1:]).Shown() + ":" + strconv.Itoa(site.Line)
		where = c.look.CutBeginning(line, c.where)
		if text.StringWidthWithoutEscSequences(where)+len(" f"+c.look.Show("…")) <= c.where {
			where = c.look.CutEnd(where+" "+function, c.where)
		}
	}
	c.wheres[id] = where
	return where
}

// what describes an event as python -m torch.cuda._memory_viz trace does, with
// lasting names for allocations and segments: t3 = s1[512 B:1.00 MiB].
func (l *eventLog) what(i int, seg namedSegment, begun bool) string {
	e := l.d.Events
	size := units.Bytes(e.Size[i])
	switch action := e.Action[i]; action {
	case snapshot.Alloc:
		return l.tensor(i) + " = " + rangeInSegment(seg, e.Addr[i], size)
	case snapshot.FreeRequested:
		return "del " + l.tensor(i) + " # " + size
	case snapshot.FreeCompleted:
		return "free completed " + l.tensor(i)
	case snapshot.Free:
		return "free " + l.tensor(i) + " # " + size
	case snapshot.SegmentAlloc:
		return segmentName(seg, e.Addr[i]) + " = " + l.driverCall(action) + "(" + size + ")"
	case snapshot.SegmentFree:
		return l.driverCall(action) + "(" + segmentName(seg, e.Addr[i]) + ") # " + size
	case snapshot.SegmentMap:
		if begun {
			return segmentName(seg, e.Addr[i]) + " = map(" + size + ")"
		}
		return "map " + rangeInSegment(seg, e.Addr[i], size)
	case snapshot.SegmentUnmap:
		return "unmap " + rangeInSegment(seg, e.Addr[i], size)
	case snapshot.SnapshotTaken:
		return "snapshot # " + size + " active"
	case snapshot.OOM:
		return "OOM(" + size + ") # " + units.Bytes(freeOnDevice(e, i)) + " free"
	case snapshot.UserDefined:
		return strings.TrimSpace("user_defined " + l.userDefined(e.Stack[i]))
	case snapshot.Annotate:
		return "annotate " + units.Address(e.Addr[i]) + " # " + l.metadata(i)
	default:
		if name := l.s.ActionName(action); name != "" {
			return name
		}
		return "no action"
	}
}

// driverCall is the function of the driver that made or freed a segment. Where it is not
// known, it is the name of the action.
func (l *eventLog) driverCall(action snapshot.Action) string {
	b := phrase.BackendOf(l.s)
	malloc, free := b.Malloc, b.Free
	if l.d.ID == snapshot.Pinned {
		malloc, free = b.HostMalloc, b.HostFree
	}
	call := free
	if action == snapshot.SegmentAlloc {
		call = malloc
	}
	return cmp.Or(call, l.s.ActionName(action))
}

// freeOnDevice is the free memory of the device, which an oom event has in place
// of an address.
func freeOnDevice(e *snapshot.Events, i int) int64 { return int64(min(e.Addr[i], math.MaxInt64)) }

// tensor is the name of the allocation of an event, whose number is its index in
// the replay, or the address if there is no allocation.
func (l *eventLog) tensor(i int) string {
	if l.allocations[i] == layout.NoAllocation {
		return units.Address(l.d.Events.Addr[i])
	}
	return tensorName(int(l.allocations[i]))
}

func tensorName(number int) string { return "t" + strconv.Itoa(number) }

func segmentName(seg namedSegment, addr uint64) string {
	if seg.number == noSegment {
		return units.Address(addr)
	}
	return "s" + strconv.Itoa(seg.number)
}

// rangeInSegment is a range as an offset in its segment, or as an address if it is
// in none.
func rangeInSegment(seg namedSegment, addr uint64, size string) string {
	if seg.number == noSegment {
		return size + " at " + units.Address(addr)
	}
	return segmentName(seg, addr) + "[" + units.Bytes(int64(addr-seg.base)) + ":" + size + "]"
}

// userDefined is the stage and the name in a user_defined event, which has them
// as a frame.
func (l *eventLog) userDefined(id snapshot.StackID) string {
	frames := l.s.Stacks.Frames(id)
	if len(frames) == 0 {
		return ""
	}
	f := l.s.Frames[frames[0]]
	return l.s.String(f.Name) + " " + l.s.String(f.File)
}

// remarks are the lines between events: annotations that begin and end, changes of
// metadata and of the compile context.
type remarks struct {
	l           *eventLog
	annotations []snapshot.Annotation // still to come
	next        int                   // the event to look at
	metadata    string
	compiled    string
}

type remark struct{ time, text string }

func (l *eventLog) newRemarks() *remarks {
	return &remarks{l: l, annotations: l.annotations, next: l.from}
}

// before are the remarks in front of an event that were not returned before; at the
// end of the log, all that are left.
func (r *remarks) before(event int) []remark {
	var list []remark
	add := func(time, text string) {
		if r.l.grep == nil || r.l.grep.MatchString(text) {
			list = append(list, remark{time, sheet.Name(text).Shown()})
		}
	}
	for ; r.next < r.l.end && r.next <= event; r.next++ {
		if len(r.annotations) > 0 {
			r.addAnnotations(r.l.d.Events.TimeMicros[r.next], add)
		}
		if r.l.d.Events.Action[r.next] != snapshot.Alloc {
			continue // a free has what was set for other code
		}
		if text := r.l.metadata(r.next); text != r.metadata {
			r.metadata = text
			add("", "metadata: "+cmp.Or(strings.ReplaceAll(text, "\n", "; "), "none")) // torch has appended lines
		}
		if text := r.l.compileContext(r.next); text != r.compiled {
			r.compiled = text
			add("", "compiled: "+cmp.Or(text, "none"))
		}
	}
	if event == r.l.end {
		r.addAnnotations(math.MaxInt64, add)
	}
	return list
}

// addAnnotations adds the remarks on annotations up to a time.
func (r *remarks) addAnnotations(until int64, add func(time, text string)) {
	for ; len(r.annotations) > 0 && r.annotations[0].TimeMicros <= until; r.annotations = r.annotations[1:] {
		ends, verb := r.l.annotationEnds(r.annotations[0]), "end "
		if r.annotations[0].Start {
			verb = "begin "
		}
		add(seconds(ends.TimeMicros), verb+ends.Name)
	}
}
