"""record() with the real torch on a real GPU; skipped elsewhere."""

import pytest
import torch_memviz

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU here", allow_module_level=True)

STEPS = range(2, 11)


def test_a_training_that_runs_out_of_memory(tmp_path):
    """A loop that keeps something of each step, and then asks for more than there is."""
    kept = []
    path = tmp_path / "snap.pickle"
    with pytest.raises(torch.cuda.OutOfMemoryError):
        with torch_memviz.record(path, steps=STEPS, stacks="all") as recording:
            model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)).cuda()
            optimizer = torch.optim.AdamW(model.parameters())
            for step in recording.steps(range(20)):
                loss = model(torch.randn(256, 512, device="cuda")).square().mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                kept.append(torch.zeros(1 << 20, device="cuda"))
                if step == STEPS[-1]:
                    torch.empty(torch.cuda.get_device_properties(0).total_memory, dtype=torch.uint8, device="cuda")

    for written in (path, tmp_path / "snap_oom.pickle"):
        [device] = torch_memviz.stats(written)["devices"]
        assert device["adds_up"], written
        assert device["oom_events"] == 1
    suspect = torch_memviz.leaks(path)["devices"][0]["suspects"][0]
    assert suspect["verdict"] == "strong"
    assert "test_gpu.py" in suspect["site"]
    assert len(torch_memviz.events(path, grep="OOM")) == 1


def test_a_second_recording_begins_anew(tmp_path):
    for name in ("first.pickle", "second.pickle"):
        with torch_memviz.record(tmp_path / name):
            torch.empty(1 << 20, device="cuda")
    first, second = (torch_memviz.events(tmp_path / name) for name in ("first.pickle", "second.pickle"))
    assert sum(row["action"] == "alloc" for row in first) == 1
    assert sum(row["action"] == "alloc" for row in second) == 1
