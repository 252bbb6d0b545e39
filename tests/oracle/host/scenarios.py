"""Turns host measurement records into lines of a scenario with what was measured.

usage: python3 scenarios.py RECORDS.jsonl > LINES.jsonl

A record is {exp, config, measured}, as the scripts beside this file write them. A line is
{id, scenario, inputs, expect}, which `highwater check` reads: `inputs` is what the device's side says of the model
(bytes of its parameters, entries of its vocabulary), `expect.host` is one of
  {"phase", "total"}                         the true total of the process tree
  {"phase", "total", "data_pages": true}     the same, with the data set's mapped file pages in it
  {"phase", "part", "bytes"}                 one part of the composition
Records that the scenario language cannot express are counted on standard error, with the reason.
"""

import collections
import json
import sys

TORCH_FIRST_USE = ("torch_used", "torch+dist", "torch+DataLoader", "torch_first_tensor_threads", "torch_nocuda_env")
LIBRARIES = {
    "bare": "python", "numpy": "numpy", "pandas": "pandas", "pyarrow": "pyarrow", "datasets": "datasets",
    "torch+pandas": "torch_pandas", "torch+datasets": "torch_datasets",
    "torch": "torch", "accelerate": "accelerate", "accelerate_Accelerator": "accelerate",
    "transformers": "transformers", "transformers_t5": "transformers", "tf+accelerate+peft": "peft",
    "trainer": "trainer", "trainer+AdamW_step": "trainer", "all": "trainer",
    **{step: "torch" for step in TORCH_FIRST_USE},
}
WITH_OPTIMIZER = {
    "torch+AdamW_ctor": "torch", "torch+AdamW_step": "torch", "accelerate+AdamW_ctor": "accelerate",
    "transformers+AdamW_ctor": "transformers", "tf+accelerate+peft+AdamW_ctor": "peft",
}
# Data set forms of experiments 3 and 4, as the scenario names them.
FORMS = {
    "pandas_object": "pandas", "pandas_object_dupsplit": "pandas", "pandas_str": "pandas_arrow",
    "read_table": "arrow_table", "hf_keep": "arrow_in_memory", "hf_mmap": "memory_mapped",
    "arrow_mmap": "memory_mapped", "list_of_dict": "python_list", "list_tokids": "token_lists",
    "np_int32": "token_array", "torch_i64": "token_tensor",
    "reopen_rowgroup": "reopened", "reopen_readtable": "reopened",
}
# Raw text of a row of the generated files, by the end of their name.
ROW = 1000


class Unsupported(Exception):
    """The scenario language has no words for this record."""


def job(libraries, *, ranks=1, launcher=False, optimizer=False, batch=1, features=1, tokens=None,
        dataset=None, loader=None, **host):
    """A scenario on the CPU: one linear layer whose input is the batch, or a language model when
    the batch is of tokens."""
    scenario = {
        "model": {"linear": {"in_features": features, "out_features": 1, "bias": False}},
        "micro_batch_size": batch,
        "loss": "mean_logits",
        "optimizer": {"name": "adamw", "impl": "foreach"} if optimizer else {"name": "none", "impl": "none"},
        "dataset": {"raw_bytes": 0, "rows": 0, **(dataset or {})},
        "dataloader": {"num_workers": 0, "pin_memory": False, "shuffle": False, **(loader or {})},
        "host": {"libraries": libraries, "cuda": False, "tokenizer": "none", "checkpoint": "random_init",
                 "launcher": launcher, **host},
        "hardware": {"gpus_per_node": ranks},
    }
    if tokens is not None:
        scenario["model"] = "qwen2.5-1.5b"
        scenario["seq_len"] = tokens
        scenario["loss"] = "labels"
    return scenario


# What identifies a record beside its experiment; sizes are in the scenario.
NAMES = ("step", "n_procs", "tok", "method", "data", "backend", "kind", "ctx", "collate", "main_imports", "how",
         "model", "target", "scn", "ranks", "workers", "prefetch", "batch", "seq", "stage")


def line(record, scenario, host, **inputs):
    """A line; what its model is for the host follows from the scenario where it trains."""
    config = record["config"]
    name = " ".join([record["exp"], *(f"{key}={config[key]}" for key in NAMES if key in config)])
    given = {} if "parallelism" in scenario else {"inputs": inputs}
    return {"id": name, "scenario": scenario, **given, "expect": {"host": host}}


def baseline(record):
    step, ranks, total = record["config"]["step"], record["config"]["n_procs"], record["measured"]["true_total"]
    if step in WITH_OPTIMIZER:
        scenario = job(WITH_OPTIMIZER[step], ranks=ranks, optimizer=True)
    elif step in LIBRARIES:
        scenario = job(LIBRARIES[step], ranks=ranks)
    else:
        raise Unsupported(f"import set {step}")
    yield line(record, scenario, {"phase": "steady", "total": total})


