"""draw.py TRAINER SEED COUNT CORPUS: cases for `measure.py`, each a public configuration of CORPUS (a folder with a folder for each source, as YAML files) for one GPU, with a small
model, data of its own and some of its values replaced by those of other public configurations. Options that CORPUS says nothing of are drawn from the lists here."""
import glob, json, random, sys
import yaml
import launched, scripts

# What each trainer is given its program by, and where its configurations are.
SOURCES = {"axolotl-rl": "axolotl/*", "trl-sft-evaluated": "alignment-handbook/*~sft~*", "trl-sft": "alignment-handbook/*~sft~*", "trl-dpo": "alignment-handbook/*~dpo~*", "axolotl": "axolotl/*", "llama-factory": "llama-factory/*~train_*",
           "torchtune-full": "torchtune/*full_[sl]*", "torchtune-lora": "torchtune/*ora_single_device*", "torchtune-dpo": "torchtune/*lora_dpo_single_device*"}
SMALL = ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen3-0.6B", "HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-360M", "meta-llama/Llama-3.2-1B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "google/gemma-3-270m", "google/gemma-3-1b-it"]
ACCUMULATED = 2  # as many micro-batches at most: more take the same memory
STEPS = 5


def yamls(pattern):
    found = []
    for path in sorted(glob.glob(pattern)):
        try:
            made = yaml.safe_load(open(path))
        except yaml.YAMLError:
            continue
        if isinstance(made, dict):
            found.append((path.rsplit("/", 1)[1], made))
    return found


class Drawn:
    """A public configuration that is changed key by key."""

    def __init__(self, random, fields, others):
        self.random, self.fields, self.others = random, dict(fields), others

    def keep(self, keys):
        self.fields = {key: value for key, value in self.fields.items() if key in keys and value is not None}

    def public(self, key, among=None, share=1.0):
        """One of the values that public configurations give this key, each value as likely."""
        values = {json.dumps(other[key]): other[key] for other in self.others if other.get(key) is not None}
        values = [value for value in values.values() if among is None or among(value)]
        if values and self.random.random() < share:
            self.fields[key] = self.random.choice(values)

    def one_of(self, key, values, share=1.0):
        if self.random.random() < share:
            value = self.random.choice(values)
            self.fields.pop(key, None)
            if value is not None:
                self.fields[key] = value

    def smaller(self, key, limit, default):
        value = self.fields.get(key, default)
        self.fields[key] = min(value, limit) if isinstance(value, int) else default


