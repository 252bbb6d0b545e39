"""draw_ranks.py KIND SEED COUNT > SCENARIOS: one rank of several of a KIND (ddp, fsdp1, fsdp2, deepspeed_zero), drawn at random by a seed over small models
of odd sizes and all options of the kind; ddp_views: DDP that makes its buckets again when gradients are parts of them:

    python3 draw_ranks.py fsdp2 7 60 | DIR/run.sh cases.py --apart > measured.jsonl       # what PyTorch refuses has an "error"
"""
import json, random, sys
import draw
from families import EAGER_ONLY, FAMILIES, LIKE, LINEARS, TASKS, Drawn

KINDS_OF_MODELS = ["llama", "llama", "qwen2", "qwen3", "gemma2", "gemma3_text", "olmo2", "gpt2", "phi3", "mixtral", "qwen3_moe", "t5", "bert", "mamba2", "gla", "opt", "bart", "vit"]
SIZES = [2, 2, 3, 4, 5, 8, 8, 12, 16, 24, 64]


class Choice:
    def __init__(self, chance):
        self.chance, self.pick, self.often = chance, chance.choice, lambda share: chance.random() < share

    def sometimes(self, share, **settings):
        """Each with this chance, of a list one."""
        chosen = {key: self.pick(value) if isinstance(value, list) else value for key, value in settings.items()}
        return {key: value for key, value in chosen.items() if self.often(share)}


def ranks(c):
    size = c.pick(SIZES)
    return dict(size=size, **dict(rank=c.chance.randrange(1, size)) if c.often(0.4) else {})


