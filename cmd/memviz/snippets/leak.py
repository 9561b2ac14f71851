# Record enough whole steps to tell what grows from what is only filling up.
import torch

batches, train_step = ..., ...  # yours

first, steps = 5, 12  # eight or more; the first ones allocate what is kept

for step, batch in enumerate(batches):
    if step == first:
        # With C++ frames it shows what Python's cycle collector frees.
        torch.cuda.memory._record_memory_history(
            max_entries=1_000_000, stacks="all"
        )
    if step == first + steps:
        break
    with torch.profiler.record_function(f"step {step}"):
        train_step(batch)

torch.cuda.memory._dump_snapshot("snap.pickle")
torch.cuda.memory._record_memory_history(enabled=None)  # stop

# Then: memviz leaks snap.pickle
