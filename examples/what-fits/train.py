"""A GPT at three lengths of sequences: the third can be predicted from the others."""

import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402
from gpt.data import next_batch  # noqa: E402
from gpt.model import GPT, loss  # noqa: E402

# The model and what it is fed.
layers = 6
width = 512
heads = 8
vocabulary = 16384
batch = 8


def run(path, length):
    torch.manual_seed(0)
    record.start(stacks="all")
    net = GPT(layers, width, heads, vocabulary).to("cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    for _ in range(2):
        tokens, targets = next_batch(batch, length, vocabulary)
        optimizer.zero_grad()
        error = loss(net(tokens), targets)
        error.backward()
        optimizer.step()
    record.write(path)
    torch.cuda.memory._record_memory_history(enabled=None)


def main():
    for length in (128, 256, 512):
        run(here / f"{length}.pickle.gz", length)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
