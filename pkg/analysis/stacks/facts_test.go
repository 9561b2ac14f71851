package stacks

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// stackOf reads one stack in the notation of tape_test.go.
func stackOf(text string) (*Table, snapshot.StackID) {
	c := snapshot.NewComposer(snapshot.Format{})
	id := c.Stack(testsnap.Frames(text)...)
	return Read(c.Snapshot()), id
}

func TestFacts(t *testing.T) {
	const py, cpp = FactPython, FactNative
	tests := []struct {
		stack string
		want  Facts
	}{
		{"", 0},
		{"train.py|main", py},
		{"malloc", cpp},

		{"torch::autograd::Engine::evaluate_function(x)", cpp | FactEngine},
		{"torch::autograd::python::PythonEngine::thread_init(int)", cpp},
		{"torch::autograd::AccumulateGrad::apply(x)", cpp | FactAccumulate},
		{"torch::autograd::AccumulateGrad::apply(x) [clone .localalias]", cpp | FactAccumulate},
		{"torch::autograd::generated::MulBackward0::release_variables()", cpp | FactRelease},
		{"torch::autograd::SavedVariable::reset_data()", cpp | FactRelease},

		{"at::cuda::getCurrentCUDABlasHandle(bool)", cpp | FactWorkspace},
		{"at::cuda::(anonymous namespace)::getNewWorkspace()", cpp | FactWorkspace},
		{"at::cuda::setWorkspaceForHandle(x)", cpp | FactWorkspace},
		{"at::cuda::blas::CUDABlasLtWorkspace::CUDABlasLtWorkspace()", cpp | FactWorkspace},
		{"at::native::raw_cudnn_convolution_forward_out(x)", cpp | FactWorkspace},
		{"at::native::run_conv_plan(x)", cpp | FactWorkspace},
		{"at::native::(anonymous namespace)::run_single_conv(x)", cpp | FactWorkspace},
		{"at::cuda::cub::inclusive_sum(x)", cpp | FactWorkspace},

		{"c10d::ProcessGroupNCCL::allreduce(x)", cpp | FactCommunication},
		{"torch::cuda::nccl::broadcast(x)", cpp | FactCommunication},
		{"torch/distributed/distributed_c10d.py|send", py | FactCommunication},
		{"dist.py|all_reduce_grads", py | FactCommunication},
		{"dist.py|reduce_scatter_tensor", py | FactCommunication},
		{"torch/distributed/fsdp/x.py|_all_gather_params", py | FactCommunication},
		{"torch/nn/parallel/comm.py|broadcast_coalesced", py | FactCommunication},
		{"torch/nn/parallel/distributed.py|_ddp_init_helper", py | FactCommunication},
		{"torch/nn/parallel/distributed.py|_pre_forward", py | FactReducerCall | FactCommunication},
		{"malloc\ntorch/nn/parallel/distributed.py|_pre_forward", py | cpp | FactReducerCall | FactCommunication},
		{"torch/distributed/utils.py|_to_kwargs\ntorch/nn/parallel/distributed.py|_pre_forward", py | FactReducerCall},
		{"distributed.py|_ddp_init_helper", py},

		{"/x/cache_utils.py|update", py | FactKVCache},
		{"/x/models/llama.py|make_KV_cache", py | FactKVCache},
		{"/x/KVCache.py|grow", py | FactKVCache},
		{"/x/m.py|_past_key_values_of", py | FactKVCache},
		{"/x/static_cache.py|f", py | FactKVCache},
		{"/x/m.py|paged_attention_v2", py | FactKVCache},

		{"torch::autograd::THPVariable_to(_object*, _object*, _object*)", cpp | FactTransfer},
		{"torch::autograd::THPVariable_cuda(_object*)", cpp | FactTransfer},
		{"torch::autograd::THPVariable_pin_memory(_object*)", cpp | FactTransfer},
		{"torch::autograd::THPVariable_randn(_object*)", cpp | FactTransfer},
		{"torch::autograd::THPVariable_from_numpy", cpp | FactTransfer},
		{"torch::utils::tensor_ctor(c10::DispatchKey)", cpp | FactTransfer},
		{"torch::autograd::THPVariable_tolist(_object*)", cpp},
		{"torch::autograd::THPVariable_zeros(_object*)", cpp},
		{"at::native::_to_copy(at::Tensor const&)", cpp},

		{"torch/autograd/__init__.py|backward", py | FactBackwardCall | FactBackwardRoot},
		{"torch/autograd/__init__.py|_make_grads", py | FactBackwardCall | FactBackwardRoot},
		{"torch/autograd/graph.py|_engine_run_backward", py | FactBackwardCall},
		{"torch/autograd/graph.py|unpack_from_cpu", py | FactBackwardCall},
		{"torch/_tensor.py|backward", py | FactBackwardCall | FactBackwardRoot},
		{`C:\venv\Lib\site-packages\torch\_tensor.py|backward`, py | FactBackwardCall | FactBackwardRoot},
		{"/x/runtime_wrappers.py|_backward_impl", py | FactBackwardCall},
		{"train.py|backward", py},
		{"torch/_tensor.py|__rsub__", py},
		{"ops.py|backward\ntorch/autograd/function.py|apply", py | FactFunctionApply | FactBackwardCall},
		{"torch/autograd/function.py|apply\ntrain.py|main", py | FactFunctionApply},
		{"gc_collect_main", cpp | FactCollector},
		{"gc_collect_main.constprop.0", cpp | FactCollector},
		{"delete_garbage.lto_priv.0", cpp | FactCollector},
		{"gc_collect_generations", cpp | FactCollector | FactCollectorAutomatic},
		{"_Py_RunGC", cpp | FactCollector | FactCollectorAutomatic},
		{"_PyObject_GC_New", cpp | FactCollector | FactCollectorAutomatic},
		{"PyType_GenericAlloc", cpp | FactCollector | FactCollectorAutomatic},
		{"gc_collect_impl.isra.0", cpp | FactCollector | FactCollectorExplicit},
		{"PyGC_Collect", cpp | FactCollector | FactCollectorExplicit},
		{"_PyGC_CollectNoFail", cpp | FactCollector | FactCollectorExplicit},
		{"_PyObject_GC_NewFriend", cpp},
		{"my_gc_collect_main", cpp},
		{"subtype_dealloc", cpp},
		{"THPVariable_clear(THPVariable*)", cpp},
		{"BaseException_dealloc", cpp | FactExceptionDealloc},
		{"tb_dealloc.lto_priv.0", cpp | FactFrameDealloc},
		{"frame_dealloc", cpp | FactFrameDealloc},

		{"torch/utils/checkpoint.py|unpack_hook", py | FactCheckpoint | FactBackwardCall},
		{"torch/utils/checkpoint.py|checkpoint", py | FactCheckpoint},

		{"torch/optim/adam.py|step", py | FactOptimizer},
		{"torch/optim/optimizer.py|wrapper", py | FactOptimizer},
		{"torch/optim/optimizer.py|Optimizer.profile_hook_step.<locals>.wrapper", py | FactOptimizer},
		{"torch/optim/sgd.py|_single_tensor_sgd", py | FactOptimizer},
		{"torch/optim/sgd.py|_fused_sgd", py | FactOptimizer},
		{"torch/optim/optimizer.py|state_dict", py},
		{"apex/optimizers/fused_adam.py|step", py | FactOptimizer},
		{"/x/bitsandbytes/optim/adamw.py|step", py | FactOptimizer},
		{"/x/deepspeed/runtime/zero/stage3.py|step", py | FactOptimizer},
		{"/x/deepspeed/runtime/engine.py|step", py},
		{"/home/me/basics/optimizer.py|step", py | FactOptimizer},
		{"/home/me/basics/game.py|step", py},
		{"torch/optim/adam.py|_init_group", py | FactOptimizer | FactOptimizerInit},
		{"/x/bitsandbytes/optim/optimizer.py|init_state", py | FactOptimizer | FactOptimizerInit},
		{"torch/optim/optimizer.py|load_state_dict", py | FactOptimizerLoad | FactLoad},
		{"train.py|zero_grad", py | FactZeroGrad},
		{"torch/nn/utils/clip_grad.py|_get_total_norm", py | FactClipGrad},
		{"train.py|clip_grad_norm", py | FactClipGrad},

		{"torch/nn/modules/module.py|_apply", py | FactLoad},
		{"torch/nn/modules/module.py|bfloat16", py | FactLoad},
		{"torch/nn/modules/linear.py|__init__", py | FactLoad},
		{"model.py|__init__", py},
		{"model.py|load_state_dict", py | FactLoad},
		{"/x/modeling_utils.py|from_pretrained", py | FactLoad},
		{"/x/m.py|set_module_tensor_to_device", py | FactLoad},
		{"/x/m.py|_init_weights", py | FactLoad},
		{"/x/m.py|load_model_from", py | FactLoad},
		{"torch/serialization.py|load", py | FactLoad},
		{"/x/safetensors/torch.py|load_file", py | FactLoad},
		{"torch/nn/init.py|_no_grad_uniform_", py | FactLoad},
		{"torch/nn/parameter.py|__new__", py | FactLoad},

		{"torch/nn/modules/module.py|_call_impl", py | FactForward | FactModuleCall},
		{"model.py|forward", py | FactForward},
		{"model.py|Model.forward", py | FactForward},
		{"model.py|forward_all", py},
		{"torch/autograd/function.py|forward", py},
		{"torch/utils/data/_utils/pin_memory.py|pin", py | FactDataLoader},
	}
	for _, test := range tests {
		t.Run(test.stack, func(t *testing.T) {
			st, id := stackOf(test.stack)
			if got := st.Facts[id]; got != test.want {
				t.Errorf("facts %b, want %b: differ in %b", got, test.want, got^test.want)
			}
		})
	}
}

