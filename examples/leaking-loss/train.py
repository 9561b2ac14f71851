"""Each validation loss is kept in a list, and with it the whole graph behind it.

validate() runs without torch.no_grad(), so its loss, a tensor of four bytes, holds
the graph of its forward pass, and the graph holds the activations.

Either of these cures it:
- with torch.no_grad(): around the call,
- val_losses.append(validate(net).item())
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
layers = 4
width = 384
heads = 6
vocabulary = 8192
batch = 8
length = 192
steps = 10


def report(step, error):
    """What a training loop prints. item() waits for the GPU."""
    allocated = torch.cuda.memory_allocated() / 2**20
    print(f"step {step}: loss {error.item():.3f}, {allocated:,.0f} MiB")


def validate(net):
    """The loss of one sequence."""
    tokens, targets = next_batch(1, length, vocabulary)
    return loss(net(tokens), targets)


def main():
    torch.manual_seed(0)

    # Before the model is on the GPU, so that nothing is older than the recording.
    # With C++ frames, for the backward pass has no others.
    torch.cuda.init()
    print(torch.cuda.get_device_name())
    record.start(stacks="all")
    net = GPT(layers, width, heads, vocabulary).to("cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    val_losses = []
    for step in range(steps):
        tokens, targets = next_batch(batch, length, vocabulary)
        optimizer.zero_grad()
        error = loss(net(tokens), targets)
        error.backward()
        optimizer.step()
        report(step, error)
        # It looks harmless: four bytes a step. But the tensor has a graph
        # behind it.
        val_losses.append(validate(net))

    print(f"{torch.cuda.memory_allocated() / 2**20:,.0f} MiB at the end")
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
