package stacks

import (
	"testing"
)

func TestFrameClass(t *testing.T) {
	tests := []struct {
		file, name string
		want       FrameClass
	}{
		{"/home/me/train.py", "train", UserCode},
		{"/home/me/torch/train.py", "train", UserCode},
		{`C:\Users\me\proj\lib\model.py`, "forward", UserCode},
		{"/tmp/ipykernel_412/1805.py", "<module>", UserCode},
		{"/root/.ipykernel/88/command-77-2011", "fit", UserCode},
		{"<ipython-input-3-0af1>", "fit", UserCode},
		{"<stdin>", "<module>", UserCode},
		{"<string>", "<module>", UserCode},
		{"notebook.ipynb", "fit", UserCode},
		{"/tmp/ipykernel_412/cell", "fit", UserCode},
		{"/home/me/a>b.py", "f", UserCode},
		{"/home/me/python/lib/model.py", "f", UserCode},
		{"/home/me/not<torch/optim/adam.py", "f", UserCode},

		// What upstream's noise filter drops by a part of its name, and must not.
		{"/home/me/train.py", "train_start", UserCode},
		{"/home/me/train.py", "PyObject_pool", UserCode},
		{"/home/me/core/boxing.py", "box", UserCode},
		{"/home/me/train.py", "wrapper", UserCode},
		{"/home/me/train.py", "_call_impl", UserCode},

		{"/opt/venv/lib/python3.12/site-packages/torch/nn/functional.py", "linear", LibraryPython},
		{"/usr/lib/python3/dist-packages/einops/einops.py", "rearrange", LibraryPython},
		{"/usr/lib/python3.12/threading.py", "run", LibraryPython},
		{"/src/pytorch/torch/optim/adam.py", "adam", LibraryPython},
		{"torch/_tensor.py", "backward", LibraryPython},
		{`D:\venv\Lib\site-packages\torch\_tensor.py`, "backward", LibraryPython},
		{`C:\Python311\Lib\threading.py`, "run", LibraryPython},
		{"/home/me/miniconda3/envs/x/lib/python3.10/runpy.py", "_run_code", LibraryPython},
		{"/tmp/torchinductor_me/3u/c3uxh.py", "call", LibraryPython},
		{"<eval_with_key>.7", "forward", LibraryPython},
		{"<string>", "__init__", LibraryPython},
		{"/home/me/.triton/cache/x/launcher.py", "launch", LibraryPython},
		{"a/mytorch/b/torch/x/torch/cuda/memory.py", "empty_cache", LibraryPython},

		{"<frozen runpy>", "_run_module_as_main", Internal},
		{"torch/nn/modules/module.py", "_call_impl", Internal},
		{"torch/nn/modules/module.py", "Module._wrapped_call_impl", Internal},
		{"/x/site-packages/torch/utils/_contextlib.py", "decorate_context", Internal},
		{"torch/optim/optimizer.py", "Optimizer.profile_hook_step.<locals>.wrapper", Internal},
		{"??", "_PyEval_EvalFrameDefault", Internal},
		{"", "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", Internal},
		{"CUDACachingAllocator.cpp", "malloc", Internal},
		{"<", "malloc", Internal},
		{"../csu/libc-start.c", "__libc_start_main_impl", Internal},
	}
	for _, test := range tests {
		t.Run(test.file+":"+test.name, func(t *testing.T) {
			kind := kindOf(Slashed(test.file))
			if got := kind.class(baseFunction(test.name)); got != test.want {
				t.Errorf("class %d, want %d", got, test.want)
			}
		})
	}
}
