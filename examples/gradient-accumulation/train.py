"""Gradients of four small batches are added up before each step."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def main():
    torch.manual_seed(0)
    record.start()
    model = record.mlp(512, 2048, 2048, 512)
    model.to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(9):
        for micro in range(4):
            x = torch.randn(256, 512, device="cuda")
            y = torch.randn(256, 512, device="cuda")
            output = model(x)
            loss = F.mse_loss(output, y)
            loss.backward()  # the first makes the gradients, the others add to them
        optimizer.step()
        optimizer.zero_grad()
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
