package compare

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Before and After are the two sides of a comparison, and index arrays by side.
const (
	Before = iota
	After
)

// Side is a device of one of the two recordings.
type Side struct {
	Stacks   *stacks.Table
	Device   *replay.Device
	Families *families.Assignment
	Phases   timeline.Phases
	Steps    *steps.List
}

// Comparison is two recordings with their lines, phases and steps matched. Its Diff
// compares any state of one with any state of the other.
type Comparison struct {
	Sides [2]Side
	Lines *Lines

	// Runs are the phases of both side by side; every state of either recording lies in
	// exactly one run. It is nil unless both recordings have phases.
	Runs []Run

	// Steps are the steps of both in order, paired; nil unless both have steps of the
	// same kind.
	Steps []StepPair

	// Moments are states worth comparing: the peaks first, the end last.
	Moments []Moment

	// Earlier are, by side, allocations from before its recording that the other side
	// recorded as parameters or optimizer state, ascending. They count toward the group
	// and family that they have there.
	Earlier [2][]Earlier

	// MatchedBytes are the bytes of lines that both recordings have, and StackBytes all
	// bytes with a stack, summed over both peaks.
	MatchedBytes, StackBytes int64

	earlier [2]map[int]Earlier // by allocation
}

// New matches two recordings.
func New(before, after Side) *Comparison {
	c := &Comparison{Sides: [2]Side{before, after}, Lines: matchLines(before, after)}
	c.Steps = pairSteps(&c.Sides)
	c.Runs = alignRuns(&c.Sides, c.Steps)
	c.Moments = c.moments()
	peaks := [2]int{before.Device.Totals.PeakState, after.Device.Totals.PeakState}
	live := [2][]liveAllocation{c.liveIn(Before, peaks[Before]), c.liveIn(After, peaks[After])}
	c.Earlier = [2][]Earlier{matchEarlier(live[Before], live[After]), matchEarlier(live[After], live[Before])}
	for side, list := range c.Earlier {
		c.earlier[side] = make(map[int]Earlier, len(list))
		for _, e := range list {
			c.earlier[side][e.Allocation] = e
		}
	}
	d := c.Diff(peaks[Before], peaks[After])
	c.MatchedBytes, c.StackBytes = d.MatchedBytes, d.StackBytes
	return c
}

// MatchedShare is MatchedBytes as a share of StackBytes, from 0 to 1; it is 1 if no bytes
// have a stack.
func (c *Comparison) MatchedShare() float64 { return share(c.MatchedBytes, c.StackBytes) }

// DifferentPrograms reports whether less than half matches, so that comparing families is
// more useful than comparing sites.
func (c *Comparison) DifferentPrograms() bool { return 2*c.MatchedBytes < c.StackBytes }

// Group returns the group of an allocation of a side, an index in Lines.Groups.
func (c *Comparison) Group(side, allocation int) int {
	if e, is := c.earlier[side][allocation]; is {
		return e.Group
	}
	return int(c.Lines.Of[side][c.Sides[side].Device.Allocations[allocation].Stack])
}

// Family returns the family of an allocation of a side.
func (c *Comparison) Family(side, allocation int) families.Family {
	if e, is := c.earlier[side][allocation]; is {
		return e.Family
	}
	return c.Sides[side].Families.Family(allocation)
}

// Moment is a state of each recording.
type Moment struct {
	Key    string `json:"key"` // "peak", "forward", "step:3", "end"
	States [2]int `json:"states"`
}

// moments lists the peaks, the highest state of each phase and of each paired step,
// and the end.
func (c *Comparison) moments() []Moment {
	both := func(state func(*Side) int) [2]int { return [2]int{state(&c.Sides[Before]), state(&c.Sides[After])} }
	list := []Moment{{"peak", both(func(s *Side) int { return s.Device.Totals.PeakState })}}
	if c.Runs != nil {
		for _, phase := range stacks.Phases {
			highest := both(func(s *Side) int { return highestOf(s, phase) })
			if min(highest[Before], highest[After]) != timeline.NoState {
				list = append(list, Moment{phase.PhaseName(), highest})
			}
		}
		for _, p := range c.Steps {
			if p.Both() {
				list = append(list, Moment{"step:" + p.Label(), p.Highest})
			}
		}
	}
	return append(list, Moment{"end", both(func(s *Side) int { return s.Device.Events.Len() })})
}

// highestOf returns the first state with the most active bytes in all runs of a phase, or
// timeline.NoState.
func highestOf(s *Side, phase stacks.Activity) int {
	highest, active := timeline.NoState, s.Device.ActiveBytes()
	for _, r := range runsOf(s) {
		if r.phase != phase {
			continue
		}
		if state := timeline.PeakBetween(s.Device, r.states.From, r.states.To); highest == timeline.NoState ||
			active[state] > active[highest] {
			highest = state
		}
	}
	return highest
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
