"""Sequences of many lengths break the cache into pieces; expandable segments cure it."""

import os
import subprocess
import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402

# Of the sequences, in the order in which they come.
lengths = [1216, 640, 1856, 832, 1408, 1024, 1728, 512, 1536, 960, 1920, 704]
lengths += [1088, 1664, 576, 1344, 896, 1792, 1152, 768, 1472, 1280, 1600, 1984]


def forward(length):
    x = torch.randn(8, length, 1024, device="cuda")
    saved = []
    for layer in range(10):
        x = torch.tanh(x)
        saved.append(x)
    return saved


def run(path):
    torch.manual_seed(0)
    record.start()
    longest = []
    for length in lengths:
        saved = forward(length)
        longest.append(saved[-1][:, -32:].clone())
        del saved
    record.write(path)


def main():
    if len(sys.argv) > 1:
        run(here / sys.argv[1])
        return
    for name, conf in ("before", ""), ("after", "expandable_segments:True"):
        env = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": conf}
        subprocess.run([sys.executable, __file__, f"{name}.pickle.gz"], env=env, check=True)


if __name__ == "__main__":
    main()
