package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// score counts what was said of the runs of one scenario.
type score struct {
	scenario *scenario
	runs     int
	right    int // the truth was found, before anything else of its kind
	extra    int // findings that are not true
	wrong    []string
}

// judge holds the findings of one seed against the truth.
func (c *score) judge(seed uint64, found []finding) {
	s := c.scenario
	c.runs++
	first := true // finding of the problem that there is
	for _, f := range found {
		ofProblem := f.problem == s.truth.problem
		switch {
		case ofProblem && first && f == s.truth:
			c.right++
		case (ofProblem && first) || !slices.Contains(s.also, finding{problem: f.problem, site: f.site}):
			c.extra++
			c.wrong = append(c.wrong, fmt.Sprintf("seed %d says %s", seed, f))
		}
		first = first && !ofProblem
	}
	if first && s.truth.problem != noProblem {
		c.wrong = append(c.wrong, fmt.Sprintf("seed %d says nothing of it", seed))
	}
}

// positives is how many runs there are to find something in.
func (c *score) positives() int {
	if c.scenario.truth.problem == noProblem {
		return 0
	}
	return c.runs
}

// known is how many runs of a scenario are not judged as they should be.
type known struct {
	missed, extra int
	why           string
}

// open are the judgements that are still wrong. A count that is too high fails
// like one that is too low, so that what is solved leaves the list.
var open = map[string]known{}

// TestJudgement diagnoses runs of which the truth is known, and demands it but
// for what is open. go test -v -run TestJudgement prints precision and recall.
func TestJudgement(t *testing.T) {
	scores := make([]score, len(scenarios))
	t.Run("scenarios", func(t *testing.T) {
		for i := range scenarios {
			c := &scores[i]
			c.scenario = &scenarios[i]
			t.Run(c.scenario.name, func(t *testing.T) {
				t.Parallel()
				for seed := range *seeds {
					c.judge(seed, findings(t, c.scenario, seed))
				}
				expected := open[c.scenario.name]
				if missed := c.positives() - c.right; missed != expected.missed || c.extra != expected.extra {
					t.Errorf("%d missed and %d extra, expected %d and %d %s:\n%s", missed, c.extra,
						expected.missed, expected.extra, expected.why, strings.Join(c.wrong, "\n"))
				}
			})
		}
	})
	t.Log("\n" + scoreTable(scores))
}

// scoreTable has a row a scenario, then precision and recall by problem. Findings
// count to the scenario they are said of; a clean one has no recall.
func scoreTable(scores []score) string {
	var b strings.Builder
	sums := map[problem]*score{}
	var problems []problem
	fmt.Fprintf(&b, "%-26s %6s %6s %6s %6s\n", "scenario", "runs", "true", "missed", "false")
	for _, c := range scores {
		p := c.scenario.truth.problem
		if sums[p] == nil {
			sums[p] = &score{scenario: c.scenario}
			problems = append(problems, p)
		}
		sums[p].runs += c.runs
		sums[p].right += c.right
		sums[p].extra += c.extra
		fmt.Fprintf(&b, "%-26s %6d %6d %6d %6d\n", c.scenario.name, c.runs, c.right, c.positives()-c.right, c.extra)
	}
	fmt.Fprintf(&b, "\n%-26s %6s %9s %9s\n", "problem", "runs", "precision", "recall")
	for _, p := range problems {
		c := sums[p]
		if p == noProblem {
			fmt.Fprintf(&b, "%-26s %6d %19s\n", "(nothing wrong)", c.runs, fmt.Sprintf("%d findings", c.extra))
			continue
		}
		fmt.Fprintf(&b, "%-26s %6d %9s %9s\n", p, c.runs, percent(c.right, c.right+c.extra), percent(c.right, c.runs))
	}
	return b.String()
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
