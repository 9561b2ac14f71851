# Write a snapshot in the moment in which memory runs out.
import inspect
import os

import torch

rank = int(os.environ.get("RANK", 0))  # as torchrun sets it


def dump_oom(device, requested, total, free):
    # It is called before the exception frees what was in use. Nothing that goes
    # wrong here may hide that exception.
    try:
        torch.cuda.memory._dump_snapshot(f"oom_rank{rank}.pickle")
    except Exception as e:
        print(f"rank {rank}: no snapshot was written: {e}")


# Leave it on for the whole run: only the last max_entries events are kept.
# There are no C++ frames: a failing program may have no time to resolve them.
record = torch.cuda.memory._record_memory_history
options = {"max_entries": 1_000_000, "stacks": "python"}
if "record_pinned_host_memory" in inspect.signature(record).parameters:
    options["record_pinned_host_memory"] = True  # since torch 2.14
record(**options)
torch._C._cuda_attach_out_of_memory_observer(dump_oom)

...  # train

# Then: memviz oom oom_rank0.pickle
