"""Writes one small story in every encoding that snapshots come in.

    python3 make.py

needs Python 3.9 or later and nothing else: what torch would do is done by hand.
The same Python writes the same bytes. The one file that it cannot write,
story.pickle.zst, is written by go test ./pkg/snapshot -run TestEncodings -update.
"""

import base64
import collections
import gzip
import io
import json
import pathlib
import pickle
import struct
import zipfile

HERE = pathlib.Path(__file__).parent
NO_LINE = 2**64 - 1
HIGH = 18446720620317114368  # an address of Intel's GPUs


def frame(filename, line, name, **more):
    return {"name": name, "filename": filename, "line": line, **more}


# What all objects of a recording share, torch shares too: frames, and the list
# of frames of an allocation and its block.
MM = frame("??", NO_LINE, "at::_ops::mm::call(at::Tensor const&, \"<x>\")")
FORWARD = frame("/src/modèle.py", 12, "forward", fx_node_op="call_function", fx_node_name="mm", fx_node_target="aten.mm",
                fx_original_trace="File \"modèle.py\", line 12\n    y = x @ w\n", fx_node_info={"stage": "fx"})
STEP = frame("/src/train.py", 40, "step")
FORWARD_STACK = [MM, FORWARD, STEP]
STEP_STACK = [STEP]


def event(action, size, addr=None, frames=None, time=0, pool=(0, 0), metadata="", context="N/A", **more):
    e = {"action": action}
    if addr is not None:
        e["addr"] = addr
    e.update(more)
    e.update(size=size, stream=0, time_us=1_700_000_000_000_000 + time, compile_context=context, user_metadata=metadata, pool_id=pool)
    if frames is not None:
        e["frames"] = frames
    return e


def segment(device, address, size, blocks, pool=(0, 0), expandable=False):
    active = [b for b in blocks if b["state"] != "inactive"]
    return {
        "device": device, "address": address, "total_size": size,
        "allocated_size": sum(b["size"] for b in active), "active_size": sum(b["size"] for b in active),
        "requested_size": sum(b["requested_size"] for b in active),
        "stream": 0, "segment_type": "small" if size <= 2 << 20 else "large", "segment_pool_id": pool,
        "is_expandable": expandable, "frames": STEP_STACK, "blocks": blocks,
    }


def block(address, size, requested, state, frames):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames,
            "forward_frames": ["  File \"modèle.py\", line 12\n"]}


def segments():
    low = 0x7F0000000000
    return [
        segment(0, low, 2 << 20, [
            block(low, 1024, 1000, "inactive", []),
            block(low + 1024, 512, 500, "active_allocated", FORWARD_STACK),
            block(low + 1536, (2 << 20) - 1536, 0, "inactive", []),
        ]),
        segment(1, HIGH, 20 << 20, [block(HIGH, 20 << 20, 20 << 20, "active_pending_free", STEP_STACK)], pool=(0, 3), expandable=True),
    ]


def story():
    low = 0x7F0000000000
    return {
        "segments": segments(),
        "device_traces": [
            [
                event("segment_alloc", 2 << 20, low, STEP_STACK),
                event("alloc", 1000, low, FORWARD_STACK, 5, context="Torch-Compiled Region: 0/1", forward_frames=["x\n"]),
                event("alloc", 500, low + 1024, FORWARD_STACK, 6, metadata="logits"),
                event("annotate", 0, low, STEP_STACK, 7, metadata={"stage": "eval", "action": "warm up", "filename": "x", "n": 3}),
                event("free_requested", 1000, low, STEP_STACK, 8),
                event("free_completed", 1000, low, STEP_STACK, 8),
                event("oom", 1 << 41, None, FORWARD_STACK, 9, device_free=12345),
                event("snapshot", 512, 0, None, 10),
                event("defragment", 1, low, None, 11, wave=[1, 2]),
            ],
            [
                event("segment_map", 20 << 20, HIGH, STEP_STACK, pool=(0, 3)),
                event("alloc", 20 << 20, HIGH, STEP_STACK, 1, pool=(0, 3)),
                event("free_requested", 20 << 20, HIGH, STEP_STACK, 2, pool=(0, 3)),
            ],
            [],
        ],
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "max_split_size": -1, "garbage_collection_threshold": 0.8,
            "expandable_segments": True, "roundup_power2_divisions": {"1": 0, "2": 4}, "nobody_knows": float("nan"),
            "trace_alloc_overflowed": [False, True],
        },
        "external_annotations": [
            {"name": "Optimizer.step#AdamW.step", "stage": "START", "device": 0, "time_us": 1_700_000_000_000_003, "rank": "0"},
            {"time_us": 1_700_000_000_000_009, "stage": "END", "name": "Optimizer.step#AdamW.step", "device": 0},
        ],
        "host_segments": segments()[:1],
        "host_traces": [event("alloc", 8, 4096, STEP_STACK)],
        "trace_alloc_max_entries": 100000,
        "nobody_knows": {"since": 2030},
    }


