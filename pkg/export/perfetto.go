package export

import (
	"bufio"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// A Perfetto trace is in Chrome's JSON format of trace events: each has a phase (ph), a time
// in microseconds (ts), a process and a thread. Here a process is a recording, and a thread
// a track of slices that do not overlap: steps, phases, annotations by their depth.
var perfettoFormat = &Format{Name: "perfetto", Takes: []Option{MinSizeOption}, write: writePerfetto,
	isOurs: traceHead.Match}

var traceHead = regexp.MustCompile(`^\{"displayTimeUnit":"ms","baseTimeNanoseconds":\d+,` +
	`"otherData":\{"program":"memviz`)

// PyTorch's profiler writes times relative to a base, so that a double holds their
// nanoseconds: the last multiple of this (a quarter of a year) since 1970 before it
// started. With the same rule both files have the same clock.
const profilerBaseMicros = 7_889_238 * 1_000_000

// firstProcess is above the ids of processes on Linux and of the devices that the
// profiler writes as processes.
const firstProcess = 1_000_000_000

// Threads of a process.
const (
	stepsThread = 1 + iota
	phasesThread
	annotationsThread // outermost annotations; each depth has a thread
)

func writePerfetto(w *bufio.Writer, in []answer.Input, o *Options) error {
	list, err := recordings(in, o)
	if err != nil {
		return err
	}
	base := baseOf(list)
	var head object
	head.reset()
	head.text("displayTimeUnit", "ms")
	head.number("baseTimeNanoseconds", base*1000)
	head.open("otherData")
	head.text("program", o.Program)
	if redacted := o.redacted(answer.RedactionOf(in)); len(redacted) > 0 {
		head.text("redacted", strings.Join(redacted, ","))
	}
	head.shut()
	head.key("traceEvents")
	w.Write(head.buf)
	t := &tracer{w: w, separator: "[\n", base: base}
	for i, r := range list {
		t.process, t.recording = firstProcess+int64(i), r
		t.write()
		if t.err != nil {
			return t.err
		}
	}
	if len(list) == 0 {
		w.WriteString("[")
	}
	_, err = w.WriteString("\n]}\n")
	return err
}

// baseOf returns the origin of the times of a trace, in microseconds since 1970.
func baseOf(list []*recording) int64 {
	first := int64(math.MaxInt64)
	for _, r := range list {
		if r.times {
			first = min(first, slices.Min(r.Device.Events.TimeMicros))
		}
	}
	if first == math.MaxInt64 || first < 0 {
		return 0
	}
	return first - first%profilerBaseMicros
}

// tracer writes the events of recordings, one after another.
type tracer struct {
	w         *bufio.Writer
	separator string
	err       error
	object    // the event that is being written

	*recording
	process int64
	base    int64 // see baseOf
}

// at returns the time of an event; for the state after the last event, the time of that event.
// Without times, events are a microsecond apart. A clock that runs backwards does so here, too.
func (t *tracer) at(event int) int64 {
	e := t.Device.Events
	switch {
	case e.Len() == 0:
		return 0
	case !t.times:
		return int64(event)
	}
	return t.clock(e.TimeMicros[min(event, e.Len()-1)])
}

// clock converts a time of the recording into one of the trace, within the precision of a double.
func (t *tracer) clock(micros int64) int64 {
	if micros < t.base {
		return -int64(min(uint64(t.base)-uint64(micros), snapshot.MaxSpanMicros))
	}
	return int64(min(uint64(micros)-uint64(t.base), snapshot.MaxSpanMicros))
}

// begin begins an event of the trace.
func (t *tracer) begin(phase, name string, thread, at int64) {
	t.reset()
	t.text("ph", phase)
	t.text("cat", "memviz") // to filter a trace of several programs
	t.text("name", name)
	t.number("pid", t.process)
	t.number("tid", thread)
	t.number("ts", at)
}

func (t *tracer) finish() {
	t.w.WriteString(t.separator)
	t.separator = ",\n"
	if _, err := t.w.Write(t.end()); err != nil {
		t.err = err
	}
}

// finishArgs finishes an event whose arguments are the last thing in it.
func (t *tracer) finishArgs() {
	t.shut()
	t.finish()
}

// write writes a recording.
func (t *tracer) write() {
	label := t.Snapshot.DeviceLabel(t.Device.ID)
	name := "GPU memory of " + label
	if t.Device.ID == snapshot.Pinned {
		name = "pinned host memory"
	}
	t.name("process_name", 0, name+", "+t.in.FileName())
	t.order("process_sort_index", 0, t.process)
	t.steps()
	t.phases()
	t.annotations()
	t.failures()
	t.tensors()
	t.counters()
}

// name names the process or one of its threads, and sorts threads.
func (t *tracer) name(what string, thread int64, name string) {
	t.begin("M", what, thread, 0)
	t.open("args")
	t.text("name", name)
	t.finishArgs()
	if thread > 0 {
		t.order("thread_sort_index", thread, thread)
	}
}

// order sets where the process or one of its threads is shown.
func (t *tracer) order(what string, thread, index int64) {
	t.begin("M", what, thread, 0)
	t.open("args")
	t.number("sort_index", index)
	t.finishArgs()
}

// slice begins a slice for a range of states.
func (t *tracer) slice(name string, thread int64, from, to int) {
	t.sliceAt(name, thread, t.at(from), t.at(to))
	t.number("from", int64(from))
	t.number("to", int64(to))
}

func (t *tracer) sliceAt(name string, thread, start, end int64) {
	t.begin("X", name, thread, start)
	t.number("dur", max(end-start, 0))
	t.open("args")
}

func (t *tracer) steps() {
	steps := t.Steps()
	if len(steps.Steps) == 0 {
		return
	}
	t.name("thread_name", stepsThread, steps.Method.Word(2))
	for i, p := range timeline.PeaksOf(t.Device, steps.Ranges()) {
		name := t.Snapshot.String(steps.Steps[i].Name)
		if name == "" {
			name = steps.Method.Word(1) + " " + strconv.Itoa(i+1)
		}
		t.slice(name, stepsThread, p.From, p.To)
		t.number("peak_bytes", p.Bytes)
		t.number("peak_state", int64(p.State))
		t.finishArgs()
	}
}

func (t *tracer) phases() {
	phases := t.Phases()
	if len(phases) > 0 {
		t.name("thread_name", phasesThread, "phases")
	}
	for _, p := range phases {
		t.slice(p.Phase.PhaseName(), phasesThread, int(p.Start), int(p.End)+1)
		t.finishArgs()
	}
}

func (t *tracer) annotations() {
	depths := 0
	for _, a := range t.Annotations() {
		for ; depths <= a.Lane; depths++ {
			t.name("thread_name", annotationsThread+int64(depths), "annotations")
		}
		start, end := t.at(a.From), t.at(a.To)
		if t.times && a.FromMicros != 0 {
			start = t.clock(a.FromMicros)
		}
		if t.times && a.ToMicros != 0 {
			end = t.clock(a.ToMicros)
		}
		t.sliceAt(t.Snapshot.String(a.Name), annotationsThread+int64(a.Lane), start, end)
		t.number("from", int64(a.From))
		t.number("to", int64(a.To))
		t.finishArgs()
	}
}

// failures writes requests that failed, and those that succeeded after a retry.
func (t *tracer) failures() {
	e := t.Device.Events
	for i, action := range e.Action {
		if action != snapshot.OOM {
			continue
		}
		t.instant("out of memory", i)
		t.number("requested_bytes", e.Size[i])
		t.number("device_free_bytes", int64(min(e.Addr[i], math.MaxInt64)))
		t.text("site", t.Stacks.Site(e.Stack[i]).String())
		t.finishArgs()
	}
	for _, x := range t.Retries().Served() {
		t.instant("retry", int(x.First))
		t.number("requested_bytes", x.Requested)
		t.number("flushed_bytes", x.Flushed)
		t.number("segments", int64(x.Segments))
		t.text("site", t.Stacks.Site(e.Stack[x.Event]).String())
		t.finishArgs()
	}
}

// instant begins a mark across the tracks of the process.
func (t *tracer) instant(name string, event int) {
	t.begin("i", name, 0, t.at(event))
	t.text("s", "p")
	t.open("args")
	t.number("event", int64(event))
}

// tensors writes large allocations as slices from start to end. Allocations of one call site share
// a track.
func (t *tracer) tensors() {
	last := t.at(t.Device.Events.Len())
	for i := range t.Device.Allocations {
		a := &t.Device.Allocations[i]
		if a.Size < t.o.MinSize {
			continue
		}
		start, end := t.at(max(int(a.Start), 0)), last
		if a.End != replay.None {
			end = t.at(int(a.End))
		}
		family, site := t.Families().Family(i), t.Stacks.Site(a.Stack)
		name := family.One()
		if site.Function != "" {
			name = site.Function
		}
		if site.File != "" {
			file := stacks.Slashed(site.File)
			name = file[strings.LastIndexByte(file, '/')+1:] + ":" + strconv.Itoa(site.Line) + " " + name
		}
		t.tensor("b", name, i, start)
		t.open("args")
		t.number("allocation", int64(i))
		t.number("bytes", a.Size)
		t.text("family", family.Key())
		t.text("site", site.String())
		t.text("stream", t.stream(a.Stream))
		t.finishArgs()
		t.tensor("e", name, i, max(start, end))
		t.finish()
	}
}

// tensor begins one end of an allocation.
func (t *tracer) tensor(phase, name string, i int, at int64) {
	t.begin(phase, name, 0, at)
	t.open("id2")
	t.text("local", "t"+strconv.Itoa(i))
	t.shut()
}

// counters writes active and reserved bytes and the bytes of each family, after each event that
// changes them.
func (t *tracer) counters() {
	d := t.Device
	active, reserved, bytes := d.ActiveBytes(), d.ReservedBytes(), t.Families().BytesIn(d, 0)
	if d.Events.Len() == 0 {
		return
	}
	t.counter("active", 0, active[0])
	t.counter("reserved", 0, reserved[0])
	for f := range bytes {
		if bytes[f] > 0 {
			t.counter(families.Family(f).Key(), 0, bytes[f])
		}
	}
	change := func(i int32, event int, sign int64) {
		f := t.Families().Family(int(i))
		bytes[f] += sign * d.Allocations[i].Size
		t.counter(f.Key(), event, bytes[f])
	}
	started, ended := d.PreExisting, endedBy(d)
	for i := range d.Events.Len() {
		if active[i+1] != active[i] {
			t.counter("active", i, active[i+1])
		}
		if reserved[i+1] != reserved[i] {
			t.counter("reserved", i, reserved[i+1])
		}
		if ended[i] != none {
			change(ended[i], i, -1)
		}
		for ; started < len(d.Allocations) && int(d.Allocations[started].Start) == i; started++ {
			change(int32(started), i, +1)
		}
		if t.err != nil {
			return
		}
	}
}

const none = -1

// endedBy lists by event the allocation that it ended, or none.
func endedBy(d *replay.Device) []int32 {
	list := slices.Repeat([]int32{none}, d.Events.Len())
	for i := range d.Allocations {
		if end := d.Allocations[i].End; end != replay.None {
			list[end] = int32(i)
		}
	}
	return list
}

func (t *tracer) counter(name string, event int, bytes int64) {
	t.begin("C", name, 0, t.at(event))
	t.open("args")
	t.number("bytes", bytes)
	t.finishArgs()
}
