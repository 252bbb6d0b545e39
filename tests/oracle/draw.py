"""draw.py SEED COUNT [FRAMEWORK] > SCENARIOS: scenarios drawn at random over families, sizes and options, for cases that nobody tuned to.

    python3 draw.py 7 60 | highwater estimate | ...                   # what the estimates refuse, and why
    python3 draw.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl       # what PyTorch refuses has an "error"; the rest is measured
    highwater check measured.jsonl --worst 10
    python3 draw.py --limits < measured.jsonl | DIR/run.sh cases.py --apart   # the same under limits that PyTorch meets by freeing its cache

The same seed draws the same scenarios. Sizes are odd on purpose: heads that are no powers of two, vocabularies and lengths that no 8 divides."""
import glob, json, os, random, sys
from families import CLASSIFIERS, EAGER_ONLY, FAMILIES, LIKE, LINEAR_ATTENTION, LINEARS, SINCE_5, TASKS, Drawn

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = {os.path.basename(path)[:-5]: path for path in glob.glob(f"{HERE}/configs/*.json") or glob.glob(f"{HERE}/../../src/models/families/*/models/*.json")}
LARGEST = 3_000_000_000  # weights of a model of the catalog that keeps all its layers, roughly
FRAMEWORK = "torch-2.15/transformers-5.23"
IMPLEMENTATIONS = dict(adamw=["foreach", "fused", "for_loop"], adam=["foreach", "fused", "for_loop"], sgd=["foreach", "fused", "for_loop"], adafactor=["for_loop"],
                       adafactor_transformers=["for_loop"], lion=["for_loop"], muon=["for_loop"],
                       bitsandbytes=["adamw_8bit", "paged_adamw_8bit", "paged_adamw_32bit", "adamw_32bit_bitsandbytes", "lion_8bit", "sgd_8bit"])
