"""torch's functions for recording GPU memory, across its versions.

Nothing here is imported before it is needed: ``import torch_memviz`` works
without torch, which the functions that read snapshots do not need.
"""

from __future__ import annotations

import inspect
import os
from typing import Any, Callable, ContextManager, Dict, Tuple

# An index of the process in its job and the number of processes, as torchrun,
# Slurm and Open MPI set them.
_RANK_VARIABLES = (
    ("RANK", "WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
)

# torch has no call that detaches an observer, so only one is ever attached.
_has_observer = False


def start(stacks: str, max_entries: int) -> None:
    """Record every allocation and free with its stack, from here on.

    Where torch can, it records pinned host memory, too.
    """
    import torch

    # Before CUDA is initialised there is no allocator to switch on.
    torch.cuda.init()
    record = torch.cuda.memory._record_memory_history
    parameters = inspect.signature(record).parameters
    arguments: Dict[str, Any]
    if "trace_alloc_max_entries" in parameters:  # torch 2.0
        arguments = {
            "record_context": True,
            "trace_alloc_max_entries": max_entries,
            "trace_alloc_record_context": True,
        }
        for name in ("_enable_expensive_cpp", "record_context_cpp"):
            if name in parameters:
                arguments[name] = stacks == "all"
        record(True, **arguments)
        return
    arguments = {"stacks": stacks, "max_entries": max_entries}
    if "clear_history" in parameters:  # else earlier events may be in the file
        arguments["clear_history"] = True
    if "record_pinned_host_memory" in parameters:  # torch 2.14
        arguments["record_pinned_host_memory"] = True
    record("all", **arguments)


def stop() -> None:
    """Stop recording, which also forgets what was recorded."""
    import torch

    record = torch.cuda.memory._record_memory_history
    legacy = "trace_alloc_max_entries" in inspect.signature(record).parameters
    record(False if legacy else None)


def snapshot() -> Any:
    """The state of the allocator, and the events recorded so far."""
    import torch

    return torch.cuda.memory._snapshot()


def call_when_out_of_memory(handler: Callable[[], None]) -> None:
    """Call handler whenever a request fails, before the exception frees memory.

    It cannot be detached, and later handlers are ignored.
    """
    import torch

    global _has_observer
    if not _has_observer:
        torch._C._cuda_attach_out_of_memory_observer(lambda device, requested, total, free: handler())
        _has_observer = True


def call_after_optimizer_steps(handler: Callable[[Any], None]) -> Callable[[], None]:
    """Call handler with the optimizer after each step of any. Returns a function that stops it."""
    from torch.optim import optimizer

    hook = optimizer.register_optimizer_step_post_hook(lambda stepped, args, kwargs: handler(stepped))
    return hook.remove


def named_range(name: str) -> ContextManager[Any]:
    """A named range in the recording."""
    import torch

    return torch.profiler.record_function(name)


def rank() -> Tuple[int, int]:
    """The index of this process in its job, and how many processes the job has."""
    import torch

    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    for index, number in _RANK_VARIABLES:
        values = os.environ.get(index, ""), os.environ.get(number, "")
        if all(value.isdecimal() for value in values):
            return int(values[0]), int(values[1])
    return 0, 1
