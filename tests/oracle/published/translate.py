"""translate.py < published.csv > published.jsonl: measurements that others published, as lines that `highwater check` reads.

A row is translated when it says all that a scenario needs, of one GPU or of several; why the others are left out is counted on standard error.
Nothing is guessed from the measured value. What a source leaves to the defaults of the libraries it names is filled in here, in DEFAULTS."""
import collections, csv, json, re, sys

FRAMEWORKS = [((5, 0), "torch-2.15/transformers-5.23"), ((4, 50), "torch-2.6/transformers-4.51"), ((0, 0), "torch-2.6/transformers-4.48")]
PRECISIONS = [  # (in the column, precision, dtype in which the weights are loaded)
    ("weights bfloat16 pure", "bf16", None), ("bfloat16 weights, no amp", "bf16", None), ("bf16 pure", "bf16", None), ("pure bf16", "bf16", None),
    ("weights bfloat16 + bf16 autocast", "amp_bf16", "bf16"), ("bf16 weights + bf16 amp", "amp_bf16", "bf16"), ("bf16 (weights bf16 + amp", "amp_bf16", "bf16"),
    ("weights float16 + fp16 amp", "amp_fp16", "fp16"), ("bf16 amp", "amp_bf16", None), ("fp16 amp", "amp_fp16", None), ("fp32", "fp32", None), ("float32", "fp32", None)]
OPTIMIZERS = [("paged_adamw_8bit", "paged_adamw_8bit", "fused"), ("8-bit bitsandbytes", "adamw_8bit", "fused"), ("8-bit adam (bnb)", "adamw_8bit", "fused"),
              ("bnb 8-bit adamw", "adamw_8bit", "fused"), ("8-bit adamw", None, None), ("4-bit", None, None), ("offload", None, None), ("bwd", None, None),
              # transformers' own AdamW, one parameter after the other, was the Trainer's default before adamw_torch.
              ("adamw (hf trainer default)", "adamw", "for_loop"), ("adamw fused", "adamw", "fused"), ("adamw (fused)", "adamw", "fused"),
              ("adamw", "adamw", "foreach"), ("adafactor", "adafactor_transformers", "for_loop"), ("sgd", "sgd", "foreach")]
ATTENTION = [("flash_attention_2", "flash_attention_2"), ("sdpa", "sdpa"), ("default", "sdpa"), ("eager", "eager")]
TASKS = [("causal-lm", "causal_lm"), ("full-parameter lm", "causal_lm"), ("text-generation", "causal_lm"), ("pretrain", "causal_lm"), ("sft", "causal_lm"), ("fill-mask", "masked_lm"),
         ("sequence-classification", "sequence_classification"), ("text-classification", "sequence_classification"), ("image-classification", "image_classification")]
# The kernels of fms-acceleration's plugin (foak: Unsloth's, and Liger's loss), by what Liger has that holds the same: norms keep a float32 number
# a row, and the loss writes the gradient over the logits. Those of the other families Liger has not.
KERNELS = {"foak-fast-kernels": ["rms_norm", "rope", "cross_entropy"], "foak-fast-kernels-liger": ["rms_norm", "rope", "fused_linear_cross_entropy"],
           # Beside them LoRA in one function (fused_lora): in between within a layer, of which nothing is there at the loss of 128256 words.
           "accelerated-peft-bnb-foak": ["rms_norm", "rope", "cross_entropy"]}
# What a source's own scripts and the libraries of its time leave to defaults.
DEFAULTS = {
    "foundation-model-stack/fms-acceleration": dict(clip_grad_norm=True, autocast_style="accelerate"),
    "modelscope/ms-swift": dict(clip_grad_norm=True, autocast_style="accelerate", transformers="4.36"),
    "AnswerDotAI/fsdp_qlora": dict(transformers="4.38"),
    "optimum-benchmark": dict(clip_grad_norm=True),
    # The guide of 2022: torch 1.11, whose zero_grad kept the gradients.
    "huggingface/transformers": dict(clip_grad_norm=True, transformers="4.20", zero_grad_set_to_none=False)}
