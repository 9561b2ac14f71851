"""A decoder writes one token after the other; its cache of keys and values grows."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import record  # noqa: E402


class KVCache:
    def __init__(self, layers):
        self.keys = [torch.empty(1, 32, 0, 128, device="cuda", dtype=torch.float16) for _ in range(layers)]
        self.values = [torch.empty(1, 32, 0, 128, device="cuda", dtype=torch.float16) for _ in range(layers)]


def update_kv_cache(cache, layer, key, value):
    cache.keys[layer] = torch.cat([cache.keys[layer], key], dim=2)
    cache.values[layer] = torch.cat([cache.values[layer], value], dim=2)


class Decoder(torch.nn.Module):
    def forward(self, x, cache):
        for layer in range(4):
            key = torch.mul(x, 0.5)
            value = torch.mul(x, 2.0)
            update_kv_cache(cache, layer, key, value)
            x = F.scaled_dot_product_attention(x, cache.keys[layer], cache.values[layer])
        return x


@torch.no_grad()
def main():
    torch.manual_seed(0)
    record.start()
    decoder = Decoder()
    cache = KVCache(layers=4)
    x = torch.randn(1, 32, 32, 128, device="cuda", dtype=torch.float16)  # the prompt
    for token in range(33):
        x = decoder(x, cache)
        x = x[:, :, -1:].clone()  # of the prompt, too, only the last token goes on
    record.write(here / "snapshot.pickle.gz")


if __name__ == "__main__":
    main()
