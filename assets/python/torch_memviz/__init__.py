"""Record PyTorch's GPU memory, and see what kept it, when, and why.

    import torch_memviz

    with torch_memviz.record("snap.pickle"):
        ...  # train a few steps

    torch_memviz.show("snap.pickle")  # in a notebook; elsewhere it opens a browser

``stats``, ``leaks``, ``predict`` and ``events`` return the JSON of the memviz
command; ``%load_ext torch_memviz`` gives a notebook the magic ``%memviz``.
"""

from ._command import MemvizError, events, leaks, predict, stats
from ._magic import load_ipython_extension
from ._record import Recording, record
from ._show import show

__all__ = [
    "MemvizError",
    "Recording",
    "events",
    "leaks",
    "load_ipython_extension",
    "predict",
    "record",
    "show",
    "stats",
]
