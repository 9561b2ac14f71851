"""Eight layers one after the other, without gradients: two blocks serve them all."""

import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


@torch.no_grad()
def main():
    torch.manual_seed(0)
    record.start()
    model = record.mlp(*[1024] * 9)
    model.to("cuda")
    for batch in range(4):
        x = torch.randn(4096, 1024, device="cuda")
        y = model(x)
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
