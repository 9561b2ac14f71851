package analysis

// stepsAreFedMore reports whether nearly every step works on more data than the
// one before, as when batches are sorted by length. What is made from the data
// grows as well then. Where no input is known by name, forward passes tell, without
// the key-value cache, which grows by itself.
func (in *LeakInput) stepsAreFedMore() bool {
	steps := in.Steps
	k := len(steps.Boundaries)
	inputs, forward := make([]int64, k+1), make([]int64, k+1)
	rules, known := in.Families.Rules, false
	step := 0
	for i := in.Device.PreExisting; i < len(in.Device.Allocations); i++ {
		a := &in.Device.Allocations[i]
		for step < k && steps.Boundaries[step] <= a.Start {
			step++
		}
		switch rule := rules[i]; {
		case rule.InputByName():
			inputs[step] += a.Size
			known = true
		case in.Activities.alloc(a.Stack) == markerForward && in.Families.Family(i) != Cache:
			forward[step] += a.Size
		}
	}
	if known {
		return risesMostly(inputs[1:k])
	}
	return risesMostly(forward[1:k])
}

// risesMostly reports whether at least 80 % of several values are above the one
// before.
func risesMostly(values []int64) bool {
	rises := 0
	for i := range values {
		if i > 0 && values[i] > values[i-1] {
			rises++
		}
	}
	return len(values) > 2 && 10*rises >= 8*(len(values)-1)
}
