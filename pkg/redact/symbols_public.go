package redact

// publicNamespaces begin the C++ names of torch and of what it is built with.
var publicNamespaces = set(
	"at", "c10", "c10d", "torch", "caffe2", "std", "pybind11", "cub", "thrust", "cutlass", "cute", "cudnn_frontend",
	"dnnl", "onednn", "fbgemm",
	"fbgemm_gpu", "gloo", "tensorpipe", "nccl", "flash", "pytorch_flash", "sycl", "__gnu_cxx", "__cxxabiv1", "at_npu",
	"c10_npu", "torch_npu",
	"torch_xla", "functorch",
)

// publicSymbols are words of C++, and functions of the C library and of Python whose names have no prefix.
var publicSymbols = set(
	"alignas", "auto", "bool", "char", "char16_t", "char32_t", "class", "const", "constexpr", "decltype", "double",
	"enum", "false", "float", "for",
	"inline", "int", "lambda", "long", "mutable", "namespace", "anonymous", "noexcept", "nullptr", "operator", "short",
	"signed", "sizeof", "static",
	"struct", "template", "true", "type", "typename", "union", "unsigned", "void", "volatile", "wchar_t", "new",
	"delete", "delete_", "if", "else",
	"return", "u", "ul", "ull", "l", "ll", "abi", "cxx11", "clone", "cold", "isra", "constprop", "part", "localalias",
	"lto_priv", "plt", "main",
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
