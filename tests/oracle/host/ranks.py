"""A node with several training processes under torchrun, stage by stage (experiment 9).

usage: python3 ranks.py FORM FILE WORKERS BATCH LENGTH RANKS
FORM: A pandas objects, A_hfkeep datasets in memory, B datasets memory-mapped, B2 re-opened row groups

The model is a T5 of 0.2 billion parameters; it moves to `meta` where it would move to a GPU, so
that neither a CUDA context nor pinned memory is in the figures.
"""

import gc
import os
import subprocess
import sys
import time

import measure
import text_data

FORMS = {"A": "pandas_object", "A_setepoch": "pandas_object", "A_hfkeep": "hf_keep", "B": "hf_mmap", "B2": None}
VOCABULARY = 32_128


def model_folder():
    folder = measure.path("models", "t5", "")
    if not os.path.exists(os.path.join(folder, "config.json")):
        from transformers import T5Config, T5ForConditionalGeneration
        config = T5Config(vocab_size=VOCABULARY, d_model=768, d_ff=3072, d_kv=64, num_layers=12, num_heads=12)
        T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def rank(form, name, workers, batch, length, run):
    import dataset
    import pyarrow.parquet as pq
    import torch
    import torch.distributed as dist
    from torch.utils.data import DataLoader, Dataset, DistributedSampler
    from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration, Trainer  # noqa: F401
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    facts = text_data.facts(name)

    def stage(at):
        dist.barrier()
        if dist.get_rank() == 0:
            print(f"STAGE {at}", flush=True)
        while not os.path.exists(measure.path("go", f"{run}_{at}")):
            time.sleep(0.1)
        dist.barrier()

    stage("imports")
    model = T5ForConditionalGeneration.from_pretrained(model_folder())
    stage("model_on_cpu")
    model.to("meta")
    gc.collect()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=measure.path("tokenizers", "uni32k.json"), pad_token="<pad>")
    stage("model_moved")
    held = dataset.load(FORMS[form], name, facts) if FORMS[form] else None

    def lengths(index):
        if form.startswith("A") and form != "A_hfkeep":
            return len(held.iat[index, 0]), len(held.iat[index, 1])
        if held is not None:
            row = held[index]
        else:
            with pq.ParquetFile(measure.path("data", f"{name}.parquet")) as file:
                row = file.read_row_group(index // facts["rg"]).slice(index % facts["rg"], 1).to_pylist()[0]
        return len(row["prompt"]), len(row["response"])

    class Samples(Dataset):
        def __len__(self):
            return facts["rows"]

        def __getitem__(self, index):
            prompt, response = lengths(index)
            return {"input_ids": torch.full((length,), prompt), "labels": torch.full((length,), response),
                    "attention_mask": torch.ones(length, dtype=torch.int64)}

    stage("data_loaded")
    data = Samples()
    options = {"prefetch_factor": 2, "persistent_workers": True} if workers else {}
    loader = DataLoader(data, batch_size=batch, sampler=DistributedSampler(data), num_workers=workers, **options)
    batches = iter(loader)
    next(batches)
    time.sleep(1)
    stage("workers_started")
    if form == "B2":
        # A whole pass would take hours; memory is steady after a few samples.
        for _ in range(3):
            next(batches)
    else:
        for _ in batches:
            pass
    stage("epoch1")
    if form == "A_setepoch":
        for epoch in (1, 2, 3):
            loader.sampler.set_epoch(epoch)
            for _ in loader:
                pass
            if epoch == 1:
                stage("epoch2")
        stage("epoch4")
    del tokenizer
    dist.barrier()


def main(form, name, *numbers):
    import tokenizer
    workers, batch, length, count = map(int, numbers)
    facts, run = text_data.facts(name), str(os.getpid())
    model_folder()
    tokenizer.make("uni", 32_000)
    if FORMS[form] and FORMS[form].startswith("hf"):
        measure.run_again(os.path.join(os.path.dirname(os.path.abspath(__file__)), "dataset.py"), "build", name)
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1",
                   "HF_HOME": measure.path("hf", "")}
    shm = measure.shared_memory()
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", str(count), "--master_port",
               str(20_000 + os.getpid() % 20_000), __file__, "rank", form, name, str(workers), str(batch),
               str(length), run]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            if not line.startswith("STAGE"):
                continue
            stage = line.split()[1]
            time.sleep(0.4)
            tree = measure.tree(process.pid)
            tree.pop("each")
            waiting = measure.shared_memory() - shm
            total = tree["pss_anon"] + tree["file_union"] + tree["pte"] + waiting
            measure.emit("9_scenario", {"scn": form, "data": name, "raw": facts["raw"], "workers": workers,
                                        "batch": batch, "seq": length, "ranks": count, "stage": stage},
                         **tree, shm_fs=waiting, grand_total=total)
            open(measure.path("go", f"{run}_{stage}"), "w").close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["rank"]:
        rank(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:7]), sys.argv[7])
    elif len(sys.argv) == 7:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
