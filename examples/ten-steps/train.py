"""Snapshots before and after ten steps: what is there that was not there before?"""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


def train(model, optimizer, history):
    x = torch.randn(1024, 512, device="cuda")
    y = torch.randn(1024, 512, device="cuda")
    output = model(x)
    loss = F.mse_loss(output, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    errors = torch.sub(output.detach(), y)
    history.append(errors)  # 2 MiB a step, for a picture that nobody draws


def main():
    torch.manual_seed(0)
    record.start()
    model = record.mlp(512, 2048, 512)
    model.to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for step in range(12):
        if step == 2:
            record.write(here / "before.pickle.gz")
        train(model, optimizer, history)
    record.write(here / "after.pickle.gz")


if __name__ == "__main__":
    main()
