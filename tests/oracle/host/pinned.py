"""How many pinned batches a DataLoader holds, without a GPU (experiment 5).

usage: python3 pinned.py

`Tensor.pin_memory` is replaced by a copy into a block of the next power of two that is never given
back, which is what PyTorch's pinned allocator does (ATen/core/CachingHostAllocator.h). On a machine
with a GPU, compare with torch.cuda.host_memory_stats().
"""

import threading
import time
import weakref

import measure
import numpy as np
import torch
from loader import Sequences
from torch.utils.data import DataLoader

GRID = ((0, 2, 24, 600), (1, 2, 24, 512), (2, 2, 24, 512), (4, 2, 24, 512), (4, 4, 24, 512), (8, 2, 64, 2048))
lock, free, made = threading.Lock(), {}, {}


def pin(self, device=None):
    size = self.numel() * self.element_size()
    rounded = 1 << (size - 1).bit_length()
    with lock:
        blocks = free.setdefault(rounded, [])
        if blocks:
            block = blocks.pop()
        else:
            block = np.zeros(rounded, dtype=np.uint8)
            made[rounded] = made.get(rounded, 0) + 1
    pinned = torch.from_numpy(block)[:size].view(self.dtype).view(self.shape)
    pinned.copy_(self)
    weakref.finalize(pinned, free[rounded].append, block)
    return pinned


def one(workers, prefetch, batch, length):
    free.clear()
    made.clear()
    rows = batch * (workers * prefetch + 60)
    options = {"prefetch_factor": prefetch, "persistent_workers": True} if workers else {}
    loader = DataLoader(Sequences(rows, length), batch_size=batch, num_workers=workers, pin_memory=True, **options)
    batches = iter(loader)
    for _ in range(15):
        held = next(batches)
        # As long as a training step takes, so that the queue fills.
        time.sleep(0.12)
    total = sum(size * count for size, count in made.items())
    measure.emit("5_pin_sim", {"workers": workers, "prefetch": prefetch, "batch": batch, "seq": length},
                 batch_bytes=batch * length * 24, pinned_pool_total=total)
    del held, batches, loader


if __name__ == "__main__":
    torch.Tensor.pin_memory = pin
    torch.accelerator.is_available = lambda: True
    torch.accelerator.current_accelerator = lambda *_, **__: torch.device("cpu")
    torch.accelerator.current_device_index = lambda: 0
    torch.accelerator.set_device_index = lambda _: None
    for case in GRID:
        one(*case)
