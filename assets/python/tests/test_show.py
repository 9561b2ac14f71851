import json
import sys
import types
from html.parser import HTMLParser

import pytest
import torch_memviz
from stub_torch import EXAMPLE
from torch_memviz import _command, _show


@pytest.fixture
def notebook(monkeypatch):
    """The outputs of a notebook that this process seems to be the kernel of."""
    outputs = []
    shell = types.SimpleNamespace(kernel=object(), display_pub=types.SimpleNamespace(publish=outputs.append))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    return outputs


def test_a_small_recording_makes_a_small_notebook(notebook):
    torch_memviz.show(EXAMPLE)
    [output] = notebook
    assert output["text/plain"] == "memviz: snapshot.pickle.gz"
    assert 100_000 < len(json.dumps(output)) < 350_000


def test_the_frame_holds_the_report_and_may_only_run_scripts(notebook):
    torch_memviz.show(EXAMPLE, height=500)
    [(tag, attributes)] = elements(notebook[0]["text/html"])
    assert tag == "iframe"
    assert attributes.pop("srcdoc") == _command.run(["trace", "-o", "-", str(EXAMPLE)])
    assert "height:500px" in attributes.pop("style")
    assert attributes == {"title": "memviz: snapshot.pickle.gz", "sandbox": "allow-scripts"}


def test_texts_stay_texts():
    hostile = "<script>'\"</script>&amp;&#39;><iframe>"
    [(tag, attributes)] = elements(_show.frame(hostile, hostile, 1))
    assert (tag, attributes["srcdoc"], attributes["title"]) == ("iframe", hostile, f"memviz: {hostile}")


def test_options_of_trace(notebook):
    torch_memviz.show(EXAMPLE, omit="addresses,times")
    [(_, attributes)] = elements(notebook[0]["text/html"])
    assert attributes["srcdoc"] == _command.run(["trace", "-o", "-", "--omit=addresses,times", str(EXAMPLE)])
    with pytest.raises(torch_memviz.MemvizError, match="--max-size none lifts it, and memviz trace writes a file"):
        torch_memviz.show(EXAMPLE, max_size="100kB")


def test_what_is_recorded_now(notebook, torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle"):
        torch_memviz.show()
    torch_memviz.show()
    assert [output["text/plain"] for output in notebook] == ["memviz: now.pickle", "memviz: snap.pickle"]


def test_the_snippet(notebook, torch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = _command.run(["snippet", "notebook"])
    assert "batches, train_step = ..., ..." in program
    exec(program.replace("..., ...", "range(9), int"), {})
    assert torch.ranges[0] == "+step 3" and torch.ranges[-1] == "-step 7"
    assert [output["text/plain"] for output in notebook] == ["memviz: snap.pickle"]


def test_without_a_notebook_it_opens_a_browser(monkeypatch, capfd):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", None)
    torch_memviz.show(EXAMPLE)
    said = capfd.readouterr().err
    assert "report.html: " in said
    if sys.platform == "linux":
        assert "there is no display here" in said


class Magic:
    """A shell of IPython with the extension."""

    def __init__(self):
        from IPython.core.interactiveshell import InteractiveShell

        self.shell = InteractiveShell()
        self.shell.run_line_magic("load_ext", "torch_memviz")
        self.line = lambda text: self.shell.run_line_magic("memviz", text)
        self.cell = lambda line, text: self.shell.run_cell_magic("memviz", line, text)


@pytest.fixture
def magic(notebook, monkeypatch):
    shown = sys.modules.pop("IPython")
    pytest.importorskip("IPython")
    magic = Magic()
    sys.modules["IPython"] = shown
    return magic


def test_the_magic_runs_commands(magic, notebook, capsys):
    magic.line(f"stats '{EXAMPLE}'")
    assert "peak" in capsys.readouterr().out
    magic.line("stats missing.pickle")
    assert capsys.readouterr().err == "memviz: missing.pickle: no such file or directory\n"
    magic.line(f"show {EXAMPLE}")
    assert [output["text/plain"] for output in notebook] == ["memviz: snapshot.pickle.gz"]


def test_the_magic_records_a_cell(magic, notebook, torch, tmp_path):
    path = tmp_path / "a cell.pickle"
    magic.cell(f"'{path}' --stacks all", "x = 41 + 1")
    assert magic.shell.user_ns["x"] == 42
    assert [call.get("stacks") for call in torch.calls] == ["all", None]
    magic.cell("", "raise KeyError")
    magic.cell("--stacks C++", "y = 1")
    assert "y" not in magic.shell.user_ns
    torch.error = RuntimeError("stoi")
    with pytest.warns(RuntimeWarning, match="nothing is recorded"):
        magic.cell(f"'{path}'", "z = 1")  # an older file is not shown as this cell's
    assert [output["text/plain"] for output in notebook] == ["memviz: a cell.pickle", "memviz: cell.pickle"]


def elements(html):
    """The tags of some HTML with their attributes."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(html)
    parser.close()
    return found
