package ranks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// jobView is one job in the answer.
type jobView struct {
	*job.Job
	Dump
	answer      *Comparison
	index       int // in answer.Dumps
	severalJobs bool
	files       map[job.File]string // as they are shown
	ranks       []Rank              // by index in Job.Ranks; zero for those that could not be read
	compared    []int               // indices in Job.Ranks
	apart       []int               // those that could be read, and are not compared
	peak        job.Spread
	reserved    job.Spread
}

// read fills the answer.
func (v *jobView) read() {
	v.Dump.Run, v.Dump.Step = units.Printable(v.Job.Run), v.Job.Step
	v.OutOfMemory, v.RankInNames, v.Dump.Pinned = v.OOM, v.InNames, v.Job.Pinned
	v.Dump.CommonSteps, v.DifferentPrograms = v.Job.CommonSteps, v.Unlike
	v.Dump.WithoutOperators, v.RenamedRanks = v.Job.WithoutOperators, len(v.Renamed)
	v.readRanks()
	v.readGroups()
	for i := range v.Job.Findings {
		v.readFinding(&v.Job.Findings[i])
	}
	v.readRows()
	v.answer.Dumps = append(v.answer.Dumps, v.Dump)
}

func (v *jobView) readRanks() {
	v.ranks = make([]Rank, len(v.Job.Ranks))
	differ := map[int]bool{}
	for _, f := range v.Job.Findings {
		differ[f.Rank] = differ[f.Rank] || f.Kind == job.Differs
	}
	var peaks, reserved []int64
	for i := range v.Job.Ranks {
		d := &v.Job.Ranks[i]
		if d.Error != "" {
			v.answer.Unreadable = append(v.answer.Unreadable, Unreadable{v.file(i), units.Printable(d.Error)})
			continue
		}
		r := newRank(d, v.file(i))
		r.Dump, r.Outlier, r.Compared = v.index, differ[i], job.Comparable(d)
		if g := v.GroupOf[i]; g != job.NoGroup {
			r.Group = new(len(v.answer.Groups) + g)
		}
		v.ranks[i] = r
		v.answer.Ranks = append(v.answer.Ranks, r)
		if !r.Compared {
			v.apart = append(v.apart, i)
			continue
		}
		v.compared = append(v.compared, i)
		peaks, reserved = append(peaks, d.PeakBytes), append(reserved, d.ReservedPeakBytes)
	}
	v.peak, v.reserved = job.SpreadOf(peaks, 0), job.SpreadOf(reserved, 0)
	v.MedianPeakBytes, v.ComparedRanks = v.peak.Median, len(v.compared)
}

func newRank(d *job.Digest, file string) Rank {
	r := Rank{
		Rank: d.Name.Rank, Label: units.Printable(d.Name.Label), Host: units.Printable(d.File.Host),
		Subject:   answer.Subject{File: file, Device: d.Device, Trust: trustOf(d)},
		PeakBytes: d.PeakBytes, PeakState: d.PeakState, ReservedPeakBytes: d.ReservedPeakBytes,
		FinalBytes: d.FinalBytes, Events: d.Events, Allocations: d.Allocations, OOMEvents: len(d.OOMs),
		Steps: d.StepsSeen, StepPeakBytes: []int64{},
	}
	for i := range d.Steps {
		r.StepPeakBytes = append(r.StepPeakBytes, d.Steps[i].PeakBytes)
	}
	if d.StepEnd != nil {
		r.StepEndBytes, r.StepEndState = &d.StepEndBytes, d.StepEnd
	}
	return r
}

// rankFiles are the names of the files of all ranks, with as many of their folders as it
// takes to tell them apart.
func rankFiles(jobs []*job.Job) map[job.File]string {
	names := map[job.File]string{}
	for _, j := range jobs {
		for i := range j.Ranks {
			names[j.Ranks[i].File] = j.Ranks[i].File.Name
		}
	}
	for range 16 {
		times := map[string]int{}
		for _, name := range names {
			times[name]++
		}
		again := false
		for file, name := range names {
			if longer := withFolder(file.Path, name); times[name] > 1 && longer != name {
				names[file], again = longer, true
			}
		}
		if !again {
			break
		}
	}
	for file, name := range names {
		names[file] = units.Printable(name)
	}
	return names
}

