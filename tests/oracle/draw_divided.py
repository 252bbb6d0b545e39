"""draw_divided.py SEED COUNT [KIND]... > SCENARIOS: one rank of those that modules or experts are divided among (divided.py), drawn at random by a seed over small models of odd
sizes. KIND is one of adapters, adapters_dense (no experts), frozen, optimizers, scaled (GradScaler beside experts), scaled_scripts (GradScaler where scripts divide modules and
sequences), scripts (optimizers there); all without one:

    python3 draw_divided.py 7 40 adapters frozen | DIR/run.sh cases.py --apart > measured.jsonl
"""
import json, random, sys
import draw
from draw_ranks import Choice
from families import FAMILIES, Drawn

EXPERTS = dict(olmoe="num_experts", qwen3_moe="num_experts", qwen2_moe="num_experts", mixtral="num_local_experts")
OPTIMIZERS = [dict(name="sgd", impl=impl, momentum=0.9) for impl in ("foreach", "for_loop")] + [
    dict(name=name, impl=impl, **more) for impl in ("foreach", "for_loop") for name, more in (
        ("adamw", dict(amsgrad=True)), ("adam", dict(amsgrad=True)), ("rmsprop", {}), ("rmsprop", dict(momentum=0.9)), ("adagrad", {}), ("adadelta", {}),
        ("adamax", {}), ("nadam", {}))] + [dict(name="lion"), dict(name="adamw", impl="for_loop"), dict(name="sgd", impl="for_loop")]
WITHOUT_FSDP = [optimizer for optimizer in OPTIMIZERS if optimizer["name"] == "sgd"] + [dict(name="adamw", impl="for_loop"), dict(name="adam", impl="foreach", amsgrad=True)]


