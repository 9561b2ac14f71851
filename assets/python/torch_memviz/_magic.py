"""The magic %memviz of notebooks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Optional

from ._command import program
from ._record import record
from ._show import show


def load_ipython_extension(ipython: Any) -> None:
    """Called by ``%load_ext torch_memviz``."""

    def memviz(line: str, cell: Optional[str] = None) -> None:
        """See the GPU memory of this notebook.

        %memviz                       the report of what torch has recorded until now
        %memviz show snap.pickle      the report of a snapshot
        %memviz stats snap.pickle     any command of memviz; %memviz --help lists them
        %%memviz                      record the cell, and show its report
        %%memviz snap.pickle --stacks all
                                      keep its snapshot; with C++ frames
        """
        if cell is not None:
            _record_cell(ipython, line, cell)
            return
        words = _words(line)
        if not words or words[0] == "show":
            show(words[1:] or None)
            return
        done = subprocess.run([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)

    ipython.register_magic_function(memviz, "line_cell", "memviz")


def _record_cell(ipython: Any, line: str, cell: str) -> None:
    parser = argparse.ArgumentParser(prog="%%memviz", description="Record the cell, and show its report.")
    parser.add_argument("path", nargs="?", help="the file to write; a temporary one without it")
    parser.add_argument("--stacks", choices=["python", "all"], default="all")
    try:
        asked = parser.parse_args(_words(line))
    except SystemExit:  # argparse has said why
        return
    path = asked.path or Path(tempfile.mkdtemp(prefix="torch_memviz-"), "cell.pickle")
    with record(path, stacks=asked.stacks) as recording:
        ipython.run_cell(cell)
    if recording.written:
        show(recording.written[-1])


def _words(line: str) -> List[str]:
    """Words as a shell of this system reads them: backslashes of Windows stay."""
    from IPython.utils.process import arg_split

    return arg_split(line, posix=os.name != "nt")
