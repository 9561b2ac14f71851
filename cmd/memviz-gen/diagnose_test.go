package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// finding is what memviz reports; it is compared with the truth.
type finding = truth

// diagnosis is everything memviz reports about a run.
type diagnosis struct {
	findings []finding // findings of one problem are in the order in which they are shown
	wasteful bool      // at least a tenth of peak reserved memory was never in use
	retries  int       // requests that succeeded only after the cache was released
	perStep  int64     // growth in bytes per step, as the leaks are reported
	advice   string    // kind of the first advice after a failed request; or ""
	headline string    // of leaks, on the device that the truth is about
	reason   string    // words of the answer that say that growth may go unseen; or ""
}

// reasons are the words that say that growth cannot be seen.
var reasons = []string{"cannot be judged", "no growth of a call site seen in", "works on more data",
	"replaced by larger ones"}

// diagnose asks a file everything that has an answer of yes or no.
func diagnose(t *testing.T, run scenarioRun, card int64) (said diagnosis) {
	all := answer.NewInput("run.pickle", run.Snapshot)
	for i, r := range all.Recordings {
		in := all
		in.Devices, in.Recordings = all.Devices[i:i+1], all.Recordings[i:i+1]
		one := diagnoseDevice(t, in, r, card)
		if r.Device.ID == run.device.ID {
			one.findings = append(one.findings, said.findings...)
			said = one
			continue
		}
		for _, f := range one.findings {
			f.verdict += fmt.Sprintf(" on device %d", r.Device.ID)
			said.findings = append(said.findings, f)
		}
	}
	return said
}

func diagnoseDevice(t *testing.T, in answer.Input, r *analysis.Recording, card int64) (said diagnosis) {
	said.growth(t, in)
	for _, c := range r.Cycles().Cycles {
		said.found(cycle, "proved", r.Stacks.Site(c.Stack).String())
	}
	for _, retry := range r.Retries().List {
		if retry.Served {
			said.retries++
		}
	}
	ooms := r.OOMs(card)
	for i := range ooms {
		said.found(outOfCapacity, ooms[i].Verdict.Key(), largest(r, ooms[i].State()))
	}
	if len(ooms) > 0 {
		var d oom.Device
		shown, err := oom.Answer([]answer.Input{in}, oom.Options{Capacity: card})
		answerText(t, shown, err, &d)
		if list := d.OOMs[len(d.OOMs)-1].Advice; len(list) > 0 {
			said.advice = list[0].Kind
		}
		return said // the failure already reports fragmentation
	}
	said.wasteful = 10*r.Device.Totals.PeakBytes <= 9*r.Device.Totals.ReservedPeakBytes
	// At the peak of reserved memory: at the end the cache of a run is idle.
	if f := r.Fragmentation().AtPeak; f.Matters() {
		said.found(fragmentation, f.Grade().Key(), largest(r, f.State))
	}
	return said
}

func (said *diagnosis) found(what problem, verdict, site string) {
	said.findings = append(said.findings, finding{what, verdict, site})
}

