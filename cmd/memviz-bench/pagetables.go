package main

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

// pageTable is what everything took in each page.
func pageTable(pages []*shownPage) *table {
	t := &table{
		header: []string{"allocations", "measure", "samples", "median", "p95"},
		words:  2,
		notes: []string{
			"interactive: from the start of the navigation to memviz.ready, when the picture is painted.",
			"view: memviz.view until it is painted. wheel, drag: frames that moved, under a real mouse.",
		},
	}
	for _, p := range pages {
		t.gap()
		t.add(p.name, units.Bytes(p.html)+" of HTML")
		for _, measure := range measures {
			times := p.samples[measure]
			t.add("", measure, strconv.Itoa(len(times)), milliseconds(median(times)),
				milliseconds(percentile(times, 0.95)))
		}
	}
	return t
}

func milliseconds(ms float64) string {
	if !known(ms) {
		return "-"
	}
	return figure(ms) + " ms"
}