ADAPTED = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def trl(drawn, trainer):
    """Spellings of old are those of trl 1.16."""
    old = dict(torch_dtype="dtype", max_seq_length="max_length")
    drawn.fields = {old.get(key, key): value for key, value in drawn.fields.items()}
    drawn.keep(["dtype", "attn_implementation", "bf16", "fp16", "gradient_accumulation_steps", "gradient_checkpointing", "gradient_checkpointing_kwargs", "learning_rate", "max_length",
                "per_device_train_batch_size", "optim", "use_peft", "load_in_4bit", "lora_r", "lora_alpha", "lora_dropout", "lora_target_modules", "packing", "loss_type", "beta", "use_liger_kernel", "warmup_ratio", "seed"])
    fields, say = drawn.fields, drawn.random.random
    drawn.one_of("model_name_or_path", SMALL)
    drawn.public("optim", lambda name: name != "rmsprop", 0.3)
    drawn.one_of("optim", ["adamw_torch", "adamw_torch_fused", "adafactor", "sgd", "adamw_8bit", None], 0.3)
    drawn.one_of("dtype", ["bfloat16", "float32", None, "float16"], 0.3)
    drawn.one_of("bf16", [True, False, None], 0.2)
    drawn.one_of("attn_implementation", ["sdpa", "eager", None], 0.5)
    drawn.one_of("gradient_checkpointing", [True, False, None], 0.4)
    drawn.one_of("gradient_checkpointing_kwargs", [dict(use_reentrant=False), dict(use_reentrant=True), None], 0.4)
    drawn.public("lora_r", share=0.2)
    if "lora_r" in fields:
        fields["use_peft"] = True
    if fields.get("use_peft"):
        drawn.public("lora_target_modules", share=0.5)
        drawn.one_of("lora_target_modules", ["all-linear", None], 0.3)
        drawn.one_of("load_in_4bit", [True, None], 0.5)
        drawn.one_of("load_in_8bit", [True], 0.0 if fields.get("load_in_4bit") else 0.2)
        drawn.one_of("use_bnb_nested_quant", [True], 0.3 if fields.get("load_in_4bit") else 0)
        drawn.one_of("use_dora", [True], 0.1)
    else:
        for key in ("load_in_4bit", "lora_r", "lora_alpha", "lora_dropout", "lora_target_modules"):
            fields.pop(key, None)
    if fields.get("dtype") == "float16":
        fields.update(dtype="float32" if not fields.get("use_peft") else "float16")
    drawn.one_of("use_liger_kernel", [True, None], 0.3)
    drawn.smaller("max_length", 2048, 1024)
    drawn.smaller("per_device_train_batch_size", 4, 8)
    drawn.smaller("gradient_accumulation_steps", ACCUMULATED, 1)
    if trainer == "trl-sft":
        drawn.one_of("packing", [True, None], 0.5)
        drawn.one_of("loss_type", ["nll", "dft"], 0.1)
        drawn.one_of("activation_offloading", [True], 0.05)
    else:
        drawn.one_of("precompute_ref_log_probs", [True], 0.15)
        fields.pop("packing", None)
    fields.update(dataset_name="own/data", max_steps=STEPS, output_dir="out", report_to="none", save_strategy="no")
    length = fields["max_length"]
    each = fields["per_device_train_batch_size"]
    packed = trainer == "trl-sft" and fields.get("packing")
    # Samples are of one length: no mask of theirs hides anything.
    told = {"packing.sequences": 4 * each} if packed else {"padding_mask": False}
    told |= {"objective.completion_tokens": length // 2, "seq_len": length} if trainer == "trl-dpo" else {}
    return dict(files={"config.yaml": text(fields)}, data=dict(kind="text" if trainer == "trl-sft" else "pairs", tokens=length // 4 if packed else length), set=told)


def trl_evaluated(drawn, trainer):
    """TRL's SFT with an evaluation after each step."""
    made = trl(drawn, "trl-sft")
    fields = yaml.safe_load(made["files"]["config.yaml"])
    batch = drawn.random.choice([1, 2, 4])
    fields.update(eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=batch)
    drawn.fields = fields
    drawn.one_of("eval_accumulation_steps", [1], 0.2)
    drawn.one_of("prediction_loss_only", [True], 0.2)
    made["data"].update(evaluated=12 * batch)
    return dict(made, files={"config.yaml": text(fields)})


PLUGINS = "axolotl.integrations."


def axolotl(drawn, trainer):
    drawn.keep(["load_in_8bit", "load_in_4bit", "adapter", "sequence_len", "sample_packing", "pad_to_sequence_len", "lora_r", "lora_alpha", "lora_dropout", "lora_target_linear", "lora_target_modules", "lora_modules_to_save",
                "gradient_accumulation_steps", "micro_batch_size", "optimizer", "learning_rate", "bf16", "fp16", "tf32", "gradient_checkpointing", "gradient_checkpointing_kwargs", "attn_implementation", "flash_attention",
                "warmup_ratio", "weight_decay", "plugins", "liger_rope", "liger_rms_norm", "liger_glu_activation", "liger_fused_linear_cross_entropy", "lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel", "activation_offloading"])
    fields = drawn.fields
    if fields.get("adapter") not in (None, "lora", "qlora"):
        return None
    known = ("cut_cross_entropy", "liger")
    fields["plugins"] = [name for name in fields.get("plugins", []) if any(part in name for part in known)]
    if not fields["plugins"]:
        del fields["plugins"]
    drawn.fields = fields = {"base_model": drawn.random.choice(SMALL), **fields}
    drawn.one_of("adapter", [None], 0.15)
    if fields.get("adapter") is None:
        for key in ("adapter", "load_in_8bit", "load_in_4bit", *[key for key in fields if key.startswith("lora_")]):
            fields.pop(key, None)
    else:
        drawn.one_of("lora_target_modules", [ADAPTED, ADAPTED[:4]])
        if fields.get("lora_target_linear"):
            fields.pop("lora_target_modules")
        fields.setdefault("lora_r", 32)
        fields.setdefault("lora_alpha", 16)
        fields["load_in_4bit"] = fields["adapter"] == "qlora"
    drawn.public("optimizer", lambda name: name not in ("muon",), 0.5)
    drawn.one_of("attn_implementation", ["sdpa", "eager", "flash_attention_2"], 0.4)
    if fields.get("attn_implementation") not in ("sdpa", "eager", "flash_attention_2"):
        fields["attn_implementation"] = "flash_attention_2"
    fields.pop("flash_attention", None)
    drawn.public("gradient_checkpointing", share=0.2)
    drawn.public("gradient_checkpointing_kwargs", share=0.1)
    drawn.public("plugins", lambda names: all(any(part in name for part in known) for name in names), 0.2)
    drawn.public("lora_mlp_kernel", share=0.1 if "adapter" in fields else 0)
    drawn.smaller("sequence_len", 4096, 2048)
    drawn.smaller("micro_batch_size", 4, 1)
    drawn.smaller("gradient_accumulation_steps", ACCUMULATED, 1)
    fields.update(datasets=[dict(path="own/data", type=None)], dataset_prepared_path="prepared", val_set_size=0.0, output_dir="./out", max_steps=STEPS, save_strategy="no", logging_steps=1)
    fields.setdefault("learning_rate", 2e-4)
    packed = fields.get("sample_packing")
    told = {}
    if packed:
        told["packing.sequences"] = 4 * (fields["micro_batch_size"] if fields["attn_implementation"] == "flash_attention_2" else 1)
    return dict(files={"config.yaml": text(fields)}, data=dict(kind="ids", tokens=fields["sequence_len"] // 4 if packed else fields["sequence_len"]), set=told)


PAIRS = dict(field_prompt="prompt", field_chosen="chosen", field_rejected="rejected")


def axolotl_preferences(drawn, trainer):
    """Preferences (`rl`), which are trained on without packing."""
    kind = drawn.fields.get("rl")
    if kind not in ("dpo", "kto", "orpo"):
        return None
    made = axolotl(drawn, "axolotl")
    if made is None:
        return None
    fields = yaml.safe_load(made["files"]["config.yaml"])
    fields.pop("sample_packing", None)
    fields.update(rl=kind, datasets=[dict(path="own/data", split="train", type=dict(PAIRS) if kind != "kto" else dict(field_prompt="prompt", field_completion="completion", field_label="label"))])
    fields["sequence_len"] = min(fields["sequence_len"], 2048)
    drawn.fields = fields
    drawn.one_of("gradient_checkpointing", [True, False], 0.3)
    if kind == "kto":
        fields.update(remove_unused_columns=False, micro_batch_size=max(2, fields["micro_batch_size"]))
    length = fields["sequence_len"]
    if kind == "orpo":
        fields["chat_template"] = "chatml"
        fields["datasets"][0]["type"] = "chat_template.argilla"
    data = dict(kind=dict(dpo="pairs", kto="marked", orpo="argued")[kind], tokens=length)
    return dict(files={"config.yaml": text(fields)}, data=data, set={"objective.completion_tokens": length // 2, "seq_len": length, "padding_mask": False})


def llama_factory(drawn, trainer):
    drawn.keep(["stage", "do_train", "finetuning_type", "lora_rank", "lora_target", "lora_dropout", "quantization_bit", "quantization_method", "double_quantization", "cutoff_len", "per_device_train_batch_size",
                "gradient_accumulation_steps", "learning_rate", "warmup_ratio", "bf16", "pure_bf16", "flash_attn", "optim", "use_adam_mini", "use_apollo", "packing", "neat_packing", "disable_gradient_checkpointing",
                "pref_beta", "pref_loss", "freeze_trainable_layers", "use_reentrant_gc", "upcast_layernorm", "enable_liger_kernel"])
    fields = drawn.fields
    if fields.get("stage") not in ("sft", "pt", "dpo", "kto") or fields.get("finetuning_type") not in ("lora", "full", "freeze"):
        return None
    if fields.get("quantization_method") not in (None, "bnb"):
        return None
    drawn.fields = fields = {"model_name_or_path": drawn.random.choice(SMALL), **fields}
    lora = fields["finetuning_type"] == "lora"
    drawn.one_of("quantization_bit", [4, 8, None], 0.4 if lora else 0)
    drawn.public("lora_rank", share=0.3 if lora else 0)
    drawn.one_of("lora_target", ["all", "q_proj,v_proj"], 0.3 if lora else 0)
    if "quantization_bit" in fields:
        fields.update(quantization_method="bnb")
    drawn.one_of("flash_attn", ["fa2", "sdpa", "auto", "disabled"], 0.5)
    if fields.get("flash_attn") == "flash_attention_2":
        fields["flash_attn"] = "fa2"
    drawn.one_of("optim", ["adamw_torch", "adamw_torch_fused", "adafactor", "adamw_8bit", "paged_adamw_8bit", None], 0.4)
    drawn.one_of("enable_liger_kernel", [True, None], 0.3)
    drawn.one_of("disable_gradient_checkpointing", [True, None], 0.2)
    drawn.one_of("use_reentrant_gc", [False, None], 0.2)
    drawn.one_of("use_unsloth_gc", [True], 0.1)
    drawn.one_of("upcast_layernorm", [True], 0.1)
    drawn.one_of("pure_bf16", [True], 0.1)
    drawn.one_of("neat_packing", [True], 0.15 if fields["stage"] == "sft" else 0)
    if fields.get("pure_bf16"):
        fields.pop("bf16", None)
    drawn.smaller("cutoff_len", 2048, 1024)
    drawn.smaller("per_device_train_batch_size", 4, 1)
    drawn.smaller("gradient_accumulation_steps", ACCUMULATED, 1)
    drawn.one_of("per_device_train_batch_size", [1, 2, 4], 0.4)
    pairs = fields["stage"] in ("dpo", "kto")
    fields.update(do_train=True, dataset="own", dataset_dir="data", template="default", overwrite_cache=True, preprocessing_num_workers=1, output_dir="out", max_steps=STEPS, report_to="none", save_strategy="no")
    length = fields["cutoff_len"]
    told = {"packing.sequences": 4} if fields.get("neat_packing") else {}
    told |= {"objective.completion_tokens": length // 2, "padding_mask": False} if pairs else {}
    return dict(files={"config.yaml": text(fields)}, data=dict(kind=f"factory-{fields['stage']}", tokens=length // 4 - 64 if fields.get("neat_packing") else length), set=told)


# Builders of torchtune 0.6.1 in `torchtune.models`, and those of them whose output layer has a weight of its own.
TIED = ["llama3_2.llama3_2_1b", "llama3_2.llama3_2_3b", "qwen2.qwen2_0_5b", "qwen2.qwen2_1_5b", "qwen2_5.qwen2_5_0_5b", "qwen2_5.qwen2_5_3b", "gemma.gemma_2b", "gemma2.gemma2_2b"]
UNTIED = ["llama2.llama2_7b", "llama3.llama3_8b", "llama3_1.llama3_1_8b", "mistral.mistral_7b", "phi3.phi3_mini", "qwen2.qwen2_7b", "qwen2_5.qwen2_5_7b_instruct", "gemma.gemma_7b"]


def torchtune(drawn, trainer):
    """A public file is one of torchtune's main branch, which has models and a loss that 0.6.1 has not."""
    fields, own = dict(drawn.fields), drawn.random
    name = (fields.get("model") or {}).get("_component_", "")
    preferences = trainer == "torchtune-dpo"
    if "quantizer" in fields or any(part in name for part in ("vision", "classifier")) or "teacher_model" in fields or "policy_model" in fields:
        return None
    drawn.keep(["batch_size", "gradient_accumulation_steps", "clip_grad_norm", "optimizer_in_bwd", "dtype", "enable_activation_checkpointing", "enable_activation_offloading", "shuffle", "log_every_n_steps", "log_peak_memory_stats", "lr_scheduler"])
    model, parts = fields["model"], name.split(".")
    plain = parts[-1].removeprefix("qlora_").removeprefix("lora_")
    known = f"{parts[-2]}.{plain}"
    if known not in TIED + UNTIED or own.random() < 0.5:
        known = own.choice(TIED + UNTIED)
    folder, builder = known.split(".")
    adapted = parts[-1] != plain
    quantized = adapted and (parts[-1].startswith("qlora") or model.get("quantize_base", False) or own.random() < 0.2)
    prefix = "" if not adapted else "qlora_" if quantized and own.random() < 0.7 else "lora_"
    made = {"_component_": f"torchtune.models.{folder}.{prefix}{builder}"}
    if adapted:
        made |= {key: value for key, value in model.items() if key.startswith("lora_") or key in ("apply_lora_to_mlp", "use_dora")}
        made["lora_dropout"] = own.choice([0.0, 0.0, 0.05])
        made["lora_rank"] = own.choice([8, 16, 64])
        made["lora_attn_modules"] = own.choice([["q_proj", "v_proj", "output_proj"], ["q_proj", "v_proj"], ["q_proj", "k_proj", "v_proj", "output_proj"]])
        made["apply_lora_to_mlp"] = own.random() < 0.7
        if known in UNTIED and not folder.startswith("gemma") and own.random() < 0.2:
            made["apply_lora_to_output"] = True
        if made.pop("use_dora", False) or own.random() < 0.1:
            made["use_dora"] = True
        if quantized and prefix == "lora_":
            made["quantize_base"] = True
    length = own.choice([512, 1024, 1024, 2048])
    drawn.fields = {"output_dir": "out", "model": made, "tokenizer": {"_component_": "torchtune.models.llama3.llama3_tokenizer", "path": "tokenizer.model", "max_seq_len": length},
                    "checkpointer": {"_component_": "torchtune.training.FullModelHFCheckpointer", "checkpoint_dir": "model", "checkpoint_files": ["model.safetensors"], "recipe_checkpoint": None, "output_dir": "out", "model_type": "LLAMA3"},
                    "resume_from_checkpoint": False, "save_adapter_weights_only": False, **drawn.fields}
    fields, optimizer = drawn.fields, {"_component_": "torch.optim.AdamW", "lr": 2e-5}
    packed = not preferences and folder != "gemma2" and own.random() < 0.2
    fields["dataset"] = dict(_component_="torchtune.datasets.preference_dataset", source="json", data_files="own.jsonl", split="train") if preferences else dict(_component_="torchtune.datasets.alpaca_dataset", source="json", data_files="own.jsonl", packed=packed)
    drawn.public("optimizer", lambda value: value["_component_"].startswith(("torch.", "bitsandbytes.")), 0.8)
    fields["optimizer"] = optimizer = dict(fields.get("optimizer", optimizer))
    if own.random() < 0.15:
        fields["optimizer"] = optimizer = {"_component_": own.choice(["torch.optim.SGD", "torchao.optim.AdamW8bit"]), "lr": 2e-5}
    optimizer["lr"] = float(optimizer.get("lr", 2e-5))
    if preferences:
        fields["loss"] = {"_component_": "torchtune.rlhf.loss.DPOLoss", "beta": 0.1, "label_smoothing": 0}
    else:
        fields["loss"] = {"_component_": own.choice(["torchtune.modules.loss.CEWithChunkedOutputLoss"] * 4 + ["torch.nn.CrossEntropyLoss"])}
    drawn.one_of("enable_activation_checkpointing", [True, False], 0.4)
    drawn.one_of("enable_activation_offloading", [True, False], 0.2)
    fields["enable_activation_offloading"] = bool(fields.get("enable_activation_checkpointing") and fields.get("enable_activation_offloading"))
    drawn.one_of("dtype", ["fp32"], 0.1 if not quantized else 0)
    drawn.one_of("clip_grad_norm", [1.0, None], 0.4)
    drawn.smaller("batch_size", 4, 2)
    drawn.smaller("gradient_accumulation_steps", ACCUMULATED, 1)
    if adapted:
        fields.pop("optimizer_in_bwd", None)
        fields.setdefault("lr_scheduler", {"_component_": "torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup", "num_warmup_steps": 100})
    else:
        drawn.one_of("optimizer_in_bwd", [True, False], 0.5)
        fields["optimizer_in_bwd"] = bool(fields.get("optimizer_in_bwd")) and "torchao" not in optimizer["_component_"]
        fields.pop("lr_scheduler", None)
        if fields["optimizer_in_bwd"]:
            fields["gradient_accumulation_steps"] = 1
            fields.pop("clip_grad_norm", None)
    fields.update(seed=None, shuffle=True, epochs=1, max_steps_per_epoch=STEPS, compile=False, device="cuda", metric_logger=dict(_component_="torchtune.training.metric_logging.DiskLogger", log_dir="out/logs"), log_every_n_steps=1, log_peak_memory_stats=True)
    told = {"packing.sequences": 4 * fields["batch_size"]} if packed else {}
    data = dict(kind="conversations" if preferences else "alpaca", tokens=length // 8 if packed else length)
    return dict(files={"config.yaml": text(fields)}, data=data, set=told)


def text(fields):
    return yaml.safe_dump(fields, sort_keys=False, width=1000)


MAKERS = {"trl-sft": trl, "trl-sft-evaluated": trl_evaluated, "trl-dpo": trl, "axolotl": axolotl, "axolotl-rl": axolotl_preferences, "llama-factory": llama_factory,
          **dict.fromkeys(("torchtune-full", "torchtune-lora", "torchtune-dpo"), torchtune)}
# The trainers of kinds that are drawn in another way.
KINDS_OF = {"axolotl-rl": "axolotl", "trl-sft-evaluated": "trl-sft"}
ONE_GPU = ("fsdp", "deepspeed", "tensor_parallel_size", "context_parallel_size", "dp_shard_size", "expert_parallel_size", "reward_model", "process_reward_model", "processor_type", "diffusion", "pretraining_dataset", "streaming")


def cases(trainer, seed, count, corpus):
    own = random.Random(f"{trainer} {seed}")
    if trainer in scripts.MAKERS:
        for number in range(1, count + 1):
            yield dict(id=f"{trainer}-{seed}-{number}", trainer=trainer, **scripts.MAKERS[trainer](own))
        return
    if trainer in launched.MAKERS:
        for number in range(1, count + 1):
            yield dict(id=f"{trainer}-{seed}-{number}", **launched.MAKERS[trainer](own, corpus))
        return
    found = yamls(f"{corpus}/{SOURCES[trainer]}")
    others = [fields for _, fields in found]
    single = [(name, fields) for name, fields in found if not any(fields.get(key) for key in ONE_GPU) and bool(fields.get("rl")) == (trainer == "axolotl-rl")]
    number = 0
    while number < count:
        name, fields = own.choice(single if trainer.startswith("axolotl") else found)
        made = MAKERS[trainer](Drawn(own, fields, others), trainer)
        if made is None:
            continue
        number += 1
        yield dict(id=f"{trainer}-{seed}-{number}", trainer=KINDS_OF.get(trainer, trainer), source=name, **made)


if __name__ == "__main__":
    trainer, seed, count, corpus = [*sys.argv[1:5], None][:4]
    for case in cases(trainer, int(seed), int(count), corpus):
        print(json.dumps(case))
