package export

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

var pprofFormat = &Format{Name: "pprof", Binary: true, Takes: []Option{AtOption}, write: writePprof, isOurs: isPprof}

// pprofComment is in the header of the compressed file.
const pprofComment = "written by memviz"

func isPprof(head []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(head))
	return err == nil && z.Comment == pprofComment
}

// The values of a sample have the names of Go's own heap profiles, which pprof's flags
// and other programs know. Pre-existing allocations were not made in the recording, so
// they count only as in use.
const (
	inUseObjects = iota // live at the moment
	inUseSpace
	allocObjects // allocated over the recording
	allocSpace
)

// noStack is the frame for memory without a stack, because pprof drops samples without frames.
const noStack = "(no stack recorded)"

func writePprof(w *bufio.Writer, in []answer.Input, o *Options) error {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			inUseObjects: {Type: "inuse_objects", Unit: "count"}, inUseSpace: {Type: "inuse_space", Unit: "bytes"},
			allocObjects: {Type: "alloc_objects", Unit: "count"}, allocSpace: {Type: "alloc_space", Unit: "bytes"},
		},
		DefaultSampleType: "inuse_space",
		PeriodType:        &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:            1, // every allocation is a sample
		Comments:          []string{o.Program},
	}
	var m *pprofBuilder
	list, err := recordings(in, o)
	if err != nil {
		return err
	}
	isGPU := func(r *recording) bool { return r.Device.ID != snapshot.Pinned }
	for _, r := range list {
		if !isGPU(r) && slices.ContainsFunc(list, isGPU) {
			p.Comments = append(p.Comments, r.in.FileName()+" pinned: left out, because a profile is one sum; "+
				"--device pinned exports it")
			continue
		}
		if m == nil || m.snapshot != r.Snapshot {
			m = newPprofBuilder(p, r)
		}
		m.several = len(in) > 1
		m.add(r, r.state(r.Device.Totals.PeakState))
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	z.Comment = pprofComment
	if err := p.WriteUncompressed(z); err != nil {
		return err
	}
	return z.Close()
}

// pprofBuilder adds the recordings of one snapshot to a profile.
type pprofBuilder struct {
	*profile.Profile
	snapshot  *snapshot.Snapshot
	mapping   *profile.Mapping
	functions map[[2]string]*profile.Function // by name and file
	locations []*profile.Location             // by frame; nil if left out or not needed yet
	noStack   []*profile.Location
	stacks    map[snapshot.StackID][]*profile.Location
	several   bool // there are other files
}

func newPprofBuilder(p *profile.Profile, r *recording) *pprofBuilder {
	m := &pprofBuilder{Profile: p, snapshot: r.Snapshot, functions: map[[2]string]*profile.Function{},
		locations: make([]*profile.Location, len(r.Snapshot.Frames)),
		stacks:    map[snapshot.StackID][]*profile.Location{},
		// HasFunctions keeps pprof from looking for a binary of this name.
		mapping: &profile.Mapping{ID: uint64(len(p.Mapping) + 1), File: r.in.FileName(), HasFunctions: true,
			HasFilenames: true, HasLineNumbers: true}}
	p.Mapping = append(p.Mapping, m.mapping)
	return m
}

// labels distinguish the samples of one stack.
type labels struct {
	stack  snapshot.StackID
	family families.Family
	phase  string
	stream snapshot.StreamID
}

// add adds the allocations of a recording.
func (m *pprofBuilder) add(r *recording, state int) {
	m.Comments = append(m.Comments, fmt.Sprintf("%s %s, %s, in use in state %d of %d", r.in.FileName(),
		r.Snapshot.DeviceLabel(r.Device.ID), r.Writer(), state, r.Device.Events.Len()))
	if redacted := r.o.redacted(r.Snapshot.Redaction); len(redacted) > 0 {
		m.Comments = append(m.Comments, "redacted: "+strings.Join(redacted, ", "))
	}
	if e := r.Device.Events; r.times && m.TimeNanos == 0 && e.TimeMicros[0] < math.MaxInt64/1000 {
		m.TimeNanos, m.DurationNanos = max(e.TimeMicros[0], 0)*1000, e.SpanMicros()*1000
	}
	samples := map[labels]*profile.Sample{}
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		live := a.LiveIn(state)
		if !live && a.PreExisting() {
			continue
		}
		l := labels{a.Stack, r.Families().Family(i), r.phase(a.Start), a.Stream}
		s := samples[l]
		if s == nil {
			s = m.sample(r, l)
			samples[l] = s
		}
		if live {
			s.Value[inUseObjects]++
			s.Value[inUseSpace] += a.Size
		}
		if !a.PreExisting() {
			s.Value[allocObjects]++
			s.Value[allocSpace] += a.Size
		}
	}
}

// sample begins a sample.
func (m *pprofBuilder) sample(r *recording, l labels) *profile.Sample {
	s := &profile.Sample{
		Location: m.stack(r, l.stack),
		Value:    make([]int64, len(m.SampleType)),
		Label: map[string][]string{
			"family": {l.family.Key()},
			"stream": {r.stream(l.stream)},
			"device": {r.Snapshot.DeviceLabel(r.Device.ID)},
		},
	}
	if l.phase != "" {
		s.Label["phase"] = []string{l.phase}
	}
	if site := r.Stacks.Site(l.stack).String(); site != "" {
		s.Label["site"] = []string{units.Printable(site)}
	}
	if m.several {
		s.Label["file"] = []string{r.in.FileName()}
	}
	m.Sample = append(m.Sample, s)
	return s
}

// stack converts a stack for pprof: innermost first, without the frames of the recorder
// and the interpreter, as in memviz folded.
func (m *pprofBuilder) stack(r *recording, id snapshot.StackID) []*profile.Location {
	list, known := m.stacks[id]
	if known {
		return list
	}
	for _, f := range m.snapshot.Stacks.Frames(id) {
		site := r.Stacks.Frame(f)
		file := stacks.Slashed(site.File)
		if r.Stacks.FrameClass[f] == stacks.Internal && stacks.IsInterpreterNoise(file, site.Function) {
			continue
		}
		if m.locations[f] == nil {
			name := site.Function
			if r.Stacks.FrameFacts[f].Has(stacks.FactPython) {
				// pprof merges functions of one name, and every module has a forward.
				name = file[strings.LastIndexByte(file, '/')+1:] + ":" + name
			}
			m.locations[f] = m.location(m.function(name, site.File), int64(site.Line))
		}
		list = append(list, m.locations[f])
	}
	if list == nil {
		if m.noStack == nil {
			m.noStack = []*profile.Location{m.location(m.function(noStack, ""), 0)}
		}
		list = m.noStack
	}
	m.stacks[id] = list
	return list
}

func (m *pprofBuilder) location(f *profile.Function, line int64) *profile.Location {
	l := &profile.Location{ID: uint64(len(m.Location) + 1), Mapping: m.mapping,
		Line: []profile.Line{{Function: f, Line: line}}}
	m.Location = append(m.Location, l)
	return l
}

// function returns the function of a name in a file. pprof prints names to terminals
// unescaped.
func (m *pprofBuilder) function(name, file string) *profile.Function {
	key := [2]string{units.Printable(name), units.Printable(file)}
	f := m.functions[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(m.Function) + 1), Name: key[0], Filename: key[1]}
		m.functions[key] = f
		m.Function = append(m.Function, f)
	}
	return f
}
