"""What the train.py of every story shares: it records, and asks torch itself.

Beside each snapshot goes an entry of torch_says.json: torch's own counters in
the same moment, which a test of memviz compares with what the snapshot says.
"""

import ctypes
import gzip
import json
import os
import pickle
import platform
import subprocess

import torch
from torch import nn


def mlp(*widths):
    """Linear layers with a GELU between them, on the CPU."""
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.GELU()]
    return nn.Sequential(*layers[:-1])


def start(stacks="python"):
    """Record from here on; torch's peaks count from here on, too."""
    torch.cuda.init()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.memory._record_memory_history(max_entries=100_000, stacks=stacks)


def write(path, protocol=4):
    """Write the snapshot of this moment, gzipped, and what torch says of it."""
    says(path)
    snapshot = torch.cuda.memory._snapshot()
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        pickle.dump(snapshot, file, protocol=protocol)


def write_when_out_of_memory(path):
    """Write it when a request fails, before the exception frees anything."""

    def observe(device, requested, total, free):
        try:
            write(path)
        except Exception as error:  # it must not hide the one under way
            print(f"no snapshot was written: {error}")

    torch._C._cuda_attach_out_of_memory_observer(observe)


def leave(wanted):
    """Take all of the GPU but so many bytes, as another process would."""
    free, _ = torch.cuda.mem_get_info()
    if free <= wanted:
        return
    address = ctypes.c_uint64()
    taken = ctypes.CDLL("libcuda.so.1").cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(free - wanted))
    if taken != 0:
        raise RuntimeError(f"the driver does not give {free - wanted} bytes: error {taken}")


def says(path):
    """Add torch's counters to torch_says.json, under the name of the snapshot."""
    file = path.parent / "torch_says.json"
    said = json.loads(file.read_text()) if file.exists() else {}
    said.update(machine())
    said.setdefault("snapshots", {})[path.name] = {
        "memory_allocated": torch.cuda.memory_allocated(),
        "max_memory_allocated": torch.cuda.max_memory_allocated(),
        "memory_reserved": torch.cuda.memory_reserved(),
        "max_memory_reserved": torch.cuda.max_memory_reserved(),
        "memory_stats": torch.cuda.memory_stats(),
    }
    file.write_text(json.dumps(said, indent=1) + "\n")


def machine():
    """The names that stand in the story's README."""
    return {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "gpu": torch.cuda.get_device_name(),
        "driver": driver(),
        "python": platform.python_version(),
        "conf": os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""),
    }


def driver():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"
