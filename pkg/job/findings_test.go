package job_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/job"
)

var long = flag.Bool("long", false, "measure false and true findings over many simulated jobs, and print them")

// job compares the ranks of a model.
func (m *model) job(t *testing.T) *job.Job {
	t.Helper()
	jobs := job.Jobs(m.digests())
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	return jobs[0]
}

// TestFalseFindings: jobs of equal ranks whose data differ have findings in at most 1 %
// of the jobs, and 5 % where sizes come in buckets.
func TestFalseFindings(t *testing.T) {
	type shape struct{ ranks, stages, jobs int }
	shapes := []shape{{8, 1, 60}, {64, 1, 20}, {64, 4, 20}, {256, 1, 4}, {1024, 4, 1}}
	if *long {
		shapes = []shape{{8, 1, 1000}, {16, 2, 1000}, {64, 1, 150}, {256, 1, 100}, {1024, 1, 20}, {64, 4, 300},
			{1024, 4, 20}, {16, 4, 1000}}
	}
	for _, s := range shapes {
		for _, noise := range noises {
			for _, apart := range []bool{false, true} {
				name := fmt.Sprintf("%d ranks in %d stages, %s, apart %t", s.ranks, s.stages, noise.name, apart)
				wrong := 0
				for seed := range s.jobs {
					m := model{ranks: s.ranks, stages: s.stages, steps: 7, noise: noise, seed: uint64(seed),
						apart: apart}
					j := m.job(t)
					if len(j.Findings) > 0 {
						wrong++
					}
					if s.ranks/s.stages >= 8 && len(j.Groups) != s.stages {
						t.Errorf("%s: %d groups", name, len(j.Groups))
					}
				}
				share := 100 * float64(wrong) / float64(s.jobs)
				if *long {
					t.Logf("%-50s %5.1f %%", name, share)
				}
				limit := map[bool]float64{true: 5, false: 1}[noise.name == "buckets"]
				if s.ranks/s.stages >= 8 && share > limit {
					t.Errorf("%s: findings in %.1f %% of the jobs", name, share)
				}
			}
		}
	}
}

// TestTrueFindings: a rank that holds 5 % of a peak more than its group is found, and no
// other is named.
func TestTrueFindings(t *testing.T) {
	shares, jobs, tested := []int64{5}, 12, noises[:1]
	if *long {
		shares, jobs, tested = []int64{2, 5, 10}, 60, noises
	}
	for _, noise := range tested {
		for _, kind := range []struct{ freed, apart bool }{{}, {freed: true}, {freed: true, apart: true}} {
			for _, share := range shares {
				found, others := 0, 0
				for seed := range jobs {
					m := model{ranks: 64, stages: 4, steps: 7, noise: noise, seed: uint64(seed),
						freed: kind.freed, apart: kind.apart}
					odd := seed * 7 % 64
					m.extra = map[int]int64{odd: 50 * gib * share / 100}
					hit := false
					for _, f := range m.job(t).Findings {
						hit = hit || f.Rank == odd
						if f.Rank != odd {
							others++
						}
					}
					if hit {
						found++
					}
				}
				text := fmt.Sprintf("%s, %d %%, %+v: found %d of %d, and %d times another rank", noise.name, share,
					kind,
					found, jobs, others)
				if *long {
					t.Log(text)
				}
				if noise.name == "none" && share >= 5 && (found != jobs || others > 0) {
					t.Error(text)
				}
			}
		}
	}
}
