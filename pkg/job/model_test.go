package job_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memviz-go/memviz/pkg/job"
)

const (
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// noise draws the factor by which the tensors of one step of one rank are larger than
// usual: how long its sequences are, how many tokens its experts get.
type noise struct {
	name string
	draw func(r *rand.Rand) float64
}

var noises = []noise{
	{"none", func(*rand.Rand) float64 { return 1 }},
	{"uniform", func(r *rand.Rand) float64 { return 0.92 + 0.16*r.Float64() }},
	{"normal", func(r *rand.Rand) float64 { return max(0, 1+0.05*r.NormFloat64()) }},
	{"lognormal", func(r *rand.Rand) float64 { return math.Exp(0.3 * r.NormFloat64()) }},
	{"heavy tail", func(r *rand.Rand) float64 { // t with 3 degrees of freedom
		var square float64
		for range 3 {
			z := r.NormFloat64()
			square += z * z
		}
		return max(0.2, 1+0.05*r.NormFloat64()/math.Sqrt(square/3))
	}},
	{"buckets", func(r *rand.Rand) float64 { return []float64{0.5, 0.75, 1, 1}[r.IntN(4)] }},
}

// model is a job of which digests are made without a recording: every step of every
// rank allocates the same tensors at the same call sites, some of them as large as the
// noise says.
type model struct {
	ranks, stages, steps int
	noise                noise
	seed                 uint64
	extra                map[int]int64 // by rank: what it holds more, at a site of its own
	freed                bool          // before each step ends
	apart                bool          // the noise of each call site is its own, so that much of it cancels out
}

const (
	modelSites = 20 // of each rank, of which keptSites hold parameters and the like
	keptSites  = 8
)

// digests has the digests of all ranks, by rank.
func (m *model) digests() []job.Digest {
	r := rand.New(rand.NewPCG(m.seed, uint64(m.ranks)))
	list := make([]job.Digest, m.ranks)
	for rank := range list {
		list[rank] = m.rank(rank, r)
	}
	return list
}

func (m *model) rank(rank int, r *rand.Rand) job.Digest {
	stage := rank * m.stages / m.ranks
	inFlight := 12 - 2*stage // microbatches: more in the first stages of a pipeline
	end := 100 * m.steps
	d := job.Digest{Schema: job.DigestSchema, Operators: true, Events: 9200, AddsUp: true, StepEnd: &end,
		StepsSeen: m.steps, StepMethod: "annotation"}
	d.Name = job.Name{Rank: rank, Label: fmt.Sprint(rank), From: "word"}
	d.File.Name = fmt.Sprintf("rank%d.pickle", rank)
	d.File.Path = d.File.Name
	inStep := make([]int64, m.steps) // bytes that are freed before it ends
	factors := make([]float64, m.steps)
	for i := range factors {
		factors[i] = m.noise.draw(r)
	}
	for s := range modelSites {
		site := job.Site{Path: fmt.Sprintf("path%d", s), Key: fmt.Sprintf("key%d", s),
			Site: fmt.Sprintf("model.py:%d:layer", s), Operator: "aten::mm", Alive: 40}
		if first, last := stage == 0, stage == m.stages-1; m.stages > 1 && (s == 0 && !first || s == 1 && !last) {
			continue // the embedding and the loss
		}
		if s < keptSites {
			site.StepEnd.Bytes = 3 * gib
			site.Peak.Bytes, site.StepPeak = site.StepEnd.Bytes, site.StepEnd.Bytes
			d.StepEndBytes += site.StepEnd.Bytes
		} else {
			site.Alive = inFlight
			peaks := make([]int64, m.steps)
			for i, factor := range factors {
				if m.apart {
					factor = m.noise.draw(r)
				}
				peaks[i] = int64(factor * float64(int64(inFlight)*3*gib/12))
				inStep[i] += peaks[i]
			}
			slices.Sort(peaks)
			site.StepPeak, site.Peak.Bytes = peaks[m.steps/2], peaks[m.steps-1]
		}
		d.Sites = append(d.Sites, site)
	}
	if bytes := m.extra[rank]; bytes > 0 {
		site := job.Site{Path: "path of the extra", Key: "key of the extra", Site: "hooks.py:27:keep", Alive: 1,
			StepPeak: bytes}
		site.Peak.Bytes = bytes
		if !m.freed {
			site.StepEnd.Bytes = bytes
			d.StepEndBytes += bytes
		}
		d.Sites = append(d.Sites, site)
	}
	for i, bytes := range inStep {
		if m.freed {
			bytes += m.extra[rank]
		}
		step := job.Step{Complete: true, Start: 100 * i, End: 100 * (i + 1), EndBytes: d.StepEndBytes,
			PeakBytes: d.StepEndBytes + bytes}
		d.Steps = append(d.Steps, step)
		d.PeakBytes = max(d.PeakBytes, step.PeakBytes)
	}
	d.ReservedPeakBytes, d.FinalBytes = d.PeakBytes, d.StepEndBytes
	return d
}
