"""Memory of a DataLoader's workers and of the batches in its queue (experiment 4).

usage: python3 loader.py [fork | images | spawn]
"""

import gc
import os
import sys
import time

import measure
import torch
from torch.utils.data import DataLoader, Dataset

SIDE = 224


class Sequences(Dataset):
    """Three int64 tensors a sample, as a language model's collator returns them."""

    def __init__(self, rows, length):
        self.rows, self.length = rows, length

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        return {"input_ids": torch.full((self.length,), index % 100),
                "attention_mask": torch.ones(self.length, dtype=torch.int64),
                "labels": torch.full((self.length,), index % 100)}


class Images(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        return torch.full((3, SIDE, SIDE), float(index)), index


def one(config):
    """One batch is held while the workers fill the queue: what a slow training step leads to."""
    workers, prefetch, batch = config["workers"], config["prefetch"], config["batch"]
    rows = batch * (workers * prefetch + 30)
    images = config["kind"] == "img"
    data = Images(rows) if images else Sequences(rows, config["seq"])
    batch_bytes = batch * (3 * SIDE * SIDE * 4 + 8) if images else batch * config["seq"] * 24
    gc.collect()
    base, shm = measure.snapshot(), measure.shared_memory()
    options = {}
    if workers:
        options = {"prefetch_factor": prefetch, "multiprocessing_context": config["ctx"], "persistent_workers": True}
    loader = DataLoader(data, batch_size=batch, num_workers=workers, **options)
    batches = iter(loader)
    held = next(batches)
    if workers:
        measure.steady(measure.shared_memory)
    tree = measure.tree(os.getpid())
    waiting = measure.shared_memory() - shm
    forked = [p for p in tree["each"] if p["pid"] != os.getpid() and p["anon"] > 5 << 20]
    for _, held in zip(range(20), batches):
        pass
    time.sleep(0.3)
    after = measure.tree(os.getpid())
    measure.emit("4_dataloader", config, batch_bytes=batch_bytes, shm_steady_holding1=waiting,
                 tree_shmem=tree["pss_shmem"], tree_total=tree["true_total"],
                 tree_anon_delta=tree["pss_anon"] - base["anon"],
                 tree_anon_delta_after20=after["pss_anon"] - base["anon"], base_anon=base["anon"],
                 worker_uss_mean=sum(p["uss"] for p in forked) / max(1, len(forked)),
                 worker_pte=forked[0]["pte"] if forked else 0)
    del held, batches, loader


def grid(kind):
    common = {"ctx": "fork", "kind": "seq", "collate": "default"}
    if kind == "images":
        for workers, prefetch in ((0, 2), (1, 2), (2, 2), (4, 2), (2, 4)):
            for batch in (8, 64):
                yield {"workers": workers, "prefetch": prefetch, "batch": batch, **common, "kind": "img"}
    elif kind == "spawn":
        for workers in (1, 2, 4, 8):
            for context in ("spawn", "forkserver") if workers in (2, 4) else ("spawn",):
                yield {"workers": workers, "prefetch": 2, "batch": 24, "seq": 512, **common, "ctx": context}
    else:
        for workers in (0, 1, 2, 4, 8):
            for prefetch in (2, 4) if workers else (2,):
                for batch in (8, 24, 64):
                    for length in (512, 2048):
                        yield {"workers": workers, "prefetch": prefetch, "batch": batch, "seq": length, **common}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for config in grid((sys.argv[1:] or ["fork"])[0]):
        one(config)
