"""Three steps, pickled by torch's C++ code, as a trainer without Python does."""

import gzip
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


writer = """
#include <torch/extension.h>
#include <torch/csrc/cuda/memory_snapshot.h>

py::bytes pickled() { return py::bytes(torch::cuda::_memory_snapshot_pickled()); }
"""


def main():
    cpp = load_inline("memviz_writer", writer, functions="pickled", extra_ldflags=["-ltorch_cuda"])
    torch.manual_seed(0)
    record.start()
    model = record.mlp(512, 2048, 2048, 512)
    model.to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        x = torch.randn(1024, 512, device="cuda")
        y = torch.randn(1024, 512, device="cuda")
        output = model(x)
        loss = F.mse_loss(output, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    record.says(here / "snapshot.pickle.gz")
    with gzip.GzipFile(here / "snapshot.pickle.gz", "wb", mtime=0) as file:
        file.write(cpp.pickled())


if __name__ == "__main__":
    main()
