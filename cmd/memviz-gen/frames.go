package main

import "github.com/memviz-go/memviz/pkg/snapshot"

// The frames that PyTorch's own code puts on a stack, as torch 2.11 records
// them with stacks="all". Symbols are shortened where parameters add nothing.

const site = "/opt/conda/lib/python3.11/site-packages/torch/"

func py(file string, line int32, name string) snapshot.FrameText {
	return snapshot.FrameText{File: file, Line: line, Name: name}
}

func cpp(name string) snapshot.FrameText { return snapshot.FrameText{File: "??", Name: name} }

func native(names ...string) []snapshot.FrameText {
	frames := make([]snapshot.FrameText, len(names))
	for i, name := range names {
		frames[i] = cpp(name)
	}
	return frames
}

var (
	evalFrame = cpp("_PyEval_EvalFrameDefault")

	gatherFrames = native("torch::unwind::unwind()", "torch::CapturedTraceback::gather(bool, bool, bool)",
		"torch::cuda::(anonymous namespace)::gather_with_cpp()")
	mallocFrames = append(gatherFrames[:3:3], native(
		"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long, CUstream_st*)",
		"c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc(void**, signed char, unsigned long, "+
			"CUstream_st*)",
		"c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)",
		"at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, c10::ScalarType, "+
			"std::optional<c10::MemoryFormat>)",
		"at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)")...)
	freeFrames = append(gatherFrames[:3:3], native(
		"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::free("+
			"c10::cuda::CUDACachingAllocator::Native::(anonymous namespace)::Block*)",
		"c10::intrusive_ptr<c10::StorageImpl, c10::detail::intrusive_target_default_null_type<c10::StorageImpl> "+
			">::reset_()",
		"c10::TensorImpl::~TensorImpl()")...)

	// pythonDrops: a reference count reached zero in Python.
	pythonDrops = native("THPVariable_clear(THPVariable*)", "THPVariable_dealloc(_object*)")

	mainThread = native("PyEval_EvalCode", "_PyRun_SimpleFileObject", "_PyRun_AnyFileObject", "Py_RunMain",
		"Py_BytesMain", "_start")
)

// operator returns the frames from Python down to an operator's kernel.
func operator(op string) []snapshot.FrameText {
	return native(
		"at::_ops::"+op+"::redispatch(c10::DispatchKeySet, at::Tensor const&)",
		"torch::autograd::VariableType::(anonymous namespace)::"+op+"(c10::DispatchKeySet, at::Tensor const&)",
		"at::_ops::"+op+"::call(at::Tensor const&)",
		"torch::autograd::THPVariable_"+op+"(_object*, _object*, _object*)")
}

var engineThread = native(
	"torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&, "+
		"torch::autograd::Node*, torch::autograd::InputBuffer&, std::shared_ptr<torch::autograd::ReadyQueue> const&)",
	"torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)",
	"torch::autograd::python::PythonEngine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> "+
		"const&, bool)",
	"start_thread", "__clone3")

// backwardOf returns the frames of an operator called by a backward node on the engine's thread.
func backwardOf(node, op string) []snapshot.FrameText {
	return native(
		"at::_ops::"+op+"::call(at::Tensor const&)",
		"torch::autograd::generated::"+node+"::apply(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)",
		"torch::autograd::Node::operator()(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)")
}

// releaseOf returns the frames of a backward node that releases its saved tensors.
func releaseOf(node string) []snapshot.FrameText {
	return native("torch::autograd::SavedVariable::reset_data()",
		"torch::autograd::generated::"+node+"::release_variables()")
}

// engineDrops: the engine is done with a gradient that no leaf keeps.
var engineDrops = native("torch::autograd::InputBuffer::~InputBuffer()")
