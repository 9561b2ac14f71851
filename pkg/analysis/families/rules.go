package families

import (
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Rule is the rule that decided a family: a built-in one or, from ruleCount on, an
// override.
type Rule uint8

// The built-in rules in the order in which they are tried, those for allocations born in
// the recording before those for pre-existing ones. A rule that is less certain under
// some condition is two rules.
const (
	undecided Rule = iota

	workspaceByName
	parameterReplica
	inputScattered
	communicationByName
	cacheByName

	optimizerBuilt
	optimizerLoaded
	optimizerOutlivesStep
	optimizerStepCut
	temporaryOfStep
	temporaryOfLoading
	parameterLoaded

	gradientAccumulated
	activationRecomputed
	temporaryOfBackward
	gradientBackwardCut
	gradientOutlivesBackward

	activationReleased
	workspaceBySize
	parameterBeforeForward
	activationOfUser
	heldByUser
	inputLoaded
	inputMoved
	inputByLifetime
	inputLikeItsSite
	temporaryOutsideForward
	temporaryOfClipping

	activationFreedInBackward
	temporaryOfForward
	temporaryOfForwardUser
	outputOfLastIteration
	outputDropped
	outputLikeItsSite
	outputAfterBackward
	temporaryAfterForward
	temporaryLikeItsSite
	activationRetained
	outputKept
	activationForwardCut
	activationForwardCutUser
	outputWithoutGrad

	optimizerFreedInStep
	gradientZeroed
	activationGraphReleased
	activationBeforeRecording
	parameterReplaced
	freedByUser
	optimizerBlock
	gradientBlock
	activationBlock
	parameterLikeGradients
	parameterNextToOptimizer
	parameterLikeOptimizer
	parameterOrOptimizer
	parameterOrGradient
	residentBlock

	parameterAsRecorded
	optimizerAsRecorded
	inputAsRecorded
	temporaryAsRecorded
	activationAsRecorded
	gradientAsRecorded

	ruleCount int = iota
)

var rules = [ruleCount]struct {
	family     Family
	confidence Confidence
	because    string
}{
	undecided: {Unknown, Low, "neither its stack nor its lifetime says what it was for"},

	workspaceByName: {Workspace, High,
		"scratch memory of cuBLAS, cuDNN or CUB, by the C++ function that asked for it"},
	parameterReplica:    {Parameter, High, "a replica's copy of the parameters, made by DataParallel"},
	inputScattered:      {Input, High, "a device's part of a batch, handed out by DataParallel"},
	communicationByName: {Communication, High, "allocated inside a collective operation"},
	cacheByName:         {Cache, High, "allocated by code named like a key-value cache"},

	optimizerBuilt:        {Optimizer, High, "allocated where an optimizer builds its state"},
	optimizerLoaded:       {Optimizer, High, "loaded into an optimizer"},
	optimizerOutlivesStep: {Optimizer, High, "allocated inside an optimizer's step and alive after it"},
	optimizerStepCut: {Optimizer, Medium,
		"allocated inside an optimizer's step and alive at the end of the recording"},
	temporaryOfStep:    {Temporary, High, "allocated and freed inside one optimizer's step"},
	temporaryOfLoading: {Temporary, Medium, "freed soon after, while a model was being loaded"},
	parameterLoaded:    {Parameter, High, "allocated while a model was built, loaded or moved"},

	gradientAccumulated:      {Gradient, High, "stored by autograd as an accumulated gradient"},
	activationRecomputed:     {Activation, High, "recomputed in backward by activation checkpointing"},
	temporaryOfBackward:      {Temporary, High, "allocated and freed inside one backward pass"},
	gradientBackwardCut:      {Gradient, Low, "allocated in a backward pass that goes on at the end of the recording"},
	gradientOutlivesBackward: {Gradient, High, "allocated in backward and alive after it"},

	activationReleased:      {Activation, High, "freed by the autograd graph, which had saved it for backward"},
	workspaceBySize:         {Workspace, Medium, "never freed and of exactly the size of cuBLAS's default workspace"},
	parameterBeforeForward:  {Parameter, Low, "allocated before the first forward pass and never freed"},
	activationOfUser:        {Activation, Medium, "allocated by user code and freed in backward"},
	heldByUser:              {Unknown, Low, "held by user code: its call site frees none or few of its tensors"},
	inputLoaded:             {Input, Medium, "allocated by a data loader"},
	inputMoved:              {Input, Medium, "made from host data or moved to the device by user code"},
	inputByLifetime:         {Input, Low, "allocated by user code and alive when a forward pass starts"},
	inputLikeItsSite:        {Input, Low, "allocated where other inputs are"},
	temporaryOutsideForward: {Temporary, Low, "allocated by user code outside a forward pass and freed"},
	temporaryOfClipping:     {Temporary, Medium, "allocated while gradients were clipped or zeroed, and freed"},

	activationFreedInBackward: {Activation, High, "allocated in forward and freed in backward"},
	temporaryOfForward:        {Temporary, High, "allocated and freed inside one forward pass"},
	temporaryOfForwardUser:    {Temporary, Medium, "allocated and freed by user code during one forward pass"},
	outputOfLastIteration: {Output, Medium,
		"an output of the last iteration: allocated in forward and freed by other code after the next forward pass " +
			"began"},
	outputDropped:         {Output, Medium, "allocated in forward and freed by the code that called it"},
	outputLikeItsSite:     {Output, Low, "allocated where other outputs are"},
	temporaryLikeItsSite:  {Temporary, Low, "allocated where temporaries are, though it outlived its forward pass"},
	outputAfterBackward:   {Output, Medium, "allocated in forward and freed after a backward pass, not by it"},
	temporaryAfterForward: {Temporary, Low, "allocated in forward and freed after it without a backward pass"},
	activationRetained: {Activation, Medium,
		"allocated in forward and retained after backward, like most tensors of its call site"},
	outputKept: {Output, Medium, "allocated in forward and kept after a backward pass"},
	activationForwardCut: {Activation, Medium,
		"allocated in forward and alive at the end of the recording, before any backward"},
	activationForwardCutUser: {Activation, Low,
		"allocated by user code during forward and alive at the end of the recording, before any backward"},
	outputWithoutGrad: {Output, Medium, "alive at the end of a forward pass that keeps little for backward"},

	optimizerFreedInStep:      {Optimizer, Medium, "there before the recording and freed inside an optimizer's step"},
	gradientZeroed:            {Gradient, High, "there before the recording and freed by zero_grad"},
	activationGraphReleased:   {Activation, High, "there before the recording and freed by the autograd graph"},
	activationBeforeRecording: {Activation, Medium, "there before the recording and freed in backward"},
	parameterReplaced:         {Parameter, Low, "there before the recording and freed while a model was loaded"},
	freedByUser: {Unknown, Low,
		"there before the recording and freed by code that does not say what it was for"},
	optimizerBlock:  {Optimizer, Medium, "allocated inside an optimizer's step before the recorded events"},
	gradientBlock:   {Gradient, Medium, "allocated in backward before the recorded events"},
	activationBlock: {Activation, Low, "allocated in forward before the recorded events"},
	parameterLikeGradients: {Parameter, Medium,
		"there before the recording, about as many of its size as gradients of one backward pass"},
	parameterNextToOptimizer: {Parameter, Medium,
		"there before the recording, of the size of gradients, and the optimizer's state is accounted for"},
	parameterLikeOptimizer: {Parameter, Medium,
		"there before the recording, of a size for which the optimizer built state in it"},
	parameterOrOptimizer: {ParameterOrOptimizer, Medium,
		"there before the recording, more of its size than gradients of one backward pass"},
	parameterOrGradient: {ParameterOrGradient, Medium,
		"there before the recording, and backward left no gradients of its own"},
	residentBlock: {Resident, High,
		"there before the recording and not freed in it; its stack was not recorded"},

	parameterAsRecorded:  {Parameter, High, "a parameter by the category that the recording gives it"},
	optimizerAsRecorded:  {Optimizer, High, "optimizer state by the category that the recording gives it"},
	inputAsRecorded:      {Input, High, "an input by the category that the recording gives it"},
	temporaryAsRecorded:  {Temporary, High, "a temporary by the category that the recording gives it"},
	activationAsRecorded: {Activation, High, "an activation by the category that the recording gives it"},
	gradientAsRecorded:   {Gradient, High, "a gradient by the category that the recording gives it"},
}

// ruleOfCategory has the rules for recorded categories. They come before all built-in
// ones.
var ruleOfCategory = [snapshot.Categories]Rule{
	snapshot.CategoryParameter: parameterAsRecorded, snapshot.CategoryOptimizer: optimizerAsRecorded,
	snapshot.CategoryInput: inputAsRecorded, snapshot.CategoryTemporary: temporaryAsRecorded,
	snapshot.CategoryActivation: activationAsRecorded, snapshot.CategoryGradient: gradientAsRecorded,
	snapshot.CategoryAutograd: temporaryAsRecorded,
}

// decideAsRecorded gives tensors with a recorded category the matching family.
func decideAsRecorded(born []Rule, d *replay.Device) {
	for i := range born {
		if rule := ruleOfCategory[d.Events.Category[d.Allocations[d.PreExisting+i].Start]]; rule != undecided {
			born[i] = rule
		}
	}
}

// family returns what a built-in rule decides; [Assignment.Family] handles overrides too.
func (r Rule) family() Family { return rules[r].family }

// BuildsOptimizer reports whether a tensor is optimizer state that was made during the
// recording.
func (r Rule) BuildsOptimizer() bool {
	return r == optimizerBuilt || r == optimizerOutlivesStep || r == optimizerStepCut
}

// InputByName reports whether names, not its lifetime, show that a tensor is an input.
func (r Rule) InputByName() bool { return r == inputLoaded || r == inputMoved }
