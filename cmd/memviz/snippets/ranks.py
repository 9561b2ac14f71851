# Record the same steps on every rank, into one file each.
import inspect
import os

import torch

rank = int(os.environ["RANK"])  # as torchrun sets it
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))

# Without C++ frames, all ranks write their files much faster.
record = torch.cuda.memory._record_memory_history
options = {"max_entries": 1_000_000, "stacks": "python"}
if "record_pinned_host_memory" in inspect.signature(record).parameters:
    options["record_pinned_host_memory"] = True  # since torch 2.14
record(**options)
try:
    ...  # train the same few steps on all ranks
finally:  # also when memory runs out
    os.makedirs("snapshots", exist_ok=True)
    torch.cuda.memory._dump_snapshot(f"snapshots/rank{rank}.pickle")
    record(enabled=None)  # stop

# Then: memviz ranks snapshots
