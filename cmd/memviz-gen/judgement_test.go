package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// score counts what was said of the runs of one scenario.
type score struct {
	scenario             *scenario
	right, wrong, silent int
	why                  []string // for each that is not right
}

// judge compares the diagnosis of one run with the truth. A run counts as silent if a
// problem is missed but the answer says it may exist all the same, or if there is none
// and the answer says it could not have been seen.
func (c *score) judge(seed uint64, l *ledger, said diagnosis) {
	wrong := c.scenario.wrong(l, said)
	missed := !c.scenario.found(l, said)
	switch {
	case wrong != "":
		c.wrong++
	case missed && said.reason == "":
		c.wrong++
		wrong = "says nothing of it: " + said.headline
	case missed || c.scenario.truth.problem == noProblem && said.reason != "":
		c.silent++
		wrong = "is silent: " + said.reason
	default:
		c.right++
		return
	}
	c.why = append(c.why, fmt.Sprintf("seed %d %s", seed, wrong))
}

// wrong describes a false finding; or "".
func (s *scenario) wrong(l *ledger, said diagnosis) string {
	first := true // first finding of the actual problem
	leaks := false
	for _, f := range said.findings {
		known := s.truth.says(f)
		if f.problem == leak {
			leaks = true
			// The line that grows most need not be known.
			known = known || f.verdict == "unexplained" && f.site == "" && l != nil && l.perStep() > 0
		}
		if f.problem != s.truth.problem || !first {
			known = known || slices.ContainsFunc(s.also, func(also truth) bool { return also.says(f) })
		}
		if s.truth.problem != fragmentation && f.problem == fragmentation {
			known = known || said.wasteful // odd sizes may do this to any run
		}
		if !known {
			return "says " + f.String()
		}
		first = first && f.problem != s.truth.problem
	}
	if l == nil {
		return ""
	}
	if said.retries != l.retries {
		return fmt.Sprintf("says %d retries, not %d", said.retries, l.retries)
	}
	if s.truth.problem == outOfCapacity && (said.advice == "leak") != (l.perStep() > 0) {
		return fmt.Sprintf("begins its advice with %q", said.advice)
	}
	if !leaks {
		return ""
	}
	// With or without the first step that adds bytes: where steps add random amounts now
	// and then, it alone may be a third.
	if is, all := l.perStep(), l.perStepAll(); is > 0 &&
		(said.perStep < min(is, all)*3/4 || said.perStep > max(is, all)*5/4) {
		return fmt.Sprintf("says %d bytes a step, not %d or %d", said.perStep, is, all)
	}
	return ""
}

// found reports whether the actual problem was found, with the bytes kept for good.
func (s *scenario) found(l *ledger, said diagnosis) bool {
	has := func(p problem) bool {
		return slices.ContainsFunc(said.findings, func(f finding) bool { return f.problem == p })
	}
	return (s.truth.problem == noProblem || has(s.truth.problem)) && (l == nil || l.perStep() == 0 || has(leak))
}

// TestJudgement compares what memviz reports about runs with the truth: nothing may be
// wrong, and an answer without a finding must say why. go test -v -run
// TestJudgement prints how much of each kind is right.
func TestJudgement(t *testing.T) {
	scores := make([]score, len(scenarios))
	t.Run("scenarios", func(t *testing.T) {
		for i := range scenarios {
			c := &scores[i]
			c.scenario = &scenarios[i]
			t.Run(c.scenario.name, func(t *testing.T) {
				t.Parallel()
				for seed := range *seeds {
					if c.scenario.job != nil {
						c.judge(seed, nil, diagnoseJob(t, c.scenario, seed))
						continue
					}
					run := replayScenario(t, c.scenario, seed, 0)
					c.judge(seed, run.ledger, diagnose(t, run, c.scenario.card))
				}
				if c.wrong > 0 || c.silent > 0 && !c.scenario.quiet {
					t.Errorf("%d right, %d wrong, %d silent:\n%s", c.right, c.wrong, c.silent,
						strings.Join(c.why, "\n"))
				}
			})
		}
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-26s %6s %6s %6s\n", "kind", "right", "wrong", "silent")
	var sum score
	for _, c := range scores {
		fmt.Fprintf(&b, "%-26s %6d %6d %6d\n", c.scenario.name, c.right, c.wrong, c.silent)
		sum.right, sum.wrong, sum.silent = sum.right+c.right, sum.wrong+c.wrong, sum.silent+c.silent
	}
	fmt.Fprintf(&b, "%-26s %6d %6d %6d\n", fmt.Sprint(len(scores), " kinds"), sum.right, sum.wrong, sum.silent)
	t.Log(b.String())
}
