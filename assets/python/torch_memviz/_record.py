"""record(): a recording of GPU memory around a part of a program."""

from __future__ import annotations

import contextlib
import gzip
import os
import pickle
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Collection, Iterable, Iterator, List, Optional, Type, TypeVar, Union

from . import _torch

StrPath = Union[str, "os.PathLike[str]"]
Batch = TypeVar("Batch")

# The active recording, and the file that was written last, for show() and the
# other functions without a path.
_current: Optional[Recording] = None
_last_written: Optional[Path] = None


def record(
    path: StrPath,
    *,
    steps: Union[int, range, None] = None,
    on_oom: bool = True,
    stacks: str = "all",
    ranks: Union[str, Collection[int]] = "all",
    max_entries: int = 1_000_000,
) -> Recording:
    """Record GPU memory in a ``with`` block, and write the snapshot when it ends.

        with torch_memviz.record("snap.pickle", steps=range(5, 17)) as recording:
            for batch in recording.steps(batches):
                train_step(batch)

    The snapshot is also written when the block ends with an exception, and when
    the process is told to end (SIGTERM). Whatever goes wrong in recording is a
    warning and never stops the training.

    path: the file to write; with the suffix .gz it is compressed. In a job of
        several processes each writes a file of its own: ``{rank}`` in the path
        is the rank, and without it snap.pickle becomes snap_rank3.pickle.
    steps: record only these steps, such as ``range(5, 17)``, or the first so many.
        Skip the first ones: they allocate what is kept for good. Eight or more
        distinguish growth from caches that fill up. The snapshot is written when the last one
        ends, and recording costs nothing after that. Steps come from
        ``recording.steps(...)`` or ``recording.step()``, which also name them; in a
        loop that uses neither, each step of the first optimizer ends one.
    on_oom: write another snapshot when memory runs out, before the exception frees
        the memory in use: snap_oom.pickle.
    stacks: "all", as in torch itself, has C++ frames, which name operators and the
        allocations of backward. "python" lacks the stacks of backward; its file is smaller
        and is written much faster, so choose it where the process may be killed soon
        after it is told to end.
    ranks: "all", or the ranks that record, such as ``[0]``.
    max_entries: only the last max_entries events are kept: 1,000,000 are some steps
        of a large model.
    """
    window = range(steps) if isinstance(steps, int) else steps
    if window is not None and (not isinstance(window, range) or window.step != 1 or len(window) == 0):
        raise ValueError(f"steps are a number or a range such as range(5, 17), not {steps!r}")
    if stacks not in ("python", "all"):
        raise ValueError(f'stacks are "python" or "all", not {stacks!r}')
    chosen = None
    if ranks != "all":
        if isinstance(ranks, str) or not all(isinstance(rank, int) for rank in ranks):
            raise ValueError(f'ranks are "all" or numbers such as [0], not {ranks!r}')
        chosen = ranks
    return Recording(os.fspath(path), window, on_oom, stacks, chosen, max_entries)


