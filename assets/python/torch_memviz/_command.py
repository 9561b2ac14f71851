"""The memviz command, and its answers as dicts."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from ._record import StrPath, newest_snapshot

Paths = Union[StrPath, Sequence[StrPath], None]
Option = Union[str, int, float, bool, None, Sequence[Union[str, int, float]]]


class MemvizError(RuntimeError):
    """memviz failed; the message is its own."""


def stats(path: Paths = None, **options: Option) -> Dict[str, Any]:
    """The totals of each device, and whether they add up.

    path: one or several snapshots or reports; without one, what torch has recorded
        until now, or else the last file that ``record`` wrote.
    options: options of the command, such as ``capacity="80GiB"`` for --capacity 80GiB.

    ``memviz schema stats`` describes the dict.
    """
    return _answer("stats", path, options)


def leaks(path: Paths = None, **options: Option) -> Dict[str, Any]:
    """What survives the steps of training, again and again; see ``stats``."""
    return _answer("leaks", path, options)


def predict(
    snapshots: Mapping[Union[int, float], StrPath],
    at: Union[int, float, Iterable[Union[int, float]], None] = None,
    **options: Option,
) -> Dict[str, Any]:
    """Predicted peaks at other batch sizes or sequence lengths.

        predict({128: "128.pickle", 256: "256.pickle"}, at=[512, 1024])
        predict({128: "128.pickle", 256: "256.pickle"}, largest=True, capacity="80GiB")

    snapshots: two or more recordings of one program, by the size of each.
    at: the size or sizes to predict.
    options: options of the command; see ``stats``.
    """
    if at is not None:
        options["at"] = ",".join(map(str, at)) if isinstance(at, Iterable) else at
    named = [f"{size}={os.fspath(path)}" for size, path in snapshots.items()]
    return json.loads(run(["predict", "--format=json", *flags(options), "--", *named]))


def events(path: Paths = None, **options: Option) -> List[Dict[str, Any]]:
    """What the allocator did, a dict for each event, for ``pandas.DataFrame``.

    Each has its ``file`` and ``device``. See ``stats``; the option ``grep`` keeps
    matching events.
    """
    return [
        {"file": device["file"], "device": device["device"], **event}
        for device in _answer("events", path, options)["devices"]
        for event in device["events"]
    ]


def _answer(command: str, path: Paths, options: Mapping[str, Option]) -> Dict[str, Any]:
    with inputs(path) as files:
        return json.loads(run([command, "--format=json", *flags(options), "--", *files]))


@contextlib.contextmanager
def inputs(path: Paths) -> Iterator[List[str]]:
    """The paths of snapshots; without any, of the newest one."""
    if path is None:
        with newest_snapshot() as newest:
            yield [os.fspath(newest)]
        return
    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    yield [os.fspath(each) for each in paths]


def flags(options: Mapping[str, Option]) -> Iterator[str]:
    """Options as memviz takes them: ``max_size="9MiB"`` is ``--max-size=9MiB``; True gives a bare flag."""
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            yield flag
        elif isinstance(value, (str, int, float)) and value is not False:
            yield f"{flag}={value}"
        elif value:
            yield from (f"{flag}={each}" for each in value)


def run(arguments: Sequence[str]) -> str:
    """The output of memviz; if it fails, a MemvizError with its message."""
    done = subprocess.run([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").splitlines()
        said = [line[len("memviz: ") :] if line.startswith("memviz: ") else line for line in said]
        raise MemvizError("\n".join(said) or f"memviz ended with status {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


@functools.lru_cache(maxsize=None)
def program() -> str:
    """The memviz that was installed with this package, else one on the PATH."""
    name = "memviz.exe" if os.name == "nt" else "memviz"
    candidates: List[Optional[str]] = []
    with contextlib.suppress(metadata.PackageNotFoundError):
        files = metadata.files("torch-memviz") or []
        candidates += [str(file.locate()) for file in files if file.name == name]
    candidates.append(os.path.join(sysconfig.get_path("scripts"), name))
    candidates.append(str(Path(__file__).parents[1] / "bin" / name))  # pip install --target
    candidates.append(shutil.which(name))
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise MemvizError("the memviz command is not installed; pip install --force-reinstall torch-memviz")
