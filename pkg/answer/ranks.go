package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// RanksAnswer compares the ranks of each job with the ranks that do the same work. Bytes
// are requested bytes of live allocations.
type RanksAnswer struct {
	Schema string `json:"schema"`
	Provenance
	// files that were written together: of one run, one step, one occasion
	Dumps []RankDump `json:"dumps"`
	// by dump and kind: out of memory, differences, short recordings, leaks, unreadable, does not
	// add up
	Findings []RankFinding `json:"findings"`
	// ranks that do the same work, by dump and first rank; none with fewer than three ranks
	Groups     []RankGroup      `json:"groups"`
	Ranks      []Rank           `json:"ranks"`      // by dump, rank, file and device
	Outliers   []RankOutlier    `json:"outliers"`   // differences from the group, by dump, the largest first
	Rows       []RankRow        `json:"rows"`       // call sites by dump, the most bytes on some rank first
	Unreadable []UnreadableRank `json:"unreadable"` // files that could not be read
}

// RankDump is what the ranks of one dump have in common.
type RankDump struct {
	// the folder, where folders hold the same ranks; else empty
	Run         string `json:"run"`
	Step        *int   `json:"step" jsonschema:"oneof_type=integer;null"` // in the names; null without one
	OutOfMemory bool   `json:"out_of_memory"`                             // the names say that memory ran out
	// it is pinned host memory, which is not compared with that of GPUs
	Pinned bool `json:"pinned,omitempty"`
	// else ranks are the order of the names, and the files may be of several jobs
	RankInNames     bool  `json:"rank_in_names"`
	ComparedRanks   int   `json:"compared_ranks"`    // how many are compared
	MedianPeakBytes int64 `json:"median_peak_bytes"` // of those
	// how many finished steps most of those recorded
	CommonSteps int `json:"common_steps"`
	// no rank in the names, and less than half of the bytes at call sites that all have: nothing
	// is compared
	DifferentPrograms bool `json:"different_programs"`
	// call sites are matched without operators, which some rank did not record
	WithoutOperators bool `json:"without_operators"`
	// ranks with other pseudonyms than most, compared with each other only
	RenamedRanks int `json:"renamed_ranks"`
}

// RankGroup is the ranks that do the same work.
type RankGroup struct {
	Dump             int    `json:"dump"` // index in dumps
	Name             string `json:"name"` // its ranks: "0–255", "every 8th from 3", "pp1"
	Ranks            []int  `json:"ranks"`
	MedianPeakBytes  int64  `json:"median_peak_bytes"`
	LowestPeakBytes  int64  `json:"lowest_peak_bytes"`
	HighestPeakBytes int64  `json:"highest_peak_bytes"`
	SameWork         bool   `json:"same_work"` // false: no groups could be told apart, so these are all ranks
}

// Rank is one device of one file.
type Rank struct {
	Subject
	Dump int `json:"dump"` // index in dumps
	// index in groups; null: compared with none
	Group *int `json:"group"  jsonschema:"oneof_type=integer;null"`
	// from 0; a snapshot does not say it, its name may
	Rank int `json:"rank"`
	// as the name has it: "3" or "tp1 pp0"
	Label     string `json:"label"`
	Host      string `json:"host,omitempty"`
	PeakBytes int64  `json:"peak_bytes"`
	PeakState int    `json:"peak_state"`
	// after the last step; null: no end of a step is known
	StepEndBytes      *int64  `json:"step_end_bytes" jsonschema:"oneof_type=integer;null"`
	StepEndState      *int    `json:"step_end_state" jsonschema:"oneof_type=integer;null"`
	ReservedPeakBytes int64   `json:"reserved_peak_bytes"`
	FinalBytes        int64   `json:"final_bytes"`
	Events            int     `json:"events"`
	Allocations       int     `json:"allocations"`
	OOMEvents         int     `json:"oom_events"`
	Steps             int     `json:"steps"`           // that ended in the recording
	StepPeakBytes     []int64 `json:"step_peak_bytes"` // of the last of those, at most 32
	Outlier           bool    `json:"outlier"`         // it differs from its group
	Compared          bool    `json:"compared"`        // false: the file was read in part, or has no history
}

// RankFinding is one thing to know about a rank, as a sentence and in numbers.
type RankFinding struct {
	Dump   int    `json:"dump"` // index in dumps
	Kind   string `json:"kind"` // out_of_memory, differs, short, leaks, unreadable, does_not_add_up
	Rank   int    `json:"rank"`
	File   string `json:"file"`
	Device int    `json:"device"`
	Text   string `json:"text"`
	Site   string `json:"site,omitempty"`   // empty: the rank as a whole
	Bytes  int64  `json:"bytes"`            // held, requested, or added in each step; 0 for other kinds
	Micros *int64 `json:"micros,omitempty"` // Unix microseconds of an out-of-memory error
	Ranks  []int  `json:"ranks,omitempty"`  // all on which the same call site leaks
}

