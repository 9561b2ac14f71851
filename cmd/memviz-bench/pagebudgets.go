package main

// pageBudgets judges the page.
func pageBudgets(pages []*shownPage) []budget {
	of := func(name string) samples {
		for _, p := range pages {
			if p.name == name {
				return p.samples
			}
		}
		return nil
	}
	const ms = " ms"
	one, five, hard := of("1M"), of("5M"), of(adversarial)
	return []budget{
		atMost("1M: from file:// to interactive, median", median(one[interactive])/1000, 1, 0.5, " s"),
		atMost("5M: from file:// to interactive, median", median(five[interactive])/1000, 2, 1, " s"),
		atMost("1M: frame while zooming and panning, median", one.underMouse(median), 25, 17, ms),
		atMost("1M: frame while zooming and panning, p95", one.underMouse(p95), 45, 25, ms),
		atMost("5M: frame while zooming and panning, median", five.underMouse(median), 60, 30, ms),
		atMost("5M: frame while zooming and panning, p95", five.underMouse(p95), 100, 60, ms),
		atMost("adversarial: frame under the mouse, p95", hard.underMouse(p95), 100, 50, ms),
		atMost("1M: hover to tooltip, p95", p95(one[hover]), 10, 3, ms),
	}
}

func p95(times []float64) float64 { return percentile(times, 0.95) }

// underMouse is a figure of the frames that a person sees while zooming and
// panning, the worse of the two. The exact picture, which follows when the view
// is still, is measured as a view.
func (s samples) underMouse(of func([]float64) float64) float64 {
	return worst(of(s[wheel]), of(s[drag]))
}
