// Package whatif answers what other settings of the allocator, and changes of the training, would
// have done.
package whatif

import (
	"cmp"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// Device is what a device's recording would have been under other settings
// of the allocator.
type Device struct {
	answer.Subject
	// the model gives all that was recorded under the recorded settings; else nothing is predicted
	Reproduced bool  `json:"reproduced"`
	Proof      Proof `json:"proof"`
	// where the model first does something else; null if it never does, or there is no model
	Departure *Departure `json:"departure" jsonschema:"nullable"`

	RecordedSetting           string `json:"recorded_setting"` // as PYTORCH_CUDA_ALLOC_CONF; "" for the defaults
	RecordedReservedPeakBytes int64  `json:"recorded_reserved_peak_bytes"`
	RecordedOOMs              int    `json:"recorded_ooms"`
	LowerBoundBytes           int64  `json:"lower_bound_bytes"` // what an allocator without any waste would have needed
	LimitBytes                int64  `json:"limit_bytes"`       // that predictions respect; 0: none
	LimitFrom                 string `json:"limit_from"`        // given, oom, retries or unknown

	// the recorded setting, predicted like the others; null without a proof
	Reference *Outcome `json:"reference" jsonschema:"nullable"`
	// the best first: those under which nothing fails, then by peak
	Settings []Outcome `json:"settings"`
	// the line for the best setting; "" if none is better than the recorded one
	Export string   `json:"export"`
	Saved  int64    `json:"saved_bytes"`
	Limits []string `json:"limits"` // what the recording cannot tell, and how it was treated: sentences

	// What changes of the training would do under the recorded settings. Nothing without
	// a proof, in a recording without a forward pass, or if settings were given.
	// the recorded training, predicted like the measures; null if none was tried
	MeasuresBase *MeasuresBase `json:"measures_base" jsonschema:"nullable"`
	// that which saves most first; those that save less than 0.5 % are left out
	Measures []MeasureOutcome `json:"measures"`
	// keys of those that were tried and left out
	UselessMeasures []string `json:"useless_measures"`
	// the cheapest combination under which no request fails; null if none does, or no combination
	// is enough
	MeasuresTogether *MeasureOutcome `json:"measures_together" jsonschema:"nullable"`
}

// Proof is how far the model reproduces a recording.
type Proof struct {
	Addresses     int `json:"addresses"`
	AddressesOf   int `json:"addresses_of"`
	DriverCalls   int `json:"driver_calls"`
	DriverCallsOf int `json:"driver_calls_of"`
}

// Departure is where the model first does something else than was recorded.
type Departure struct {
	State  int    `json:"state"` // before the event; -1: before the first or after the last
	Cause  string `json:"cause"`
	Reason string `json:"reason"` // the likeliest, by what the file shows
	Text   string `json:"text"`
}

// Outcome is what one setting would have done.
type Outcome struct {
	Setting           string `json:"setting"`             // a value of PYTORCH_CUDA_ALLOC_CONF
	ReservedPeakBytes int64  `json:"reserved_peak_bytes"` // predicted
	LeastBytes        int64  `json:"least_bytes"`         // if the driver had put its ranges elsewhere
	MostBytes         int64  `json:"most_bytes"`          // if the driver had put its ranges elsewhere
	// if what was reserved before the recording is there, too, as it was
	FromStartBytes         int64 `json:"from_start_bytes"`
	PeakState              int   `json:"peak_state"`
	FragmentationPeakBytes int64 `json:"fragmentation_peak_bytes"`
	DriverCalls            int   `json:"driver_calls"`
	Mallocs                int   `json:"mallocs"`
	Frees                  int   `json:"frees"`
	Maps                   int   `json:"maps"`
	Unmaps                 int   `json:"unmaps"`
	// requests that were served after all cached memory was given back
	Retries int `json:"retries"`
	// the first is a fact; after it a program would have done something else
	FailedRequests int `json:"failed_requests"`
	// of the first; 0 if what was live before the recording does not fit; -1 if nothing fails
	FailureState int   `json:"failure_state"`
	FailureBytes int64 `json:"failure_bytes"`
	// requests that failed in the recording and would have been served
	AvoidedOOMs int `json:"avoided_ooms"`
	// the setting needs a limit, none is known, and the recorded peak was taken for it: no advice
	// rests on it
	LimitAssumed bool `json:"limit_assumed"`
	// what was live before the recording was allocated again, under the setting
	LaidOutAnew bool `json:"laid_out_anew"`
	// false: what was live before the recording is more than the limit
	BaselineFits bool `json:"baseline_fits"`
	// does nothing without torch.cuda.set_per_process_memory_fraction
	NeedsFraction bool `json:"needs_fraction"`
}

// Options are the options of Answer.
type Options struct {
	Settings []whatif.Setting // none: those that are usually worth trying
	Capacity int64            // bytes that PyTorch may have; 0: as the recording shows
	GPUs     int              // to share optimizer state over, 2 or more; 0: not known
}

// Answer answers what other settings of the allocator would have done.
func Answer(in []answer.Input, o Options) (*sheet.Sheet, error) {
	const why = "Nothing is predicted: its allocator is another one, with settings of its own."
	return answer.PerGPU("whatif", why, in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device,
		error) {
		study := whatif.New(r).Study(whatif.Question{Settings: o.Settings, Capacity: o.Capacity})
		device := newDevice(in, r, study)
		write(s, in, r, study, &device)
		if len(o.Settings) > 0 {
			return device, nil
		}
		if m := measures.FindOver(study.Run, study.Limit, o.GPUs); m != nil {
			device.addMeasures(r, m)
			writeMeasures(s, r, study, m)
		}
		return device, nil
	})
}

