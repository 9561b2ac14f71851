"""Writes one small snapshot for each thing that torch 2.12 to 2.14 and other
programs write and that earlier torch did not.

    python3 make.py

needs Python 3.9 or later and nothing else. The files are JSON, so that a change
of them can be read. All were made by hand, from torch's sources, release notes
and pull requests; none is a recording.
"""

import json
import pathlib

from recording import BASE, STEP, Host, MiB, Recording, run
from writers import hip_async, mlx, mlx_categories, npu, npu_native, npu_settings, rocm, xpu

HERE = pathlib.Path(__file__).parent


def annotate():
    """A note on a live tensor, two on another, and one on a block from before the recording."""
    r = run()
    early = BASE - 64 * MiB  # allocated before the first event
    r.segment(early, 20 * MiB, action=None)
    r.live[early] = 2 * MiB
    r.event("annotate", early, 0, user_metadata="tokens")
    r.alloc(BASE + 4 * MiB, 3 * MiB, user_metadata="epoch 1")
    r.event("annotate", BASE, 0, user_metadata="weights")
    r.event("annotate", BASE + 4 * MiB, 0, user_metadata="logits")
    r.event("annotate", BASE + 4 * MiB, 0, user_metadata="of the last batch")
    return r.snapshot()


def internal_metadata():
    """The pair of events that mallocWithAddress makes."""
    r = run()
    r.alloc(BASE + 4 * MiB, MiB * 2, internal_metadata="mallocWithAddress")
    r.free(BASE + 4 * MiB, internal_metadata="mallocWithAddress")
    return r.snapshot()


def metadata_dict():
    """A dict of the program, as JSON; autograd's threads have none."""
    r = run(user_metadata='{"step":1,"stage":"train"}')
    r.alloc(BASE + 4 * MiB, 2 * MiB, user_metadata='{"step":2,"stage":"train"}')
    r.alloc(BASE + 6 * MiB, 3 * MiB, user_metadata='{"step":2,"stage":"eval"}\nmallocWithAddress')
    r.alloc(BASE + 9 * MiB, 3 * MiB, user_metadata="")
    return r.snapshot()


def graph_pools():
    """One CUDA graph with two private pools."""
    r = run()
    for i, pool in enumerate([(0, 1), (0, 2)]):
        r.segment(BASE + (64 + 32 * i) * MiB, 20 * MiB, pool)
        r.alloc(BASE + (64 + 32 * i) * MiB, 8 * MiB, pool_id=list(pool))
    return r.snapshot()


def event_pools():
    """A private pool that is gone at the end: only the events say what lay in it."""
    r = run()
    at, pool = BASE + 64 * MiB, (1, 0)
    r.segment(at, 20 * MiB, pool)
    r.alloc(at, 8 * MiB, pool_id=list(pool))
    r.free(at, pool_id=list(pool))
    r.release(at, pool_id=list(pool))
    return r.snapshot()


def no_split():
    """A pool whose blocks are never split: small requests in whole segments."""
    r = run()
    for i in range(3):
        r.segment(BASE + (64 + 32 * i) * MiB, 20 * MiB, (1, 0))
        r.alloc(BASE + (64 + 32 * i) * MiB, 2 * MiB, pool_id=[1, 0])
    s = r.snapshot()
    for seg in s["segments"][1:]:
        seg["blocks"] = [{**seg["blocks"][0], "size": 20 * MiB}]
        seg["allocated_size"] = seg["active_size"] = 20 * MiB
    return s


def skip_actions():
    """Expandable segments, whose growth cannot be skipped, without free_requested."""
    r = Recording()
    r.conf, r.settings = "expandable_segments:True", {"expandable_segments": True}
    r.segment(BASE, 20 * MiB, action="segment_map")
    r.alloc(BASE, 4 * MiB)
    r.alloc(BASE + 4 * MiB, 6 * MiB)
    r.free(BASE + 4 * MiB, requested=False)
    return r.snapshot()


def overflowed():
    """One fork says at the top level that its ring buffer was full."""
    r = run()
    r.events = r.events[1:]
    return r.snapshot(trace_alloc_max_entries=[4], trace_alloc_overflowed=[True])


def settings_213():
    """Keys of 2.13, which are about pinned memory of the host."""
    return run(settings={"max_round_threshold": 64 * MiB, "max_cached_size": -1}).snapshot()


def settings_of_a_fork():
    return run(settings={"pinned_max_round_size_mb": 64, "pinned_max_cached_size_mb": 128}).snapshot()


def large_segments():
    """large_segment_size_mb:64: one segment of 64 MiB for all requests of 1 to 10 MiB."""
    r = Recording()
    r.conf = "large_segment_size_mb:64"
    r.segment(BASE, 64 * MiB)
    for i in range(6):
        r.alloc(BASE + 8 * i * MiB, 8 * MiB)
    r.free(BASE)
    return r.snapshot()


