import sys

import pytest
from stub_torch import SIGNATURES, Stub

from torch_memviz import _record, _torch

RANK_VARIABLES = [variable for pair in _torch._RANK_VARIABLES for variable in pair]


@pytest.fixture
def no_torch(monkeypatch):
    """A process that has recorded nothing, is alone, and has no torch."""
    for variable in RANK_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(_torch, "_has_observer", False)
    monkeypatch.setattr(_record, "_last_written", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "torch.optim", None)
    yield
    assert _record._current is None


@pytest.fixture
def torch(no_torch):
    stub = Stub("2.11")
    stub.install()
    return stub


@pytest.fixture(params=SIGNATURES)
def any_torch(request, no_torch):
    stub = Stub(request.param)
    stub.version = request.param
    stub.install()
    return stub