func newDevice(in *answer.Input, r *analysis.Recording, x *whatif.Study) Device {
	d := Device{
		Subject: answer.NewSubject(in, r.Device), Reproduced: x.Proof.Holds(),
		Proof:           Proof{x.Proof.Addresses, x.Proof.AddressesOf, x.Proof.DriverCalls, x.Proof.DriverCallsOf},
		RecordedSetting: x.Recorded().Conf, RecordedReservedPeakBytes: x.ReservedPeak(), RecordedOOMs: x.Failed,
		LowerBoundBytes: x.LowerBound(), LimitBytes: x.Limit.Bytes, LimitFrom: x.Limit.From.Key(),
		Settings: make([]Outcome, len(x.Outcomes)), Limits: []string{}, Measures: []MeasureOutcome{},
		UselessMeasures: []string{},
	}
	if in.Snapshot.Format.MLX { // there is no model to compare it with
		d.Proof = Proof{}
		return d
	}
	if first := x.Proof.First; first != nil {
		d.Departure = &Departure{int(first.Event), first.Cause.Key(), first.Why.Key(), departureSentence(first)}
		return d
	}
	reference := newOutcome(&x.Reference)
	d.Reference = &reference
	for i := range x.Outcomes {
		d.Settings[i] = newOutcome(&x.Outcomes[i])
	}
	if x.Best != nil {
		d.Export = exportLine(r, x.Best.Setting.Conf)
		d.Saved = max(x.Reference.ReservedPeak-x.Best.ReservedPeak, 0)
	}
	d.Limits = unknowns(x)
	return d
}

func newOutcome(o *whatif.Outcome) Outcome {
	x := Outcome{
		Setting: o.Setting.Conf, ReservedPeakBytes: o.ReservedPeak, LeastBytes: o.Least, MostBytes: o.Most,
		FromStartBytes: o.FromStart, PeakState: int(o.PeakEvent) + 1,
		FragmentationPeakBytes: o.Fragmentation, DriverCalls: o.Calls.All(), Mallocs: o.Calls.Mallocs,
		Frees: o.Calls.Frees, Maps: o.Calls.Maps, Unmaps: o.Calls.Unmaps, Retries: o.Retries,
		FailedRequests: o.FailedOf, FailureState: o.FailureState(), AvoidedOOMs: o.Avoided, LimitAssumed: o.Assumed,
		LaidOutAnew: o.Options.Anew, BaselineFits: !o.TooMuch, NeedsFraction: o.Setting.Settings.GCThreshold > 0,
	}
	if len(o.Failures) > 0 {
		x.FailureBytes = o.Failures[0].Bytes
	}
	return x
}

