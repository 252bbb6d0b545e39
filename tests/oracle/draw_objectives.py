"""draw_objectives.py SEED COUNT > SCENARIOS: steps of TRL's trainers (`objective`), drawn by a seed.

    python3 draw_objectives.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl           # or of the kinds that are named
    python3 draw_objectives.py 7 60 losses | DIR/run.sh cases.py --apart > measured.jsonl    # with other losses than the trainers' defaults
    python3 draw_objectives.py 7 60 packed | DIR/run.sh cases.py --apart > measured.jsonl    # SFT with packed rows
    python3 draw_objectives.py 7 60 ranks | DIR/run.sh cases.py --apart > measured.jsonl     # one rank of several: ranks ddp, fsdp1, fsdp2, deepspeed_zero, or of all
    python3 draw_objectives.py 7 60 evaluated | DIR/run.sh cases.py --apart > measured.jsonl # with the trainer's own evaluation after each step: ranks_evaluated on ranks"""
import json, random, sys
from objectives import KINDS, GENERATED

FAMILIES = ["llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "olmo", "olmo2", "phi", "phi3", "starcoder2", "granite", "cohere", "glm", "glm4",
            "smollm3", "exaone4", "arcee", "ernie4_5", "helium", "ministral", "gpt2", "gpt_neox", "opt", "bloom", "falcon", "stablelm", "seed_oss", "olmo3", "nemotron", "qwen2", "llama"]
EXPERTS = ["mixtral", "olmoe", "qwen2_moe", "qwen3_moe", "gpt_oss", "phimoe", "dots1", "glm4_moe", "ernie4_5_moe", "deepseek_v3", "hunyuan_v1_moe", "minimax_m2", "flex_olmo"]
# Families that Liger has kernels for, with what their MLP is called there.
LIGER = dict(llama="swiglu", mistral="swiglu", qwen2="swiglu", qwen3="swiglu", gemma="geglu", gemma2="geglu", gemma3_text="geglu", phi3="swiglu", olmo2="swiglu")
# Of the catalog, with as many layers.
CATALOG = dict(zip(["qwen2.5-0.5b", "qwen2.5-1.5b", "qwen2.5-7b", "qwen3-0.6b", "qwen3-4b", "llama-3.2-1b", "llama-3.1-8b", "smollm2-135m", "smollm2-1.7b", "gemma-2-2b", "gemma-3-1b", "mistral-7b", "phi-3.5-mini"], range(99)))


def taught(chance, scenario):
    """Another model with the scenario's vocabulary: of its type or of another one, smaller or larger."""
    from families import FAMILIES as known, Drawn
    import draw
    model, overrides = scenario["model"], scenario.get("model_overrides", {})
    own = model["hf_config"] if isinstance(model, dict) else {**json.load(open(draw.CATALOG[model])), **overrides}
    kind = chance.choice([own["model_type"], *(name for name in FAMILIES if name in known)])
    if chance.random() < 0.5 and not isinstance(model, dict):
        return dict(hf_config={**own, "num_hidden_layers": chance.choice([1, 3, 5])})
    return dict(hf_config=dict(model_type=kind, **{**known[kind](Drawn(chance)), "vocab_size": own["vocab_size"]}))


