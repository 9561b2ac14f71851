# Record every allocation and free with its stack.
import torch

# Only the last max_entries events are kept: 1,000,000 are some steps of a large
# model. stacks="python" makes a smaller file that is written much faster; the
# stacks of backward are missing in it.
torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="all")
try:
    ...  # train a few steps
finally:  # also when memory runs out
    torch.cuda.memory._dump_snapshot("snap.pickle")
    torch.cuda.memory._record_memory_history(enabled=None)  # stop

# Then: memviz trace snap.pickle
