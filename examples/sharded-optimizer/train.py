"""The same job with ZeRO-1: each process keeps the optimizer state of its share only."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def work(rank, size):
    torch.manual_seed(0)
    torch.cuda.set_device(rank % torch.cuda.device_count())
    # gloo, because NCCL wants a GPU for each process
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=size)
    record.start()
    model = record.mlp(512, 2048, 2048, 512)
    model.to("cuda")
    parallel = DistributedDataParallel(model)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=1e-3)
    for step in range(4):
        x = torch.randn(1024, 512, device="cuda")
        y = torch.randn(1024, 512, device="cuda")
        output = parallel(x)
        loss = F.mse_loss(output, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    for turn in range(size):  # one after the other, for they share torch_says.json
        if turn == rank:
            record.write(here / f"rank{rank}.pickle.gz")
        dist.barrier()
    dist.destroy_process_group()


def main():
    torch.multiprocessing.spawn(work, args=(2,), nprocs=2)


if __name__ == "__main__":
    main()
