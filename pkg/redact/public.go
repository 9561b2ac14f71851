package redact

// set is a set of names.
func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// publicPackages are publicly available packages; their files and functions reveal
// nothing about the user.
var publicPackages = set(
	"torch", "torchvision", "torchaudio", "torchtext", "torchdata", "torchao", "torchtune", "torchtitan", "torchrec",
	"torchmetrics", "torchgen",
	"functorch", "torch_npu", "torch_xla", "torch_geometric", "intel_extension_for_pytorch", "transformers",
	"accelerate", "diffusers", "datasets",
	"tokenizers", "safetensors", "peft", "trl", "timm", "sentence_transformers", "huggingface_hub", "evaluate",
	"optimum", "bitsandbytes", "apex",
	"deepspeed", "megatron", "fairscale", "colossalai", "lightning", "pytorch_lightning", "lightning_fabric",
	"lightning_utilities", "composer",
	"xformers", "flash_attn", "transformer_engine", "triton", "vllm", "sglang", "einops", "einx", "numpy", "scipy",
	"pandas", "sklearn", "matplotlib",
	"PIL", "tqdm", "hydra", "omegaconf", "absl", "click", "fire", "typer", "wandb", "tensorboard", "mlflow", "ray",
	"joblib", "cloudpickle", "dill",
	"IPython", "ipykernel", "ipywidgets", "tornado", "traitlets", "zmq", "jupyter_client", "nbclient", "debugpy",
	"pytest", "_pytest", "pluggy",
	"unittest", "setuptools", "pkg_resources", "typing_extensions", "packaging", "sympy", "networkx", "jinja2",
	"requests", "urllib3", "fsspec",
	"monai", "nemo", "nemo_toolkit", "open_clip", "clip", "segmentation_models_pytorch", "ultralytics", "mmengine",
	"mmcv", "mmdet", "detectron2",
)

// standardModules are modules of the standard library that appear on stacks.
var standardModules = set(
	"_bootstrap", "abc", "argparse", "ast", "asyncio", "atexit", "base64", "bdb", "bisect", "builtins", "cProfile",
	"calendar", "cmd", "code", "codecs",
	"codeop", "collections", "compileall", "concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg",
	"csv", "ctypes", "dataclasses",
	"datetime", "decimal", "dis", "doctest", "email", "encodings", "enum", "faulthandler", "fileinput", "fnmatch",
	"fractions", "functools", "gc",
	"genericpath", "getpass", "gettext", "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http", "importlib",
	"inspect", "io", "ipaddress",
	"itertools", "json", "keyword", "linecache", "locale", "logging", "lzma", "math", "mimetypes", "multiprocessing",
	"netrc", "numbers", "operator",
	"optparse", "os", "pathlib", "pdb", "pickle", "pkgutil", "platform", "posixpath", "ntpath", "pprint", "profile",
	"pstats", "pty", "py_compile",
	"pydoc", "queue", "random", "re", "reprlib", "runpy", "sched", "secrets", "select", "selectors", "shelve", "shlex",
	"shutil", "signal", "site",
	"socket", "socketserver", "sqlite3", "ssl", "stat", "statistics", "string", "struct", "subprocess", "sys",
	"sysconfig", "tarfile", "tempfile",
	"textwrap", "threading", "time", "timeit", "token", "tokenize", "trace", "traceback", "tracemalloc", "types",
	"typing", "unittest", "urllib",
	"uuid", "venv", "warnings", "wave", "weakref", "xml", "zipfile", "zipimport", "zlib",
)

// commonFolders are folders that many machines have.
var commonFolders = set(
	".", "..", "~", "bin", "build", "content", "dist", "envs", "etc", "home", "include", "local", "mnt", "opt", "root",
	"scratch", "share", "src",
	"srv", "tmp", "usr", "var", "Users", "site", "AppData", "Local", "Roaming", "Programs", "miniconda3", "anaconda3",
	"miniforge3", "mambaforge", "conda", "venv", ".venv", ".local", ".cache", "workspace", "csu", "sysdeps", "nptl",
	"misc", "Python", "Objects",
	"Modules", "Include", "internal",
)

// commonFiles are names that every program has.
var commonFiles = set(
	"__init__.py", "__main__.py", "setup.py",
)

