package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// WhatIfSchema names the meaning of the keys of WhatIfDevice.
const WhatIfSchema = "memviz.whatif/1"

// WhatIfDevice is what a device's recording would have been under other settings
// of the allocator.
type WhatIfDevice struct {
	Subject
	Reproduced bool       `json:"reproduced"` // the model gives all that was recorded under the recorded settings; else nothing is predicted
	Proof      Proof      `json:"proof"`
	Departure  *Departure `json:"departure" jsonschema:"nullable"` // where the model first does something else; null if it never does

	RecordedSetting           string `json:"recorded_setting"` // as PYTORCH_CUDA_ALLOC_CONF; "" for the defaults
	RecordedReservedPeakBytes int64  `json:"recorded_reserved_peak_bytes"`
	RecordedOOMs              int    `json:"recorded_ooms"`
	LowerBoundBytes           int64  `json:"lower_bound_bytes"` // what an allocator without any waste would have needed
	LimitBytes                int64  `json:"limit_bytes"`       // that predictions respect; 0: none
	LimitFrom                 string `json:"limit_from"`        // given, oom, retries or unknown

	Reference *SettingOutcome  `json:"reference" jsonschema:"nullable"` // the recorded setting, predicted like the others; null without a proof
	Settings  []SettingOutcome `json:"settings"`                        // the best first: those under which nothing fails, then by peak
	Export    string           `json:"export"`                          // the line for the best setting; "" if none is better than the recorded one
	Saved     int64            `json:"saved_bytes"`
	Limits    []string         `json:"limits"` // what the recording cannot tell, and how it was treated: sentences
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

// SettingOutcome is what one setting would have done.
type SettingOutcome struct {
	Setting                string `json:"setting"`             // a value of PYTORCH_CUDA_ALLOC_CONF
	ReservedPeakBytes      int64  `json:"reserved_peak_bytes"` // predicted
	LeastBytes             int64  `json:"least_bytes"`         // if the driver had put its ranges elsewhere
	MostBytes              int64  `json:"most_bytes"`          // if the driver had put its ranges elsewhere
	FromStartBytes         int64  `json:"from_start_bytes"`    // if what was reserved before the recording is there, too, as it was
	PeakState              int    `json:"peak_state"`
	FragmentationPeakBytes int64  `json:"fragmentation_peak_bytes"`
	DriverCalls            int    `json:"driver_calls"`
	Mallocs                int    `json:"mallocs"`
	Frees                  int    `json:"frees"`
	Maps                   int    `json:"maps"`
	Unmaps                 int    `json:"unmaps"`
	Retries                int    `json:"retries"`         // requests that gave all cached memory back and asked again
	FailedRequests         int    `json:"failed_requests"` // the first is a fact; after it a program would have done something else
	FailureState           int    `json:"failure_state"`   // of the first; -1 if none fails
	FailureBytes           int64  `json:"failure_bytes"`
	AvoidedOOMs            int    `json:"avoided_ooms"`   // requests that failed in the recording and would have been served
	LimitAssumed           bool   `json:"limit_assumed"`  // it works on a limit, none is known, and the recorded peak was taken for one
	LaidOutAnew            bool   `json:"laid_out_anew"`  // what was live before the recording was allocated under the setting first
	BaselineFits           bool   `json:"baseline_fits"`  // else what was live before the recording is more than the limit
	NeedsFraction          bool   `json:"needs_fraction"` // does nothing without torch.cuda.set_per_process_memory_fraction
}

// WhatIfOptions are what a person asked of WhatIf.
type WhatIfOptions struct {
	Settings []whatif.Setting // none: those that are usually worth trying
	Capacity int64            // bytes that PyTorch may have; 0: as the recording shows
}

// WhatIf says what other settings would have done.
func WhatIf(in []Input, o WhatIfOptions) (*Sheet, error) {
	value := newDevices[WhatIfDevice](WhatIfSchema)
	s := &Sheet{value: value}
	err := s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		study := whatif.New(r).Study(whatif.Question{Settings: o.Settings, Capacity: o.Capacity})
		device := newWhatIf(in, r, study)
		value.Devices = append(value.Devices, device)
		s.whatIf(in, r, study, &device)
		return nil
	})
	return s, err
}

