"""What torch writes on other devices than CUDA, and what other programs write, for make.py."""

from recording import STEP, MiB, Recording, run


def rocm():
    """torch on AMD's GPUs: the schema of CUDA with other names of files and settings."""
    hip = [{"name": "c10::hip::HIPCachingAllocator::malloc", "filename": "/opt/rocm/c10/hip/HIPCachingAllocator.cpp",
            "line": 0}] + STEP
    r = run(conf="release_lock_on_hipmalloc:True,pinned_use_hip_host_register:True",
            settings={"release_lock_on_cudamalloc": True, "pinned_use_hip_host_register": True})
    for e in r.events:
        e["frames"] = hip
    return r.snapshot()


def hip_async():
    """Another allocator than the one that memviz knows."""
    return run("backend:hipMallocAsync", {"release_lock_on_hipmalloc": False}).snapshot()


def xpu():
    """torch on Intel's GPUs: high addresses, streams that are pointers, few keys."""
    high, stream = 18446720620317114368, 94236512
    r = Recording(compile_context=None, user_metadata=None, pool_id=None, stream=stream)
    r.segment(high, 20 * MiB)
    r.alloc(high, 4 * MiB)
    r.alloc(high + 4 * MiB, 6 * MiB)
    r.free(high + 4 * MiB)
    s = r.snapshot()
    s["segments"][0]["stream"] = stream
    return {"segments": s["segments"], "device_traces": s["device_traces"],
            "allocator_settings": {"PYTORCH_ALLOC_CONF": "", "expandable_segments": False}}


def npu():
    """torch_npu: no times, no settings, another order of keys, and 32 bytes more for each request."""
    r = run(padding=32, compile_context=None, user_metadata=None, pool_id=None, time_us=None)
    r.event("workspace_snapshot", 0, 0)
    s = r.snapshot()
    for seg in s["segments"]:
        kind, blocks = seg.pop("segment_type"), seg.pop("blocks")
        seg["segment_type"] = kind
        seg["blocks"] = blocks
    return {"segments": s["segments"], "device_traces": s["device_traces"] + [[] for _ in range(7)]}


def npu_native():
    """torch_npu's C++ writer: no segment_pool_id either."""
    s = npu()
    for seg in s["segments"]:
        del seg["segment_pool_id"]
    for e in s["device_traces"][0]:
        e["frames"] = [{"name": "c10_npu::NPUCachingAllocator::malloc",
                        "filename": "/torch_npu/csrc/core/npu/NPUCachingAllocator.cpp", "line": 0}] + STEP
    return s


def npu_settings():
    """torch_npu with settings, of which one changes what its allocator does in a way that is not known."""
    s = npu()
    s["allocator_settings"] = {"PYTORCH_NPU_ALLOC_CONF":
                               "page_size:1g,base_addr_aligned_kb:16,throw_on_npumalloc_oom:True,"
                               "pin_memory_expandable_segments:True,multi_stream_lazy_reclaim:True"}
    return s


def mlx(families=("parameter", "activation", "temporary")):
    """MLX: no final segments, no free_requested, the primitive as metadata."""
    parameter, activation, temporary = families
    events, low = [], 0x100000000

    def event(action, addr, size, primitive="", category=None, frames=None):
        e = {"action": action, "addr": addr, "size": size, "stream": 0,
             "time_us": 1_700_000_000_000_000 + 250 * len(events), "user_metadata": primitive, "frames": frames or []}
        if category:
            e["category"] = category
        events.append(e)

    def made(addr, size, primitive, category, line):
        event("alloc", addr, size, primitive, category,
              [{"name": "__call__", "filename": "/src/model.py", "line": line}])

    event("segment_alloc", low, 16 * MiB)
    made(low, 16 * MiB, "Load", parameter, 12)
    event("segment_alloc", low + 32 * MiB, 8 * MiB)
    made(low + 32 * MiB, 8 * MiB, "Matmul", activation, 20)
    event("free_completed", low + 32 * MiB, 8 * MiB)
    made(low + 32 * MiB, 8 * MiB, "Softmax", activation, 24)
    event("segment_alloc", low + 64 * MiB, 4 * MiB)
    made(low + 64 * MiB, 4 * MiB, "Add", temporary, 25)
    event("free_completed", low + 64 * MiB, 4 * MiB)
    event("segment_free", low + 64 * MiB, 4 * MiB)
    return {"segments": [], "device_traces": [events]}


def mlx_categories():
    """MLX with categories that are not known."""
    return mlx(("parameter", "wobble", "wibble"))