// commonExtensions are file extensions that everybody uses.
var commonExtensions = set(
	".py", ".pyc", ".pyw", ".pyx", ".pyi", ".ipynb", ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".S",
	".so", ".o", ".pickle", ".pkl",
	".pt", ".pth", ".json", ".html", ".zip", ".txt", ".yaml", ".yml", ".bin", ".safetensors",
)

// commonFunctions are names that Python gives or requires, and main.
var commonFunctions = set(
	"<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<locals>", "main", "call",
	"__init__", "__new__", "__call__",
	"__enter__", "__exit__", "__aenter__", "__aexit__", "__del__", "__iter__", "__next__", "__getitem__", "__setitem__",
	"__getattr__", "__setattr__",
	"__delattr__", "__getattribute__", "__len__", "__add__", "__radd__", "__mul__", "__rmul__", "__sub__",
	"__truediv__", "__matmul__", "__neg__",
	"__pow__", "__repr__", "__str__", "__eq__", "__hash__", "__reduce__", "__setstate__", "__getstate__",
	"__post_init__", "__getitems__",
)

// generatedNames are the prefixes that Python and its libraries give to code without a
// file. The longest match is tried first.
var generatedNames = []string{
	"<frozen ", "<string>", "<stdin>", "<ipython-input-", "<cell ", "<command-", "<python-input-", "<eval_with_key>",
	"<decorator-gen-", "<attrs generated ", "<torch_package_", "<doctest ", "<__array_function__ internals>",
	"<unknown>", "<console>",
}

// nativeFiles are files of torch, Python and the C library that appear on C++ stacks. Torch's
// build splits some of them and numbers the parts.
var nativeFiles = set(
	"RegisterCUDA.cpp", "RegisterCPU.cpp", "RegisterCompositeExplicitAutograd.cpp",
	"RegisterCompositeImplicitAutograd.cpp",
	"RegisterCompositeExplicitAutogradNonFunctional.cpp", "RegisterBackendSelect.cpp", "VariableType.cpp",
	"ADInplaceOrViewType.cpp", "TraceType.cpp",
	"Functions.cpp", "python_variable.cpp", "python_variable_methods.cpp", "python_torch_functions.cpp",
	"python_nn_functions.cpp",
	"python_function.cpp", "python_engine.cpp", "engine.cpp", "input_buffer.cpp", "accumulate_grad.cpp",
	"CUDACachingAllocator.cpp",
	"memory_snapshot.cpp", "TensorImpl.cpp", "PyInterpreter.cpp", "Blas.cpp", "Linear.cpp", "TensorFactories.cpp",
	"guards.cpp", "ceval.c", "call.c",
	"typeobject.c", "methodobject.c", "object.c", "dictobject.c", "descrobject.c", "abstract.c", "pythonrun.c",
	"main.c", "bytecodes.c",
	"pycore_ceval.h", "pycore_call.h", "generated_cases.c.h", "libc-start.c", "libc_start_call_main.h",
	"pthread_create.c", "clone3.S", "clone.S",
)

// settingWords are what torch knows in allocator_settings and in PYTORCH_CUDA_ALLOC_CONF.
var settingWords = set(
	"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF",
	"max_split_size", "max_split_size_mb",
	"max_non_split_rounding_mb", "max_non_split_rounding_size", "garbage_collection_threshold", "expandable_segments",
	"expandable_segments_handle_type", "roundup_power2_divisions", "roundup_bypass_threshold_mb",
	"pinned_num_register_threads",
	"pinned_use_cuda_host_register", "pinned_use_background_threads", "pinned_reserve_segment_size_mb",
	"release_lock_on_cudamalloc",
	"graph_capture_record_stream_reuse", "per_process_memory_fraction", "large_segment_size_mb",
	"throw_on_cudamalloc_oom", "throw_on_hipmalloc_oom", "throw_on_npumalloc_oom", "backend", "native",
	"max_round_threshold", "max_cached_size", "pinned_max_round_threshold_mb", "pinned_max_cached_size_mb",
	"pinned_max_round_size_mb", "pinned_use_hip_host_register", "pinned_free_catch_all", "release_lock_on_hipmalloc",
	"expandable_segments_reserve", "expandable_segments_reserve_by_class", "pin_memory_expandable_segments",
	"multi_stream_lazy_reclaim", "page_size", "base_addr_aligned_kb",
	"cudaMallocAsync", "use_async_allocator", "accelerator_allocator_settings", "last_allocator_settings",
	"trace_alloc_overflowed",
	"trace_alloc_max_entries", "true", "false", "True", "False", "none", "None",
)

