package analysis

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// stackOf reads one stack in the notation of tape_test.go.
func stackOf(text string) (*StackFacts, snapshot.StackID) {
	c := snapshot.NewComposer(snapshot.Format{})
	id := c.Stack(frames(text)...)
	return Stacks(c.Snapshot()), id
}

func TestFacts(t *testing.T) {
	const py, cpp = factPython, factNative
	tests := []struct {
		stack string
		want  facts
	}{
		{"", 0},
		{"train.py|main", py},
		{"malloc", cpp},

		{"torch::autograd::Engine::evaluate_function(x)", cpp | factEngine},
		{"torch::autograd::python::PythonEngine::thread_init(int)", cpp},
		{"torch::autograd::AccumulateGrad::apply(x)", cpp | factAccumulate},
		{"torch::autograd::AccumulateGrad::apply(x) [clone .localalias]", cpp | factAccumulate},
		{"torch::autograd::generated::MulBackward0::release_variables()", cpp | factRelease},
		{"torch::autograd::SavedVariable::reset_data()", cpp | factRelease},

		{"at::cuda::getCurrentCUDABlasHandle(bool)", cpp | factWorkspace},
		{"at::cuda::(anonymous namespace)::getNewWorkspace()", cpp | factWorkspace},
		{"at::cuda::setWorkspaceForHandle(x)", cpp | factWorkspace},
		{"at::cuda::blas::CUDABlasLtWorkspace::CUDABlasLtWorkspace()", cpp | factWorkspace},
		{"at::native::raw_cudnn_convolution_forward_out(x)", cpp | factWorkspace},
		{"at::native::run_conv_plan(x)", cpp | factWorkspace},
		{"at::native::(anonymous namespace)::run_single_conv(x)", cpp | factWorkspace},
		{"at::cuda::cub::inclusive_sum(x)", cpp | factWorkspace},

		{"c10d::ProcessGroupNCCL::allreduce(x)", cpp | factCommunication},
		{"torch::cuda::nccl::broadcast(x)", cpp | factCommunication},
		{"torch/distributed/distributed_c10d.py|send", py | factCommunication},
		{"dist.py|all_reduce_grads", py | factCommunication},
		{"dist.py|reduce_scatter_tensor", py | factCommunication},
		{"torch/distributed/fsdp/x.py|_all_gather_params", py | factCommunication},
		{"torch/nn/parallel/comm.py|broadcast_coalesced", py | factCommunication},
		{"torch/nn/parallel/distributed.py|_ddp_init_helper", py | factCommunication},
		{"torch/nn/parallel/distributed.py|_pre_forward", py | factReducerCall | factCommunication},
		{"malloc\ntorch/nn/parallel/distributed.py|_pre_forward", py | cpp | factReducerCall | factCommunication},
		{"torch/distributed/utils.py|_to_kwargs\ntorch/nn/parallel/distributed.py|_pre_forward", py | factReducerCall},
		{"distributed.py|_ddp_init_helper", py},

		{"/x/cache_utils.py|update", py | factKVCache},
		{"/x/models/llama.py|make_KV_cache", py | factKVCache},
		{"/x/KVCache.py|grow", py | factKVCache},
		{"/x/m.py|_past_key_values_of", py | factKVCache},
		{"/x/static_cache.py|f", py | factKVCache},
		{"/x/m.py|paged_attention_v2", py | factKVCache},

		{"torch::autograd::THPVariable_to(_object*, _object*, _object*)", cpp | factTransfer},
		{"torch::autograd::THPVariable_cuda(_object*)", cpp | factTransfer},
		{"torch::autograd::THPVariable_pin_memory(_object*)", cpp | factTransfer},
		{"torch::autograd::THPVariable_randn(_object*)", cpp | factTransfer},
		{"torch::autograd::THPVariable_from_numpy", cpp | factTransfer},
		{"torch::utils::tensor_ctor(c10::DispatchKey)", cpp | factTransfer},
		{"torch::autograd::THPVariable_tolist(_object*)", cpp},
		{"torch::autograd::THPVariable_zeros(_object*)", cpp},
		{"at::native::_to_copy(at::Tensor const&)", cpp},

		{"torch/autograd/__init__.py|backward", py | factBackwardCall | factBackwardRoot},
		{"torch/autograd/__init__.py|_make_grads", py | factBackwardCall | factBackwardRoot},
		{"torch/autograd/graph.py|_engine_run_backward", py | factBackwardCall},
		{"torch/autograd/graph.py|unpack_from_cpu", py | factBackwardCall},
		{"torch/_tensor.py|backward", py | factBackwardCall | factBackwardRoot},
		{`C:\venv\Lib\site-packages\torch\_tensor.py|backward`, py | factBackwardCall | factBackwardRoot},
		{"/x/runtime_wrappers.py|_backward_impl", py | factBackwardCall},
		{"train.py|backward", py},
		{"torch/_tensor.py|__rsub__", py},
		{"ops.py|backward\ntorch/autograd/function.py|apply", py | factFunctionApply | factBackwardCall},
		{"torch/autograd/function.py|apply\ntrain.py|main", py | factFunctionApply},
		{"gc_collect_main", cpp | factCollector},
		{"gc_collect_main.constprop.0", cpp | factCollector},
		{"delete_garbage.lto_priv.0", cpp | factCollector},
		{"gc_collect_generations", cpp | factCollector | factCollectorAutomatic},
		{"_Py_RunGC", cpp | factCollector | factCollectorAutomatic},
		{"_PyObject_GC_New", cpp | factCollector | factCollectorAutomatic},
		{"PyType_GenericAlloc", cpp | factCollector | factCollectorAutomatic},
		{"gc_collect_impl.isra.0", cpp | factCollector | factCollectorExplicit},
		{"PyGC_Collect", cpp | factCollector | factCollectorExplicit},
		{"_PyGC_CollectNoFail", cpp | factCollector | factCollectorExplicit},
		{"_PyObject_GC_NewFriend", cpp},
		{"my_gc_collect_main", cpp},
		{"subtype_dealloc", cpp},
		{"THPVariable_clear(THPVariable*)", cpp},
		{"BaseException_dealloc", cpp | factExceptionDealloc},
		{"tb_dealloc.lto_priv.0", cpp | factFrameDealloc},
		{"frame_dealloc", cpp | factFrameDealloc},

		{"torch/utils/checkpoint.py|unpack_hook", py | factCheckpoint | factBackwardCall},
		{"torch/utils/checkpoint.py|checkpoint", py | factCheckpoint},

		{"torch/optim/adam.py|step", py | factOptimizer},
		{"torch/optim/optimizer.py|wrapper", py | factOptimizer},
		{"torch/optim/optimizer.py|Optimizer.profile_hook_step.<locals>.wrapper", py | factOptimizer},
		{"torch/optim/sgd.py|_single_tensor_sgd", py | factOptimizer},
		{"torch/optim/sgd.py|_fused_sgd", py | factOptimizer},
		{"torch/optim/optimizer.py|state_dict", py},
		{"apex/optimizers/fused_adam.py|step", py | factOptimizer},
		{"/x/bitsandbytes/optim/adamw.py|step", py | factOptimizer},
		{"/x/deepspeed/runtime/zero/stage3.py|step", py | factOptimizer},
		{"/x/deepspeed/runtime/engine.py|step", py},
		{"/home/me/basics/optimizer.py|step", py | factOptimizer},
		{"/home/me/basics/game.py|step", py},
		{"torch/optim/adam.py|_init_group", py | factOptimizer | factOptimizerInit},
		{"/x/bitsandbytes/optim/optimizer.py|init_state", py | factOptimizer | factOptimizerInit},
		{"torch/optim/optimizer.py|load_state_dict", py | factOptimizerLoad | factLoad},
		{"train.py|zero_grad", py | factZeroGrad},
		{"torch/nn/utils/clip_grad.py|_get_total_norm", py | factClipGrad},
		{"train.py|clip_grad_norm", py | factClipGrad},

		{"torch/nn/modules/module.py|_apply", py | factLoad},
		{"torch/nn/modules/module.py|bfloat16", py | factLoad},
		{"torch/nn/modules/linear.py|__init__", py | factLoad},
		{"model.py|__init__", py},
		{"model.py|load_state_dict", py | factLoad},
		{"/x/modeling_utils.py|from_pretrained", py | factLoad},
		{"/x/m.py|set_module_tensor_to_device", py | factLoad},
		{"/x/m.py|_init_weights", py | factLoad},
		{"/x/m.py|load_model_from", py | factLoad},
		{"torch/serialization.py|load", py | factLoad},
		{"/x/safetensors/torch.py|load_file", py | factLoad},
		{"torch/nn/init.py|_no_grad_uniform_", py | factLoad},
		{"torch/nn/parameter.py|__new__", py | factLoad},

		{"torch/nn/modules/module.py|_call_impl", py | factForward | factModuleCall},
		{"model.py|forward", py | factForward},
		{"model.py|Model.forward", py | factForward},
		{"model.py|forward_all", py},
		{"torch/autograd/function.py|forward", py},
		{"torch/utils/data/_utils/pin_memory.py|pin", py | factDataLoader},
	}
	for _, test := range tests {
		t.Run(test.stack, func(t *testing.T) {
			st, id := stackOf(test.stack)
			if got := st.facts[id]; got != test.want {
				t.Errorf("facts %b, want %b: differ in %b", got, test.want, got^test.want)
			}
		})
	}
}