func newWhatIf(in *Input, r *analysis.Recording, x *whatif.Study) WhatIfDevice {
	d := WhatIfDevice{
		Subject: newSubject(in, r.Device), Reproduced: x.Proof.Holds(),
		Proof:           Proof{x.Proof.Addresses, x.Proof.AddressesOf, x.Proof.DriverCalls, x.Proof.DriverCallsOf},
		RecordedSetting: x.Recorded().Conf, RecordedReservedPeakBytes: x.ReservedPeak(), RecordedOOMs: x.Failed,
		LowerBoundBytes: x.LowerBound(), LimitBytes: x.Limit.Bytes, LimitFrom: x.Limit.From.Key(),
		Settings: make([]SettingOutcome, len(x.Outcomes)), Limits: []string{},
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
		d.Export = exportLine(x.Best.Setting.Conf)
		d.Saved = max(x.Reference.ReservedPeak-x.Best.ReservedPeak, 0)
	}
	d.Limits = unknowns(x)
	return d
}

func newOutcome(o *whatif.Outcome) SettingOutcome {
	x := SettingOutcome{
		Setting: o.Setting.Conf, ReservedPeakBytes: o.ReservedPeak, LeastBytes: o.Least, MostBytes: o.Most,
		FromStartBytes: o.FromStart, PeakState: int(o.PeakEvent) + 1,
		FragmentationPeakBytes: o.Fragmentation, DriverCalls: o.Calls.All(), Mallocs: o.Calls.Mallocs,
		Frees: o.Calls.Frees,
		Maps:  o.Calls.Maps, Unmaps: o.Calls.Unmaps, Retries: o.Retries, FailedRequests: o.FailedOf,
		FailureState: int(replay.None),
		AvoidedOOMs:  o.Avoided, LimitAssumed: o.Assumed, LaidOutAnew: o.Options.Anew, BaselineFits: !o.TooMuch,
		NeedsFraction: o.Setting.Settings.GCThreshold > 0,
	}
	if len(o.Failures) > 0 {
		x.FailureState, x.FailureBytes = int(o.Failures[0].Event), o.Failures[0].Bytes
	}
	return x
}

// exportLine sets a value of the variable in a shell.
func exportLine(conf string) string { return "export PYTORCH_CUDA_ALLOC_CONF=" + conf }

// whatIf puts predictions for a device into words.
func (s *Sheet) whatIf(in *Input, r *analysis.Recording, x *whatif.Study, view *WhatIfDevice) {
	s.device(in, r.Device, "under other allocator settings")
	s.say("%s", proofSentence(&x.Proof))
	if !view.Reproduced {
		s.say("%s", view.Departure.Text)
		s.say("%s", reasonSentence(x.Proof.First.Why))
		s.say("Nothing is predicted, because the model does not reproduce the recording.")
		return
	}
	s.put(whatIfTable(x, view))
	s.say("%s", bestSentence(x))
	if view.Export != "" {
		s.code(view.Export)
		if x.Best.Setting.Settings.GCThreshold > 0 {
			s.say("It works together with torch.cuda.set_per_process_memory_fraction only, which the training script " +
				"has to call.")
		}
	}
	for _, text := range view.Limits {
		s.note("%s", text)
	}
}

// whatIfTable has a row for each setting, between what was recorded and what
// cannot be bettered.
func whatIfTable(x *whatif.Study, view *WhatIfDevice) *sheetTable {
	t := newTable(column{"reserved", figures}, column{"fragmented", figures}, column{"calls", figures},
		column{"fails in", words}, column{"setting", lists})
	t.row(units.Bytes(view.RecordedReservedPeakBytes), "", units.Count(view.Proof.DriverCallsOf), recordedFailure(x),
		"as recorded")
	row := func(o *SettingOutcome, setting any) {
		failure := ""
		switch {
		case !o.BaselineFits:
			failure = "state 0"
		case o.FailureState >= 0:
			failure = "state " + units.Count(o.FailureState)
		}
		t.row(units.Bytes(o.ReservedPeakBytes), units.Bytes(o.FragmentationPeakBytes), units.Count(o.DriverCalls),
			failure, setting)
	}
	if view.Reference.LaidOutAnew {
		row(view.Reference, "the same, laid out again")
	} else {
		row(view.Reference, "the same, predicted")
	}
	for i := range view.Settings {
		o := &view.Settings[i]
		if o.Setting == "" {
			row(o, "the defaults")
			continue
		}
		row(o, name(o.Setting))
	}
	t.row(units.Bytes(view.LowerBoundBytes), "", "", "", "lower bound: a perfect allocator")
	return t
}

// recordedFailure is where the recording first ran out of memory.
func recordedFailure(x *whatif.Study) string {
	if event, failed := x.FirstFailure(); failed {
		return "state " + units.Count(int(event))
	}
	return ""
}
