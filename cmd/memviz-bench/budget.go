package main

import "strconv"

// verdict is what became of a budget; one that reaches its stretch goal is held.
type verdict string

const (
	held        verdict = "held"
	heldStretch verdict = "stretch"
	notHeld     verdict = "not held"
	notMeasured verdict = "not measured"
)

// judge holds a figure against a limit, and another against a stretch goal;
// mostly they are the same. A goal of 0 is none.
func judge(measured, limit, forGoal, goal float64) verdict {
	switch {
	case !known(measured):
		return notMeasured
	case measured > limit:
		return notHeld
	case goal > 0 && forGoal <= goal:
		return heldStretch
	}
	return held
}

// budget is a figure that must not exceed a limit and is hoped to reach a
// stretch goal, in words, with the verdict.
type budget struct {
	name, measured, limit, goal string
	verdict                     verdict
}

// atMost is a budget in a unit, which is written behind every figure.
func atMost(name string, measured, limit, goal float64, unit string) budget {
	b := budget{name: name, measured: "-", limit: exact(limit) + unit, goal: "-",
		verdict: judge(measured, limit, measured, goal)}
	if known(measured) {
		b.measured = figure(measured) + unit
	}
	if goal > 0 {
		b.goal = exact(goal) + unit
	}
	return b
}

// exact is a limit as it was set.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func budgetTable(budgets []budget) *table {
	t := &table{title: "Budgets", header: []string{"budget", "verdict", "measured", "at most", "stretch"}, words: 2}
	for _, b := range budgets {
		t.add(b.name, string(b.verdict), b.measured, b.limit, b.goal)
	}
	return t
}
