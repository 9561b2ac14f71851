# Record enough whole steps to tell what grows from what is only filling up.
import inspect

import torch

batches, train_step = ..., ...  # yours

first, steps = 5, 12  # eight or more; the first ones allocate what is kept

# The C++ frames of stacks="all" show what Python's cycle collector frees.
record = torch.cuda.memory._record_memory_history
options = {"max_entries": 1_000_000, "stacks": "all"}
if "record_pinned_host_memory" in inspect.signature(record).parameters:
    options["record_pinned_host_memory"] = True  # since torch 2.14

for step, batch in enumerate(batches):
    if step == first:
        record(**options)
    if step == first + steps:
        break
    with torch.profiler.record_function(f"step {step}"):
        train_step(batch)

torch.cuda.memory._dump_snapshot("snap.pickle")
record(enabled=None)  # stop

# Then: memviz leaks snap.pickle