// RankOutlier is a difference between one rank and its group.
type RankOutlier struct {
	Dump     int    `json:"dump"` // index in dumps
	Rank     int    `json:"rank"`
	File     string `json:"file"`
	Device   int    `json:"device"`
	Site     string `json:"site"` // empty: the rank as a whole
	Operator string `json:"operator"`
	// step_end: after the rank's last step; steps: the median over its steps of the most in each;
	// peak: at its peak, without steps
	When        string `json:"when"`
	Bytes       int64  `json:"bytes"`
	MedianBytes int64  `json:"median_bytes"` // of its group, at that moment of theirs
	LimitBytes  int64  `json:"limit_bytes"`  // how far from the median is still usual in the group
	OnlyHere    bool   `json:"only_here"`    // not every rank of the group runs this site
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Dump               int     `json:"dump"` // index in dumps
	Site               string  `json:"site"`
	Operator           string  `json:"operator"`
	Bytes              []int64 `json:"bytes"` // of the ranks of the dump that are compared, each at its peak
	MedianBytes        int64   `json:"median_bytes"`
	StepEndBytes       []int64 `json:"step_end_bytes"` // of the same, after the last step; 0 where that is not known
	MedianStepEndBytes int64   `json:"median_step_end_bytes"`
	Everywhere         bool    `json:"everywhere"` // every rank allocates there
}

// UnreadableRank is a file that could not be read.
type UnreadableRank struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// Ranks compares the ranks of each job. rows bounds the tables in text.
func Ranks(jobs []*job.Job, rows int) *Sheet {
	value := &RanksAnswer{Schema: schemaName("ranks"),
		Dumps: []RankDump{}, Findings: []RankFinding{}, Groups: []RankGroup{},
		Ranks: []Rank{}, Outliers: []RankOutlier{}, Rows: []RankRow{}, Unreadable: []UnreadableRank{}}
	s := &Sheet{value: value}
	var readable, unreadable []*jobView
	files := rankFiles(jobs)
	for i, j := range jobs {
		v := &jobView{Job: j, answer: value, index: i, files: files}
		v.read()
		if len(v.compared)+len(v.apart) > 0 {
			readable = append(readable, v)
		} else {
			unreadable = append(unreadable, v)
		}
	}
	ofGPUs := 0
	for _, v := range readable {
		if !v.Job.Pinned {
			ofGPUs++
		}
	}
	for _, v := range readable {
		v.severalJobs = ofGPUs > 1
		s.job(v, rows)
	}
	for _, v := range unreadable {
		s.jobNotes(v)
	}
	s.Redacted(redactionOfJobs(jobs))
	return s
}

// redactionOfJobs is what was redacted in any digest.
func redactionOfJobs(jobs []*job.Job) snapshot.Redaction {
	var all snapshot.Redaction
	for _, j := range jobs {
		for i := range j.Ranks {
			done := j.Ranks[i].Redacted
			all.Paths = all.Paths || done == "all" || done == "paths"
			all.Names = all.Names || done == "all" || done == "names"
		}
	}
	return all
}

// jobView is one job in the answer.
type jobView struct {
	*job.Job
	RankDump
	answer      *RanksAnswer
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
	v.RankDump.Run, v.RankDump.Step = units.Printable(v.Job.Run), v.Job.Step
	v.OutOfMemory, v.RankInNames, v.RankDump.Pinned = v.OOM, v.InNames, v.Job.Pinned
	v.RankDump.CommonSteps, v.DifferentPrograms = v.Job.CommonSteps, v.Unlike
	v.RankDump.WithoutOperators, v.RenamedRanks = v.Job.WithoutOperators, len(v.Renamed)
	v.readRanks()
	v.readGroups()
	for i := range v.Job.Findings {
		v.readFinding(&v.Job.Findings[i])
	}
	v.readRows()
	v.answer.Dumps = append(v.answer.Dumps, v.RankDump)
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
			v.answer.Unreadable = append(v.answer.Unreadable, UnreadableRank{v.file(i), units.Printable(d.Error)})
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
		Subject:   Subject{file, d.Device, trustOf(d)},
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

func trustOf(d *job.Digest) Trust {
	var counts replay.Anomalies
	for i := range counts {
		counts[i] = d.Anomalies[replay.Anomaly(i).Kind().Key]
	}
	return newTrust(d.AddsUp, d.Partial, counts)
}

func (v *jobView) readGroups() {
	for i := range v.Job.Groups {
		g := &v.Job.Groups[i]
		total := &g.Totals[job.AtPeak]
		group := RankGroup{Dump: v.index, Name: units.Printable(g.Name), MedianPeakBytes: g.PeakBytes,
			LowestPeakBytes: total.Low, HighestPeakBytes: total.High, SameWork: !g.Mixed}
		for _, rank := range g.Ranks {
			group.Ranks = append(group.Ranks, v.Job.Ranks[rank].Name.Rank)
		}
		v.answer.Groups = append(v.answer.Groups, group)
	}
}

func (v *jobView) readFinding(f *job.Finding) {
	d := &v.Job.Ranks[f.Rank]
	finding := RankFinding{Dump: v.index, Kind: f.Kind.Key(), Rank: d.Name.Rank, File: v.file(f.Rank), Device: d.Device,
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
		o := RankOutlier{Dump: v.index, Rank: d.Name.Rank, File: finding.File, Device: d.Device, When: f.When.Key(),
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
		row := RankRow{Dump: v.index, Site: units.Printable(site.Site.Site), Operator: units.Printable(site.Operator),
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
	return name(r.Label)
}
