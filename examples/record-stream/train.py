"""Tensors are freed while another stream still reads them."""

import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def consume(side, batch):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # the other stream is slow
        total = batch.sum()
    batch.record_stream(side)  # free it only when that stream is done with it
    return total


def main():
    torch.manual_seed(0)
    record.start()
    side = torch.cuda.Stream()
    for step in range(6):
        batch = torch.randn(4 << 20, device="cuda")
        total = consume(side, batch)
        del batch
        if step == 2:
            side.synchronize()  # the other stream has caught up, once
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
