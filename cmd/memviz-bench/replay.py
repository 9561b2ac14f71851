"""Totals of each device of a snapshot, by one pass over its events.

What memviz has to agree with, written from the meaning of the events alone:
an alloc opens, a free_completed closes, and what is closed or found in the
final segments without an alloc was there before the recording.
"""

import gc
import gzip
import json
import pickle
import sys


class Plain(pickle.Unpickler):
    """Loads plain values; a snapshot may not name anything to be called."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


def totals(events, blocks):
    live = {}  # address -> bytes
    asked = set()  # addresses whose free was requested
    change = highest = before = allocations = 0
    for event in events:
        action = event["action"]
        if action == "alloc":
            address = event["addr"]
            change += event["size"] - live.get(address, 0)
            live[address] = event["size"]
            asked.discard(address)
            allocations += 1
            highest = max(highest, change)
        elif action == "free_completed" or action == "free":
            size = live.pop(event["addr"], None)
            if size is None:
                size = event["size"]
                before += size
                allocations += 1
            change -= size
        elif action == "free_requested":
            asked.add(event["addr"])
    for address in asked & live.keys() - blocks.keys():
        change -= live.pop(address)
    for address in blocks.keys() - live.keys():
        before += blocks[address]
        allocations += 1
    return {"peak_bytes": before + highest, "final_bytes": before + change, "allocations": allocations}


def blocks_of(segments):
    """The blocks in use, address -> requested bytes, by device."""
    devices = {}
    for segment in segments:
        blocks = devices.setdefault(segment["device"], {})
        address = segment["address"]
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                blocks[block.get("address", address)] = block.get("requested_size", block["size"])
            address += block["size"]
    return devices


def main(path):
    gc.disable()
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        snapshot = Plain(file).load()
    blocks = blocks_of(snapshot["segments"])
    traces = dict(enumerate(snapshot["device_traces"]))
    answer = {
        device: totals(traces.get(device, ()), blocks.get(device, {}))
        for device in sorted(traces.keys() | blocks.keys())
        if traces.get(device) or device in blocks
    }
    json.dump(answer, sys.stdout)


main(sys.argv[1])
