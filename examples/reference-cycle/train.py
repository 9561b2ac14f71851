"""Objects that point at themselves keep their tensors until gc.collect()."""

import gc
import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


class Trace:
    def __init__(self, x):
        self.copy = x.clone()
        self.root = self  # a cycle: no reference count falls to zero


def main():
    torch.manual_seed(0)
    gc.disable()  # so that the collection is where it is written
    record.start(stacks="all")
    x = torch.randn(1024, 1024, device="cuda")
    for step in range(12):
        with torch.profiler.record_function(f"step {step}"):
            y = torch.mul(x, 2)
            trace = Trace(y)
            if step % 4 == 3:
                gc.collect()
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
