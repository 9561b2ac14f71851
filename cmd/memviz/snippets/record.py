# Record every allocation and free with its stack.
import inspect

import torch

# Only the last max_entries events are kept: 1,000,000 are some steps of a large
# model. stacks="all" has C++ frames, which tell operators and what backward
# allocates; with "python" the file is smaller and is written much faster.
record = torch.cuda.memory._record_memory_history
options = {"max_entries": 1_000_000, "stacks": "all"}
if "record_pinned_host_memory" in inspect.signature(record).parameters:
    options["record_pinned_host_memory"] = True  # since torch 2.14
record(**options)
try:
    ...  # train a few steps
finally:  # also when memory runs out
    torch.cuda.memory._dump_snapshot("snap.pickle")
    record(enabled=None)  # stop

# Then: memviz trace snap.pickle
