// Package ranks answers how the ranks of a job differ, in the terminal and on the page of the job.
package ranks

import (
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Comparison compares the ranks of each job with the ranks that do the same work. Bytes
// are requested bytes of live allocations.
type Comparison struct {
	Schema string `json:"schema"`
	answer.Provenance
	// files that were written together: of one run, one step, one occasion
	Dumps []Dump `json:"dumps"`
	// by dump and kind: out of memory, differences, short recordings, leaks, unreadable, does not
	// add up
	Findings []Finding `json:"findings"`
	// ranks that do the same work, by dump and first rank; none with fewer than three ranks
	Groups     []Group      `json:"groups"`
	Ranks      []Rank       `json:"ranks"`      // by dump, rank, file and device
	Outliers   []Outlier    `json:"outliers"`   // differences from the group, by dump, the largest first
	Rows       []Row        `json:"rows"`       // call sites by dump, the most bytes on some rank first
	Unreadable []Unreadable `json:"unreadable"` // files that could not be read
}

// Dump is what the ranks of one dump have in common.
type Dump struct {
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

// Group is the ranks that do the same work.
type Group struct {
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
	answer.Subject
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

// Finding is one thing to know about a rank, as a sentence and in numbers.
type Finding struct {
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

// Outlier is a difference between one rank and its group.
type Outlier struct {
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

// Row is a call site with what each rank holds there.
type Row struct {
	Dump               int     `json:"dump"` // index in dumps
	Site               string  `json:"site"`
	Operator           string  `json:"operator"`
	Bytes              []int64 `json:"bytes"` // of the ranks of the dump that are compared, each at its peak
	MedianBytes        int64   `json:"median_bytes"`
	StepEndBytes       []int64 `json:"step_end_bytes"` // of the same, after the last step; 0 where that is not known
	MedianStepEndBytes int64   `json:"median_step_end_bytes"`
	Everywhere         bool    `json:"everywhere"` // every rank allocates there
}

// Unreadable is a file that could not be read.
type Unreadable struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// Answer compares the ranks of each job. rows bounds the tables in text.
func Answer(jobs []*job.Job, rows int) *sheet.Sheet {
	value := &Comparison{Schema: answer.SchemaName("ranks"),
		Dumps: []Dump{}, Findings: []Finding{}, Groups: []Group{},
		Ranks: []Rank{}, Outliers: []Outlier{}, Rows: []Row{}, Unreadable: []Unreadable{}}
	s := &sheet.Sheet{Value: value}
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
		write(s, v, rows)
	}
	for _, v := range unreadable {
		writeNotes(s, v)
	}
	answer.MarkRedacted(s, redactionOfJobs(jobs))
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
