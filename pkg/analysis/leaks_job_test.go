package analysis

import (
	"fmt"
	"math/rand/v2"
)

// job is a training loop with a few layers. Its steps end with the optimizer's,
// which updates state that the first step made.
type job struct {
	*tape
	rng   *rand.Rand
	width int64    // bytes of an activation
	done  int      // steps
	ring  []tensor // for stories that hold several
}

func newJob(seed uint64) *job {
	return &job{tape: newTape(), rng: rand.New(rand.NewPCG(seed, 1)), width: 4096}
}

const trainLayers = 5

// layer is the stack of a layer's forward, called from a function of the script.
func layer(i int, caller string) string {
	return fmt.Sprintf("at::_ops::linear::call(x)\nmodel.py|layer%d\n%s\ntrain.py|%s\ntrain.py|main", i,
		"torch/nn/modules/module.py|_call_impl", caller)
}

// forward returns what backward would release.
func (j *job) forward(caller string) []tensor {
	var saved []tensor
	for i := range trainLayers {
		j.free(j.alloc(layer(i, caller), j.width/2), layer(i, caller))
		saved = append(saved, j.alloc(layer(i, caller), j.width))
	}
	return saved
}

func (j *job) backward(saved []tensor) (gradients []tensor) {
	for i, x := range saved {
		node := fmt.Sprintf("torch::autograd::generated::Node%d::apply(x)\n%s", i, engine)
		gradients = append(gradients, j.alloc(node, 256))
		j.free(x, release+node)
	}
	return gradients
}

func (j *job) optimize(gradients []tensor) {
	if j.done == 0 {
		for range trainLayers {
			j.alloc(initGroup, 512)
		}
	}
	j.run(trainLayers, step)
	for _, g := range gradients {
		j.free(g, zeroGrad)
	}
	j.done++
}

// iteration is a clean step; during runs between forward and backward.
func (j *job) iteration(during func(saved []tensor) []tensor) {
	batch := j.alloc(toDevice, j.width)
	saved := j.forward("train")
	if during != nil {
		saved = during(saved)
	}
	j.optimize(j.backward(saved))
	j.free(batch, loop)
}

// setUp moves a model to the device.
func (j *job) setUp() {
	for range trainLayers {
		j.alloc(loading, 256)
	}
}

// drop frees everything but the last n that a story holds.
func (j *job) drop(n int) {
	for len(j.ring) > n {
		j.free(j.ring[0], loop)
		j.ring = j.ring[1:]
	}
}
