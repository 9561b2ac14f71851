"""A generator copies batches ahead on a stream of its own; they live there."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def batches(number):
    """Yield batches, each copied while the one before is used."""
    side = torch.cuda.Stream()
    ahead = None
    for _ in range(number):
        host = torch.randn(4096, 1024).pin_memory()
        with torch.cuda.stream(side):
            batch = host.to("cuda", non_blocking=True)
        if ahead is not None:
            yield ahead
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        ahead = batch
    yield ahead


def main():
    torch.manual_seed(0)
    record.start()
    model = record.mlp(1024, 1024)
    model.to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for x in batches(9):
        output = model(x)
        loss = F.mse_loss(output, x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()  # waits for the GPU, so batches that were given up are free
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