def tokenizer(record):
    config = record["config"]
    kind = {"bpe": "bpe", "uni": "unigram"}[config["tok"][:3]]
    # A data set of tokens would hide the tokenizer of a linear layer; a language model shows it.
    scenario = job("transformers", tokens=8, tokenizer=kind)
    yield line(record, scenario, {"phase": "steady", "part": "tokenizer", "bytes": record["measured"]["end_anon_delta"]},
               vocab_size=config["vocab"])


def data(config, form, **more):
    return {"mode": form, "raw_bytes": config["raw"], "rows": config["rows"], "columns": 2, **more}


def dataset(record):
    config, measured = record["config"], record["measured"]
    method, backend = config["method"], config["backend"]
    if method not in FORMS:
        raise Unsupported(f"data set read by {method}")
    if backend == "jemalloc":
        raise Unsupported("Arrow's jemalloc pool")
    form = FORMS[method]
    pool = "system" if backend == "system" else "mimalloc"
    file_bytes = config["arrow"] if form == "memory_mapped" else config["parquet"]
    more = {"file_bytes": file_bytes, "arrow_pool": pool}
    if form == "reopened":
        whole = method == "reopen_readtable"
        share = 1 if whole else min(1, config["rg"] / config["rows"])
        more["row_group_bytes"] = int(config["raw"] * share)
        peak, phase = measured["access_peak_anon_delta"], "steady"
    else:
        peak, phase = measured["load_peak_anon_delta"], "load"
    yield line(record, job("torch_datasets", dataset=data(config, form, **more)),
               {"phase": phase, "part": "dataset", "bytes": peak})


def dataloader(record):
    config, measured = record["config"], record["measured"]
    if config.get("collate") == "hf":
        raise Unsupported("a collator that stacks in normal memory")
    imports = config.get("main_imports", "torch")
    if imports != "torch" and config["ctx"] != "fork":
        raise Unsupported("imports that spawned workers do not repeat")
    features = 6 * config["seq"] if config["kind"] == "seq" else 3 * 224 * 224
    loader = {"num_workers": config["workers"], "prefetch_factor": config["prefetch"],
              "multiprocessing_context": config["ctx"], "persistent_workers": config["workers"] > 0}
    scenario = job(imports, batch=config["batch"], features=features, loader=loader)
    # Batches that wait in the queue are mapped by no process: shared memory is counted by statvfs.
    total = measured["tree_total"] - measured["tree_shmem"] + measured["shm_steady_holding1"]
    yield line(record, scenario, {"phase": "steady", "total": total})


def copy_on_write(record):
    config, measured = record["config"], record["measured"]
    kind = config["kind"]
    if kind in ("list_np", "arrow_mem"):
        raise Unsupported(f"data set as {kind}")
    loader = {"num_workers": config["workers"], "prefetch_factor": 2, "persistent_workers": True, "shuffle": True}
    for stage, epochs in (("start", 0), ("e1", 1), ("e2", 2), ("e3", 3)):
        if f"{stage}_true_total" not in measured:
            continue
        more = {"epochs": epochs, "arrow_pool": "released"}
        held = {} if kind == "none" else data(config, FORMS[kind], **more)
        host = {"phase": "steady", "total": measured[f"{stage}_true_total"]}
        if kind == "hf_mmap" and epochs > 0:
            host["data_pages"] = True
        staged = {**record, "config": {**config, "stage": stage}}
        libraries = "torch_datasets" if kind == "hf_mmap" else "torch_pandas"
        yield line(staged, job(libraries, batch=64, loader=loader, dataset=held), host)


def pinned(record):
    config = record["config"]
    loader = {"num_workers": config["workers"], "prefetch_factor": config["prefetch"], "pin_memory": True}
    scenario = job("torch", batch=config["batch"], tokens=config["seq"], loader=loader)
    yield line(record, scenario,
               {"phase": "steady", "part": "pinned_memory", "bytes": record["measured"]["pinned_pool_total"]})


# Weights read without a model, and how the scenario calls it.
LOADED = {"torch_load": "torch_load", "torch_load_mmap": "mapped", "st_load_file": "mapped", "st_stream_discard": "mapped"}
# Elements of the largest tensor of the models of experiment 6, where a record does not say it: the
# embedding, vocabulary x hidden size.
EMBEDDING = {"0.5b": 50_000 * 1024, "1.5b": 50_000 * 2048}


