# Record a few training steps that can be told apart.
import torch

model, optimizer, batches = ..., ..., ...  # yours

# Let the first steps pass: they allocate what is kept.
for step, batch in enumerate(batches):
    if step == 3:
        # Only the last max_entries events are kept.
        torch.cuda.memory._record_memory_history(
            max_entries=1_000_000, stacks="all"
        )
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
torch.cuda.memory._record_memory_history(enabled=None)  # stop

# Then: memviz trace snap.pickle
