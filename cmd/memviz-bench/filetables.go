package main

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/units"
)

// measuredTable is what everything took.
func measuredTable(r *contest) *table {
	t := &table{
		header: []string{"file", "program", "wall", "CPU", "peak memory", "output"},
		words:  2,
	}
	rounds, left, bound := 0, false, false
	for i, e := range r.entries {
		name := ""
		if i == 0 || e.file != r.entries[i-1].file {
			t.gap()
			name = nameMegabytes(e.file.mb)
			t.add(name, units.Bytes(e.file.bytes)+", "+units.Count(e.file.events)+" events")
		}
		if len(e.rounds) == 0 {
			left = true
			t.add("", e.program, "not run")
			continue
		}
		rounds = len(e.rounds)
		bound = bound || e.rounds[0].peakBound
		t.add("", e.program, seconds(median(e.each(wall))), seconds(median(e.each(cpu))), memory(e),
			units.Bytes(int64(median(e.each(output)))))
	}
	t.title = fmt.Sprintf("Measured, medians of %s", units.Plural(rounds, "run", "runs"))
	if left {
		t.notes = append(t.notes, fmt.Sprintf("Not run: slow beyond %s; --slow asks for it.", nameMegabytes(slowFrom)))
	}
	if bound {
		t.notes = append(t.notes,
			"Less than: a program is charged with the memory of the one that starts it, this one.")
	}
	return t
}

func seconds(s float64) string { return units.Duration(int64(s * 1e6)) }

func memory(e *entry) string {
	p := int64(median(e.each(peak)))
	switch {
	case p == 0:
		return "-"
	case e.rounds[0].peakBound:
		return "< " + units.Bytes(p)
	}
	return units.Bytes(p)
}

// ratioTable sets every entry beside the yardsticks.
func ratioTable(r *contest) *table {
	t := &table{
		title: "Ratios, medians over rounds",
		header: []string{"file", "program", "wall/sha256", "wall/python", "memory/python", "memory/file",
			"HTML B/event"},
		words: 2,
		notes: []string{"python: python3 pickle.load with its collector off."},
	}
	for i, e := range r.entries {
		name := ""
		if i == 0 || e.file != r.entries[i-1].file {
			t.gap()
			name = nameMegabytes(e.file.mb)
		}
		if len(e.rounds) == 0 {
			continue
		}
		sha, py := r.of(sha256sum, e.file.mb), r.of(pickleNoG, e.file.mb)
		html := "-"
		if e.program == trace {
			html = figure(median(e.each(output)) / float64(e.file.events))
		}
		ofPython, ofFile := figure(ratio(e, py, peak)), figure(e.peakOfFile())
		if e.rounds[0].peakBound {
			ofPython, ofFile = "-", "-"
		}
		t.add(name, e.program, figure(ratio(e, sha, wall)), figure(ratio(e, py, wall)), ofPython, ofFile, html)
	}
	return t
}

// growthTable is what ten times the work costs; it is empty without files of
// both sizes.
func growthTable(r *contest) *table {
	t := &table{
		title:  fmt.Sprintf("Growth from %s to %s", nameMegabytes(growsFrom), nameMegabytes(growsTo)),
		header: []string{"program", "wall", "CPU", "memory"},
		words:  1,
	}
	for _, e := range r.entries {
		if e.file.mb != growsTo || len(e.rounds) == 0 {
			continue
		}
		from := r.of(e.program, growsFrom)
		if len(from.rounds) == 0 {
			continue
		}
		memory := figure(ratio(e, from, peak)) + "x"
		if e.rounds[0].peakBound {
			memory = "-"
		}
		t.add(e.program, figure(ratio(e, from, wall))+"x", figure(ratio(e, from, cpu))+"x", memory)
	}
	return t
}