LIGER = ["llama", "mistral", "ministral", "qwen2", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi3", "mixtral", "granite", "smollm3", "olmo2", "olmo3", "glm4", "exaone4", "hunyuan_v1_dense", "gpt_oss"]


def model(chance, framework):
    """-> model_type, the scenario's keys."""
    lacking = [] if framework == FRAMEWORK else SINCE_5
    if chance.random() < 0.5:
        kind = chance.choice(sorted(set(FAMILIES) - set(lacking)))
        return kind, dict(model=dict(hf_config=dict(model_type=kind, **FAMILIES[kind](Drawn(chance)))))
    by_type = {}
    for name in sorted(CATALOG):
        config = json.load(open(CATALOG[name]))
        by_type.setdefault(config["model_type"], []).append((name, config))
    kind = chance.choice(sorted(set(by_type) - set(lacking)))
    name, config = chance.choice(by_type[kind])
    found = lambda *names: next((key for key in names if key in config), None)
    width, depth = config.get(found("hidden_size", "n_embd", "d_model"), 0), found("num_hidden_layers", "n_layer", "num_layers")
    large = 12 * width * width * config.get(depth, 0) * (1 + config.get("num_experts", config.get("num_local_experts", config.get("n_routed_experts", 0)))) > LARGEST
    if not large or "attention_types" in config:
        return kind, dict(model=name)
    layers = chance.choice([1, 2, 5])
    cut = {key: config[key][:layers] for key in ("layer_types",) if key in config}
    return kind, dict(model=name, model_overrides={depth: layers, **cut})


def optimizer(chance, recent):
    often = lambda share: chance.random() < share
    name = chance.choice(["adamw"] * 6 + ["adam", "sgd", "sgd", "adafactor", "adafactor_transformers", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "lion", *["muon"] * recent,
                                          *IMPLEMENTATIONS["bitsandbytes"]])
    made = dict(name=name, impl="fused" if name in IMPLEMENTATIONS["bitsandbytes"] else chance.choice(IMPLEMENTATIONS.get(name, ["foreach", "for_loop"])))
    if name in ("adamw", "adam") and often(0.15):
        made["amsgrad"] = True
    if name == "sgd_8bit" or name in ("sgd", "rmsprop") and often(0.5):
        made["momentum"] = 0.9
    if name == "adafactor_transformers" and often(0.5):
        made["relative_step"] = True
    if name in ("adam", "sgd", "rmsprop", "adagrad") and often(0.3):
        made["weight_decay"] = True
    if often(0.12):
        made["in_backward"] = True
    return made


def evaluation(chance, task, generates):
    often, pick = lambda share: chance.random() < share, chance.choice
    made = dict(kind=pick(["loss", "logits", "trainer", *["generate"] * (2 * generates)]))
    if often(0.5):
        made["micro_batch_size"] = pick([1, 3, 8])
    if made["kind"] == "generate":
        return dict(**made, max_new_tokens=pick([1, 5, 17, 40]), **dict(num_beams=pick([2, 3])) if often(0.25) else {}, **dict(do_sample=True) if often(0.25) else {})
    if often(0.3):
        made["keep_predictions"] = False
    if often(0.3) and task == "causal_lm":
        made["use_cache"] = True
    if made["kind"] == "logits" and often(0.3) and task == "causal_lm":
        made["logits_to_keep"] = pick([1, 7])
    return made


def allocator(chance):
    """None of them together with a threshold: that one acts under a limit only, see `--limits`."""
    return chance.choice([dict(expandable_segments=True), dict(max_split_size_mb=chance.choice([21, 32, 64, 200])), dict(roundup_power2_divisions=chance.choice([1, 2, 4, 8])),
                          dict(roundup_power2_divisions="[64:8,256:4,1024:4,>:1]"), dict(expandable_segments=True, roundup_power2_divisions=4),
                          dict(max_split_size_mb=64, roundup_power2_divisions=4), dict(empty_cache_after_loading=True)])


def limited(chance, line):
    """A measured scenario once more, under a limit below or above what it reserved: PyTorch frees cached segments, and tries again."""
    peak = line["expect"]["run"]
    least, most = peak["peak_allocated"], peak["peak_reserved"]
    limit = int(least + chance.choice([0.3, 0.6, 0.9, 1.1]) * (most - least)) + 2**21
    threshold = dict(garbage_collection_threshold=chance.choice([0.5, 0.7, 0.8, 0.95])) if chance.random() < 0.7 else {}
    settings = {**line["scenario"].get("allocator", {}), **threshold}
    return {**line["scenario"], "memory_limit": limit, **(dict(allocator=settings) if settings else {})}


def precision(chance, kind):
    often, pick = lambda share: chance.random() < share, chance.choice
    made = dict(precision=pick(["fp32", "bf16", "bf16", "amp_bf16", "amp_bf16", "amp_fp16", "fp16"]))
    if made["precision"].startswith("amp"):
        if often(0.2):
            made["autocast_style"] = "accelerate"
        if often(0.15) and made["precision"] == "amp_bf16":
            made["weights"] = "bf16"
    return made


def adapters(chance, kind, half):
    often, pick = lambda share: chance.random() < share, chance.choice
    linears = LINEARS[LIKE.get(kind, kind) if LIKE.get(kind, kind) in LINEARS else "llama"]
    made = dict(lora=dict(r=pick([4, 8, 16, 24]), target_modules=pick([linears, linears[:1], linears[:2], ["all-linear"]]), **dict(dropout=0.1) if often(0.4) else {},
                          **dict(use_dora=True) if often(0.25) else {}))
    if often(0.4) and half:
        made["quantization"] = dict(type=pick(["nf4", "fp4", "int8"]), double=often(0.5), prepare_for_kbit_training=often(0.6), **dict(compute_dtype=pick(["bf16", "fp16"])) if often(0.3) else {})
    return made


def scenario(chance, framework=FRAMEWORK):
    often, pick = lambda share: chance.random() < share, chance.choice
    kind, made = model(chance, framework)
    recent = framework == FRAMEWORK
    task = pick(TASKS.get(kind, ["causal_lm"] * 5 + ["sequence_classification"] * (kind in CLASSIFIERS)))
    made.update(task=task, micro_batch_size=pick([1, 2, 3, 4, 5, 8]), optimizer=optimizer(chance, recent), framework=framework, **precision(chance, kind))
    if task != "image_classification":
        made["seq_len"] = pick([33, 64, 100, 127, 128, 200, 256, 301, 512][:2 if task == "contrastive" else None])
        made["padding_mask"] = often(0.25)
    if task == "image_text_to_text":
        made.update(images=pick([0, 1, 1, 2]), image_size=pick(["112", "168x56", "140x196"]), seq_len=pick([100, 127, 200]))
    if task == "seq2seq_lm" and often(0.6):
        made["target_seq_len"] = pick([17, 48, 64, 130])
    if kind in LINEAR_ATTENTION:
        made["precision"] = "amp_bf16" if made["precision"] == "fp32" else made["precision"]
    else:
        made["attention"] = "eager" if kind in EAGER_ONLY or not recent and kind in ("t5", "mt5", "electra") or often(0.25) else "sdpa"
        if made["attention"] == "sdpa" and often(0.15):
            made["sdpa_backend"] = pick(["flash", "efficient", "math"])
    if often(0.25):
        made["activation_checkpointing"] = pick(["full", "full_reentrant"])
        if recent and often(0.35):
            made["checkpoint_every"] = pick([2, 3])
    if often(0.35):
        made.update(adapters(chance, kind, made["precision"] != "fp32" and "weights" not in made))
    elif often(0.15):
        made["frozen"] = pick([["embed"], ["norm"], ["bias"], ["layers.0."], ["layers.0.", "embed"], ["encoder"], ["wte"], ["attn"], ["mlp"], ["head"]])
    in_backward = made["optimizer"].get("in_backward")
    if in_backward and made["precision"] == "amp_fp16":
        made["precision"] = "fp16"
        made = {key: value for key, value in made.items() if key not in ("weights", "autocast_style")}
    if often(0.3) and not in_backward:
        made["gradient_accumulation_steps"] = pick([2, 3, 4])
    for key, share in dict(clip_grad_norm=0.0 if in_backward else 0.35, keep_outputs=0.2, use_cache=0.07).items():
        if often(share):
            made[key] = True
    if often(0.15) and not in_backward:
        made["zero_grad_set_to_none"] = False
    if often(0.12):
        chunks = task == "causal_lm" and kind not in LINEAR_ATTENTION and "autocast_style" not in made
        made["loss"] = pick(["mean_logits", *["chunked"] * (2 * chunks)])
    if often(0.08) and isinstance(made["model"], dict):  # as much host memory is really taken
        made["offload"] = dict(activations=True)
    if often(0.08) and "padding_mask" in made and task != "seq2seq_lm":
        made["dataset"] = dict(length_mean=made["seq_len"] * 2 // 3)
    if recent and task == "causal_lm" and kind in LIGER and often(0.5) and "loss" not in made:
        made["liger_kernel"] = pick([["rms_norm"], ["rope"], ["swiglu"], ["geglu"], ["cross_entropy"], ["fused_linear_cross_entropy"], ["rope", "rms_norm"], ["rms_norm", "fused_linear_cross_entropy"]])
    if often(0.15):
        made["allocator"] = allocator(chance)
    if often(0.15):
        made["evaluation"] = evaluation(chance, task, task in ("causal_lm", "seq2seq_lm", "image_text_to_text"))
        if often(0.4):
            made["program"] = "evaluation"
    elif often(0.04):
        made["program"] = "forward"
    if isinstance(made["model"], dict) and "quantization" not in made and often(0.08):  # states are really taken on the host
        made["offload"] = dict(optimizer_states=True, **dict(gradients=True) if often(0.4) else {})
        made["optimizer"] = dict(name=pick(["adamw", "adam", "sgd"]))
        made.update(zero_grad_set_to_none=True, clip_grad_norm=False)
        if made["precision"] == "amp_fp16":
            made["precision"] = "amp_bf16"
        if "gradients" in made["offload"]:
            made.pop("gradient_accumulation_steps", None)
    elif recent and made["precision"] in ("bf16", "fp16") and not in_backward and "quantization" not in made and often(0.15):
        made["optimizer"] = dict(name=pick(["adamw", "adam"]), impl=pick(["foreach", "fused", "for_loop"]), master_weights=pick(["deepspeed", "megatron"]))
    if made.get("program"):
        for key in ("optimizer", "clip_grad_norm", "lora", "quantization", "gradient_accumulation_steps", "frozen", "zero_grad_set_to_none", "activation_checkpointing", "checkpoint_every", "offload", "dataset"):
            made.pop(key, None)
    return made


if __name__ == "__main__":
    if sys.argv[1] == "--limits":
        measured = [line for line in map(json.loads, sys.stdin) if "expect" in line and line["scenario"].get("program", "training") == "training"]
        for line in measured:
            print(json.dumps(limited(random.Random(line["id"]), line)))
        sys.exit()
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        print(json.dumps(dict(v=1, **scenario(random.Random(f"{seed}.{number}"), *sys.argv[3:]))))