def drawn(chance, wanted=None, beside=()):
    """A scenario with an objective, and with what is named `beside` it: a `quantized` base, `experts`, kernels of `liger`."""
    import draw
    from families import FAMILIES as known, LIKE, LINEARS, CLASSIFIERS, EAGER_ONLY, Drawn
    often, pick = lambda share: chance.random() < share, chance.choice
    kind = wanted or pick(["sft", "dpo", "dpo", "grpo", "grpo", "reward", "kto", "orpo", "cpo"])
    named = [name for name in CATALOG if name in draw.CATALOG]
    family = pick([name for name in FAMILIES if name in known])
    if "experts" in beside:
        family = pick(EXPERTS)
    if "liger" in beside:
        family = pick(list(LIGER))
    if kind == "reward":
        family = pick([name for name in CLASSIFIERS if not beside or name in EXPERTS or name in LIGER])
    made = dict(model=dict(hf_config=dict(model_type=family, **known[family](Drawn(chance)))))
    if often(0.4) and not {"experts", "liger"} & set(beside):
        name = pick(named)
        family = json.load(open(draw.CATALOG[name]))["model_type"]
        made = dict(model=name, model_overrides=dict(num_hidden_layers=pick([1, 2, 4])))
    objective = dict(kind=kind)
    made.update(task="causal_lm", objective=objective, micro_batch_size=pick([1, 2, 3, 4, 8]), seq_len=pick([33, 64, 100, 128, 200, 256, 301, 512, 1024]), **draw.precision(chance, family))
    made.pop("autocast_style", None)
    made["optimizer"] = draw.optimizer(chance, True)
    made["optimizer"].pop("in_backward", None)
    made["attention"] = "eager" if family in EAGER_ONLY or often(0.2) else "sdpa"
    if often(0.4):
        made["padding_mask"] = False
    if kind != "reward" and (often(0.6) or kind in GENERATED):
        objective["completion_tokens"] = pick([1, 7, 32, made["seq_len"] // 2, made["seq_len"] - 1])
        objective["completion_tokens"] = min(objective["completion_tokens"], made["seq_len"] - 1)
    if kind in ("dpo", "kto") and often(0.25):
        objective["precompute_ref_log_probs"] = True
    if kind == "grpo" and often(0.6):
        objective["beta"] = 0.04
    if kind == "distillation":
        if often(0.8):
            objective["teacher"] = taught(chance, made)
        if often(0.4):
            objective["teacher_dtype"] = pick(["fp32", "bf16", "fp16"])
        if often(0.5):
            objective["beta"] = pick([0.0, 0.5, 0.9, 1.0])
        if often(0.5):
            objective["generation"] = "model"
    if kind == "reward":
        made["task"] = "sequence_classification"
        if isinstance(made["model"], dict):
            made["model"]["hf_config"]["num_labels"] = 1
        else:
            made["model_overrides"]["num_labels"] = 1
    if often(0.5):
        made["activation_checkpointing"] = pick(["full", "full", "full_reentrant"])
    if family in LIGER and "liger" in beside:
        made["liger_kernel"] = pick([["rms_norm"], ["rope", "rms_norm"], ["rope", "rms_norm", LIGER[family]], [LIGER[family]]])
    if "quantized" in beside:  # a base of fewer bits
        made.update(lora=draw.adapters(chance, family, False)["lora"])
        made["quantization"] = dict(type=pick(["nf4", "nf4", "fp4", "int8"]), double=often(0.5), prepare_for_kbit_training=often(0.3),
                                    **dict(compute_dtype=pick(["bf16", "fp16", "fp32"])) if often(0.3) else {})
    elif often(0.45):
        adapters = draw.adapters(chance, family, False)
        made.update(lora=adapters["lora"])
    if often(0.3):
        made["gradient_accumulation_steps"] = pick([2, 3, 4, 6])
    for key, share in dict(clip_grad_norm=0.5).items():
        if often(share):
            made[key] = True
    if often(0.1):
        made["zero_grad_set_to_none"] = False
    if kind == "kto" and made["micro_batch_size"] == 1 or kind == "grpo" and made["micro_batch_size"] * made.get("gradient_accumulation_steps", 1) == 1:
        made["micro_batch_size"] = 2
    return dict(v=1, **made, framework=draw.FRAMEWORK)


# The losses of each trainer, its default first.
LOSSES = dict(sft=["nll", "dft"], dpo=["sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_unpaired", "apo_zero", "apo_down", "discopop", "sft", "sigmoid_norm"],
              kto=["kto", "apo_zero_unpaired"], cpo=["sigmoid", "hinge", "ipo", "simpo"], grpo=["dapo", "grpo", "dr_grpo", "bnpo", "cispo", "sapo", "luspo", "vespo"])


def with_loss(chance):
    """One with another loss than its trainer's default."""
    while True:
        made = drawn(chance)
        objective = made["objective"]
        if objective["kind"] in LOSSES:
            objective["loss_type"] = chance.choice(LOSSES[objective["kind"]][1:])
            return made


def packed(chance):
    """One whose rows are packed as `padding_free` of SFTTrainer does."""
    while True:
        made = drawn(chance)
        if made["objective"]["kind"] == "sft":
            break
    made.update(micro_batch_size=1, seq_len=chance.choice([100, 256, 301, 512, 1024, 2048, 3000]), packing=dict(kind="padding_free", sequences=chance.choice([2, 3, 4, 7])))
    made.pop("padding_mask", None)
    shortest = made["seq_len"] // made["packing"]["sequences"]
    if "completion_tokens" in made["objective"]:
        made["objective"]["completion_tokens"] = chance.choice([1, 7, shortest // 2, shortest - 1])
    if chance.random() < 0.3:
        made["objective"]["loss_type"] = "dft"
    if made["precision"] in ("bf16", "amp_bf16") and chance.random() < 0.4:
        made["attention"] = "flash_attention_2"
    return made


def evaluated(chance):
    """One whose trainer evaluates after each step."""
    draws = chance.choice([drawn, drawn, drawn, with_loss, packed, lambda chance: drawn(chance, "distillation"), lambda chance: drawn(chance, None, ["quantized"]), lambda chance: drawn(chance, None, ["experts"])])
    made = with_evaluation(chance, draws(chance))
    if made["objective"]["kind"] == "grpo" and chance.random() < 0.5:
        made["objective"]["generation"] = "model"
    return made


def with_evaluation(chance, made):
    """The same with an evaluation after each step."""
    objective, pick = made["objective"], chance.choice
    evaluation = made["evaluation"] = dict(kind=pick(["loss", "trainer", "trainer"]), batches=pick([1, 2, 3, 5, 11]))
    if chance.random() < 0.6 and "packing" not in made:
        evaluation["micro_batch_size"] = pick([1, 2, 4, 8, 16] if objective["kind"] != "kto" else [2, 4, 8, 16])
    if evaluation["kind"] == "trainer" and chance.random() < 0.25:
        evaluation["keep_predictions"] = False
    if evaluation["kind"] == "trainer" and chance.random() < 0.25:
        evaluation["accumulation_steps"] = pick([1, 2, 4])
    return made


def distilled_on_ranks(chance, kind=None):
    """One that a rank of several distills, in some with an evaluation after each step; nothing is generated."""
    made = of_ranks(chance, kind, [lambda chance: drawn(chance, "distillation")])
    made["objective"].pop("generation", None)
    return with_evaluation(chance, made) if chance.random() < 0.3 else made


def of_ranks(chance, kind=None, draws=()):
    """One that a rank of several trains."""
    import draw_ranks
    kind = kind or chance.choice(["ddp", "ddp", "fsdp2", "deepspeed_zero", "fsdp1"])
    c = draw_ranks.Choice(chance)
    while True:
        made = c.pick(draws or [drawn, drawn, drawn, with_loss, packed, lambda chance: drawn(chance, None, ["quantized"]), lambda chance: drawn(chance, None, ["experts"])])(chance)
        dp, precision = draw_ranks.KINDS[kind](c)
        quantized, offloads = "quantization" in made, dp.get("cpu_offload")
        if not quantized or kind == "ddp" or kind.startswith("fsdp") and made["quantization"]["type"] != "int8" and not offloads:
            break
    for key in ("zero_redundancy_optimizer", "comm_hook", "shard_size", "replicate_size", "explicit_prefetch", "zero_hpz_partition_size"):
        dp.pop(key, None)
    if dp.get("sharding_strategy", "").startswith("HYBRID"):
        dp["sharding_strategy"] = "FULL_SHARD"
    if kind == "ddp":
        dp.update(c.sometimes(0.4, find_unused_parameters=True))
        if made.get("gradient_accumulation_steps"):
            dp.pop("static_graph", None)  # which DDP does not take with `no_sync`
    else:
        made["optimizer"] = draw_ranks.optimizer(c, dp)
        made.pop("weights", None)
        made["precision"] = precision
        if quantized:
            made["precision"] = "bf16"
            dp.pop("mixed_precision", None)
            made["quantization"].update(prepare_for_kbit_training=False, compute_dtype="bf16", storage="bfloat16")
            made["lora"]["adapter_dtype"] = "base"
        if kind == "fsdp2" and "lora" not in made:
            dp.update(c.sometimes(0.3, wrap_embeddings=True))
    if "gradient_accumulation_steps" in made:
        dp.update(c.sometimes(0.3, no_sync=False))
    if made["objective"].get("precompute_ref_log_probs") and dp.get("stage") == 3:
        made["objective"].pop("precompute_ref_log_probs")
    return dict(made, parallelism=dict(dp=dp))


def evaluated_on_ranks(chance, kind=None):
    """One that a rank of several trains and evaluates."""
    return with_evaluation(chance, of_ranks(chance, kind))


DRAWERS = dict(losses=with_loss, packed=packed, evaluated=evaluated, ranks=of_ranks, ranks_evaluated=evaluated_on_ranks, ranks_distilled=distilled_on_ranks)

if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    if sys.argv[3:] and sys.argv[3] in DRAWERS:
        for number in range(count):
            print(json.dumps(DRAWERS[sys.argv[3]](random.Random(f"{sys.argv[3]}.{seed}.{number}"), *sys.argv[4:])))
        sys.exit()
    beside = [word for word in sys.argv[3:] if word not in KINDS]
    kinds = [word for word in sys.argv[3:] if word in KINDS]
    number = found = 0
    while found < count:
        scenario = drawn(random.Random(f"{seed}.{number}"), "distillation" if kinds == ["distillation"] else None, beside)
        number += 1
        if not kinds or scenario["objective"]["kind"] in kinds:
            found += 1
            print(json.dumps(scenario))