func TestMarker(t *testing.T) {
	tests := []struct {
		name, stack string
		want        marker
	}{
		{"nothing", "", markerEmpty},
		{"C++ only", native, markerNative},
		{"user", loop, markerUser},
		{"forward", module, markerForward},
		{"forward by name", "model.py|forward\n" + loop, markerForward},
		{"backward", engine, markerBackward},
		{"recomputation in backward", module + "\n" + engine, markerBackward},
		{"step", step, markerOptimizer},
		{"closure inside a step", "model.py|forward\n" + step, markerForward},
		{"backward inside a step", engine + "\n" + step, markerBackward},
		{"zero_grad", zeroGrad, markerZeroGrad},
		{"clipping", clipGrad, markerClipGrad},
		{"loading", loading, markerLoad},
		{"loading inside forward", loading + "\n" + module, markerForward},
		{"data", dataset, markerData},
		{"loading by a data loader", loading + "\n" + dataset, markerLoad},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st, id := stackOf(test.stack)
			if got := st.marker[id]; got != test.want {
				t.Errorf("marker %q, want %q", got, test.want)
			}
		})
	}
}

// TestEmptyStack: the autograd thread has no Python frames, so in a recording of
// Python frames alone its events have empty stacks.
func TestEmptyStack(t *testing.T) {
	tests := []struct {
		name        string
		record      func(t *tape)
		alloc, free marker
	}{
		{"Python alone", func(t *tape) { t.run(1, module) }, markerBackward, markerBackward},
		{"Python and C++", func(t *tape) { t.run(1, module); t.run(1, native) }, markerEmpty, markerEmpty},
		{"C++ in a free", func(t *tape) { t.free(t.alloc(module, 1), native) }, markerEmpty, markerEmpty},
		{"no stacks", func(t *tape) { t.run(1, "") }, markerEmpty, markerEmpty},
		{"frees without stacks", func(t *tape) { t.free(t.alloc(module, 1), "") }, markerBackward, markerEmpty},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := newTape()
			test.record(tape)
			s, d := tape.replay()
			m := newMarkers(Stacks(s), d.Events)
			if got := m.alloc(0); got != test.alloc {
				t.Errorf("alloc marker %q, want %q", got, test.alloc)
			}
			if got := m.free(0); got != test.free {
				t.Errorf("free marker %q, want %q", got, test.free)
			}
		})
	}
}