# Of scripts that name projections by their first letters.
PROJECTIONS = ["q", "k", "v", "o", "gate", "up", "down"]
OWN_CODE = ["Lightning-AI/litgpt", "pytorch/torchtune", "pytorch/torchtitan", "pytorch/ao", "a-r-r-o-w/finetrainers", "QwenLM/Qwen", "NVIDIA"]
OWN_MODELS = ["qwen-", "chatglm", "baichuan", "flux", "cogvideo", "stable-diffusion"]
MODELS = {"yi-6b-chat": "01-ai/Yi-6B", "yi-34b-chat": "01-ai/Yi-34B", "bert-large-uncased": "google-bert/bert-large-uncased",
          "mistralai/Mixtral-8x7B-Instruct-v0.1": "mistralai/Mixtral-8x7B-v0.1", "mistral-community/Mistral-7B-v0.2": "mistralai/Mistral-7B-v0.1"}
OVERRIDES = {"mistral-community/Mistral-7B-v0.2": dict(sliding_window=None)}
GPUS = [("H100", "h100-80gb"), ("H200", "h200"), ("A100-SXM4-40", "a100-40gb"), ("A100", "a100-80gb"), ("V100-16", "v100-16gb"), ("V100", "v100-32gb"), ("L40S", "l40s"), ("A10G", "a10g"),
        ("RTX 4090", "rtx-4090"), ("4070Ti SUPER", "rtx-4070-ti-super"), ("RTX 3090", "rtx-3090"), ("T4", "t4")]
BYTES = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6}


class LeftOut(Exception):
    """Why a row is no complete scenario."""


def first(table, text, what):
    for key, *value in table:
        if key.lower() in text.lower():
            if value[0] is None:
                raise LeftOut(f"{what} that is not modelled: {text}")
            return value if len(value) > 1 else value[0]
    raise LeftOut(f"{what} not stated" if not text.strip() else f"{what} not understood: {text}")


def whole(text, what):
    if not re.fullmatch(r"\d+( \(or 224px image\))?", text.strip()):
        raise LeftOut(f"{what} is not one number")
    return int(text.split()[0])


def framework(row, defaults):
    version = re.search(r"transformers (\d+)\.(\d+)", row["other"]) or re.search(r"(\d+)\.(\d+)", defaults.get("transformers", ""))
    if not version:
        raise LeftOut("versions not stated")
    have = tuple(map(int, version.groups()))
    return next(name for least, name in FRAMEWORKS if have >= least)


def adapters(row, scenario):
    text = row["peft"].strip()
    if re.match(r"none|^$", text):
        return
    if re.search(r"modules_to_save|emb|GaLore|LISA|packing", text):
        raise LeftOut(f"adapter that is not modelled: {text[:40]}")
    if re.search(r"gptq", text + row["model"], re.I):
        raise LeftOut("GPTQ base")
    if not re.match(r"Q?LoRA\b", text, re.I) or re.search(r"DoRA|lora-fa", text + row["optimizer"]):
        raise LeftOut(f"adapter that is not modelled: {text.split()[0]}")
    rank, targets, dropout = (re.search(pattern, text) for pattern in (r"r=(\d+)", r"targets=([\w+,]+)", r"dropout=([\d.]+)"))
    if not rank or not targets:
        raise LeftOut("adapter's rank or targets not stated")
    names = ["q_proj", "k_proj", "v_proj"] if targets[1] == "DEFAULT" else re.split("[+,]", targets[1])
    names = [name + "_proj" if name in PROJECTIONS else name for name in names]
    scenario["lora"] = dict(r=int(rank[1]), target_modules=names)
    if dropout and float(dropout[1]):
        scenario["lora"]["dropout"] = float(dropout[1])
    if "nf4" in text:
        # fms-acceleration's plugin quantizes scales too and leaves the rest of the model in 16 bits; its baseline lets PEFT make it float32.
        fms = "fms-acceleration" in row["source_repo_or_page"]
        scenario["quantization"] = dict(type="nf4", double=fms, compute_dtype="bf16", prepare_for_kbit_training="baseline" in row["other"] or not fms)
        scenario.pop("weights", None)


