package main

const traceFile = "/home/ada/gpt/trace.py"

// cycleScenarios free memory late.
var cycleScenarios = []scenario{
	{name: "cycle", about: "tensors in reference cycles, freed in bursts by Python's collector",
		run:   looped(referenceCycle),
		truth: truth{cycle, "proved", traceFile + ":12:capture"},
		also: []truth{
			{problem: leak, site: traceFile + ":12:capture"}, // what it looks like from outside
			{problem: cycle}, // of tensors from before the recording
		}},
}

// collectorDrops: Python's cycle collector took an object apart that held the tensor.
var collectorDrops = append(pythonDrops[:2:2],
	native("subtype_dealloc", "dict_dealloc", "subtype_clear", "delete_garbage",
		"gc_collect_main", "gc_collect_generations", "_PyObject_GC_New", "PyList_New")...)

func referenceCycle(l *loop) func(int) error {
	period := 4 + l.rng.IntN(3)
	bytes := l.odd(1<<20, 32<<20)
	var garbage []tensor
	collect := func() error {
		for _, x := range garbage {
			if err := l.free(x, collectorDrops); err != nil {
				return err
			}
		}
		garbage = nil
		return nil
	}
	return func(i int) error {
		if i%period == period-1 {
			if err := l.main(56, func() error { // as good a place as any
				return l.in(collect, py("/home/ada/gpt/data.py", 19, "collate"))
			}); err != nil {
				return err
			}
		}
		if err := l.iteration(); err != nil {
			return err
		}
		return l.main(62, func() error {
			x, err := l.make(bytes, "clone", py(traceFile, 12, "capture"))
			garbage = append(garbage, x)
			return err
		})
	}
}
