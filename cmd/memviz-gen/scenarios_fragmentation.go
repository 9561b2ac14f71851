package main

const cropsFile = "/home/ada/gpt/crops.py"

// fragmentationScenarios end with much memory that is neither used nor of use.
var fragmentationScenarios = []scenario{
	{name: "fragmentation", about: "half of many tensors of odd sizes is dropped, then larger ones are needed",
		run:   oddSizes,
		truth: truth{fragmentation, "fragmented", cropsFile + ":27:cut"}},
}

// oddSizes cuts crops of all sizes out of images, keeps some, and trains on
// batches of them, none of which fits into a hole that a crop has left.
func oddSizes(r *recorder) error {
	l, err := newLoop(r)
	if err != nil {
		return err
	}
	l.steps = l.record + 2
	if err := l.train(clean(l)); err != nil {
		return err
	}
	wanted := l.odd(gib, 2*gib) + 3*l.gpu.Reserved()/2 // the model must not make the peak
	var crops, rejected []tensor
	err = l.main(70, func() error {
		for total(crops) < wanted {
			x, err := l.make(l.odd(4<<20, 9<<20), "index", py(cropsFile, 27, "cut"))
			if err != nil {
				return err
			}
			crops = append(crops, x)
		}
		for _, i := range l.rng.Perm(len(crops))[:len(crops)/2] {
			rejected = append(rejected, crops[i])
		}
		return l.forget(rejected, py(cropsFile, 41, "reject"))
	})
	if err != nil {
		return err
	}
	return l.main(74, func() error {
		for range 60 + l.rng.IntN(30) {
			x, err := l.make(l.odd(24<<20, 64<<20), "stack", py(cropsFile, 55, "batch"))
			if err != nil {
				return err
			}
			if err := l.forget([]tensor{x}, py(cropsFile, 58, "batch")); err != nil {
				return err
			}
		}
		return nil
	})
}
