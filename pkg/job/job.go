// Package job compares the ranks of a job: which of them differ from the ranks that do the
// same work, and how.
//
// It works from digests only. A [Digest] holds what a comparison needs of one device, as a
// line of JSON of about 3 KB when compressed, so a thousand ranks take little memory and no
// snapshot has to be moved. [DigestOf] makes one where the snapshot is, and [WriteDigests]
// writes them; files of digests are merged by concatenation, compressed or not. A
// [DigestSet] reads any number of them, and bounds what a hostile file can ask for.
//
// Ranks that hold as many tensors at the same call sites are a [Group]: the ranks of
// one pipeline stage, for instance. A rank is compared with its group only, by the
// rule of [SpreadOf].
package job

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Job is a set of recordings made together: by all ranks of one run, at one iteration, on
// one occasion.
type Job struct {
	Run     string // set if folders hold the same ranks; else ""
	Step    *int   // training iteration in the names; nil without one
	OOM     bool   // the names say that memory ran out
	InNames bool   // false: no name has a rank, and ranks are positions in the order of the names
	Pinned  bool   // the pinned host memory of the ranks, which is not compared with GPU memory

	Ranks       []Digest // by rank, file and device; unreadable ones too
	Groups      []Group  // in the order of their first rank; none with fewer than three comparable ranks
	GroupOf     []int    // by rank: index in Groups, or NoGroup
	CommonSteps int      // the commonest number of finished steps; the last of all ranks are aligned

	// Sites are the call sites where some rank holds memory, the most bytes first.
	Sites []SiteRow
	// WithoutOperators means that call sites are matched without their operators, because
	// some rank recorded no C++ frames.
	WithoutOperators bool
	// Unlike means that the names hold no rank and less than half of the bytes lie at
	// call sites that all files have: these are different programs, and not compared.
	Unlike bool
	// Renamed are the ranks, in order, whose call sites are named differently from most
	// ranks', because they were redacted in another way or with another salt. They are
	// compared with each other only.
	Renamed []int

	Findings []Finding // by kind, in the order of the kinds
	// FirstOOMs is how many of the first Findings may be the first out-of-memory error: 0
	// without any, 1 where it is known, more where the clocks of different hosts cannot
	// decide.
	FirstOOMs int
}

// NoGroup is the group of a rank that is not compared.
const NoGroup = -1

// Group is a set of ranks that do the same work.
type Group struct {
	Name      string          // its ranks: "0–255", "every 8th from 3", "pp1"
	Ranks     []int           // indices in Job.Ranks
	PeakBytes int64           // median of its ranks
	Totals    [Moments]Spread // of the bytes that its ranks hold as a whole
	// Mixed means that its ranks run different code, because no groups could be
	// distinguished.
	Mixed bool
}

// When is the moment of a difference.
type When uint8

const (
	InSteps    When = iota // the median, over the rank's steps, of the most bytes in each
	AfterSteps             // after its last step
	AtPeak                 // at its own peak, for ranks without steps

	Moments = 3
)

// Key names the moment in files: "step_end".
func (w When) Key() string { return [...]string{"steps", "step_end", "peak"}[w] }

// Kind is a kind of finding. Findings are in this order.
type Kind uint8

const (
	OutOfMemory  Kind = iota // by time, where it is known
	Differs                  // from its group, at a call site or as a whole; the largest difference first
	Short                    // it recorded fewer steps than most ranks
	Leaks                    // memory grows with its steps; the strongest evidence first, then the most bytes a step
	Unreadable               // by rank, like the next
	DoesNotAddUp             // its events contradict each other, or its final state
)

// Key names the kind in files.
func (k Kind) Key() string {
	return [...]string{"out_of_memory", "differs", "short", "leaks", "unreadable", "does_not_add_up"}[k]
}

