"""The same steps without and with activation checkpointing."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def run(path, checkpointed):
    torch.manual_seed(0)
    record.start()
    blocks = [record.mlp(512, 2048, 512) for _ in range(6)]
    model = torch.nn.ModuleList(blocks)
    model.to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        x = torch.randn(2048, 512, device="cuda")
        y = torch.randn(2048, 512, device="cuda")
        for block in model:
            if checkpointed:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        loss = F.mse_loss(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    record.write(path)
    torch.cuda.memory._record_memory_history(enabled=None)


def main():
    run(here / "before.pickle.gz", checkpointed=False)
    torch.cuda.empty_cache()
    run(here / "after.pickle.gz", checkpointed=True)


if __name__ == "__main__":
    main()