class Recording:
    """What ``record`` returns: a context manager that can name steps.

    path: the snapshot that is written when the block ends.
    written: the snapshots that were written so far, the latest last.
    """

    def __init__(
        self,
        path: str,
        window: Optional[range],
        on_oom: bool,
        stacks: str,
        ranks: Optional[Collection[int]],
        max_entries: int,
    ) -> None:
        self.path = Path(path)
        self.written: List[Path] = []
        self._window = window
        self._on_oom = on_oom
        self._stacks = stacks
        self._ranks = ranks
        self._max_entries = max_entries
        self._process = 0  # the recording process; its forks do not record
        self._is_wanted = False  # the block runs, on a rank that records
        self._is_on = False
        self._is_over = False  # nothing more will be recorded
        self._next_step = 0
        self._names_steps = False
        self._optimizer: Optional[int] = None
        self._writing = threading.Lock()
        self._sigterm_waits = False
        self._previous_handler: Any = None
        self._cleanups = contextlib.ExitStack()

    def __enter__(self) -> Recording:
        with _warned("nothing is recorded"):
            self._enter()
        return self

    def _enter(self) -> None:
        global _current
        rank, processes = _torch.rank()
        if self._ranks is not None and rank not in self._ranks:
            return
        if _current is not None:
            raise RuntimeError(f"a recording for {_current.path} is on already")
        self.path = _path_of_rank(self.path.absolute(), rank, processes)
        self._process = os.getpid()
        _current = self
        self._is_wanted = True
        if self._window is None or self._window.start == 0:
            self._start()
        if self._window is not None:
            with _warned("steps of optimizers are not seen"):
                self._cleanups.callback(_torch.call_after_optimizer_steps(self._optimizer_stepped))
        self._catch_sigterm()

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        global _current
        if not self._is_wanted:
            return
        try:
            self._finish()
        finally:  # also if writing is interrupted
            self._is_wanted = False
            _current = None
            with _warned("the recording was not undone"):
                self._cleanups.close()
        if not self._is_over and self._window is not None and error is None:
            _warn(f"nothing is recorded: step {self._window.start} did not begin; {self._next_step} steps ended")

    def steps(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The same batches; each is a step with a name in the recording."""
        for batch in batches:
            with self.step():
                yield batch

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """A step of training with a name in the recording."""
        self._names_steps = True
        self._begin_step()
        with contextlib.ExitStack() as name:
            if self._is_on:
                with _warned("a step has no name"):
                    name.enter_context(_torch.named_range(f"step {self._next_step}"))
            yield
        self._end_step()

    def _optimizer_stepped(self, optimizer: Any) -> None:
        """Of several optimizers, the first one counts."""
        if self._names_steps:
            return
        if self._optimizer is None:
            self._optimizer = id(optimizer)
        if id(optimizer) == self._optimizer:
            self._end_step()
            self._begin_step()

    def _begin_step(self) -> None:
        if self._is_wanted and not self._is_on and not self._is_over:
            if self._window is not None and self._next_step >= self._window.start:
                with _warned("nothing is recorded"):
                    self._start()

    def _end_step(self) -> None:
        self._next_step += 1
        if self._window is not None and self._next_step >= self._window.stop:
            self._finish()

    def _start(self) -> None:
        self._is_over = True  # a second try would fail, too
        _torch.start(self._stacks, self._max_entries)
        self._is_on, self._is_over = True, False
        if self._on_oom:
            with _warned("no snapshot will be written when memory runs out"):
                _torch.call_when_out_of_memory(_memory_ran_out)

    def _finish(self) -> None:
        """Write what was recorded, and stop. A second call does nothing."""
        if not self._is_on or os.getpid() != self._process:
            return
        try:
            self._write(self.path)
        finally:
            self._is_on, self._is_over = False, True
            with _warned("recording goes on"):
                _torch.stop()
        self._deliver_sigterm()

    def _memory_ran_out(self) -> None:
        if self._is_on and self._on_oom and os.getpid() == self._process:
            self._write(_with_name_suffix(self.path, "_oom"))
            self._deliver_sigterm()

    def _write(self, path: Path) -> None:
        global _last_written
        with self._writing, _warned("no snapshot was written"):
            write_snapshot(path)
            self.written.append(path)
            _last_written = path

    def _catch_sigterm(self) -> None:
        """Write a snapshot on SIGTERM, then pass it to the previous handler."""
        previous = signal.getsignal(signal.SIGTERM)
        # Python sets handlers in its main thread only, and cannot put back one that C code set.
        if threading.current_thread() is not threading.main_thread() or previous is None:
            return
        self._previous_handler = previous
        signal.signal(signal.SIGTERM, self._terminate)
        self._cleanups.callback(self._release_sigterm)

    def _release_sigterm(self) -> None:
        if signal.getsignal(signal.SIGTERM) == self._terminate:
            signal.signal(signal.SIGTERM, self._previous_handler)

    def _terminate(self, number: int, frame: Optional[FrameType]) -> None:
        self._sigterm_waits = self._writing.locked() and os.getpid() == self._process
        if not self._sigterm_waits:
            self._finish()
            self._release_sigterm()
            os.kill(os.getpid(), number)

    def _deliver_sigterm(self) -> None:
        """The signal again, if it came while a snapshot was being written."""
        if self._sigterm_waits:
            os.kill(os.getpid(), signal.SIGTERM)


def _memory_ran_out() -> None:
    if _current is not None:
        _current._memory_ran_out()


def write_snapshot(path: Path) -> None:
    """Write torch's snapshot under a temporary name, and rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    snapshot = _torch.snapshot()
    try:
        # Level 1 takes a fifth of the time of level 9.
        with gzip.open(unfinished, "wb", 1) if path.suffix == ".gz" else open(unfinished, "wb") as file:
            pickle.dump(snapshot, file, protocol=4)  # torch's own viewer does not read 5
        os.replace(unfinished, path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()


@contextlib.contextmanager
def newest_snapshot() -> Iterator[Path]:
    """What torch has recorded until now, or else the last file that was written here."""
    if _current is None and _last_written is not None:
        yield _last_written
        return
    with tempfile.TemporaryDirectory(prefix="torch_memviz-") as folder:
        path = Path(folder, "now.pickle")
        write_snapshot(path)
        yield path


def _with_name_suffix(path: Path, text: str) -> Path:
    """snap.pickle.gz and _oom are snap_oom.pickle.gz."""
    stem, dot, suffixes = path.name.partition(".")
    return path.with_name(stem + text + dot + suffixes)


def _path_of_rank(path: Path, rank: int, processes: int) -> Path:
    if "{rank}" in str(path):
        return Path(str(path).replace("{rank}", str(rank)))
    return _with_name_suffix(path, f"_rank{rank}") if processes > 1 else path


@contextlib.contextmanager
def _warned(what: str) -> Iterator[None]:
    """Turn an error into a warning that names its consequence."""
    try:
        yield
    except Exception as error:
        _warn(f"{what}: {type(error).__name__}: {error}")


def _warn(message: str) -> None:
    try:
        warnings.warn(f"torch_memviz: {message}", RuntimeWarning, stacklevel=2)
    except RuntimeWarning:  # under -W error, too, the training goes on
        print(f"torch_memviz: {message}", file=sys.stderr)
