package recorded

import (
	"fmt"
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/job"
)

// Job makes the digests of a made-up job: ranks in stages of a pipeline, with seven steps
// and an unfinished eighth. Of eight ranks one leaks and one runs out of memory. Of many,
// one holds more, one leaks, two run out of memory 35 ms apart, and one recorded three
// steps.
func Job(n, stages int) []job.Digest {
	const (
		gib, mib = 1 << 30, 1 << 20
		steps    = 7
		perStep  = 96
		few      = 24
	)
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	outlier, leaks, short, ooms := -1, -1, -1, []int{}
	switch {
	case n == 8:
		leaks, ooms = 5, []int{2}
	case n >= 64:
		outlier, leaks, short, ooms = 37, n*900/1024, n*200/1024, []int{n * 867 / 1024, n * 611 / 1024}
	}
	var list []job.Digest
	for rank := range n {
		stage := rank * stages / n
		base := [...]int64{44, 40, 39, 41}[stage%4] * gib
		layer := [...]int64{480, 430, 400, 420}[stage%4] * mib
		alive := [...]int{14, 12, 10, 11}[stage%4]
		noise := func(part float64) float64 { return 1 + part*(rng.Float64()-.5) }
		d := job.Digest{
			Schema: job.DigestSchema, Device: 0, Torch: "2.9", Operators: true, Events: 9200, Allocations: 4600,
			Name: job.Name{Rank: rank, Label: fmt.Sprint(rank), From: "word"},
			File: job.File{Name: fmt.Sprintf("rank%d.pickle", rank), Path: fmt.Sprintf("job/rank%d.pickle", rank),
				Bytes: 1 << 20, SHA256: fmt.Sprintf("%016x", rank), Report: fmt.Sprintf("reports/rank%d.html", rank)},
			FirstMicros: new(int64(1_700_000_000_000_000) + int64(rng.IntN(40_000))), SpanMicros: new(int64(8_400_000)),
			AddsUp: true, StepMethod: "annotations", BaselineBytes: base,
			PeakFamilies: make([]int64, families.Count),
		}
		if n > 24 {
			d.File.Host = fmt.Sprintf("n%d", 1+rank*4/n)
		}
		count := steps
		if rank == short {
			count = 3
		}
		var active, reserved []int64
		fam := make([][]int64, families.Count)
		held := int64(0)
		extra := int64(0)
		stretches := count + 1
		first := steps - count
		for s := range stretches {
			var most, end int64
			size := noise(.03)
			for c := range perStep {
				x := float64(c) / perStep
				wave := 1 - 2*x
				if x < .5 {
					wave = 2 * x
				}
				teeth := .12 * float64((c*9/perStep)%2)
				acts := int64(float64(layer*int64(alive)) * (max(0, wave-teeth) + .05) * size)
				if s == stretches-1 { // not finished
					acts = int64(float64(layer*int64(alive)) * (.05 + .9*x) * size)
				}
				if rank == leaks {
					held = 96 * mib * int64(first+s)
				}
				if rank == outlier && s > 0 {
					extra = 1187 * mib
				}
				temp := int64(0)
				if x > .9 {
					temp = int64(float64(300*mib) * noise(.2))
				}
				total := base + acts + held + extra + temp
				active = append(active, total)
				most, end = max(most, total), base+held+extra+64*mib
				if c%(perStep/few) == 0 {
					for f, bytes := range map[families.Family]int64{families.Parameter: base / 4,
						families.Optimizer: base / 2,
						families.Gradient:  base / 4, families.Activation: acts + held + extra,
						families.Temporary: temp} {
						fam[f] = append(fam[f], bytes)
					}
				}
				d.PeakBytes = max(d.PeakBytes, total)
				reserved = append(reserved, max(d.PeakBytes+180*mib, base+layer*int64(alive)))
			}
			if s < count {
				start := *d.FirstMicros + int64(first+s)*1_050_000
				d.Steps = append(d.Steps, job.Step{Complete: true, Start: s * 1000, End: s*1000 + 999,
					PeakBytes:         most,
					ReservedPeakBytes: most + 200*mib, EndBytes: end, StartMicros: &start,
					Micros: new(int64(1_050_000))})
			}
		}
		d.StepsSeen = count
		d.StepEnd, d.StepEndBytes = new(count*1000), d.Steps[count-1].EndBytes
		d.ReservedPeakBytes = d.PeakBytes + 200*mib
		d.FinalBytes = active[len(active)-1]
		d.PeakFamilies[families.Parameter], d.PeakFamilies[families.Optimizer] = base/4, base/2
		d.PeakFamilies[families.Gradient] = base / 4
		d.PeakFamilies[families.Activation] = d.PeakBytes - base
		d.Curves = job.Curves{Tail: true, PerStep: perStep, Max: deltas(active, d.PeakBytes), Min: deltas(active,
			d.PeakBytes),
			Reserved: deltas(reserved, d.ReservedPeakBytes), FewPerStep: few, Families: make([][]int16, families.Count)}
		for f := range fam {
			if fam[f] != nil {
				d.Curves.Families[f] = deltas(fam[f], d.PeakBytes)
			}
		}
		site := func(i int, name string, peak, end int64, alive int) {
			d.Sites = append(d.Sites, job.Site{Path: fmt.Sprintf("%016x", stage*100+i), Key: fmt.Sprintf("%016x",
				i), Site: name,
				Operator: "aten::empty", Family: int(families.Activation), Peak: job.Tensors{Bytes: peak,
					Count: alive},
				StepEnd: job.Tensors{Bytes: end, Count: alive}, StepPeak: peak, Alive: alive})
		}
		for i, name := range []string{"moe.py:104:experts", "moe.py:106:experts", "attention.py:51:forward",
			"mlp.py:33:forward",
			"norm.py:12:forward", "loss.py:77:cross_entropy", "moe.py:61:route", "optim.py:80:step"} {
			share := int64(float64(layer*int64(alive)/8) * noise(.02))
			end := int64(0)
			if i == 7 {
				share, end = base/2, base/2
			}
			site(i, "/job/model/"+name, share, end, alive)
		}
		if rank == outlier {
			site(20, "/job/model/moe.py:88:dispatch", extra, extra, 7)
		}
		if rank == leaks {
			grown := int64(96 * mib * steps)
			site(21, "/job/train/hooks.py:27:keep_router_stats", grown, grown, steps)
			d.Leaks = []job.Leak{{Kind: "every_step", Site: "/job/train/hooks.py:27:keep_router_stats",
				Path: fmt.Sprintf("%016x", stage*100+21),
				Key:  fmt.Sprintf("%016x", 21), PerStep: 96 * mib, Bytes: grown, Steps: steps}}
		}
		for k, oom := range ooms {
			if rank == oom {
				d.OOMs = []job.OOM{{State: 9100, Micros: new(*d.FirstMicros + 8_300_000 + int64(k)*35_000),
					RequestedBytes:  int64(217-2*k) * mib,
					DeviceFreeBytes: int64(40+32*k) * mib, Verdict: "limit", Site: "/job/model/moe.py:106:experts",
					Step: steps + 1}}
				d.File.Host = "n4"
			}
		}
		list = append(list, d)
	}
	return list
}

// deltas encodes bytes as in the curves of a digest.
func deltas(bytes []int64, peak int64) []int16 {
	list, last := make([]int16, len(bytes)), int64(0)
	for i, b := range bytes {
		unit := b * 4096 / peak
		list[i], last = int16(unit-last), unit
	}
	return list
}
