"""A wasteful training, before and after each of six measures: predicted, then recorded.

Without a switch of run() it wastes memory in these ways:
- the gradients of the last step live through the forward pass,
- a variable holds the logits of the last step until the end of the next one,
- every block keeps its activations for the backward pass,
- the optimizer makes a temporary for each parameter, and holds all of its state.
"""

import gc
import sys
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402
from gpt.data import next_batch  # noqa: E402
from gpt.model import GPT, loss  # noqa: E402

# The model and what it is fed.
layers = 4
width = 512
heads = 8
vocabulary = 4096
batch = 8
length = 128


def pieces_of(net, shards):
    """What one process of so many updates: an equal piece of every parameter.

    The pieces are views, which take no memory. The other processes would send theirs
    after each step, into the parameters that are there.
    """
    return [nn.Parameter(p.detach().flatten()[: -(-p.numel() // shards)]) for p in net.parameters()]


def run(path, checkpointed=False, halves=1, shards=1, fused=False, delete=False, early=False):
    torch.manual_seed(0)
    record.start(stacks="all")
    net = GPT(layers, width, heads, vocabulary).to("cuda")
    if checkpointed:
        for block in net.blocks:
            block.forward = partial(checkpoint, block.forward, use_reentrant=False)
    pieces = pieces_of(net, shards)
    optimizer = torch.optim.AdamW(pieces, lr=3e-4, fused=fused or None)  # None: foreach
    for _ in range(3):
        if early:
            net.zero_grad(set_to_none=True)
        for half in range(halves):
            tokens, targets = next_batch(batch // halves, length, vocabulary)
            logits = net(tokens)
            error = loss(logits, targets)
            if half == 0 and not early:
                net.zero_grad()
            error.backward()
        for piece, parameter in zip(pieces, net.parameters()):
            piece.grad = parameter.grad.flatten()[: piece.numel()]
        optimizer.step()
        for piece in pieces:
            piece.grad = None
        last = logits
        if delete:
            del logits, last
    record.write(path)
    torch.cuda.memory._record_memory_history(enabled=None)


def main():
    for name, switches in {
        "before": {},
        "checkpoint": {"checkpointed": True},
        "accumulate": {"halves": 2},
        "zero1": {"shards": 8},
        "del": {"delete": True},
        "set-to-none": {"early": True},
        "checkpoint-fused": {"checkpointed": True, "fused": True},
    }.items():
        run(here / f"{name}.pickle.gz", **switches)
        gc.collect()  # a checkpointed block refers to itself
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