// exportLine is the line of shell that sets the settings.
func exportLine(r *analysis.Recording, conf string) string {
	return "export " + r.Settings().Variable() + "=" + conf
}

// write says what is predicted for a device.
func write(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, x *whatif.Study, view *Device) {
	if !r.Device.HasHistory() {
		answer.Section(s, in, r.Device, "cannot be predicted")
		s.Say("%s, so there are no requests to replay under other settings.", trust.HoldsNoHistory(r))
		return
	}
	if in.Snapshot.Cut(r.Device.ID) {
		answer.Section(s, in, r.Device, "cannot be predicted")
		s.Say("The file was read in part: without the final segments the model cannot be compared with what happened.")
		return
	}
	if in.Snapshot.Format.MLX {
		answer.Section(s, in, r.Device, "cannot be predicted")
		s.Say("This file was written by MLX, whose allocator memviz has no model of.")
		return
	}
	answer.Section(s, in, r.Device, "under other allocator settings")
	WriteSkipped(s, r.Settings())
	s.Say("%s", proofSentence(&x.Proof))
	if !view.Reproduced {
		s.Say("%s", view.Departure.Text)
		s.Say("%s", reasonSentence(x.Proof.First.Why))
		s.Say("Nothing is predicted, because the model does not reproduce the recording.")
		return
	}
	s.Put(settingsTable(x, view))
	s.Say("%s", BestSentence(x))
	if view.Export != "" {
		s.Code(view.Export)
		switch {
		case x.Best.Setting.Settings.GCThreshold == 0:
		case r.Settings().MemoryFraction > 0:
			s.Say("It works together with per_process_memory_fraction only, so keep that in the variable.")
		default:
			s.Say("It works together with %s.set_per_process_memory_fraction only, which the training script has to "+
				"call.",
				phrase.BackendOf(r.Snapshot).Module)
		}
	}
	for _, text := range view.Limits {
		s.Note("%s", text)
	}
}

// settingsTable has a row for each setting, between the recorded one and the lower
// bound.
func settingsTable(x *whatif.Study, view *Device) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("reserved"), sheet.Figures("fragmented"), sheet.Figures("calls"),
		sheet.Words("fails in"), sheet.Lists("setting"))
	failure := func(state int) string {
		if state < 0 {
			return ""
		}
		return "state " + units.Count(state)
	}
	recorded := -1
	if event, failed := x.FirstFailure(); failed {
		recorded = int(event)
	}
	t.Row(units.Bytes(view.RecordedReservedPeakBytes), "", units.Count(view.Proof.DriverCallsOf), failure(recorded),
		"as recorded")
	row := func(o *Outcome, setting any) {
		fails := failure(o.FailureState)
		if o.LimitAssumed {
			fails = cmp.Or(fails, "limit") + " assumed"
		}
		t.Row(units.Bytes(o.ReservedPeakBytes), units.Bytes(o.FragmentationPeakBytes), units.Count(o.DriverCalls),
			fails, setting)
	}
	if view.Reference.LaidOutAnew {
		row(view.Reference, "the same, laid out again")
	} else {
		row(view.Reference, "the same, predicted")
	}
	for i := range view.Settings {
		setting := any(sheet.Name(view.Settings[i].Setting))
		if setting == sheet.Name("") {
			setting = "the defaults"
		}
		row(&view.Settings[i], setting)
	}
	t.Row(units.Bytes(view.LowerBoundBytes), "", "", "", "lower bound: a perfect allocator")
	return t
}