def fms_kernels(row, scenario):
    config = re.search(r"framework_config=([\w-]+)", row["other"])
    if not config or "foak" not in config[1]:
        return
    if row["gpus"] == "1" or "Llama" not in row["model"]:
        raise LeftOut("fused operations and kernels of fms-acceleration (foak)")
    if config[1] not in KERNELS:
        raise LeftOut("fused LoRA of fms-acceleration (foak) where a layer's inside may be the peak")
    scenario["liger_kernel"] = KERNELS[config[1]]


def fms_fsdp(row, scenario):
    """accelerate's FSDP as scripts/benchmarks/accelerate.yaml and transformers' Trainer set it up (accelerate 1.0.1): one flat parameter a layer,
    `use_orig_params` by its default, and with adapters each factor a unit of its own (`fsdp_auto_wrap_policy` of peft)."""
    stated = re.match(r"FSDP1 FULL_SHARD x(\d+) \(transformer auto-wrap, BACKWARD_PRE, no CPU offload\)", row["sharding"])
    if not stated:
        raise LeftOut("sharding that is not understood")
    dp = dict(kind="fsdp1", size=int(stated[1]), built_on_cpu=True)
    if scenario["precision"].startswith("amp"):
        dp["mixed_precision"] = dict(param="bf16", reduce="bf16")
    if "lora" in scenario:
        dp["wrap_trainable_leaves"] = True
    else:
        # accelerate casts flat parameters that are trained to float32.
        scenario.pop("weights", None)
    if "quantization" in scenario:
        # bnb_4bit_quant_storage is the model's dtype, and what is not in 4 bits keeps its own: trl prepares no sharded model (`is_sharded_qlora`).
        scenario["quantization"].update(storage="bfloat16", prepare_for_kbit_training=False)
    scenario["parallelism"] = dict(dp=dp)


def fsdp_qlora(row, scenario):
    """FSDP as train.py of AnswerDotAI sets it up, with `low_memory` and of March 2024 (torch 2.2, transformers 4.38, peft before it kept adapters in
    float32): `checkpoint_wrapper` within the units, where transformers 5 checkpoints layers, and bitsandbytes quantizes scales, too, by its default."""
    scenario.update(framework="torch-2.15/transformers-5.23", loss="labels_cast")
    if "lora" in scenario:
        scenario["lora"]["adapter_dtype"] = "base"
    if "quantization" in scenario:
        scenario["quantization"].update(double=True, storage="bfloat16", prepare_for_kbit_training=False)
    dp = dict(kind="fsdp1", size=int(row["gpus"]), built_on_cpu=True, wrap_trainable_leaves="lora" in scenario, use_orig_params=False)
    if "CPU offload" in row["sharding"]:
        dp["cpu_offload"] = True
    scenario["parallelism"] = dict(dp=dp)


def several_gpus(row, scenario):
    source = row["source_repo_or_page"]
    if "fms-acceleration" in source:
        return fms_fsdp(row, scenario)
    if source == "AnswerDotAI/fsdp_qlora":
        return fsdp_qlora(row, scenario)
    raise LeftOut(f"several GPUs, not all of them stated: {source}")


