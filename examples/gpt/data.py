"""Batches of random tokens, which learn as fast as any others for our purpose.

A batch is a pair: tokens, and the targets that they should predict, which are the
tokens one position further on.
"""

import torch


def sample(batch, length, vocabulary):
    """Rows of tokens on the CPU, one token longer than the sequences."""
    return torch.randint(vocabulary, (batch, length + 1))


def next_batch(batch, length, vocabulary):
    """Tokens and targets on the GPU, of batch rows and length columns each.

    Both are int64, eight bytes a token.
    """
    rows = sample(batch, length, vocabulary)
    # The last token is never read, and the first one never predicted. Both copies
    # wait for the one before.
    return rows[:, :-1].to("cuda"), rows[:, 1:].to("cuda")
