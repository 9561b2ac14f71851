import os
import shutil
import subprocess
import sys

import pytest
import torch_memviz
from stub_torch import EXAMPLE
from torch_memviz import _command

EXAMPLES = EXAMPLE.parents[1]
LEAK = EXAMPLES / "leaking-loss" / "snapshot.pickle.gz"


def test_stats_of_several():
    answer = torch_memviz.stats([EXAMPLE, str(LEAK)])
    assert answer["schema"] == "memviz.stats/1"
    assert [device["adds_up"] for device in answer["devices"]] == [True, True]


def test_leaks():
    assert torch_memviz.leaks(EXAMPLE)["devices"][0]["suspects"] == []
    assert torch_memviz.leaks(LEAK)["devices"][0]["suspects"] != []


def test_predict():
    recordings = {size: EXAMPLES / "what-fits" / f"{size}.pickle.gz" for size in (128, 256)}
    [device] = torch_memviz.predict(recordings, at=[384, 512])["devices"]
    assert [row["x"] for row in device["rows"]] == [384, 512]
    [device] = torch_memviz.predict(recordings, at=512)["devices"]
    assert [row["x"] for row in device["rows"]] == [512]
    [device] = torch_memviz.predict(recordings, largest=True, capacity="4GiB")["devices"]
    assert device["largest"]["x"] > 512, "the example says that 512 fits"


def test_events():
    every = torch_memviz.events(EXAMPLE)
    assert len(every) == torch_memviz.stats(EXAMPLE)["devices"][0]["events"]
    assert [row["event"] for row in every] == list(range(len(every)))
    assert {(row["file"], row["device"]) for row in every} == {(EXAMPLE.name, 0)}
    mallocs = torch_memviz.events(EXAMPLE, grep="cudaMalloc")
    assert mallocs == [row for row in every if "cudaMalloc" in row["text"]] != []


def test_events_for_pandas():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(torch_memviz.events(EXAMPLE))
    assert table.active_bytes.max() == torch_memviz.stats(EXAMPLE)["devices"][0]["peak_bytes"]


def test_options():
    options = {"capacity": "80GiB", "fail_if": ["a>1", "b>2"], "salvage": True, "quiet": False, "rows": 3, "salt": None}
    assert list(_command.flags(options)) == [
        "--capacity=80GiB",
        "--fail-if=a>1",
        "--fail-if=b>2",
        "--salvage",
        "--rows=3",
    ]


def test_errors():
    with pytest.raises(torch_memviz.MemvizError, match="^missing.pickle: no such file or directory$"):
        torch_memviz.stats("missing.pickle")
    with pytest.raises(torch_memviz.MemvizError, match="flag provided but not defined|no flag|colour"):
        torch_memviz.stats(EXAMPLE, colour="red")


def test_a_name_that_looks_like_a_flag(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLE, "--help")
    assert torch_memviz.stats("--help")["devices"][0]["file"] == "--help"


@pytest.mark.parametrize("arguments, status", [(["version"], 0), (["stats", "missing.pickle"], 1), (["--wrong"], 2)])
def test_the_module_is_the_command(arguments, status):
    ran = [
        subprocess.run([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in ([sys.executable, "-m", "torch_memviz"], [_command.program()])
    ]
    assert [(each.returncode, each.stdout, each.stderr) for each in ran] == [(status, ran[1].stdout, ran[1].stderr)] * 2


def test_the_program_of_the_package_comes_before_another_one(tmp_path, monkeypatch):
    installed = _command.program()
    other = tmp_path / os.path.basename(installed)
    other.write_text("#!/bin/sh\nexit 7\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    _command.program.cache_clear()
    assert _command.program() == installed
