"""Eight processes train copies of a model; one keeps too much, another runs out of memory.

Rank 5 keeps the errors of each step for a plot that nobody draws. In the tenth step
rank 2 meets a batch that is far larger than all others, and dies. The others wait for
its gradients until the connection closes, and write their snapshots then.

On a machine with fewer than eight GPUs, processes share them. Each may have 1 GiB, so
that the story is the same on a card of any size.
"""

import fcntl
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402

size = 8  # processes
steps = 12  # more than there will be
room = 1 << 30  # bytes for each process


def rows_of(rank, step):
    """How many rows a batch has: the data of rank 2 have an odd one out."""
    return 32768 if rank == 2 and step == 9 else 1024


def work(rank):
    torch.manual_seed(0)
    torch.cuda.set_device(rank % torch.cuda.device_count())
    _, total = torch.cuda.mem_get_info()
    torch.cuda.set_per_process_memory_fraction(room / total)
    # gloo, because NCCL wants a GPU for each process
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=size)
    record.write_when_out_of_memory(here / f"rank{rank}.pickle.gz")
    record.start()
    model = record.mlp(512, 2048, 2048, 512)
    model.to("cuda")
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    errors = []
    try:
        for step in range(steps):
            with torch.profiler.record_function(f"step {step + 1}"):
                rows = rows_of(rank, step)
                x = torch.randn(rows, 512, device="cuda")
                y = torch.randn(rows, 512, device="cuda")
                output = parallel(x)
                if rank == 5:
                    errors.append(output.detach() - y)
                loss = F.mse_loss(output, y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
    except torch.OutOfMemoryError:
        raise  # the snapshot is written, and the others learn of it
    except RuntimeError:  # another process is gone
        with (here / "train.py").open() as lock:  # one after the other, for they share torch_says.json
            fcntl.flock(lock, fcntl.LOCK_EX)
            record.write(here / f"rank{rank}.pickle.gz")


def main():
    # Not torch.multiprocessing.spawn: it ends all processes as soon as one has failed.
    context = torch.multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(rank,)) for rank in range(size)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