// withFolder puts one more folder of a path in front of its end.
func withFolder(path, end string) string {
	rest, ok := strings.CutSuffix(path, "/"+end)
	if !ok {
		return end
	}
	return rest[strings.LastIndex(rest, "/")+1:] + "/" + end
}

// file is the name of the file of a rank.
func (v *jobView) file(rank int) string { return v.files[v.Job.Ranks[rank].File] }

func trustOf(d *job.Digest) trust.Trust {
	var counts replay.Anomalies
	for i := range counts {
		counts[i] = d.Anomalies[replay.Anomaly(i).Kind().Key]
	}
	return trust.New(d.AddsUp, d.Partial, counts)
}

func (v *jobView) readGroups() {
	for i := range v.Job.Groups {
		g := &v.Job.Groups[i]
		total := &g.Totals[job.AtPeak]
		group := Group{Dump: v.index, Name: units.Printable(g.Name), MedianPeakBytes: g.PeakBytes,
			LowestPeakBytes: total.Low, HighestPeakBytes: total.High, SameWork: !g.Mixed}
		for _, rank := range g.Ranks {
			group.Ranks = append(group.Ranks, v.Job.Ranks[rank].Name.Rank)
		}
		v.answer.Groups = append(v.answer.Groups, group)
	}
}

func (v *jobView) readFinding(f *job.Finding) {
	d := &v.Job.Ranks[f.Rank]
	finding := Finding{Dump: v.index, Kind: f.Kind.Key(), Rank: d.Name.Rank, File: v.file(f.Rank), Device: d.Device,
		Text: v.sentence(f).String()}
	switch f.Kind {
	case job.OutOfMemory:
		finding.Site, finding.Bytes, finding.Micros = f.OOM.Site, f.OOM.RequestedBytes, f.OOM.Micros
	case job.Leaks:
		finding.Site, finding.Bytes = f.Leak.Site, f.Leak.PerStep
		for _, rank := range append([]int{f.Rank}, f.Also...) {
			finding.Ranks = append(finding.Ranks, v.Job.Ranks[rank].Name.Rank)
		}
		slices.Sort(finding.Ranks)
	case job.Differs:
		o := Outlier{Dump: v.index, Rank: d.Name.Rank, File: finding.File, Device: d.Device, When: f.When.Key(),
			Bytes: f.Bytes, MedianBytes: f.Median, LimitBytes: f.Limit, OnlyHere: f.OnlyHere}
		if f.Site != nil {
			o.Site, o.Operator = units.Printable(f.Site.Site.Site), units.Printable(f.Site.Operator)
		}
		finding.Site, finding.Bytes = o.Site, f.Bytes
		v.answer.Outliers = append(v.answer.Outliers, o)
	}
	finding.Site = units.Printable(finding.Site)
	v.answer.Findings = append(v.answer.Findings, finding)
}

// maxRankCells bounds the numbers in the rows of a dump.
const maxRankCells = 1 << 22

func (v *jobView) readRows() {
	if len(v.compared) == 0 {
		return
	}
	for i := range min(len(v.Sites), maxRankCells/len(v.compared)) {
		site := &v.Sites[i]
		row := Row{Dump: v.index, Site: units.Printable(site.Site.Site), Operator: units.Printable(site.Operator),
			Everywhere: true}
		var ends []int64
		for _, rank := range v.compared {
			cell := site.Of(rank)
			row.Bytes = append(row.Bytes, cell.Bytes[job.AtPeak])
			row.StepEndBytes = append(row.StepEndBytes, cell.Bytes[job.AfterSteps])
			row.Everywhere = row.Everywhere && site.Runs(rank)
			if v.ranks[rank].StepEndState != nil {
				ends = append(ends, cell.Bytes[job.AfterSteps])
			}
		}
		row.MedianBytes = job.Median(row.Bytes)
		row.MedianStepEndBytes = job.Median(ends)
		v.answer.Rows = append(v.answer.Rows, row)
	}
}

// shown is the number of a rank, or its label if that says more.
func (r *Rank) shown() any {
	if number := strconv.Itoa(r.Rank); r.Label == number || r.Label == "" {
		return number
	}
	return sheet.Name(r.Label)
}
