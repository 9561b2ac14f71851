"""Recordings for make.py: of a GPU, and of pinned host memory."""

MiB = 1 << 20
BASE = 0x7F5E20000000
STEP = [{"name": "step", "filename": "/src/train.py", "line": 40}]


class Recording:
    """A recording that adds up: whatever is allocated and not freed is in the
    final segments."""

    def __init__(self, padding=0, **keys):
        """padding: bytes that the allocator adds to a request before it rounds it up to 512."""
        self.padding = padding
        self.keys = {"compile_context": "N/A", "user_metadata": "", "pool_id": [0, 0], **keys}
        self.events, self.segments, self.live, self.conf, self.settings = [], {}, {}, "", {}

    def rounded(self, size):
        return -(-(size + self.padding) // 512) * 512

    def event(self, action, addr, size, frames=STEP, **more):
        e = {"action": action, "addr": addr, "size": size, "stream": 0,
             "time_us": 1_700_000_000_000_000 + 250 * len(self.events), **self.keys, **more}
        if action == "oom":
            e["device_free"] = e.pop("addr")
        self.events.append({k: v for k, v in {**e, "frames": frames}.items() if v is not None})

    def segment(self, addr, size, pool=(0, 0), action="segment_alloc", **more):
        self.segments[addr] = (size, list(pool), action == "segment_map")
        if action:
            self.event(action, addr, size, **{**({"pool_id": list(pool)} if self.keys["pool_id"] else {}), **more})

    def alloc(self, addr, size, **more):
        self.live[addr] = size
        self.event("alloc", addr, size, **more)

    def free(self, addr, requested=True, **more):
        size = self.live.pop(addr)
        for action in ["free_requested"] * requested + ["free_completed"]:
            self.event(action, addr, size, **more)

    def release(self, addr, **more):
        self.event("segment_free", addr, self.segments.pop(addr)[0], **more)

    def final(self, addr, size, pool, expandable):
        blocks, at = [], addr
        for a in sorted(a for a in self.live if addr <= a < addr + size) + [addr + size]:
            if a > at:
                blocks.append({"address": at, "size": a - at, "requested_size": 0, "state": "inactive", "frames": []})
            if a in self.live:
                n = self.rounded(self.live[a])
                blocks.append({"address": a, "size": n, "requested_size": self.live[a], "state": "active_allocated",
                               "frames": STEP})
                at = a + n
        active = sum(b["size"] for b in blocks if b["state"] != "inactive")
        requested = sum(b["requested_size"] for b in blocks)
        return {"device": 0, "address": addr, "total_size": size, "allocated_size": active, "active_size": active,
                "requested_size": requested, "stream": 0, "segment_type": "small" if size <= 2 * MiB else "large",
                "segment_pool_id": pool, "is_expandable": expandable, "frames": STEP, "blocks": blocks}

    def snapshot(self, **more):
        return {"segments": [self.final(a, *self.segments[a]) for a in sorted(self.segments)],
                "device_traces": [self.events],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": self.conf, "max_split_size": -1,
                                       "garbage_collection_threshold": 0.0, "expandable_segments": False,
                                       **self.settings},
                "external_annotations": [], **more}


def run(conf="", settings=None, **keys):
    """Weights, an activation and its free."""
    r = Recording(**keys)
    r.conf, r.settings = conf, settings or {}
    r.segment(BASE, 20 * MiB)
    r.alloc(BASE, 4 * MiB)
    second = BASE + r.rounded(4 * MiB)
    r.alloc(second, 6 * MiB)
    r.free(second)
    return r


class Host:
    """Pinned host memory, as torch 2.14 records it: rounded sizes, one block a segment, frames where a program asks."""

    base = 0x7F1200000000

    def __init__(self):
        self.events, self.segments = [], []

    def event(self, action, at, size):
        e = {"action": action, "addr": self.base + at * MiB, "size": size * MiB, "stream": 0,
             "time_us": 1_700_000_000_000_000 + 250 * len(self.events), "compile_context": "N/A", "user_metadata": "",
             "pool_id": [0, 0]}
        if action in ("alloc", "free_requested"):
            e["frames"] = STEP
        self.events.append(e)

    def segment(self, at, size, state, pool=(0, 0)):
        address, size = self.base + at * MiB, size * MiB
        self.segments.append({
            "device": -1, "address": address, "total_size": size,
            "allocated_size": size if state == "active_allocated" else 0,
            "active_size": size if state != "inactive" else 0,
            "requested_size": 0, "stream": 0, "segment_type": "small", "segment_pool_id": list(pool),
            "is_expandable": False, "frames": [],
            "blocks": [{"address": address, "size": size, "requested_size": size, "state": state, "frames": STEP}]})

    def lists(self):
        return {"host_segments": self.segments, "host_traces": self.events}
