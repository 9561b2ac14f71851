# Record a few training steps that can be told apart.
import inspect

import torch

model, optimizer, batches = ..., ..., ...  # yours

# Only the last max_entries events are kept.
record = torch.cuda.memory._record_memory_history
options = {"max_entries": 1_000_000, "stacks": "all"}
if "record_pinned_host_memory" in inspect.signature(record).parameters:
    options["record_pinned_host_memory"] = True  # since torch 2.14

# Let the first steps pass: they allocate what is kept.
for step, batch in enumerate(batches):
    if step == 3:
        record(**options)
    if step == 8:
        break
    with torch.profiler.record_function(f"step {step}"):
        with torch.profiler.record_function("forward"):
            loss = model(batch).sum()
        with torch.profiler.record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()

torch.cuda.memory._dump_snapshot("snap.pickle")
record(enabled=None)  # stop

# Then: memviz trace snap.pickle
