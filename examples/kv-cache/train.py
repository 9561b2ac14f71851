"""A decoder writes one token after the other; its cache of keys and values grows."""

import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


class KVCache:
    def __init__(self, layers):
        self.keys = [torch.empty(1, 16, 0, 64, device="cuda", dtype=torch.float16) for _ in range(layers)]
        self.values = [torch.empty(1, 16, 0, 64, device="cuda", dtype=torch.float16) for _ in range(layers)]


def update_kv_cache(cache, layer, key, value):
    cache.keys[layer] = torch.cat([cache.keys[layer], key], dim=2)
    cache.values[layer] = torch.cat([cache.values[layer], value], dim=2)


def attend(cache, layer, x):
    key = torch.mul(x, 0.5)
    value = torch.mul(x, 2.0)
    update_kv_cache(cache, layer, key, value)
    return torch.nn.functional.scaled_dot_product_attention(x, cache.keys[layer], cache.values[layer])


@torch.no_grad()
def main():
    torch.manual_seed(0)
    record.start()
    cache = KVCache(layers=4)
    x = torch.randn(1, 16, 512, 64, device="cuda", dtype=torch.float16)  # the prompt
    for token in range(24):
        with torch.profiler.record_function(f"token {token}"):
            for layer in range(4):
                x = attend(cache, layer, x)
            x = x[:, :, -1:].clone()
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