def scenario_of(row):
    source = row["source_repo_or_page"]
    defaults = next((dict(v) for k, v in DEFAULTS.items() if k in source), {})
    if source == "NVIDIA/Megatron-LM":
        raise LeftOut("Megatron's GPT, BERT and T5: biases, learned positions and dropout, most of TransformerEngine")
    if source in ("pytorch/torchtitan", "pytorch/ao") and row["gpus"] != "1":
        raise LeftOut("torchtitan, compiled or with single operations checkpointed")
    if any(own in source for own in OWN_CODE) or any(row["model"].lower().startswith(own) for own in OWN_MODELS):
        raise LeftOut("model code of its own, not transformers'")
    if row["model"].startswith("kernel:"):
        raise LeftOut("one operation, no training run")
    if row["gpus"] == "1" and row["sharding"] != "none":
        raise LeftOut("offload or sharding on one GPU")
    if "fragmentation-dominated" in row["notes"]:
        raise LeftOut("lengths vary with the data set, and only reserved was measured")
    if "compile" in row["other"].replace("compile=False", ""):
        raise LeftOut("compiled")
    task = first(TASKS, row["task"], "task")
    scenario = dict(model=MODELS.get(row["model"], row["model"]), task=task, micro_batch_size=whole(row["micro_batch"], "micro-batch size"))
    if row["model"] in OVERRIDES:
        scenario["model_overrides"] = OVERRIDES[row["model"]]
    scenario["seq_len"] = whole(row["seq_len"], "sequence length")
    if task == "image_classification":
        scenario.pop("seq_len")
    precision, weights = first(PRECISIONS, row["precision"], "precision")
    scenario["precision"] = precision
    if weights:
        scenario["weights"] = weights
    name, implementation = first(OPTIMIZERS, row["optimizer"], "optimizer")
    scenario["optimizer"] = dict(name=name, impl=implementation)
    scenario["framework"] = framework(row, defaults)
    scenario["attention"] = first(ATTENTION, row["attn_impl"], "attention")
    checkpointing = row["grad_ckpt"].strip()
    if checkpointing.startswith("full"):
        # Re-entrant by default before transformers 5.
        scenario["activation_checkpointing"] = "full" if "5.23" in scenario["framework"] else "full_reentrant"
        if "gpt_bigcode" in row["model"]:
            # transformers 4 leaves this family's cache on, which its config asks for; of others it turns it off.
            scenario["use_cache"] = True
            # 4.48.1, as in the source's requirements.txt: the model computes a loss of its own, in the dtype of its logits.
            scenario["loss"] = "labels_uncast"
    elif checkpointing != "none":
        raise LeftOut("checkpointing not stated")
    if "a100_80gb_liger.csv" in row["path_or_url"]:
        # transformers 4.45.2, as in requirements_liger.txt: models cast their logits themselves.
        scenario["loss"] = "labels_cast"
    adapters(row, scenario)
    fms_kernels(row, scenario)
    steps = re.search(r"grad_accum[= ](\d+)", row["other"])
    if steps and int(steps[1]) > 1:
        scenario["gradient_accumulation_steps"] = int(steps[1])
    if not precision.startswith("amp"):
        defaults.pop("autocast_style", None)
    defaults.pop("transformers", None)
    scenario.update(defaults)
    if row["gpus"] != "1":
        several_gpus(row, scenario)
    gpu = next((gpu for label, gpu in GPUS if label in row["gpu_type"]), None)
    if gpu:
        scenario["hardware"] = dict(gpu=gpu)
    return scenario


def exact_bytes(row):
    """The bytes in the notes where they are of this row's value, else the value in its unit."""
    value = float(row["value"]) * BYTES[row["unit"]]
    for number in re.findall(r"\d{7,}", row["notes"]):
        if abs(int(number) - value) <= 0.0006 * 2**30 + 0.0005 * value:
            return int(number)
    return round(value)


def expected(row, contexts):
    notes, value = row["notes"], exact_bytes(row)
    if re.search(r"INIT phase|context overhead|model load|at model init", notes + row["task"] + row["other"]):
        raise LeftOut("before training")
    if re.search(r"STEADY|END-of-train", notes):
        return dict(allocated_at_end=value)
    if row["metric"] == "alloc":
        return dict(peak_allocated=value)
    if row["metric"] == "reserved":
        return dict(peak_reserved=value)
    if row["metric"] == "smi":
        context = contexts.get((row["source_repo_or_page"], row["gpu_type"]))
        return dict(peak_reserved=value - context) if context else dict(total=value)
    raise LeftOut("host memory")


def main():
    rows = [row for row in csv.DictReader(sys.stdin) if row["gpus"].strip()]
    # A source that measured an empty context on its GPU lets us see what PyTorch reserved.
    contexts = {(row["source_repo_or_page"], row["gpu_type"]): exact_bytes(row) for row in rows if row["task"].startswith("context overhead")}
    left_out = collections.Counter()
    for row in rows:
        try:
            run = expected(row, contexts)
            line = dict(id=row["id"], source=row["source_repo_or_page"], confidence=row["confidence"], scenario=scenario_of(row), expect=dict(run=run))
            print(json.dumps(line, separators=(",", ":")))
        except LeftOut as reason:
            left_out[str(reason)] += 1
    for reason, count in left_out.most_common():
        print(f"left out: {count:3} {reason}", file=sys.stderr)


main()
