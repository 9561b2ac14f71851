"""A segment that grows and shrinks: pages are mapped, unmapped and mapped again."""

import os
import sys
from pathlib import Path

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  # before torch is loaded
import torch  # noqa: E402

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def work(rows):
    x = torch.randn(rows, 4096, device="cuda")
    y = torch.mul(x, 2)
    return torch.sum(y, 1)


def main():
    torch.manual_seed(0)
    record.start()
    first = torch.randn(256, 4096, device="cuda")
    for rows in 1024, 2048, 4096, 2048, 8192:
        result = work(rows)  # maps more pages when there are too few
        if rows == 4096:
            torch.cuda.empty_cache()  # unmaps those that hold nothing
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