func TestMarker(t *testing.T) {
	tests := []struct {
		name, stack string
		want        Activity
	}{
		{"nothing", "", NoActivity},
		{"C++ only", testsnap.Native, InNative},
		{"user", testsnap.Loop, InUserCode},
		{"forward", testsnap.Module, InForward},
		{"forward by name", "model.py|forward\n" + testsnap.Loop, InForward},
		{"backward", testsnap.Engine, InBackward},
		{"recomputation in backward", testsnap.Module + "\n" + testsnap.Engine, InBackward},
		{"step", testsnap.Step, InOptimizer},
		{"closure inside a step", "model.py|forward\n" + testsnap.Step, InForward},
		{"backward inside a step", testsnap.Engine + "\n" + testsnap.Step, InBackward},
		{"zero_grad", testsnap.ZeroGrad, InZeroGrad},
		{"clipping", testsnap.ClipGrad, InClipping},
		{"loading", testsnap.Loading, InLoading},
		{"loading inside forward", testsnap.Loading + "\n" + testsnap.Module, InForward},
		{"data", testsnap.Dataset, InDataLoader},
		{"loading by a data loader", testsnap.Loading + "\n" + testsnap.Dataset, InLoading},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st, id := stackOf(test.stack)
			if got := st.Activity[id]; got != test.want {
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
		record      func(t *testsnap.Tape)
		alloc, free Activity
	}{
		{"Python alone", func(t *testsnap.Tape) { t.Run(1, testsnap.Module) }, InBackward, InBackward},
		{
			"Python and C++",
			func(t *testsnap.Tape) { t.Run(1, testsnap.Module); t.Run(1, testsnap.Native) },
			NoActivity,
			NoActivity,
		},
		{
			"C++ in a free",
			func(t *testsnap.Tape) { t.Free(t.Alloc(testsnap.Module, 1), testsnap.Native) },
			NoActivity,
			NoActivity,
		},
		{"no stacks", func(t *testsnap.Tape) { t.Run(1, "") }, NoActivity, NoActivity},
		{"frees without stacks", func(t *testsnap.Tape) { t.Free(t.Alloc(testsnap.Module, 1), "") }, InBackward, NoActivity},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			test.record(tape)
			s, d := tape.Replay()
			m := ActivitiesOf(Read(s), d.Events)
			if got := m.Alloc(0); got != test.alloc {
				t.Errorf("alloc marker %q, want %q", got, test.alloc)
			}
			if got := m.Free(0); got != test.free {
				t.Errorf("free marker %q, want %q", got, test.free)
			}
		})
	}
}
