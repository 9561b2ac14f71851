# Record the same steps on every rank, into one file each.
import os

import torch

rank = int(os.environ["RANK"])  # as torchrun sets it
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))

torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="python")
try:
    ...  # train the same few steps on all ranks
finally:  # also when memory runs out
    os.makedirs("snapshots", exist_ok=True)
    torch.cuda.memory._dump_snapshot(f"snapshots/rank{rank}.pickle")
    torch.cuda.memory._record_memory_history(enabled=None)  # stop

# Then: memviz ranks snapshots
