"""Four steps in mixed precision; the first one overflows and is skipped."""

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
    # So large that the first gradients overflow, and as usual after that.
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0**40, backoff_factor=2.0**-24)
    for step in range(4):
        x = torch.randn(1024, 512, device="cuda")
        y = torch.randn(1024, 512, device="cuda")
        with torch.autocast("cuda", dtype=torch.float16):
            output = model(x)
            loss = F.mse_loss(output, y)
        optimizer.zero_grad()  # late: the gradients of the step before lived until here
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.step(optimizer)  # not in the first step, so Adam has no state yet
        scaler.update()
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
