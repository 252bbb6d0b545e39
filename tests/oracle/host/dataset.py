"""Memory of a data set by how it is held (experiment 3).

usage: python3 dataset.py [FILE ...]        files of text_data.py; t50 and t200 when none is named
"""

import gc
import os
import random
import sys

import measure
import text_data

METHODS = ("pandas_object", "pandas_str", "read_table", "arrow_mmap", "hf_mmap", "hf_keep", "list_of_dict",
           "list_tokids", "np_int32", "torch_i64", "reopen_rowgroup", "reopen_readtable")
VOCABULARY = 32_000


def build_cache(name):
    """The first `load_dataset` converts the file to Arrow; that is measured by itself."""
    import datasets
    with measure.Peak() as peak:
        load_hf(datasets, name, keep=False)
    measure.emit("3_hf_build_cache", {"data": name}, **peak.deltas())


def load_hf(datasets, name, keep):
    datasets.disable_progress_bars()
    return datasets.load_dataset("parquet", data_files=measure.path("data", f"{name}.parquet"), split="train",
                                 cache_dir=measure.path("hf_cache", ""), keep_in_memory=keep)


def load(method, name, facts):
    """The data set as `method` holds it."""
    import datasets
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    import torch
    file, tokens = measure.path("data", f"{name}.parquet"), facts["raw"] // 4
    per_row = max(1, tokens // facts["rows"])
    numbers = np.random.default_rng(0)
    if method == "pandas_object":
        with pd.option_context("future.infer_string", False):
            return pd.read_parquet(file)
    if method == "list_of_dict":
        return [row for batch in pq.ParquetFile(file).iter_batches(1000) for row in batch.to_pylist()]
    return {
        "pandas_str": lambda: pd.read_parquet(file),
        "read_table": lambda: pq.read_table(file),
        "arrow_mmap": lambda: pa.ipc.open_file(pa.memory_map(measure.path("data", f"{name}.arrow"))).read_all(),
        "hf_mmap": lambda: load_hf(datasets, name, keep=False),
        "hf_keep": lambda: load_hf(datasets, name, keep=True),
        "list_tokids": lambda: [numbers.integers(0, VOCABULARY, per_row).tolist() for _ in range(facts["rows"])],
        "np_int32": lambda: numbers.integers(0, VOCABULARY, tokens, dtype=np.int32),
        "torch_i64": lambda: torch.randint(0, VOCABULARY, (facts["rows"], per_row)),
    }[method]()


def reopen(method, name, facts, times=12):
    """Reads single samples, opening the file for each."""
    import pyarrow.parquet as pq
    file, draw = measure.path("data", f"{name}.parquet"), random.Random(0)
    for _ in range(times):
        row = draw.randrange(facts["rows"])
        if method == "reopen_rowgroup":
            with pq.ParquetFile(file) as opened:
                opened.read_row_group(row // facts["rg"]).slice(row % facts["rg"], 1).to_pylist()
        else:
            pq.read_table(file).slice(row, 1).to_pylist()


def one(method, name):
    # Imports first, so that they are no part of what is measured.
    import datasets
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet  # noqa: F401
    import torch
    datasets.disable_progress_bars()
    torch.ones(10).sum()
    pd.DataFrame({"a": ["x"]})
    facts, pool, held = text_data.facts(name), pa.default_memory_pool(), None
    opened_anew = method.startswith("reopen")
    with measure.Peak() as peak:
        if opened_anew:
            reopen(method, name, facts)
        else:
            held = load(method, name, facts)
    measured = peak.deltas("access_" if opened_anew else "load_")
    measured["arrow_pool_max"] = pool.max_memory() or 0
    pool.release_unused()
    measure.trim()
    measured["live_after_release"] = measure.snapshot()["anon"] - peak.base["anon"]
    measure.emit("3_dataset", {"method": method, "data": name, "backend": pool.backend_name, **facts}, **measured)
    del held
    gc.collect()


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(*sys.argv[2:])
    elif sys.argv[1:2] == ["build"]:
        build_cache(sys.argv[2])
    else:
        for name in sys.argv[1:] or ("t50", "t200"):
            text_data.facts(name)
            if not os.path.exists(measure.path("hf_cache", f"{name}.built")):
                measure.run_again(__file__, "build", name)
                open(measure.path("hf_cache", f"{name}.built"), "w").close()
            for method in METHODS:
                measure.run_again(__file__, "one", method, name)
