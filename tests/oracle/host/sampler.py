"""Private memory of a shuffled epoch's order, in bytes a row.

usage: python3 sampler.py [ROWS]
"""

import gc
import sys

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Numbers(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        return index


def private_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))


def measure(rows, kind):
    gc.collect()
    before = private_bytes()
    data = Numbers(rows)
    sampler = DistributedSampler(data, num_replicas=4, rank=1) if kind == "distributed over 4" else None
    loader = DataLoader(data, batch_size=8, shuffle=kind == "random", sampler=sampler)
    batches = iter(loader)
    next(batches)
    return (private_bytes() - before) / rows


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    torch.randperm(10)
    for kind in ("random", "distributed over 4", "sequential"):
        print(f"torch {torch.__version__}, {rows} rows, {kind}: {measure(rows, kind):.2f} bytes a row")