// answerText returns the text of an answer about one device, and decodes its JSON into device.
func answerText(t *testing.T, s *sheet.Sheet, err error, device any) string {
	t.Helper()
	var text, file bytes.Buffer
	if err == nil {
		err = s.Write(&text, sheet.Text, sheet.Look{Width: 100_000})
	}
	if err == nil {
		err = s.Write(&file, sheet.JSON, sheet.Look{})
	}
	var all struct{ Devices []json.RawMessage }
	if err == nil {
		err = json.Unmarshal(file.Bytes(), &all)
	}
	if err != nil || len(all.Devices) != 1 {
		t.Fatalf("%d devices, %v", len(all.Devices), err)
	}
	if err := json.Unmarshal(all.Devices[0], device); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// growth adds the findings of the command leaks.
func (said *diagnosis) growth(t *testing.T, in answer.Input) {
	t.Helper()
	shown, err := leaks.Answer([]answer.Input{in}, leaks.Options{Rows: 1000})
	var d leaks.Device
	text := answerText(t, shown, err, &d)
	for _, s := range d.Suspects {
		said.found(leak, s.Verdict, s.Site)
		if s.Kind != "sawtooth" {
			said.perStep += s.BytesPerStep
		}
	}
	if u := d.Unexplained; u != nil && u.GoesOn {
		said.found(leak, "unexplained", u.Site)
		said.perStep += u.Bytes
	}
	said.headline, _, _ = strings.Cut(text, "\n")
	for _, words := range reasons {
		if strings.Contains(text, words) {
			said.reason = words
		}
	}
}

// largest returns the site that holds the most memory in a state.
func largest(r *analysis.Recording, state int) string {
	return r.Holders(state, holders.Grouping{By: holders.BySite}).Rows[0].Key
}

// diagnoseJob compares the ranks of a job. Ranks that stand out are findings,
// the one that stands out most first, each with the site where it does most. The
// site is replaced by the truth's when it lies below it.
func diagnoseJob(t *testing.T, s *scenario, seed uint64) (said diagnosis) {
	var recordings []*analysis.Recording
	var digests []job.Digest
	for rank := range jobSize {
		run := replayScenario(t, s, seed, rank)
		r := analysis.NewRecording(analysis.NewSource(run.Snapshot), run.device)
		recordings = append(recordings, r)
		d := job.DigestOf(r)
		d.File.Path = fmt.Sprintf("rank%d.pickle", rank)
		digests = append(digests, d)
	}
	j := job.Jobs(digests)[0]
	var seen []int
	for _, f := range j.Findings {
		rank := j.Ranks[f.Rank].Name.Rank
		alone := f.Kind == job.Leaks && len(f.Also) == 0 // which explains why it differs
		if f.Kind != job.Differs && !alone || slices.Contains(seen, rank) {
			continue
		}
		seen = append(seen, rank)
		verdict, site := "outlier", ""
		if f.Site != nil {
			site = f.Site.Site.Site
		} else if alone {
			site = f.Leak.Site
		}
		if rank != badRankOf(seed) {
			verdict = fmt.Sprintf("on rank %d", rank)
		} else if calls(recordings[rank], s.truth.site, site) {
			site = s.truth.site
		}
		said.found(badRank, verdict, site)
	}
	return said
}

// calls reports whether a recording has a stack with both frames.
func calls(r *analysis.Recording, outer, inner string) bool {
	for id := range r.Snapshot.Stacks.Len() {
		var has [2]bool
		for _, f := range r.Snapshot.Stacks.Frames(snapshot.StackID(id)) {
			frame := r.Snapshot.Frames[f]
			text := fmt.Sprintf("%s:%d:%s", r.Snapshot.String(frame.File), frame.Line, r.Snapshot.String(frame.Name))
			has[0], has[1] = has[0] || text == outer, has[1] || text == inner
		}
		if has[0] && has[1] {
			return true
		}
	}
	return false
}

// TestGrowthKeepsNoGradients: the tensors allocated in the range of growth and live at
// its end, which the page isolates, include no gradient that the next step frees.
func TestGrowthKeepsNoGradients(t *testing.T) {
	ranges := 0
	for i := range scenarios {
		s := &scenarios[i]
		// Held logits outweigh gradients, so the minimum is where the logits are shortest.
		if s.job != nil || s.name == "held-logits" {
			continue
		}
		run := replayScenario(t, s, 1, 0)
		r := analysis.NewRecording(analysis.NewSource(run.Snapshot), run.device)
		growth := r.Leaks().Growth
		if growth == nil {
			continue
		}
		ranges++
		gradients := int64(0)
		for id := run.device.PreExisting; id < len(run.device.Allocations); id++ {
			a := &run.device.Allocations[id]
			kept := int(a.Start) >= growth.From && int(a.Start) < growth.To &&
				(a.End == replay.None || int(a.End) >= growth.To)
			if kept && r.Families().Family(id) == families.Gradient {
				gradients += a.Size
			}
		}
		if gradients > 0 {
			t.Errorf("%s: %d bytes of gradients in states %d to %d", s.name, gradients, growth.From, growth.To)
		}
	}
	if ranges < 40 {
		t.Errorf("%d scenarios have a range of growth", ranges)
	}
}
