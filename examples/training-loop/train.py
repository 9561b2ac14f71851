"""A small GPT is trained for four steps. Nothing is wrong.

What to expect in the recording, from the bottom up:

- the parameters, which net.to("cuda") copies,
- the optimizer's state, twice as much, from the first step on,
- a mountain a step: activations in the forward pass, gradients in the backward pass.

The first step is a little different from the others: the optimizer has no state yet
during its forward and backward pass, so the peak comes in the second.

The numbers of tokens and features are small, and the proportions those of a larger model
but for the vocabulary, which weighs more here: a third of the
parameters.
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
length = 256
steps = 4


def report(step, error):
    """What a training loop prints. item() waits for the GPU."""
    allocated = torch.cuda.memory_allocated() / 2**20
    print(f"step {step}: loss {error.item():.3f}, {allocated:,.0f} MiB")


def main():
    torch.manual_seed(0)

    # Before the model is on the GPU, so that nothing is older than the recording.
    # With C++ frames, for the backward pass has no others.
    torch.cuda.init()
    print(torch.cuda.get_device_name())
    record.start(stacks="all")
    net = GPT(layers, width, heads, vocabulary).to("cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    for step in range(steps):
        with torch.profiler.record_function(f"ProfilerStep#{step}"):
            tokens, targets = next_batch(batch, length, vocabulary)
            optimizer.zero_grad()
            error = loss(net(tokens), targets)
            error.backward()
            optimizer.step()
            report(step, error)

    # The first step made the optimizer's state and the workspaces of cuBLAS; the
    # others allocated nothing that stays. What the last step computed is still there,
    # as tokens, targets and error.
    print(f"{torch.cuda.max_memory_allocated() / 2**20:,.0f} MiB at most")
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