def torch20():
    """Torch 2.0: a history in place of frames, no address, no time."""
    old = {"filename": "/src/old.py", "name": "f", "line": 3}
    return {
        "segments": [{
            "device": 0, "address": 1 << 30, "total_size": 4096, "allocated_size": 1024, "active_size": 1024, "stream": 0,
            "segment_type": "small", "blocks": [
                {"size": 1024, "state": "active_allocated", "history": [{"addr": 1 << 30, "real_size": 700, "frames": [old]}]},
                {"size": 3072, "state": "inactive"},
            ]}],
        "device_traces": [[{"action": "alloc", "addr": 1 << 30, "size": 700, "stream": 0, "frames": [old]}]],
    }


def npu():
    """torch_npu 2.1: other key order, no time, a stream that is a pointer, eight devices."""
    low = 0x12C0C0000000
    return {
        "segments": [{
            "device": 0, "address": low, "total_size": 2 << 20, "allocated_size": 512, "active_size": 512, "requested_size": 32,
            "stream": 94236512, "segment_pool_id": (0, 0), "segment_type": "small", "is_expandable": False, "frames": [],
            "blocks": [{"address": low, "size": 512, "requested_size": 32, "state": "active_allocated", "frames": STEP_STACK},
                       {"address": low + 512, "size": (2 << 20) - 512, "requested_size": 0, "state": "inactive", "frames": []}]}],
        "device_traces": [[{"action": "alloc", "addr": low, "size": 32, "stream": 94236512, "frames": STEP_STACK}]] + [[] for _ in range(7)],
    }


def xpu():
    """Intel's GPUs: high addresses, few settings, no annotations."""
    e = {"action": "alloc", "addr": HIGH, "size": 500, "stream": 94236512, "time_us": 5, "frames": STEP_STACK}
    blocks = [{"address": HIGH, "size": 2 << 20, "requested_size": 500, "state": "active_allocated", "frames": STEP_STACK}]
    seg = segment(0, HIGH, 2 << 20, blocks)
    seg["stream"] = 94236512
    return {"segments": [seg], "device_traces": [[e]], "allocator_settings": {"PYTORCH_ALLOC_CONF": "", "expandable_segments": False}}


def rocm():
    """AMD's GPUs: the schema of CUDA, other file names in the stacks."""
    hip = [frame("/opt/rocm/c10/hip/HIPCachingAllocator.cpp", 0, "c10::hip::HIPCachingAllocator::malloc"), STEP]
    e = {"action": "alloc", "addr": 1 << 40, "size": 500, "stream": 0, "time_us": 5, "compile_context": "N/A", "frames": hip}
    seg = segment(0, 1 << 40, 2 << 20, [{"address": 1 << 40, "size": 2 << 20, "requested_size": 500, "state": "active_allocated", "frames": hip}])
    return {"segments": [seg], "device_traces": [[e]], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}, "external_annotations": []}


def profile():
    """_profile_to_snapshot: one device more, for the CPU; no sizes but the total."""
    where = [{"filename": "none", "line": 0, "name": "aten::mm"}]
    def at(action):
        return {"action": action, "addr": 4096, "size": 500, "stream": 0, "frames": where, "category": "activation"}
    return {
        "segments": [{"device": 1, "address": 4096, "total_size": 512, "stream": 0,
                      "blocks": [{"size": 500, "requested_size": 500, "state": "active_allocated", "frames": where}]}],
        "device_traces": [[], [at("alloc"), at("free_requested"), at("free_completed"), at("alloc")]],
    }


def unframed(obj):
    """Protocol 4 without frames."""
    out = io.BytesIO()
    p = pickle._Pickler(out, 4)
    p.framer.start_framing = lambda: None
    p.framer.end_framing = lambda: None
    p.dump(obj)
    return out.getvalue()