def load(record):
    config = record["config"]
    size = {"bf16": 2, "fp32": 4}
    how, source, target = config["how"], config["model"].split("_")[1], config["target"]
    parameters, more, inputs = config["N"] * size[target], {}, {}
    if how == "from_pretrained":
        checkpoint = "same_dtype" if source == target else "converted"
    elif how == "init_only":
        checkpoint = "random_init"
    elif how == "init_then_load" and config["model"].endswith("bin") and source == target:
        checkpoint = "state_dict"
    elif how == "init_then_load" and source == target:
        checkpoint = "mapped_state_dict"
    elif how in LOADED:
        checkpoint = LOADED[how]
        # What streams through keeps no parameter that could be counted: the files are the weights.
        parameters = parameters or config["file_bytes"]
    elif how == "ctor_fp32_then_half":
        checkpoint, more = "cast", {"precision": target}
        largest = config.get("largest_tensor", EMBEDDING.get(config["model"].split("_")[0]))
        inputs = {"largest_tensor_bytes": largest * size[target]}
    else:
        raise Unsupported(f"weights read by {how} from {config['model']}")
    scenario = {**job("transformers", tokens=8, checkpoint=checkpoint), **more}
    yield line(record, scenario,
               {"phase": "load", "part": "model_loading", "bytes": record["measured"]["peak_anon_delta"]},
               parameter_bytes=parameters, **inputs)


def save(record):
    config, measured = record["config"], record["measured"]
    if config["how"] == "torch_save_bytesio":
        raise Unsupported("saving to memory")
    gpu = config["how"] == "save_file_fakegpu"
    scenario = job("transformers", tokens=8, cuda=gpu)
    yield line(record, scenario, {"phase": "save", "part": "saving", "bytes": measured["peak_anon_delta"]},
               saved_parameter_bytes=config["param_bytes"])