// Finding is one thing found about a rank.
type Finding struct {
	Kind Kind
	Rank int // index in Job.Ranks

	// For a difference:
	When     When
	Site     *SiteRow // nil for the rank as a whole
	Bytes    int64    // that the rank holds
	Median   int64    // of its group
	Limit    int64    // how far from the median a rank of the group may be
	OnlyHere bool     // not every rank of the group runs the site

	OOM  *OOM  // the rank's first
	Leak *Leak // as on the rank with the most bytes per step
	Also []int // for a leak: the other ranks that have it
}

// Difference is how much more than its group's median the rank holds; negative for less.
func (f *Finding) Difference() int64 { return f.Bytes - f.Median }

// Jobs sorts digests into jobs, by run, iteration and occasion, and compares the ranks of
// each. The order of the digests does not matter; a DigestSet drops repeated ones.
func Jobs(digests []Digest) []*Job {
	list := slices.Clone(digests)
	rename(list)
	slices.SortStableFunc(list, compareDigests)
	byJob := map[jobKey]*Job{}
	for i := range list {
		d := &list[i]
		key := jobOf(&d.Name)
		key.pinned = d.Error == "" && d.Device == int(snapshot.Pinned)
		job := byJob[key]
		if job == nil {
			job = &Job{Run: d.Name.Run, Step: d.Name.Step, OOM: d.Name.OOM, InNames: key.inName, Pinned: key.pinned}
			byJob[key] = job
		}
		job.Ranks = append(job.Ranks, *d)
	}
	var jobs []*Job
	for _, key := range slices.SortedFunc(maps.Keys(byJob), compareJobs) {
		byJob[key].compare()
		jobs = append(jobs, byJob[key])
	}
	return jobs
}

// rename reads all ranks again from the paths of the files, because only all names
// together show what a number in a name counts, and digests may have been made of few
// files at a time. Ranks given by the user stay, as do those of digests without a path.
func rename(list []Digest) {
	var paths []string
	var named []int
	for i := range list {
		n := &list[i].Name
		if list[i].File.Path != "" && n.From != fromPattern && n.From != FromEnvironment {
			paths, named = append(paths, list[i].File.Path), append(named, i)
		}
	}
	// The devices of a file, and a file digested twice, have one path.
	unique := slices.Compact(slices.Sorted(slices.Values(paths)))
	names := Names(unique, nil)
	for k, i := range named {
		at, _ := slices.BinarySearch(unique, paths[k])
		list[i].Name = names[at]
	}
}

// compareDigests orders by rank, file and device. The rest makes the order deterministic.
func compareDigests(a, b Digest) int {
	return cmp.Or(cmp.Compare(a.Name.Rank, b.Name.Rank), units.Natural(a.File.Path, b.File.Path),
		units.Natural(a.File.Name, b.File.Name), cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.File.SHA256, b.File.SHA256), cmp.Compare(a.File.Host, b.File.Host),
		cmp.Compare(a.File.Report, b.File.Report), cmp.Compare(a.PeakBytes, b.PeakBytes),
		cmp.Compare(a.Events, b.Events), cmp.Compare(a.Error, b.Error))
}

// compare finds the groups of a job and the findings of its ranks.
func (j *Job) compare() {
	steps := make([]int, 0, len(j.Ranks))
	for i := range j.Ranks {
		if Comparable(&j.Ranks[i]) && j.Ranks[i].StepsSeen > 0 {
			steps = append(steps, j.Ranks[i].StepsSeen)
		}
	}
	var holders int
	j.CommonSteps, holders = commonest(steps)
	j.findSites()
	c := newComparison(j)
	j.Renamed = c.renamed()
	c.findGroups()
	c.findOOMs()
	c.findDifferences()
	c.findShort(holders)
	c.findLeaks()
	c.findBroken()
}

// commonest returns the number that occurs most often, the largest of several, and how
// often.
func commonest(numbers []int) (number, times int) {
	count := map[int]int{}
	for _, n := range numbers {
		count[n]++
	}
	for n, k := range count {
		if k > times || k == times && n > number {
			number, times = n, k
		}
	}
	return number, times
}

// Comparable reports whether the peak of a rank is known: it was read as a whole, and
// more than the final state was recorded.
func Comparable(d *Digest) bool { return d.Error == "" && !d.Partial && d.Events > 1 }
