package main

// The sizes in MB that budgets speak of.
const (
	large     = 1000
	growsFrom = 100
	growsTo   = large
)

// HTML bytes that a report may have whatever it shows, and the events from
// which on the rest is counted by event.
const (
	shellBytes     = 1.2e6
	shellBytesGoal = 0.9e6
	manyEvents     = 1_000_000
)

// fileBudgets judges the commands.
func fileBudgets(r *contest) []budget {
	sha, py := r.of(sha256sum, large), r.of(pickleNoG, large)
	s, t := r.of(stats, large), r.of(trace, large)
	grown := func(of func(usage) float64) float64 {
		return worst(ratio(s, r.of(stats, growsFrom), of), ratio(t, r.of(trace, growsFrom), of))
	}
	return []budget{
		atMost("stats, 1 GB: wall / sha256sum", ratio(s, sha, wall), 0.7, 0.45, ""),
		atMost("trace, 1 GB: wall / sha256sum", ratio(t, sha, wall), 1.2, 0.8, ""),
		atMost("trace, 1 GB: wall / python", ratio(t, py, wall), 0.5, 0.3, ""),
		atMost("trace, 1 GB: memory / python", ratio(t, py, peak), 0.2, 0.1, ""),
		atMost("both, 100 MB and up: memory / file", r.peakOfFiles(), 0.6, 0.35, ""),
		r.htmlBudget(),
		atMost("both, 100 MB to 1 GB: wall", grown(wall), 11, 0, "x"),
		atMost("both, 100 MB to 1 GB: memory", grown(peak), 11, 0, "x"),
	}
}

// peakOfFiles is the worst peak of memviz on files from 100 MB on.
func (r *contest) peakOfFiles() float64 {
	var peaks []float64
	for _, e := range r.entries {
		if (e.program == stats || e.program == trace) && e.file.mb >= growsFrom {
			peaks = append(peaks, e.peakOfFile())
		}
	}
	return worst(peaks...)
}

// htmlBudget counts the bytes of reports by event, beyond those of their shell.
func (r *contest) htmlBudget() budget {
	const limit, goal = 3.5, 2.5
	var beyond, beyondGoal []float64
	for _, e := range r.entries {
		if e.program == trace && e.file.events >= manyEvents {
			html, events := median(e.each(output)), float64(e.file.events)
			beyond = append(beyond, (html-shellBytes)/events)
			beyondGoal = append(beyondGoal, (html-shellBytesGoal)/events)
		}
	}
	measured, forGoal := worst(beyond...), worst(beyondGoal...)
	return budget{
		name:     "HTML, 1M events and up: bytes per event",
		measured: figure(measured),
		limit:    exact(limit) + " + 1.2 MB",
		goal:     exact(goal) + " + 0.9 MB",
		verdict:  judge(measured, limit, forGoal, goal),
	}
}