def ranks(record):
    config, measured = record["config"], record["measured"]
    scn, stage = config["scn"], config["stage"]
    forms = {"A": "pandas", "A_setepoch": "pandas", "A_hfkeep": "arrow_in_memory", "B": "memory_mapped",
             "B2": "reopened"}
    form = forms[scn]
    stages = ["imports", "model_on_cpu", "model_moved", "data_loaded", "workers_started", "epoch1", "epoch2", "epoch4"]
    at = stages.index(stage)
    if at < 2:
        held, tokenizer_kind = {}, "none"
    else:
        tokenizer_kind = "unigram"
        held = {}
    # A distributed sampler repeats its order until set_epoch is called.
    epochs = {"epoch1": 1, "epoch2": 2 if scn == "A_setepoch" else 1, "epoch4": 4}.get(stage, 0)
    if at >= 3:
        more = {"epochs": epochs}
        if form == "reopened":
            more["row_group_bytes"] = 10_000 * ROW
        held = {"mode": form, "raw_bytes": config["raw"], "rows": config["raw"] // ROW, "columns": 2, **more}
    steady = at >= 4
    loader = {"num_workers": config["workers"] if steady else 0, "persistent_workers": True, "shuffle": True}
    scenario = job("trainer", ranks=config["ranks"], launcher=True, batch=config["batch"], tokens=config["seq"],
                   dataset=held, loader=loader, tokenizer=tokenizer_kind,
                   checkpoint="same_dtype" if at >= 1 else "random_init")
    host = {"phase": "steady" if steady else "load", "total": measured["grand_total"]}
    if form == "memory_mapped" and epochs > 0:
        host["data_pages"] = True
    # The T5 of 223 million parameters of these runs, in fp32, with its tokenizer of 32,000 entries.
    inputs = {"parameter_bytes": 4 * 222_903_552} if at >= 1 else {}
    yield line(record, scenario, host, vocab_size=32_000, **inputs)


def cpu_adam(record):
    """An optimizer's step on the CPU, as FSDP2 makes it on one rank with everything in ordinary memory."""
    config, measured = record["config"], record["measured"]
    bf16 = config["param_dtype"] == "bf16"
    size = config["per_tensor"] * (2 if bf16 else 4)
    implementations = {"default": "for_loop", "forloop": "for_loop"}
    scenario = {
        "model": "qwen2.5-1.5b", "micro_batch_size": 1, "seq_len": 8, "precision": "bf16" if bf16 else "fp32",
        "optimizer": {"name": "adamw", "impl": implementations.get(config["impl"], config["impl"])},
        "parallelism": {"dp": {"kind": "fsdp2", "cpu_offload": True, "pin_memory": False}},
    }
    parameters = [{"elements": config["per_tensor"], "bytes": size, "trained": True}] * config["tensors"]
    held = 2 * size * config["tensors"] + measured["first_step_peak"]
    step = "{impl} {param_dtype} {tensors}x{per_tensor}".format(**config)
    named = {**record, "config": {"step": step}}
    yield {**line(named, scenario, {"phase": "steady", "part": "offload", "bytes": held}),
           "inputs": {"parameters": parameters}}


def cpu_training(record):
    config, measured = record["config"], record["measured"]
    scenario = {
        "model": {"hf_config": config["sizes"]},
        "micro_batch_size": config["batch"], "seq_len": config["seq"],
        "precision": config.get("precision", "fp32"),
        "optimizer": {"name": "adamw", "impl": config["impl"]},
        "attention": config.get("attention", "sdpa"),
        "gradient_accumulation_steps": config.get("accumulation", 1),
        "activation_checkpointing": "full" if config.get("checkpointing") else "none",
        "host": {"cuda": False, "libraries": "transformers", "tokenizer": "none", "checkpoint": "random_init"},
        "dataset": {"raw_bytes": 0, "rows": 0},
        "dataloader": {"num_workers": 0, "pin_memory": False, "shuffle": False},
    }
    if config["sizes"]["model_type"] == "t5":
        scenario["task"] = "seq2seq_lm"
    mapped = config.get("mapped", False)
    named = {**record, "config": {"step": f"{config['name']} mapped={mapped}"}}
    found = line(named, scenario, {"phase": "steady", "part": "training", "bytes": measured["peak_anon_delta"]})
    yield {key: found[key] for key in ("id", "scenario", "expect")}


def evaluation(record):
    config, measured = record["config"], record["measured"]
    kept = {"kind": "trainer", "batches": config["batches"], "micro_batch_size": config["batch"]}
    if config["steps"] is not None:
        kept["accumulation_steps"] = config["steps"]
    scenario = {
        "model": {"hf_config": {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
                                "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": config["vocab"]}},
        "micro_batch_size": 1, "seq_len": config["seq"],
        "precision": "bf16" if config["dtype"] == "bfloat16" else "fp32",
        "evaluation": kept,
    }
    step = "{dtype} {batches} batches every {steps}".format(**config)
    named = {**record, "config": {"step": step}}
    found = line(named, scenario, {"phase": "evaluation", "part": "predictions", "bytes": measured["peak_anon_delta"]})
    yield {key: found[key] for key in ("id", "scenario", "expect")}


# The scenario's name of a case of offload.py, by the key there.
OFFLOAD_KEYS = ("kind", "stage", "offload_param", "pin_memory")


def offload(record):
    config, measured = record["config"], record["measured"]
    dp = {key: config[key] for key in OFFLOAD_KEYS if key in config}
    if config["kind"] == "deepspeed_zero":
        dp["offload_optimizer"] = "cpu"
    else:
        dp["cpu_offload"] = True
    precision = config.get("precision", config["default"])
    scenario = {
        "model": {"hf_config": {"model_type": "llama", **config["sizes"]}},
        "micro_batch_size": 1, "seq_len": 64,
        "gradient_accumulation_steps": config.get("accumulation", 1),
        "precision": "amp_bf16" if config.get("mixed") else precision,
        "optimizer": {"name": "adamw", "impl": "fused"},
        "parallelism": {"dp": dp},
        "hardware": {"gpus_per_node": config["size"]},
    }
    if config.get("reference"):
        scenario.update(task="causal_lm", objective={"kind": "dpo"}, framework="torch-2.15/transformers-5.23")
    if config.get("lora"):
        scenario["lora"] = {"r": 64, "target_modules": ["q_proj", "v_proj"]}
    kept = [moment for name, moment in measured.items() if not name.endswith("gathered")]
    held = max(moment["pinned"] + moment["pageable"] for moment in kept)
    named = {**record, "config": {**config, "step": config["name"]}}
    # Every rank keeps as much as the one that was measured.
    yield line(named, scenario, {"phase": "steady", "part": "offload", "bytes": held * config["size"]})
    before = measured["zero_grad 2"]["pageable"]
    gathered = [moment["pageable"] - before for name, moment in measured.items() if name.endswith("gathered")]
    # Of FSDP1 only the model was gathered; its optimizer's states are more.
    if gathered and config["kind"] != "fsdp1":
        saved = {**scenario, "host": {"saving": "full_state"}}
        named["config"]["step"] += " gathered"
        yield line(named, saved, {"phase": "save", "part": "saving", "bytes": max(gathered)})


CONVERT = {
    "1_baseline": baseline, "2_tokenizer": tokenizer, "3_dataset": dataset, "4_dataloader": dataloader,
    "4_cow": copy_on_write, "5_pin_sim": pinned, "6_load": load, "6_save": save, "9_scenario": ranks, "7_cpu_adam": cpu_adam,
    "10_offload": offload, "11_cpu_training": cpu_training,
    "12_evaluation": evaluation,
}


def main(path):
    left_out = collections.Counter()
    with open(path) as lines:
        for text in lines:
            record = json.loads(text)
            try:
                if record["exp"] not in CONVERT:
                    raise Unsupported(f"experiment {record['exp']}")
                for item in CONVERT[record["exp"]](record):
                    print(json.dumps(item))
            except Unsupported as reason:
                left_out[f"{record['exp']}: {reason}"] += 1
    for reason, count in sorted(left_out.items()):
        print(f"{count:4} left out, {reason}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
