package recording

import (
	"strconv"
	"time"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// New makes the view model of snapshots. program names the version of memviz
// that made the report; measured: the page shows what changes of the training would save.
func New(program string, in []answer.Input, measured bool) *Report {
	rules, _ := RuleTable(in)
	r := &Report{
		Schema:   schema,
		Program:  program,
		Files:    make([]File, len(in)),
		Families: newFamilies(),
		Rules:    rules,
		Palette:  newPalette(),
	}
	r.Redacted = trust.RedactedKeys(pseudonyms(in...))
	highest := int64(-1)
	for i := range in {
		r.Files[i] = newFile(&in[i], i, measured)
		for j, d := range r.Files[i].Devices {
			peak := d.PeakBytes
			if d.Device == int(snapshot.Pinned) {
				peak = 0 // any GPU is more interesting
			}
			if peak > highest {
				r.Start, highest = Start{File: i, Device: j}, peak
			}
		}
	}
	return r
}

func newFile(in *answer.Input, number int, measured bool) File {
	f := File{
		Name:  in.FileName(),
		Torch: in.TorchVersion(),

		Record:     trust.RecordFunction(in.Snapshot),
		Salvaged:   in.SalvagedSentence(),
		Predicted:  in.Origin.Predicted,
		Categories: in.Snapshot.Format.HasCategory,
		Streams:    streamNames(in.Snapshot),
		Settings:   settingsOf(in.Snapshot),
		Stacks:     "stacks-" + strconv.Itoa(number),
		Snapshot:   "snapshot-" + strconv.Itoa(number),
		Devices:    make([]Device, len(in.Devices)),
	}
	for i, d := range in.Devices {
		f.Devices[i] = newDevice(*in, in.Recordings[i])
		var predicted *whatif.Prediction
		var best *whatif.BestMeasures
		if measured {
			predicted, best = whatif.PredictAll(in.Recordings[i])
		} else {
			predicted = whatif.Predict(in.Recordings[i])
		}
		f.Devices[i].setCards(in.Recordings[i], NewPile(d, in.Recordings[i].Families()), predicted)
		f.Devices[i].Predicted = newPredicted(predicted)
		f.Devices[i].Measures = NewMeasures(best)
		f.Devices[i].Pools = in.Recordings[i].Pools().Names
		f.Devices[i].Payload = "device-" + strconv.Itoa(number) + "-" + strconv.Itoa(i)
		f.Devices[i].setLanes(in.Recordings[i], "lanes-"+strconv.Itoa(number)+"-"+strconv.Itoa(i))
		f.Devices[i].Capacity = recordedCapacity(in.Recordings[i])
	}
	return f
}

// pseudonyms are the kinds of names that were replaced in snapshots. Addresses and times
// are a matter of Document.Omit.
func pseudonyms(in ...answer.Input) snapshot.Redaction {
	r := answer.RedactionOf(in)
	r.Addresses, r.Times = false, false
	return r
}

// streamNames are the handles of all streams, the default stream first.
func streamNames(s *snapshot.Snapshot) []string {
	names := make([]string, max(len(s.Streams), 1))
	names[0] = units.Address(0)
	for i, handle := range s.Streams {
		names[i] = units.Address(handle)
	}
	return names
}

// Bounds of the settings that the page lists: how many, and bytes of a value. Torch
// has some twenty, all of them short.
const (
	maxSettings     = 100
	maxSettingValue = 200
)

func settingsOf(s *snapshot.Snapshot) [][2]string {
	var list [][2]string
	for _, setting := range s.Settings[:min(len(s.Settings), maxSettings)] {
		value := stats.SettingText(setting.Key, setting.Value)
		value = value[:min(len(value), maxSettingValue)]
		list = append(list, [2]string{units.Printable(setting.Key), units.Printable(value)})
	}
	return list
}

func newDevice(in answer.Input, r *analysis.Recording) Device {
	d := r.Device
	s := in.Snapshot
	view := Device{
		Device:         int(d.ID),
		Label:          s.DeviceLabel(d.ID),
		Events:         d.Events.Len(),
		Allocations:    len(d.Allocations),
		PreExisting:    d.PreExisting,
		Totals:         d.Totals,
		TimeStepMicros: 1,
		HasAddr:        true,
	}
	view.setTimes(d.Events)
	view.setAddresses(d.Allocations)
	view.WithStack = d.WithStack()
	view.LargePage = r.Settings().LargeSegmentSize
	view.Verdict = trust.VerdictOf(r)
	view.Warnings = trust.WarningsOf(r)
	if w, redacted := trust.Redacted(pseudonyms(in)); redacted {
		view.Warnings = append(view.Warnings, w)
	}
	return view
}

func (view *Device) setTimes(e *snapshot.Events) {
	if len(e.TimeMicros) == 0 {
		return
	}
	view.HasTime = true
	first := time.UnixMicro(e.TimeMicros[0]).UTC()
	if year := first.Year(); year >= 1970 && year < 10_000 {
		view.FirstTime = first.Format("2006-01-02T15:04:05.000000Z")
	}
	view.SpanMicros = e.SpanMicros()
}

// LowestAddr is BaseAddr as a number.
func (view *Device) LowestAddr() uint64 {
	addr, _ := strconv.ParseUint(view.BaseAddr, 0, 64) // of a report that was read, it was checked
	return addr
}

func (view *Device) setAddresses(allocations []replay.Allocation) {
	if len(allocations) == 0 {
		view.BaseAddr = units.Address(0)
		return
	}
	low, high := allocations[0].Addr, allocations[0].Addr
	for i := range allocations {
		low, high = min(low, allocations[i].Addr), max(high, allocations[i].Addr)
	}
	view.BaseAddr = units.Address(low)
	view.WideAddr = high-low > MaxExact
}

// growthAnswer is where among the four answers that about growth stands.
const GrowthAnswer = 1

// setCards puts the four answers on the page.
func (view *Device) setCards(r *analysis.Recording, p *Pile, predicted *whatif.Prediction) {
	var answers []strip.Card
	answers, view.Failures, view.Retries = strip.Cards(r, predicted)
	view.Answers = make([]Card, len(answers))
	for i, a := range answers {
		view.Answers[i] = Card{Brief: a.Brief, Bar: newBar(a.Families), Curve: append([]int64{}, a.Curve...)}
		if a.Evidence.State != timeline.NoState {
			a.Evidence.Allocation = p.position(a.Evidence.Allocation)
			view.Answers[i].Evidence = &a.Evidence
		}
	}
}

// newBar has the families that hold something, in the order of the legend.
func newBar(held [families.Count]int64) []familyBytes {
	bar := []familyBytes{}
	for i, entry := range Legend {
		if bytes := held[entry.Family]; bytes > 0 {
			bar = append(bar, familyBytes{i, bytes})
		}
	}
	return bar
}

// NewCapacity is nil where nothing is known. What was reserved at most proves
// nothing about a limit; what an out-of-memory event saw does.
func NewCapacity(r *analysis.Recording, known oom.Capacity, given GivenCapacity) *Capacity {
	if r.Device.ID == snapshot.Pinned {
		return nil
	}
	switch {
	case known.Given > 0 && given.GPU != "":
		return &Capacity{known.Given,
			units.NoBreak("capacity of " + article(given.GPU) + " " + given.GPU + ": about " +
				units.Bytes(known.Given))}
	case known.Given > 0:
		return &Capacity{known.Given, units.NoBreak("capacity, as given: " + units.Bytes(known.Given))}
	case r.Device.Totals.OOMEvents > 0:
		return &Capacity{known.AtLeast, units.NoBreak("capacity, from the OOM: " + units.Bytes(known.AtLeast))}
	}
	return nil
}

// article goes before the name of a card, by its sound: an A100, a T4.
func article(gpu string) string {
	switch gpu[0] {
	case 'A', 'H', 'L', 'M', 'R':
		return "an"
	}
	return "a"
}

// recordedCapacity is what the recording alone says.
func recordedCapacity(r *analysis.Recording) *Capacity {
	return NewCapacity(r, oom.CapacityOf(r.Device, 0), GivenCapacity{})
}
