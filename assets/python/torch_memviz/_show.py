"""show(): a report in a notebook, or in a browser."""

from __future__ import annotations

import html
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Mapping, Sequence

from ._command import MemvizError, Option, Paths, inputs, flags, program, run

# A Jupyter server drops an output of more than 3 MB, unless configured otherwise.
_NOTEBOOK_SIZE = "2.8MB"


def show(path: Paths = None, *, height: int = 640, **options: Option) -> None:
    """Show the report of snapshots: in a notebook below the cell, else in a browser.

    path: one or several snapshots or reports; without one, what torch has recorded
        until now, or else the last file that ``record`` wrote.
    height: of the report below a cell, in pixels.
    options: options of ``memviz trace``, such as ``capacity="80GiB"``. In a notebook
        the report has at most 2.8 MB, unless ``max_size`` says otherwise.

    Click into the report before you use its keys or zoom with the wheel, which scrolls
    the notebook until then. It runs in a frame without access to the notebook; so the
    browser lets it save neither pictures nor tables. ``memviz trace`` writes it as a
    file, which can.
    """
    with inputs(path) as files:
        notebook = _notebook()
        if notebook is None:
            _open(files, options)
            return
        options.setdefault("max_size", _NOTEBOOK_SIZE)
        title = ", ".join(Path(file).name for file in files)
        try:
            report = run(["trace", "--output=-", "--quiet", *flags(options), "--", *files])
        except MemvizError as error:
            if "--max-size" not in str(error):
                raise
            raise MemvizError(f"{error}, and memviz trace writes a file of any size") from None
    notebook.display_pub.publish({"text/html": frame(report, title, height), "text/plain": f"memviz: {title}"})


def frame(report: str, title: str, height: int) -> str:
    """The HTML of a frame that holds the report and may do nothing but run its scripts."""
    # A report is full of double quotes, so the attribute has single ones.
    inner = report.replace("&", "&amp;").replace("'", "&#39;")
    return (
        f'<iframe title="memviz: {html.escape(title)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{int(height)}px;border:1px solid #8886;border-radius:4px" '
        f"srcdoc='{inner}'></iframe>"
    )


def _notebook() -> Any:
    """The shell of a notebook, which shows HTML; None in a script or a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell if hasattr(shell, "kernel") else None


def _open(files: Sequence[str], options: Mapping[str, Option]) -> None:
    """Write the report to a file that stays, and open it in a browser."""
    report = Path(tempfile.mkdtemp(prefix="torch_memviz-"), "report.html")
    arguments = [program(), "trace", f"--output={report}", "--open", *flags(options), "--", *files]
    if subprocess.run(arguments).returncode != 0:
        raise MemvizError("the report was not opened; memviz has said why")
