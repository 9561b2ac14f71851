package measures

// Measure is a change of the training that may bring the peak down.
type Measure uint8

// The measures in the order in which their edits are made: first what changes
// lifetimes, then sizes that depend on parameters' sizes, then shards, then the batch.
const (
	SetToNone      Measure = iota // zero_grad before the forward pass
	DropOutputs                   // del of the outputs of a step
	StopLeak                      // nothing that the steps accumulate outlives its step
	Fused                         // an optimizer without temporaries
	NoForeach                     // an optimizer whose temporaries live one at a time
	Checkpoint                    // of the block that repeats
	EightBit                      // optimizer state in 8 bits
	LossInParts                   // logits and loss for a part of the tokens at a time
	ShardOptimizer                // optimizer state cut evenly over several GPUs
	ShardTensors                  // optimizer state over several GPUs, each parameter's on one of them
	ShardGradients                // state and gradients cut evenly
	ShardWeights                  // parameters, too, except in two blocks
	HostOptimizer                 // optimizer state in the memory of the host
	Accumulate                    // half the batch twice a step
	HalfBatch                     // half the batch
	measureCount   int     = iota
)

var measureKeys = [measureCount]string{
	SetToNone: "set_to_none", DropOutputs: "del", StopLeak: "leak", Fused: "fused", NoForeach: "no_foreach",
	Checkpoint: "checkpoint", EightBit: "8bit_optimizer", LossInParts: "loss_in_parts", ShardOptimizer: "zero1",
	ShardTensors: "zero1_tensors", ShardGradients: "zero2", ShardWeights: "zero3", HostOptimizer: "host_optimizer",
	Accumulate: "accumulate", HalfBatch: "half_batch",
}

// Key names the measure in files: "checkpoint".
func (m Measure) Key() string { return measureKeys[m] }

// cost is a class of measures by what they cost, the cheapest first.
type cost uint8

const (
	costNothing cost = iota
	costTime
	costNumerics
	costGPUs
)

var measureCosts = [measureCount]cost{
	SetToNone: costNothing, DropOutputs: costNothing, StopLeak: costNothing, Fused: costNothing, NoForeach: costTime,
	Checkpoint: costTime, LossInParts: costTime, HostOptimizer: costTime, Accumulate: costTime, EightBit: costNumerics,
	HalfBatch: costNumerics, ShardOptimizer: costGPUs, ShardTensors: costGPUs, ShardGradients: costGPUs,
	ShardWeights: costGPUs,
}

// Precision is how well a measure's effect on the peaks is known.
type Precision uint8

const (
	Exact   Precision = iota // active memory as it would be, reserved memory within ReservedPercent
	About                    // active memory only: other code would make other tensors
	AtLeast                  // active memory only, without buffers that come and go with the measure
)

// ReservedPercent is how far the predicted reserved memory may be off: segments are split
// differently depending on where in the cache a moved request lands.
const ReservedPercent = 10

// Shards reports whether the measure shares something over several GPUs.
func (m Measure) Shards() bool { return measureCosts[m] == costGPUs }

// Precision returns how well the peaks with the measure are known. Combinations have only
// Exact ones.
func (m Measure) Precision() Precision {
	switch m {
	case StopLeak, LossInParts, HostOptimizer:
		return About
	case ShardGradients, ShardWeights:
		return AtLeast
	}
	return Exact
}

// Rough reports whether only active memory is predicted.
func (m Measure) Rough() bool { return m.Precision() != Exact }

// DefaultGPUs is the number of GPUs that ShardOptimizer and the like assume if it is not
// given: no recording shows how many there are.
const DefaultGPUs = 8

// LossParts is the number of parts in which LossInParts computes logits and loss.
const LossParts = 8
