"""torchtitan's configurations, drawn by a seed: keys and values as in its `train_configs` (0.2.1)."""
from scripts import Options

LLAMA = ["debugmodel", "debugmodel", "8B", "8B", "70B"]
QWEN = ["0.6B", "1.7B", "4B", "8B"]


def toml(groups):
    written = lambda value: str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)
    return "\n".join(f"[{name}]\n" + "".join(f"{key} = {written(value)}\n" for key, value in fields.items()) for name, fields in groups.items())


def torchtitan(own, corpus):
    name = own.choice(["llama3", "llama3", "llama3", "qwen3"])
    flavor = own.choice(LLAMA if name == "llama3" else QWEN)
    small = flavor in ("debugmodel", "0.6B", "1.7B")
    training, parallelism, optimizer, checkpoint = (Options(own) for _ in range(4))
    training.given["local_batch_size"] = own.choice([2, 4, 8] if small else [1, 1, 2])
    training.given["seq_len"] = own.choice([1024, 2048, 4096] if small else [2048, 4096, 8192])
    training.given.update(max_norm=1.0, steps=10, dataset="c4_test", dataset_path="own/data")
    gpus = own.choice([2, 4, 8] if small else [8, 16, 32, 64])
    tp = own.choice([1, 1, 1, 2]) if name == "llama3" else 1
    copies = own.choice([1, 1, 1, 2]) if gpus > 2 * tp else 1
    parallelism.given.update(data_parallel_replicate_degree=copies, data_parallel_shard_degree=-1)
    parallelism.given.update(fsdp_reshard_after_forward=own.choice(["default", "default", "never", "always"]), tensor_parallel_degree=tp, pipeline_parallel_degree=1, context_parallel_degree=1)
    ranks = gpus // tp
    if own.random() < 0.25:
        training.given["global_batch_size"] = 2 * ranks * training.given["local_batch_size"]
    training.one_of("mixed_precision_param", ["bfloat16", "bfloat16", "float32"], 0.4)
    training.one_of("mixed_precision_reduce", ["float32"], 0.5)
    optimizer.given.update(name=own.choice(["AdamW", "AdamW", "Adam"]), lr=3e-4, eps=1e-8)
    optimizer.one_of("implementation", ["fused", "foreach", "for-loop"], 0.5)
    checkpoint.given["mode"] = own.choice(["none", "selective", "selective", "full"])
    if checkpoint.given["mode"] == "selective":
        checkpoint.given["selective_ac_option"] = own.choice(["op", "op", "2"])
    groups = dict(job=dict(dump_folder="./outputs", description=f"{name} {flavor} training"), metrics=dict(log_freq=10), model=dict(name=name, flavor=flavor, hf_assets_path="./assets"),
                  optimizer=optimizer.given, lr_scheduler=dict(warmup_steps=2), training=training.given, parallelism=parallelism.given, checkpoint=dict(enable=False),
                  activation_checkpoint=checkpoint.given, compile=dict(enable=False))
    each = min(gpus, 8)
    nodes = gpus // each
    command = f"torchrun {f'--nnodes {nodes} ' if nodes > 1 else ''}--nproc_per_node {each} -m torchtitan.train --job.config_file config.toml\n"
    return dict(trainer="torchtitan", files={"config.toml": toml(groups), "run.sh": command}, data=dict(kind="long", tokens=training.given["seq_len"]), set={})