def beside_fsdp(c, parts, experts):
    made = dict(kind="fsdp2", size=max(2, experts // parts) * c.pick([1, 2]), plan="transformers")
    return made


def axes(c, kind, family):
    """Ranks of FSDP2, of tensor parallelism or of both, and experts divided among them."""
    both = ["fsdp", "tensor", "both"]
    shape = c.pick(["fsdp", "fsdp", "tensor"] if kind == "adapters" else ["fsdp", "fsdp", "both"] if kind == "scaled" else both)
    if kind == "adapters" and family == "olmoe":
        shape = "fsdp"
    parts = 1 if shape == "fsdp" else 2
    experts = parts if shape == "tensor" else c.pick([2, 4])
    made = dict(ep=dict(size=experts, kind="all_reduce" if experts == parts and c.often(0.4) else "all_to_all", plan="transformers"))
    if parts > 1:
        made["tp"] = dict(size=parts, plan="transformers")
    if shape != "tensor":
        made["dp"] = beside_fsdp(c, parts, experts)
    return made


def adapters(c, linears):
    return dict(lora=dict(r=c.pick([4, 8, 16]), target_modules=c.pick([linears, linears[:1], linears[1:]]), **c.sometimes(0.3, dropout=0.1), **c.sometimes(0.4, adapter_dtype="base")))


def of_experts(c, kind):
    family = c.pick(list(EXPERTS))
    config = dict(model_type=family, **FAMILIES[family](Drawn(c.chance)))
    config.update({EXPERTS[family]: c.pick([4, 8]), "num_hidden_layers": c.pick([2, 3])}, num_experts_per_tok=2, decoder_sparse_step=1,
                  tie_word_embeddings=False, hidden_size=c.pick([128, 192, 256]), num_attention_heads=4, num_key_value_heads=c.pick([2, 4]))  # transformers divides no tied head by its plans
    config["intermediate_size"] = c.pick([96, 160, 208])  # grouped matrix products take rows of 16 bytes
    for key in ("layer_types", "head_dim"):
        config.pop(key, None)
    par = axes(c, kind, family)
    precision = "amp_fp16" if kind == "scaled" else c.pick(["fp32", "bf16", "amp_bf16"])
    if "dp" in par and precision == "fp32" and c.often(0.6):
        par["dp"]["mixed_precision"] = dict(param="bf16", reduce="fp32")
    made = dict(precision=precision, optimizer=dict(name="adamw", impl=c.pick(["foreach", "fused"])), attention=c.pick(["sdpa", "sdpa", "eager"]), parallelism=par)
    if kind == "optimizers":
        made["optimizer"] = c.pick(OPTIMIZERS if "dp" in par else WITHOUT_FSDP)
    if kind == "adapters" or kind == "scaled" and "tp" not in par and c.often(0.4):
        made.update(adapters(c, ["q_proj", "v_proj", "k_proj"] if "tp" in par else ["q_proj", "v_proj", "o_proj"]))
        if "tp" not in par:
            made.update(c.sometimes(0.3, clip_grad_norm=True, zero_grad_set_to_none=False))
    elif kind == "frozen" or c.often(0.2):
        made["frozen"] = c.pick([["embed"], ["experts"], ["self_attn"], ["norm"], ["layers.0."], ["embed", "lm_head"]])
    return config, made


def of_dense(c):
    """Adapters of what transformers' plans divide without experts."""
    config = dict(small(c, c.pick(["llama", "qwen2", "qwen3"])), tie_word_embeddings=False)
    sharded = c.often(0.7)
    par = dict(dp=dict(kind="fsdp2", size=c.pick([2, 3, 4]), plan="transformers")) if sharded else dict(tp=dict(size=2, plan="transformers"))
    precision = c.pick(["fp32", "bf16", "amp_bf16", *["amp_fp16"] * sharded])
    if sharded and precision == "fp32" and c.often(0.6):
        par["dp"]["mixed_precision"] = dict(param="bf16", reduce="fp32")
    linears = ["q_proj", "v_proj", "o_proj", "down_proj"] if sharded else ["q_proj", "v_proj", "gate_proj"]
    return config, dict(precision=precision, optimizer=dict(name="adamw", impl=c.pick(["foreach", "fused"])), attention="sdpa", parallelism=par, **adapters(c, linears),
                        **c.sometimes(0.3, clip_grad_norm=True) if sharded else {})


def small(c, family):
    config = dict(model_type=family, **FAMILIES[family](Drawn(c.chance)))
    config.update(num_attention_heads=4, num_key_value_heads=c.pick([2, 4]), hidden_size=c.pick([128, 192, 320]), num_hidden_layers=c.pick([2, 3]))
    for key in ("layer_types", "sliding_window", "max_window_layers", "use_sliding_window", "head_dim"):
        config.pop(key, None)
    if family == "mistral":
        config["sliding_window"] = None
    return config


def of_scripts(c, scaled):
    """Modules and sequences that a script divides; all parameters are distributed."""
    config = small(c, c.pick(["llama", "mistral", "qwen2"]))
    par = dict(tp=dict(size=c.pick([2, 4]) if config["num_key_value_heads"] == 4 else 2, sequence_parallel=True))
    if c.often(0.4):
        par["dp"] = dict(kind="fsdp2", size=c.pick([2, 3, 4]))
        if c.often(0.5):
            par["tp"]["sequence_parallel"] = False
    if not scaled:
        return config, dict(precision=c.pick(["fp32", "bf16", "amp_bf16"]), optimizer=c.pick(OPTIMIZERS if "dp" in par else WITHOUT_FSDP), attention="sdpa", parallelism=par)
    return config, dict(precision="amp_fp16", optimizer=c.pick([dict(name="adamw", impl=impl) for impl in ("foreach", "fused", "for_loop")] + [dict(name="sgd", impl="foreach")]), attention="sdpa",
                        parallelism=par, **c.sometimes(0.4, clip_grad_norm=True) if par["tp"]["sequence_parallel"] and "dp" not in par else {})


def scenario(chance, kind):
    c = Choice(chance)
    config, own = of_scripts(c, kind == "scaled_scripts") if kind.endswith("scripts") else of_dense(c) if kind == "adapters_dense" else of_experts(c, kind)
    made = dict(v=1, model=dict(hf_config=config), task="causal_lm", framework=draw.FRAMEWORK, micro_batch_size=c.pick([1, 2, 4]), seq_len=c.pick([64, 128, 192, 320]), **own)
    if c.often(0.4):
        made["activation_checkpointing"] = c.pick(["full", "full", "full_reentrant"])
    if c.often(0.3):
        made["gradient_accumulation_steps"] = c.pick([2, 3])
    return made


KINDS = ["adapters", "adapters_dense", "frozen", "optimizers", "scaled", "scaled_scripts", "scripts"]

if __name__ == "__main__":
    seed, count, kinds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or KINDS
    for number in range(count):
        kind = kinds[number % len(kinds)]
        print(json.dumps(scenario(random.Random(f"divided.{kind}.{seed}.{number}"), kind)))
