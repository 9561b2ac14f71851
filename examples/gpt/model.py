"""A small GPT: embedding, blocks of attention and MLP, norm, and a head."""

import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)

        # Backward needs the three of them: queries, keys and values are views of
        # one tensor, so the recording shows one allocation for all. Of the scores,
        # which would be length x length for each head, the fused kernel keeps only
        # the logarithms of their sums.
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(split).transpose(1, 2)
        k = k.view(split).transpose(1, 2)
        v = v.view(split).transpose(1, 2)

        x = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x.transpose(1, 2).reshape(batch, length, width)
        return self.projection(x)


class MLP(nn.Module):
    """Two linear layers with a GELU between them, four times as wide inside."""

    def __init__(self, width):
        super().__init__()
        self.wide = nn.Linear(width, 4 * width, bias=False)
        self.gelu = nn.GELU()
        self.narrow = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        # Three tensors are kept for backward: the input, and the results of the
        # wide layer and of the GELU, which are four times as large. What the
        # narrow layer returns is added to the residual stream, and nobody needs
        # it after that.
        return self.narrow(self.gelu(self.wide(x)))


class Block(nn.Module):
    """Attention and MLP, each with a norm before it and a
    sum after it."""

    def __init__(self, width, heads):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention(width, heads)
        self.mlp = MLP(width)

    def forward(self, x):
        first, second = self.norms
        attention, mlp = self.attention, self.mlp
        x = x + attention(first(x))
        return x + mlp(second(x))


class GPT(nn.Module):
    """Layers blocks of a width, over a vocabulary.

    There is no embedding of positions: what a recording of memory shows is the
    same without one.
    """

    def __init__(self, layers, width, heads, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        """The logits of what comes next, for each token.

        The logits are the largest tensor by far: a number for each word of the
        vocabulary, at each position of each sequence.
        """
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)

        # Without gradients the result of each block would go when the next one has
        # read it. With gradients it stays until the backward pass has come back
        # to its block, so the memory of a step grows with the number of blocks
        # as well as with the tokens.
        return self.head(self.norm(x))


def loss(logits, targets):
    """How surprised the model is, on average over all tokens.

    cross_entropy() keeps the logarithms of all probabilities for its backward, so a
    step holds two tensors of the logits' size, and as long as the backward of
    the loss runs, a third.
    """
    rows = logits.flatten(0, 1)
    wanted = targets.flatten()
    return F.cross_entropy(rows, wanted)
