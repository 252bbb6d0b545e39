"""How much of a data set forked workers copy by reading it (experiment 4).

usage: python3 copy_on_write.py [FILE WORKERS EPOCHS]       t50 4 3 when nothing is given
"""

import gc
import os
import sys
import time

import measure
import text_data

KINDS = ("none", "list_of_dict", "pandas_object", "list_tokids", "np_int32", "torch_i64", "hf_mmap")


def load(kind, name, facts):
    """The data set, and what reading its sample i means."""
    import dataset
    import torch
    if kind == "none":
        return None, lambda i: i
    held = dataset.load(kind, name, facts)
    read = {
        "list_of_dict": lambda i: len(held[i]["prompt"]) + len(held[i]["response"]),
        "pandas_object": lambda i: len(held.iat[i, 0]) + len(held.iat[i, 1]),
        "list_tokids": lambda i: sum(held[i][:512]),
        "hf_mmap": lambda i: len(held[i]["prompt"]),
        "torch_i64": lambda i: int(torch.sum(held[i])),
    }
    if kind == "np_int32":
        per_row = len(held) // facts["rows"]
        return held, lambda i: int(held[i * per_row:(i + 1) * per_row].sum())
    return held, read[kind]


def one(kind, name, workers, epochs):
    import pandas  # noqa: F401
    import pyarrow as pa
    import torch
    from torch.utils.data import DataLoader, Dataset
    torch.set_num_threads(1)
    facts = text_data.facts(name)
    gc.collect()
    before = measure.snapshot()["anon"]
    held, read = load(kind, name, facts)

    class Samples(Dataset):
        def __len__(self):
            return facts["rows"]

        def __getitem__(self, index):
            return read(index)

    pa.default_memory_pool().release_unused()
    gc.collect()
    measure.trim()
    base = measure.snapshot()
    measured = {"data_anon": base["anon"] - before, "base_anon": base["anon"],
                "base_total": base["anon"] + base["file"] + base["pte"]}

    def note(stage):
        tree = measure.tree(os.getpid())
        measured[f"{stage}_true_total"] = tree["true_total"]
        measured[f"{stage}_pte"] = tree["pte"]
        measured[f"{stage}_growth_per_worker"] = (tree["pss_anon"] - base["anon"]) / workers

    loader = DataLoader(Samples(), batch_size=64, shuffle=True, num_workers=workers, persistent_workers=True,
                        prefetch_factor=2)
    batches = iter(loader)
    next(batches)
    time.sleep(1)
    note("start")
    for epoch in range(1, epochs + 1):
        for _ in batches:
            pass
        note(f"e{epoch}")
        batches = iter(loader) if epoch < epochs else None
    measure.emit("4_cow", {"kind": kind, "data": name, "workers": workers, "rows": facts["rows"],
                           "raw": facts["raw"]}, **measured)
    del held


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        name, workers, epochs = sys.argv[1:] or ("t50", 4, 3)
        text_data.facts(name)
        for kind in KINDS:
            measure.run_again(__file__, "one", kind, name, workers, epochs)