def copies(c, size):
    """Shares of the ranks that divide one copy."""
    shard = c.pick([n for n in range(2, size + 1) if size % n == 0])
    return dict(shard_size=shard, replicate_size=size // shard)


def ddp(c):
    made = dict(kind="ddp", **ranks(c), **c.sometimes(0.5, gradient_as_bucket_view=True, bucket_cap_mb=[1, 2, 5, 100]),
                **c.sometimes(0.15, static_graph=True, find_unused_parameters=True, comm_hook="bf16_compress"))
    return dict(made, **c.sometimes(0.3, zero_redundancy_optimizer=[dict(parameters_as_bucket_view=True), dict(parameters_as_bucket_view=False)])), c.pick(["fp32", "bf16", "amp_bf16", "amp_fp16"])


def ddp_views(c):
    made, precision = ddp(c)
    return dict(made, gradient_as_bucket_view=True), precision


def kept(c, made, dp):
    """Gradients that are there when DDP makes its buckets again."""
    if c.often(0.8):
        made["gradient_accumulation_steps"] = c.pick([2, 3, 4])
        dp["no_sync"] = False
    else:
        made["zero_grad_set_to_none"] = False
    made["allocator"] = dict(empty_cache_after_loading=True)


def mixed(c, cast):
    param = c.pick(["bf16", "bf16", "fp16"])
    return dict(param=param, **c.sometimes(0.6, reduce=["fp32", param]), **dict(cast_forward_inputs=False) if cast and c.often(0.1) else {})


def fsdp1(c):
    made, precision = dict(kind="fsdp1", **ranks(c)), c.pick(["fp32", "bf16", "amp_bf16"])
    strategy = c.pick(["FULL_SHARD", "FULL_SHARD", "FULL_SHARD", "SHARD_GRAD_OP", "SHARD_GRAD_OP", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2", "NO_SHARD"])
    made.update(sharding_strategy=strategy, use_orig_params=c.often(0.6), **copies(c, made["size"]) if strategy.startswith("HYBRID") else {})
    made.update(c.sometimes(0.4, backward_prefetch=["post", "none"], limit_all_gathers=False), **c.sometimes(0.25, forward_prefetch=True), **c.sometimes(0.12, cpu_offload=True))
    if precision != "bf16" and c.often(0.6):
        made["mixed_precision"] = mixed(c, False)
    return made, precision


def fsdp2(c):
    made, precision = dict(kind="fsdp2", **ranks(c)), c.pick(["fp32", "fp32", "bf16", "amp_bf16"])
    made.update(copies(c, made["size"]) if c.often(0.2) else {}, **c.sometimes(0.3, reshard_after_forward=False, reshard_root_after_forward=[True, False], explicit_prefetch=[1, 2, 3]))
    made.update(c.sometimes(0.12, cpu_offload=True))
    if precision != "bf16" and c.often(0.6) or c.often(0.1):
        made["mixed_precision"] = mixed(c, True)
    return made, precision


def deepspeed_zero(c):
    stage = c.pick([1, 2, 3, 3])
    made = dict(kind="deepspeed_zero", **ranks(c), stage=stage, **c.sometimes(0.5, overlap_comm=[True, False], reduce_bucket_size=[10_000, 300_000, 2_000_000, 50_000_000]),
                **c.sometimes(0.15, contiguous_gradients=False, offload_optimizer="cpu"))
    if stage < 3:
        made.update(c.sometimes(0.3, allgather_bucket_size=[100_000, 5_000_000]))
    else:
        made.update(c.sometimes(0.3, sub_group_size=[50_000, 1_000_000], stage3_max_live_parameters=[0, 1_000_000], stage3_max_reuse_distance=[0, 1_000_000],
                                stage3_prefetch_bucket_size=[0, 200_000, 5_000_000], stage3_param_persistence_threshold=[0, 1000, 1_000_000]))
        made.update(c.sometimes(0.1, offload_param="cpu"), **c.sometimes(0.1, zero_hpz_partition_size=2) if made["size"] % 2 == 0 else {})
    return made, c.pick(["bf16", "bf16", "bf16", "fp16", "fp32"])


KINDS = dict(ddp=ddp, ddp_views=ddp_views, fsdp1=fsdp1, fsdp2=fsdp2, deepspeed_zero=deepspeed_zero)


def adapters(c, kind, dp, half):
    linears = LINEARS[LIKE.get(kind, kind) if LIKE.get(kind, kind) in LINEARS else "llama"]
    made = dict(lora=dict(r=c.pick([4, 8, 16]), target_modules=c.pick([linears, linears[:2], ["all-linear"]]), **c.sometimes(0.3, dropout=0.1), **c.sometimes(0.5, adapter_dtype="base")))
    if half and dp["kind"] != "deepspeed_zero" and "mixed_precision" not in dp and not dp.get("cpu_offload") and c.often(0.35):
        whole = dp["kind"] == "ddp"
        made["quantization"] = dict(type=c.pick(["nf4", "fp4"]), double=c.often(0.5), compute_dtype="bf16", prepare_for_kbit_training=whole and c.often(0.6),
                                    **{} if whole else dict(storage="bfloat16"))
    if dp["kind"] == "fsdp1" and c.often(0.5):
        dp["wrap_trainable_leaves"] = True
    return made


def optimizer(c, dp):
    if dp.get("cpu_offload") or dp.get("offload_optimizer"):
        return dict(name="adamw", impl=c.pick(["foreach", "for_loop", "fused"]))
    name = c.pick(["adamw"] * 6 + ["adam", "sgd", "sgd", "rmsprop", "adagrad"])
    return dict(name=name, impl=c.pick(draw.IMPLEMENTATIONS.get(name, ["foreach", "for_loop"])), **dict(momentum=0.9) if name == "sgd" and c.often(0.5) else {},
                **dict(amsgrad=True) if name.startswith("adam") and c.often(0.15) else {})


def scenario(chance, kind):
    c = Choice(chance)
    family = c.pick(KINDS_OF_MODELS)
    config = dict(model_type=family, **FAMILIES[family](Drawn(chance)))
    for key in ("num_hidden_layers", "n_layer", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers"):
        if config.get(key, 0) > 4:
            config[key] = 3
    if "layer_types" in config:
        config["layer_types"] = config["layer_types"][:config["num_hidden_layers"]]
    dp, precision = KINDS[kind](c)
    task = c.pick(TASKS.get(family, ["causal_lm"]))
    made = dict(v=1, model=dict(hf_config=config), task=task, framework=draw.FRAMEWORK, micro_batch_size=c.pick([1, 2, 3, 5]), precision=precision, optimizer=optimizer(c, dp))
    if task != "image_classification":
        made["seq_len"] = c.pick([33, 64, 100, 127, 200, 301])
        made.update(c.sometimes(0.2, padding_mask=True))
    if task == "seq2seq_lm" and c.often(0.6):
        made["target_seq_len"] = c.pick([17, 48, 130])
    if family == "gla":
        made["precision"] = "amp_bf16" if precision == "fp32" and kind != "deepspeed_zero" else "bf16" if precision == "fp32" else precision
    else:
        made["attention"] = "eager" if family in EAGER_ONLY or c.often(0.2) else "sdpa"
    if c.often(0.3):
        made.update(activation_checkpointing=c.pick(["full", "full", "full_reentrant"]), **c.sometimes(0.3, checkpoint_every=2))
    if c.often(0.3):
        made.update(adapters(c, family, dp, made["precision"] == "bf16"))
    elif c.often(0.1):
        made["frozen"] = c.pick([["embed"], ["norm"], ["layers.0."], ["mlp"], ["attn"]])
    if c.often(0.35):
        made["gradient_accumulation_steps"] = c.pick([2, 3])
        dp.update(c.sometimes(0.4, no_sync=False))
    made.update(c.sometimes(0.35, clip_grad_norm=True), **c.sometimes(0.12, keep_outputs=True, zero_grad_set_to_none=False))
    if kind == "ddp_views":
        kept(c, made, dp)
    if precision.startswith("amp"):
        made.update(c.sometimes(0.2, autocast_style="accelerate"))
    if c.often(0.15):
        made["evaluation"] = dict(kind=c.pick(["loss", "logits", "trainer"]), **c.sometimes(0.4, micro_batch_size=[1, 3, 8]))
        if c.often(0.4):
            made["program"] = "evaluation"
            for key in ("optimizer",) if kind != "deepspeed_zero" else ():
                made.pop(key)
            for key in ("clip_grad_norm", "lora", "quantization", "gradient_accumulation_steps", "frozen", "zero_grad_set_to_none", "activation_checkpointing", "checkpoint_every"):
                made.pop(key, None)
            dp = {key: value for key, value in dp.items() if key not in ("zero_redundancy_optimizer", "wrap_trainable_leaves")}
    return dict(made, parallelism=dict(dp=dp))


if __name__ == "__main__":
    kind, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for number in range(count):
        print(json.dumps(scenario(random.Random(f"{kind}.{seed}.{number}"), kind)))
