"""A forward pass is captured in a CUDA graph, whose memory is a pool of its own."""

import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


@torch.no_grad()
def main():
    torch.manual_seed(0)
    record.start()
    model = record.mlp(1024, 4096, 4096, 1024)
    model.to("cuda")
    x = torch.randn(1024, 1024, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        warm = model(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    results = []
    for step in range(5):
        x.normal_()
        graph.replay()  # allocates nothing
        results.append(y.clone())
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