def non_split_rounding():
    """large_segment_size_mb is the default of max_non_split_rounding_mb too: 70 MiB fit into a block of 110 MiB that
    may not be split, and with a default of 20 MiB would not."""
    r = Recording()
    r.conf, r.settings = "large_segment_size_mb:64,max_split_size_mb:64", {"max_split_size": 64 * MiB}
    r.segment(BASE, 110 * MiB)
    r.alloc(BASE, 110 * MiB)
    r.free(BASE)
    r.alloc(BASE, 70 * MiB)
    s = r.snapshot()
    seg = s["segments"][0]
    seg["blocks"] = [{**seg["blocks"][0], "size": 110 * MiB}]
    seg["allocated_size"] = seg["active_size"] = 110 * MiB
    return s


def large_pages():
    """The same with expandable segments, whose pages are as large: a hole of 30 MiB has two whole pages of 12 MiB."""
    r = Recording()
    r.conf, r.settings = "expandable_segments:True,large_segment_size_mb:12", {"expandable_segments": True}
    r.segment(BASE, 12 * MiB, action="segment_map")
    r.alloc(BASE, 6 * MiB)
    for at, mapped, size in (6, 24, 30), (36, 12, 8):
        r.event("segment_map", BASE + (48 - mapped if at == 36 else 12) * MiB, mapped * MiB)
        r.alloc(BASE + at * MiB, size * MiB)
    r.segments[BASE] = (48 * MiB, [0, 0], True)
    r.free(BASE + 6 * MiB)
    return r.snapshot()


def odd_large_segments():
    """large_segment_size_mb may be odd."""
    r = Recording()
    r.conf = "large_segment_size_mb:25"
    r.segment(BASE, 25 * MiB)
    for i in range(2):
        r.alloc(BASE + 8 * i * MiB, 8 * MiB)
    return r.snapshot()


def divisions():
    """roundup_power2_divisions with ">". Newer torch does not change the key before it, as its table says: 33 MiB take
    40 and not 36."""
    table = {str(1 << i): 2 if i < 3 else 0 if i < 5 else 4 if i == 5 else 8 for i in range(16)}
    r = run("roundup_power2_divisions:[4:2,32:4,>:8]", {"roundup_power2_divisions": table})
    at = BASE + 64 * MiB
    r.segment(at, 40 * MiB)
    r.alloc(at, 33 * MiB)
    s = r.snapshot()
    seg = s["segments"][1]
    seg["blocks"] = [{**seg["blocks"][0], "size": 40 * MiB}]
    seg["allocated_size"] = seg["active_size"] = 40 * MiB
    return s


def fraction():
    return run(conf="per_process_memory_fraction:0.5").snapshot()


def fraction_and_threshold():
    """garbage_collection_threshold works on the limit, which is in the file."""
    return run("per_process_memory_fraction:0.5,garbage_collection_threshold:0.8",
               {"garbage_collection_threshold": 0.8}).snapshot()


def throw_on_oom():
    """A refusal at the limit, without giving back the cache before."""
    r = run(conf="per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True")
    r.event("oom", 100 * MiB, 64 * MiB)
    return r.snapshot()


def reserve():
    conf = ("expandable_segments:True,expandable_segments_reserve:0.5,"
            "expandable_segments_reserve_by_class:[weights:0.25,cache:40G],garbage_collection_threshold:0.8")
    r = Recording()
    r.conf, r.settings = conf, {"expandable_segments": True, "garbage_collection_threshold": 0.8}
    r.segment(BASE, 20 * MiB, action="segment_map")
    r.alloc(BASE, 4 * MiB)
    r.alloc(BASE + 4 * MiB, 6 * MiB)
    r.free(BASE + 4 * MiB)
    return r.snapshot()


def reserve_too_small():
    """A request of 3 GiB while the device has 10 GiB free, and a segment may have 1 GiB of addresses."""
    r = Recording()
    r.conf, r.settings = "expandable_segments:True,expandable_segments_reserve:1G", {"expandable_segments": True}
    r.segment(BASE, 20 * MiB, action="segment_map")
    r.alloc(BASE, 12 * MiB)
    r.event("oom", 10240 * MiB, 3072 * MiB)
    return r.snapshot()


def reserve_by_class():
    """The same where the reserve is that of a class, and a share of a device whose memory is not known."""
    s = reserve_too_small()
    s["allocator_settings"]["PYTORCH_CUDA_ALLOC_CONF"] = \
        "expandable_segments:True,expandable_segments_reserve_by_class:[weights:0.125]"
    return s