class CppPickler:
    """What torch's C++ pickler writes: protocol 2, one batch, integers of 32 or
    64 bits, containers in the memo once they are full, strings shared. Tagged, it
    wraps each container into its type."""

    def __init__(self, tagged):
        self.tagged, self.out, self.memo, self.strings = tagged, bytearray(b"\x80\x02"), 0, {}

    def dump(self, obj):
        self.value(obj)
        return bytes(self.out + b".")

    def put(self):
        n, self.memo = self.memo, self.memo + 1
        self.out += struct.pack("<cB", b"q", n) if n < 256 else struct.pack("<cI", b"r", n)
        return n

    def text(self, s):
        if s in self.strings:
            n = self.strings[s]
            self.out += struct.pack("<cB", b"h", n) if n < 256 else struct.pack("<cI", b"j", n)
            return
        b = s.encode()
        self.out += b"X" + struct.pack("<I", len(b)) + b
        self.strings[s] = self.put()

    def integer(self, i):
        i = (i + 2**63) % 2**64 - 2**63  # a cast to int64
        if 0 <= i < 2**8:
            self.out += struct.pack("<cB", b"K", i)
        elif 0 <= i < 2**16:
            self.out += struct.pack("<cH", b"M", i)
        elif -2**31 <= i < 2**31:
            self.out += struct.pack("<ci", b"J", i)
        else:
            self.out += b"\x8a\x08" + struct.pack("<q", i)

    def container(self, empty, items, fill, tag):
        if self.tagged:
            self.out += b"ctorch.jit._pickle\nrestore_type_tag\n"
        self.out += empty + b"("
        for item in items:
            self.value(item)
        self.out += fill
        if self.tagged:
            self.text(tag)
            self.out += b"\x86R"
        self.put()

    def value(self, v):
        if isinstance(v, bool):
            self.out += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            self.integer(v)
        elif isinstance(v, float):
            self.out += struct.pack(">cd", b"G", v)
        elif isinstance(v, str):
            self.text(v)
        elif isinstance(v, tuple):
            for item in v:
                self.value(item)
            self.out += b"\x86"
        elif isinstance(v, dict):
            self.container(b"}", [x for pair in v.items() for x in pair], b"u", "Dict[str, Any]")
        else:
            self.container(b"]", v, b"e", "List[Any]")


def torch_zip(obj, method=zipfile.ZIP_STORED):
    """torch.save: a zip whose data.pkl is the object, of protocol 2."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in {"data.pkl": pickle.dumps(obj, 2), ".format_version": b"1", ".storage_alignment": b"64",
                           "byteorder": b"little", "version": b"3\n", ".data/serialization_id": b"0" * 40}.items():
            info = zipfile.ZipInfo("story/" + name)
            info.create_system = 3  # Unix, wherever this runs
            z.writestr(info, data, method)
    return out.getvalue()


def torch_legacy(obj):
    """torch.save before 1.6: five pickles one after another."""
    info = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    return b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, info, obj, []))


def viz_page(obj):
    """The page of torch.cuda._memory_viz trace_plot."""
    data = pickle.dumps(obj, 4)
    data += b"\0" * (3 - len(data) % 3)
    files = json.dumps([{"name": "snapshot.pickle", "base64": base64.b64encode(data).decode()}])
    return ("\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type=\"module\">\n"
            "import {add_local_files} from \"https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js\"\n"
            f"const local_files = {files}\nadd_local_files(local_files, 'Active Memory Timeline')\n</script>\n</body>\n").encode()


def main():
    files = {f"story.protocol{n}.pickle": pickle.dumps(story(), n) for n in range(6)}
    files.update({
        "story.unframed.pickle": unframed(story()),
        "story.ordered.pickle": pickle.dumps(collections.OrderedDict(story()), 4),
        "story.cpp.pickle": CppPickler(tagged=False).dump(story()),
        "story.cpp-tagged.pickle": CppPickler(tagged=True).dump(story()),
        "story.pickle.gz": gzip.compress(pickle.dumps(story(), 4), mtime=0),
        "story.pt": torch_zip(story()),
        "story.deflated.pt": torch_zip(story(), zipfile.ZIP_DEFLATED),
        "story.legacy.pt": torch_legacy(story()),
        "story.json": json.dumps(story()).encode(),
        "story.indented.json.gz": gzip.compress(json.dumps(story(), indent=1, ensure_ascii=False).encode(), mtime=0),
        "story.html": viz_page(story()),
        "segments.pickle": pickle.dumps(segments(), 4),
        "segments.pt": torch_zip(segments()),
        "segments.json": json.dumps(segments()).encode(),
        "torch20.pickle": pickle.dumps(torch20(), 4),
        "npu.pickle": pickle.dumps(npu(), 4),
        "xpu.pickle": pickle.dumps(xpu(), 4),
        "rocm.pickle": pickle.dumps(rocm(), 4),
        "profile.html": viz_page(profile()),
    })
    for name, data in files.items():
        (HERE / name).write_bytes(data)


if __name__ == "__main__":
    main()