// publicNamespaces begin the C++ names of torch and its dependencies.
var publicNamespaces = set(
	"at", "c10", "c10d", "torch", "caffe2", "std", "pybind11", "cub", "thrust", "cutlass", "cute", "cudnn_frontend",
	"dnnl", "onednn", "fbgemm",
	"fbgemm_gpu", "gloo", "tensorpipe", "nccl", "flash", "pytorch_flash", "sycl", "__gnu_cxx", "__cxxabiv1", "at_npu",
	"c10_npu", "torch_npu",
	"torch_xla", "functorch",
)

// cppWords are words of C++, and what compilers add to names.
var cppWords = set(
	"alignas", "auto", "bool", "char", "char16_t", "char32_t", "class", "const", "constexpr", "decltype", "double",
	"enum", "false", "float", "for",
	"inline", "int", "lambda", "long", "mutable", "namespace", "anonymous", "noexcept", "nullptr", "operator", "short",
	"signed", "sizeof", "static",
	"struct", "template", "true", "type", "typename", "union", "unsigned", "void", "volatile", "wchar_t", "new",
	"delete", "delete_", "if", "else",
	"return", "u", "ul", "ull", "l", "ll", "abi", "cxx11", "clone", "cold", "isra", "constprop", "part", "localalias",
	"lto_priv", "plt", "main",
)

// publicSymbols are functions of the C library and of Python whose names have no prefix.
var publicSymbols = set(
	"_start", "start_thread", "execute_native_thread_routine", "llvm", "__clone", "__clone3", "clone3",
	"__nv_hdl_wrapper_t", "__nv_dl_tag",
	"CUstream_st", "_object", "cfunction_call", "cfunction_vectorcall_FASTCALL_KEYWORDS", "method_vectorcall",
	"run_mod", "run_eval_code_obj",
	"pyrun_file", "pyrun_string", "binary_op", "binary_op1", "ternary_op", "do_richcompare", "type_call",
	"object_vacall", "vectorcall_maybe",
	"vectorcall_method", "subtype_dealloc", "dict_dealloc", "list_dealloc", "tuple_dealloc", "cell_dealloc",
	"structseq_dealloc", "func_dealloc",
	"frame_dealloc", "gen_send_ex", "gen_close", "builtin_exec", "call_function", "call_method", "do_call_core",
	"trace_call_function",
	"AccumulateGrad_apply_impl", "reset_", "reset_not_null_", "gather_with_cpp", "empty_memory_format",
)

// publicSymbolPrefixes begin the functions of Python, the C library, CUDA and
// torch's own C and generated code.
var publicSymbolPrefixes = []string{
	"PyObject_", "_PyObject_", "PyEval_", "_PyEval_", "PyFunction_", "_PyFunction_", "PyCFunction_", "PyCMethod_",
	"PyMethod_", "PyType_", "_PyType_", "PyRun_", "_PyRun_",
	"Py_Run", "Py_Bytes", "Py_Main", "_Py_", "PyDict_", "_PyDict_", "PyList_", "PyTuple_", "_PyTuple_", "PyModule_",
	"PyImport_", "PyGen_", "_PyGen_", "PyFrame_", "_PyFrame_",
	"PyThread_", "PyCode_", "PyNumber_", "PySequence_", "PyMapping_", "PyIter_", "PySet_", "_PySet_", "PyErr_",
	"_PyErr_", "PyException_", "PyLong_", "PyUnicode_", "_PyUnicode_",
	"PyDescr_", "PyWeakref_", "PyCallable_", "PyVectorcall_", "PyGC_", "_PyGC_", "pymain_", "slot_tp_", "slot_nb_",
	"slot_sq_", "slot_mp_", "method_vectorcall_", "gc_collect",
	"__libc_", "pthread_", "cublas", "cublasLt", "cudnn", "cudaMalloc", "cudaFree", "THPVariable", "THPFunction_",
	"THPEngine", "THPModule_", "dynamo_", "dynamo__",
	"wrapper_CUDA_", "wrapper_CPU_", "wrapper_Composite", "structured_",
}
