import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch_memviz
from stub_torch import EXAMPLE, OutOfMemoryError
from torch_memviz import _command, _record

PEAK = json.loads(EXAMPLE.with_name("stats.json").read_text())["devices"][0]["peak_bytes"]

STARTED = {
    "2.0": {
        "enabled": True,
        "record_context": True,
        "trace_alloc_max_entries": 1000,
        "trace_alloc_record_context": True,
        "_enable_expensive_cpp": True,
    },
    "2.6": {"enabled": "all", "stacks": "all", "max_entries": 1000},
    "2.11": {"enabled": "all", "stacks": "all", "max_entries": 1000, "clear_history": True},
    "2.14": {
        "enabled": "all",
        "stacks": "all",
        "max_entries": 1000,
        "clear_history": True,
        "record_pinned_host_memory": True,
    },
}


def test_parameters_are_those_of_the_running_torch(any_torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle", max_entries=1000):
        assert any_torch.is_recording
    assert any_torch.is_initialised, "before it is, torch has no allocator to record"
    stopped = {"enabled": False if any_torch.version == "2.0" else None}
    assert any_torch.calls == [STARTED[any_torch.version], stopped]


@pytest.mark.parametrize("snippet, arguments", [("record", {}), ("ranks", {"stacks": "python"})])
def test_snippets_record_the_same(torch, tmp_path, monkeypatch, snippet, arguments):
    with torch_memviz.record(tmp_path / "snap.pickle", **arguments):
        pass
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.chdir(tmp_path)
    exec(_command.run(["snippet", snippet]), {})
    ours, stopped, theirs, stopped_too = torch.calls
    assert {**theirs, "clear_history": True} == ours
    assert stopped == stopped_too


def test_snippets_see_the_same_out_of_memory(torch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(_command.run(["snippet", "oom"]), {})
    with pytest.raises(OutOfMemoryError):
        torch.out_of_memory()
    assert files(tmp_path) == ["oom_rank0.pickle"]


def test_the_file_is_a_snapshot(torch, tmp_path):
    for name in ("snap.pickle", "new/folder/snap.pickle.gz"):
        with torch_memviz.record(tmp_path / name):
            pass
        [device] = torch_memviz.stats(tmp_path / name)["devices"]
        assert device["peak_bytes"] == PEAK
        assert torch_memviz.stats()["devices"][0]["file"] == "snap.pickle" + name[len("new/folder/snap.pickle") :]
    assert files(tmp_path) == ["new/folder/snap.pickle.gz", "snap.pickle"]
    assert (tmp_path / "new/folder/snap.pickle.gz").stat().st_size < 50_000


def test_an_exception_passes(torch, tmp_path):
    with pytest.raises(KeyError):
        with torch_memviz.record(tmp_path / "snap.pickle"):
            raise KeyError
    assert files(tmp_path) == ["snap.pickle"]
    assert not torch.is_recording


def test_out_of_memory(torch, tmp_path):
    with pytest.raises(OutOfMemoryError):
        with torch_memviz.record(tmp_path / "snap.pickle") as recording:
            try:
                torch.out_of_memory()
            finally:
                assert files(tmp_path) == ["snap_oom.pickle"], "it is written before the exception"
    assert files(tmp_path) == ["snap.pickle", "snap_oom.pickle"]
    assert recording.written == [tmp_path / "snap_oom.pickle", tmp_path / "snap.pickle"]

    with pytest.raises(OutOfMemoryError):
        with torch_memviz.record(tmp_path / "other.pickle", on_oom=False):
            torch.out_of_memory()
    with torch_memviz.record(tmp_path / "third.pickle"):
        pass
    with pytest.raises(OutOfMemoryError):
        torch.out_of_memory()
    assert files(tmp_path) == ["other.pickle", "snap.pickle", "snap_oom.pickle", "third.pickle"]
    assert len(torch.observers) == 1, "torch cannot detach them"


@pytest.mark.parametrize(
    "environment, ranks, path, written",
    [
        ({}, "all", "snap.pickle", ["snap.pickle"]),
        ({"RANK": "0", "WORLD_SIZE": "1"}, [0], "snap.pickle", ["snap.pickle"]),
        ({"RANK": "3", "WORLD_SIZE": "8"}, "all", "snap.pickle.gz", ["snap_rank3.pickle.gz"]),
        ({"SLURM_PROCID": "3", "SLURM_NTASKS": "8"}, [1, 3], "snap.pickle", ["snap_rank3.pickle"]),
        ({"RANK": "3", "WORLD_SIZE": "8"}, "all", "run/rank{rank}.pickle", ["run/rank3.pickle"]),
        ({"RANK": "3", "WORLD_SIZE": "8"}, [0], "snap.pickle", []),
    ],
)
def test_ranks(torch, tmp_path, monkeypatch, environment, ranks, path, written):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with torch_memviz.record(tmp_path / path, ranks=ranks) as recording:
        assert torch.is_recording == bool(written)
        list(recording.steps(range(3)))
    assert files(tmp_path) == written


def test_files_of_ranks_are_a_job(torch, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        with pytest.raises(OutOfMemoryError):
            with torch_memviz.record(tmp_path / "snap.pickle"):
                torch.out_of_memory()
    names = [json.loads(line)["name"] for line in _command.run(["digest", "--quiet", str(tmp_path)]).splitlines()]
    assert [(name["label"], name.get("oom", False)) for name in names] == [
        (str(rank), ran_out) for rank in range(3) for ran_out in (False, True)
    ]


def test_steps_have_names(torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle") as recording:
        for _ in recording.steps("ab"):
            torch.optimizer_step("adam")
        with recording.step():
            pass
    assert torch.ranges == ["+step 0", "-step 0", "+step 1", "-step 1", "+step 2", "-step 2"]


def test_only_some_steps_are_recorded(torch, tmp_path):
    seen = []
    with torch_memviz.record(tmp_path / "snap.pickle", steps=range(2, 4)) as recording:
        for batch in recording.steps(range(6)):
            torch.optimizer_step("adam")
            seen.append((batch, torch.is_recording, files(tmp_path)))
    assert torch.ranges == ["+step 2", "-step 2", "+step 3", "-step 3"]
    assert seen == [
        (0, False, []),
        (1, False, []),
        (2, True, []),
        (3, True, []),
        (4, False, ["snap.pickle"]),
        (5, False, ["snap.pickle"]),
    ]
    assert len(torch.calls) == 2


def test_steps_of_an_optimizer_count(torch, tmp_path):
    seen = []
    with torch_memviz.record(tmp_path / "snap.pickle", steps=range(1, 3)):
        for _ in range(4):
            seen.append(torch.is_recording)
            torch.optimizer_step("generator")
            torch.optimizer_step("discriminator")
    assert seen == [False, True, True, False]
    assert files(tmp_path) == ["snap.pickle"]
    torch.optimizer_step("generator")
    assert len(torch.calls) == 2


def test_the_first_steps(torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle", steps=2) as recording:
        seen = [torch.is_recording for _ in recording.steps(range(4))]
    assert seen == [True, True, False, False]


def test_steps_that_never_come(torch, tmp_path):
    with pytest.warns(RuntimeWarning, match="nothing is recorded: step 5 did not begin; 3 steps ended"):
        with torch_memviz.record(tmp_path / "snap.pickle", steps=range(5, 9)) as recording:
            list(recording.steps(range(3)))
    assert files(tmp_path) == []


def test_a_loop_that_breaks(torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle", steps=range(1, 9)) as recording:
        for batch in recording.steps(range(9)):
            if batch == 2:
                break
    assert files(tmp_path) == ["snap.pickle"]
    assert torch.ranges == ["+step 1", "-step 1", "+step 2"]


def test_one_recording_at_a_time(torch, tmp_path):
    with torch_memviz.record(tmp_path / "outer.pickle"):
        with pytest.warns(RuntimeWarning, match="nothing is recorded: .*outer.pickle is on already"):
            with torch_memviz.record(tmp_path / "inner.pickle"):
                assert torch.is_recording
        assert torch.is_recording
    assert files(tmp_path) == ["outer.pickle"]


def test_errors_are_warnings(torch, tmp_path):
    torch.error = RuntimeError("stoi")
    reached = 0
    with pytest.warns(RuntimeWarning, match="nothing is recorded: RuntimeError: stoi") as warned:
        with torch_memviz.record(tmp_path / "snap.pickle", steps=range(1, 5)) as recording:
            for _ in recording.steps(range(8)):
                reached += 1
    assert reached == 8
    assert len(warned) == 1, "it does not try again at each step"

    torch.error = None
    with pytest.warns(RuntimeWarning, match="no snapshot was written: RuntimeError: stoi"):
        with torch_memviz.record(tmp_path / "snap.pickle"):
            torch.error = RuntimeError("stoi")
    assert files(tmp_path) == []


def test_without_torch(no_torch, tmp_path):
    with pytest.warns(RuntimeWarning, match="nothing is recorded: ModuleNotFoundError"):
        with torch_memviz.record(tmp_path / "snap.pickle") as recording:
            assert list(recording.steps("abc")) == ["a", "b", "c"]


def test_a_file_that_cannot_be_written(torch, tmp_path):
    (tmp_path / "file").touch()
    with pytest.warns(RuntimeWarning, match="no snapshot was written"):
        with torch_memviz.record(tmp_path / "file" / "snap.pickle"):
            pass
    assert not torch.is_recording


def test_warnings_that_are_errors(torch, tmp_path, capsys):
    torch.error = RuntimeError("stoi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with torch_memviz.record(tmp_path / "snap.pickle"):
            pass
    assert capsys.readouterr().err == "torch_memviz: nothing is recorded: RuntimeError: stoi\n"


@pytest.mark.parametrize(
    "wrong", [{"steps": range(3, 3)}, {"steps": "3"}, {"stacks": "cpp"}, {"ranks": "first"}, {"ranks": ["0"]}]
)
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError, match=f"^{list(wrong)[0]} are "):
        torch_memviz.record("snap.pickle", **wrong)


SIGTERM_PROGRAM = """
import os, signal, sys
from stub_torch import Stub
import torch_memviz
torch = Stub("2.11")
torch.install()
if "handler" in sys.argv:
    signal.signal(signal.SIGTERM, lambda *args: print("its handler ran", flush=True))
if "writing" in sys.argv:
    snapshot = sys.modules["torch"].cuda.memory._snapshot
    def interrupted():
        os.kill(os.getpid(), signal.SIGTERM)
        print("the snapshot went on", flush=True)
        return snapshot()
    sys.modules["torch"].cuda.memory._snapshot = interrupted
with torch_memviz.record("snap.pickle"):
    if "writing" not in sys.argv:
        os.kill(os.getpid(), signal.SIGTERM)
    print("the training went on", flush=True)
print("SIGTERM is", signal.getsignal(signal.SIGTERM), flush=True)
"""


posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither forks nor a SIGTERM that can be handled")


@posix
@pytest.mark.parametrize(
    "case, status, printed",
    [
        ("alone", -signal.SIGTERM, []),
        ("handler", 0, ["its handler ran", "the training went on", "SIGTERM is <function <lambda>"]),
        ("writing", -signal.SIGTERM, ["the training went on", "the snapshot went on"]),
    ],
)
def test_sigterm(tmp_path, case, status, printed):
    done = subprocess.run(
        [sys.executable, "-c", SIGTERM_PROGRAM, case],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (status, "")
    assert [line.partition(" at 0x")[0] for line in done.stdout.splitlines()] == printed
    assert files(tmp_path) == ["snap.pickle"]
    assert torch_memviz.stats(tmp_path / "snap.pickle")["devices"][0]["peak_bytes"] == PEAK


@posix
def test_a_fork_writes_nothing(torch, tmp_path):
    with torch_memviz.record(tmp_path / "snap.pickle"):
        child = os.fork()
        if child == 0:
            os.kill(os.getpid(), signal.SIGTERM)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGTERM
        assert files(tmp_path) == []
    assert files(tmp_path) == ["snap.pickle"]


def test_writing_that_is_interrupted(torch, tmp_path, monkeypatch):
    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(_record, "write_snapshot", interrupted)
    with pytest.raises(KeyboardInterrupt):
        with torch_memviz.record(tmp_path / "snap.pickle"):
            pass
    assert not torch.is_recording
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    with torch_memviz.record(tmp_path / "snap.pickle", ranks=[7]):
        pass


def test_a_program_that_changes_its_folder(torch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with torch_memviz.record("snap.pickle"):
        os.chdir("elsewhere")
    assert files(tmp_path) == ["snap.pickle"]


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
