package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
)

func median(v []int64) int64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[(len(v)-1)/2] + (v[len(v)/2]-v[(len(v)-1)/2])/2
}

// moments
func stateOf(r *analysis.Recording, kind string) int {
	st := analysis.FindSteps(r)
	b := st.Boundaries
	k := len(b)
	act := r.Device.ActiveBytes()
	trough := func(from, to int) int {
		best := from
		for s := from; s <= to; s++ {
			if act[s] <= act[best] {
				best = s
			}
		}
		return best
	}
	switch kind {
	case "boundary":
		return int(b[k-1])
	case "trough":
		return trough(int(b[k-2]), int(b[k-1]))
	case "backwards", "backtrough":
		p := analysis.PeaksOf(r.Device, st.Ranges())
		// peaks of last two ranges that end at a boundary
		p = p[:k]
		if kind == "backwards" {
			return p[k-1].State
		}
		return trough(p[k-2].State, p[k-1].State)
	}
	return r.Device.Totals.PeakState
}

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip("by hand")
	}
	for _, kind := range []string{"peak", "boundary", "trough", "backwards", "backtrough"} {
		for i := range jobScenarios {
			s := &jobScenarios[i]
			right, wrong, extra := 0, 0, 0
			for seed := range uint64(50) {
				rows := map[string][]int64{}
				var peaks []int64
				for rank := range jobSize {
					r := tell(t, s, seed, rank).record()
					peaks = append(peaks, r.Device.Totals.PeakBytes)
					for _, h := range analysis.Holders(r, stateOf(r, kind), analysis.Grouping{By: analysis.BySite, Depth: 3}).Rows {
						if rows[h.Key] == nil {
							rows[h.Key] = make([]int64, jobSize)
						}
						rows[h.Key][rank] += h.Bytes
					}
				}
				m := median(peaks)
				bad := map[int]string{}
				most := map[int]int64{}
				for key, row := range rows {
					md := median(row)
					var ds []int64
					for _, x := range row {
						ds = append(ds, max(x-md, md-x))
					}
					lim := max(1<<20, m/100, md/20, int64(6*1.4826*float64(median(ds))))
					for rank, d := range ds {
						if d > lim && d > most[rank] {
							bad[rank], most[rank] = key, d
						}
					}
				}
				for rank := range bad {
					if s.truth.problem == badRank && rank == badRankOf(seed) {
						right++
					} else {
						extra++
					}
				}
			}
			fmt.Println(kind, s.name, right, wrong, extra)
		}
	}
}
