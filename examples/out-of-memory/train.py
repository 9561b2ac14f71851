"""Sequences grow longer from batch to batch until one does not fit into 4 GiB.

The rest of the GPU is taken first, as another process would take it, so that the story
is the same on a card of any size. The snapshot is written by the observer of
out-of-memory errors, while everything that was in use still is.

What grows with the sequences are the activations. Parameters, gradients and the
optimizer's state do not.
"""

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
first = 192  # tokens in a sequence
longer = 96  # in each step
steps = 40  # more than there is memory for


def report(step, error):
    """What a training loop prints. item() waits for the GPU."""
    allocated = torch.cuda.memory_allocated() / 2**20
    print(f"step {step}: loss {error.item():.3f}, {allocated:,.0f} MiB")


# What this run may have, on a card of any size.
room = 4 << 30  # bytes


def main():
    torch.manual_seed(0)

    # With C++ frames, for the backward pass has no others. Before the model is on the
    # GPU, so that nothing is older than the recording.
    torch.cuda.init()
    record.leave(room)
    record.write_when_out_of_memory(here / "snapshot.pickle.gz")
    record.start(stacks="all")
    net = GPT(layers, width, heads, vocabulary).to("cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    for step in range(steps):
        length = first + step * longer
        tokens, targets = next_batch(batch, length, vocabulary)
        optimizer.zero_grad()
        error = loss(net(tokens), targets)
        error.backward()
        optimizer.step()
        report(step, error)

    # The exception should have ended the run: it has no handler, and the observer
    # has written the snapshot before it was raised. To catch it instead would be as
    # good, but a snapshot that is taken after that shows what the exception has
    # left, which is little.
    raise SystemExit("the run never ran out of memory")


if __name__ == "__main__":
    main()