def pinned_options():
    """Options about pinned memory of the host, which have no effect on the GPU."""
    return run(conf="pinned_max_round_threshold_mb:64,pinned_max_cached_size_mb:128,pinned_reserve_segment_size_mb:256,"
                    "pinned_free_catch_all:True,pinned_use_background_threads:True").snapshot()


def host_only():
    """record_cuda=False: pinned host memory and nothing of a GPU. One block waits for a copy at the end."""
    h = Host()
    for at, size, state in (0, 4, "active_allocated"), (8, 8, "active_pending_free"), (32, 2, "inactive"):
        h.event("segment_alloc", at, size)
        h.event("alloc", at, size)
        h.segment(at, size, state)
    h.event("free_requested", 8, 8)
    h.event("free_requested", 32, 2)
    h.event("free_completed", 32, 2)
    return {"segments": [], "device_traces": [[]], **h.lists(), "external_annotations": []}


def host_not_recorded():
    """torch 2.14 writes the lists of host memory also where it did not record any."""
    return run().snapshot(host_segments=[], host_traces=[])


def host_pools():
    """Host memory of a private pool, which only its segments say."""
    h = Host()
    for at, pool in (0, (0, 0)), (8, (0, 1)):
        h.event("segment_alloc", at, 4)
        h.event("alloc", at, 4)
        h.segment(at, 4, "active_allocated", pool)
    return run().snapshot(**h.lists())


def host_cached_size():
    """A block above max_cached_size goes back to the system as soon as it is free."""
    h = Host()
    h.event("segment_alloc", 0, 256)
    for action in "alloc", "free_requested", "free_completed", "segment_free":
        h.event(action, 0, 256)
    h.event("segment_alloc", 512, 64)
    for action in "alloc", "free_requested", "free_completed":
        h.event(action, 512, 64)
    h.segment(512, 64, "inactive")
    return run(settings={"max_round_threshold": -1, "max_cached_size": 128 * MiB}).snapshot(**h.lists())


def host_swapped():
    """Threads write without one lock: the next use of a block stands before the end of the one before."""
    h = Host()
    h.event("segment_alloc", 0, 4)
    h.event("alloc", 0, 4)
    h.event("free_requested", 0, 4)
    h.event("alloc", 0, 4)
    h.event("free_completed", 0, 4)
    h.segment(0, 4, "active_allocated")
    return run().snapshot(**h.lists())


def forward_frames():
    """The C++ writer, from 2.12 on: what is allocated in a backward pass has the frames of its forward pass."""
    native = [{"name": "torch::autograd::Engine::evaluate_function", "filename": "engine.cpp", "line": 1}]
    attend = ['  File "/src/model.py", line 7, in attend\n    x = softmax(q @ k)\n']
    r = Recording(compile_context=None, user_metadata=None)
    r.segment(BASE, 20 * MiB)
    r.alloc(BASE, 4 * MiB)
    r.alloc(BASE + 4 * MiB, 6 * MiB, frames=native, forward_frames=attend)
    return r.snapshot()


def future():
    """What nobody has written yet: a list, a setting, a key in each record, an action."""
    r = run(settings={"warp_drive": True}, mood="calm")
    r.event("defragment", BASE, 4 * MiB)
    r.event("defragment", BASE, 4 * MiB)
    s = r.snapshot(orbital_segments=[{"device": 0, "address": 1, "total_size": 2}], orbital_traces=[r.events[:1]])
    s["segments"][0]["tide"] = 3
    s["segments"][0]["blocks"][0]["tide"] = 3
    return s


def future_values():
    """Known keys with values that nobody has written yet."""
    r = run(category="wobble")
    s = r.snapshot()
    s["segments"][0]["segment_type"] = "medium"
    for block in s["segments"][0]["blocks"]:
        block["state"] = {"active_allocated": "active_mirrored", "inactive": "inactive_zeroed"}[block["state"]]
    return s


def accelerator_without_support():
    """torch.accelerator.memory on a device that has no snapshots."""
    return {}


SAMPLES = [
    accelerator_without_support, annotate, divisions, event_pools, forward_frames, fraction,
    fraction_and_threshold, future, future_values, graph_pools, hip_async, host_cached_size,
    host_not_recorded, host_only, host_pools, host_swapped, internal_metadata, large_pages, large_segments,
    metadata_dict, mlx, mlx_categories, no_split, non_split_rounding, npu, npu_native, npu_settings,
    odd_large_segments, overflowed, pinned_options, reserve, reserve_by_class, reserve_too_small, rocm,
    settings_213, settings_of_a_fork, skip_actions, throw_on_oom, xpu,
]

if __name__ == "__main__":
    for sample in SAMPLES:
        (HERE / (sample.__name__ + ".json")).write_text(json.dumps(sample(), indent=1) + "\n")
