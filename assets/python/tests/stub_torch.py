"""A stand-in for the part of torch that record() uses, with the signatures of its versions.

_record_memory_history refuses what the real one of that version refuses, and
_snapshot gives an example of memviz that was recorded by then, or is refused.
"""

from __future__ import annotations

import contextlib
import gzip
import inspect
import pickle
import sys
import types
from pathlib import Path
from typing import Any, Callable, Dict, List

EXAMPLE = Path(__file__).parents[3] / "examples" / "training-loop" / "snapshot.pickle.gz"


def _torch_2_0(
    enabled: bool,
    record_context=True,
    trace_alloc_max_entries=1,
    trace_alloc_record_context=False,
    device=None,
    _enable_expensive_cpp=False,
): ...


def _torch_2_6(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None): ...


def _torch_2_11(
    enabled="all",
    context="all",
    stacks="all",
    max_entries=sys.maxsize,
    device=None,
    clear_history=False,
    compile_context=False,
    global_record_annotations=False,
    skip_actions=None,
): ...


def _torch_2_14(
    enabled="all",
    context="all",
    stacks="all",
    max_entries=sys.maxsize,
    device=None,
    clear_history=False,
    compile_context=False,
    global_record_annotations=False,
    skip_actions=None,
    record_pinned_host_memory=False,
    record_cuda=True,
): ...


SIGNATURES = {"2.0": _torch_2_0, "2.6": _torch_2_6, "2.11": _torch_2_11, "2.14": _torch_2_14}


class OutOfMemoryError(RuntimeError):
    pass


class Stub:
    """What was asked of torch, and what it does next."""

    def __init__(self, version: str) -> None:
        self.calls: List[Dict[str, Any]] = []  # of _record_memory_history
        self.ranges: List[str] = []  # "+step 3" where a range begins, "-step 3" where it ends
        self.observers: List[Callable[..., None]] = []
        self.error: Exception | None = None  # raised by _snapshot and _record_memory_history
        self.is_initialised = False
        self.is_recording = False
        self._signature = inspect.signature(SIGNATURES[version])
        self._hooks: Dict[int, Callable[..., None]] = {}

    def install(self) -> None:
        def record_memory_history(enabled="all", *args, **kwargs):
            if self.error:
                raise self.error
            arguments = self._signature.bind(enabled, *args, **kwargs).arguments
            self.calls.append(dict(arguments))
            self.is_recording = bool(arguments["enabled"])

        record_memory_history.__signature__ = self._signature

        def snapshot():
            if self.error:
                raise self.error
            assert self.is_recording, "a snapshot without a recording has no history"
            with gzip.open(EXAMPLE, "rb") as file:
                return pickle.load(file)

        def dump_snapshot(path):
            with open(path, "wb") as file:
                pickle.dump(snapshot(), file)

        @contextlib.contextmanager
        def record_function(name):
            assert self.is_recording, "a range outside a recording is not recorded"
            self.ranges.append("+" + name)
            yield
            self.ranges.append("-" + name)

        def register(hook):
            self._hooks[id(hook)] = hook
            return types.SimpleNamespace(remove=lambda: self._hooks.pop(id(hook)))

        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(
            init=lambda: setattr(self, "is_initialised", True),
            set_device=lambda device: None,
            memory=types.SimpleNamespace(
                _record_memory_history=record_memory_history, _snapshot=snapshot, _dump_snapshot=dump_snapshot
            ),
        )
        torch._C = types.SimpleNamespace(_cuda_attach_out_of_memory_observer=self.observers.append)
        torch.profiler = types.SimpleNamespace(record_function=record_function)
        torch.distributed = types.SimpleNamespace(is_available=lambda: False)
        optim = types.ModuleType("torch.optim")
        optim.optimizer = types.SimpleNamespace(register_optimizer_step_post_hook=register)
        sys.modules["torch"] = torch
        sys.modules["torch.optim"] = optim

    def out_of_memory(self) -> None:
        """What torch does when a request fails."""
        for observer in self.observers:
            observer(0, 1 << 40, 80 << 30, 1 << 20)
        raise OutOfMemoryError("CUDA out of memory")

    def optimizer_step(self, optimizer: Any) -> None:
        for hook in list(self._hooks.values()):
            hook(optimizer, (), {})
