"""Jobs for several GPUs, drawn by a seed: scripts over `Trainer` (`launched-script`) and TRL's SFT (`launched-trl`) with what users start them by: a public configuration of `accelerate launch` some of whose
values are others, DeepSpeed's files, `torchrun` and the options of `TrainingArguments`."""
import glob, json
import yaml
import scripts, titan
from scripts import Options, called

MODELS = ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen3-0.6B", "HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-360M", "meta-llama/Llama-3.2-1B", "google/gemma-3-270m", "openai-community/gpt2"]
GPUS = [2, 4, 8]
SHARDED = ("fsdp", "fsdp2", "zero3")
LAYERS = {"gemma": "Gemma3DecoderLayer", "gpt2": "GPT2Block", "Llama": "LlamaDecoderLayer", "Smol": "LlamaDecoderLayer", "Qwen2.5": "Qwen2DecoderLayer", "Qwen3": "Qwen3DecoderLayer"}


def public(corpus, kind):
    """Public configurations of `accelerate launch` of a kind, by their names."""
    found = []
    for path in sorted([*glob.glob(f"{corpus}/*/*accelerate*.yaml")]):
        made = yaml.safe_load(open(path))
        if not isinstance(made, dict) or "parallelism_config" in made or "kt_config" in made or "fp8_config" in made:
            continue
        name = made.get("distributed_type")
        version = (made.get("fsdp_config") or {}).get("fsdp_version", 1)
        own = dict(MULTI_GPU="ddp", FSDP="fsdp2" if version == 2 else "fsdp", DEEPSPEED=f"zero{(made.get('deepspeed_config') or {}).get('zero_stage')}").get(name)
        if own == kind:
            found.append(made)
    return found


def fsdp(own, options, model, version):
    """Keys of `fsdp_config` that people change."""
    settings = Options(own)
    settings.given = {key: value for key, value in options.items() if key != "fsdp_transformer_layer_cls_to_wrap"}
    settings.one_of("fsdp_offload_params", [True], 0.12)
    settings.one_of("fsdp_activation_checkpointing", [True], 0.2)
    settings.one_of("fsdp_cpu_ram_efficient_loading", [False, True], 0.3)
    if not settings.given.get("fsdp_cpu_ram_efficient_loading", True):
        settings.given.pop("fsdp_sync_module_states", None)
    layer = next(name for part, name in LAYERS.items() if part in model)
    settings.one_of("fsdp_transformer_layer_cls_to_wrap", [layer], 0.4)
    if version == 2:
        settings.one_of("fsdp_reshard_after_forward", [False, True], 0.3)
        return settings.given
    strategy = "fsdp_sharding_strategy" if "fsdp_sharding_strategy" in settings.given else "fsdp_reshard_after_forward"
    settings.one_of(strategy, ["SHARD_GRAD_OP", "FULL_SHARD", "NO_SHARD"], 0.3)
    settings.one_of("fsdp_backward_prefetch", ["BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"], 0.3)
    settings.one_of("fsdp_forward_prefetch", [True, False], 0.3)
    settings.one_of("fsdp_use_orig_params", [True, False], 0.2)
    return settings.given


ADAM = dict(type="AdamW", params=dict(lr="auto", betas="auto", eps="auto", weight_decay="auto"))
SCHEDULER = dict(type="WarmupLR", params=dict(warmup_min_lr="auto", warmup_max_lr="auto", warmup_num_steps="auto"))


def deepspeed(own, stage, corpus):
    """A file of DeepSpeed's: LLaMA-Factory's, or one as transformers' documentation has it."""
    if own.random() < 0.5:
        name = own.choice([f"ds_z{stage}_config", f"ds_z{stage}_config", f"ds_z{stage}_offload_config"]) if stage > 1 else None
        if name:
            return json.load(open(f"{corpus}/llama-factory/examples~deepspeed~{name}.json"))
    made = dict(fp16=dict(enabled="auto"), bf16=dict(enabled="auto"))
    if own.random() < 0.5:
        made.update(optimizer=ADAM, scheduler=SCHEDULER)
    zero = Options(own)
    zero.given["stage"] = stage
    if own.random() < 0.25:
        zero.given["offload_optimizer"] = dict(device="cpu", pin_memory=True)
        if stage == 3 and own.random() < 0.5:
            zero.given["offload_param"] = dict(device="cpu", pin_memory=True)
    zero.one_of("overlap_comm", [True, False], 0.8)
    zero.one_of("contiguous_gradients", [True], 0.9)
    if stage == 3:
        zero.given.update(sub_group_size=1e9, reduce_bucket_size="auto", stage3_prefetch_bucket_size="auto", stage3_param_persistence_threshold="auto", stage3_max_live_parameters=1e9,
                          stage3_max_reuse_distance=1e9, stage3_gather_16bit_weights_on_model_save=True)
    else:
        zero.one_of("reduce_bucket_size", [2e8, 5e8, "auto"], 0.8)
        zero.one_of("allgather_bucket_size", [2e8, 5e8], 0.8)
    made.update(zero_optimization=zero.given, gradient_accumulation_steps="auto", gradient_clipping="auto", train_batch_size="auto", train_micro_batch_size_per_gpu="auto")
    return made


class Launch:
    """Who starts a job, and with which files: `files` beside the script, `command` before it, `arguments` of the trainer's."""

    def __init__(self, own, way, model, corpus):
        self.own, self.way, self.files, self.arguments = own, way, {}, {}
        self.gpus = own.choice(GPUS)
        self.precision = own.choice(["bf16", "bf16", "bf16", "no"])
        by = own.choice(["accelerate", "accelerate", "torchrun"])
        self.command = f"torchrun --nproc_per_node {self.gpus}"
        version = 2 if way == "fsdp2" else 1
        if by == "accelerate":
            self.accelerate(model, corpus, version)
        elif way.startswith("fsdp"):
            options = fsdp(own, {}, model, version)
            options = {key.removeprefix("fsdp_"): value for key, value in options.items()}
            if options.pop("offload_params", False):
                options[own.choice(["cpu_offload", "cpu_offload", "offload_params"])] = True
            options["version"] = version
            self.arguments.update(fsdp="full_shard auto_wrap" if own.random() < 0.5 else True, fsdp_config=options)
        elif way.startswith("zero"):
            self.files["ds_config.json"] = json.dumps(deepspeed(own, int(way[4:]), corpus), indent=2) + "\n"
            self.arguments["deepspeed"] = "ds_config.json"
            self.command = own.choice([self.command, f"deepspeed --num_gpus {self.gpus}"])

    def accelerate(self, model, corpus, version):
        own, way = self.own, self.way
        if way == "ddp" and own.random() < 0.3:
            self.command = f"accelerate launch --multi_gpu --num_processes {self.gpus} --mixed_precision {self.precision}"
            return
        made = dict(own.choice(public(corpus, way)))
        made.update(num_processes=self.gpus, num_machines=1, machine_rank=0, mixed_precision=self.precision)
        if way.startswith("fsdp"):
            made["fsdp_config"] = fsdp(own, made["fsdp_config"], model, version)
        elif way.startswith("zero"):
            options = dict(made["deepspeed_config"])
            if own.random() < 0.3:
                self.files["ds_config.json"] = json.dumps(deepspeed(own, int(way[4:]), corpus), indent=2) + "\n"
                options = dict(deepspeed_config_file="ds_config.json", zero3_init_flag=bool(options.get("zero3_init_flag")))
                made.pop("mixed_precision")
                self.precision = None
            elif own.random() < 0.3:
                options["offload_optimizer_device"] = "cpu"
            made["deepspeed_config"] = options
        self.files["accelerate.yaml"] = yaml.safe_dump(made, sort_keys=False)
        self.command = "accelerate launch --config_file accelerate.yaml"

    @property
    def sharded(self):
        return self.way in SHARDED


WAYS = ["ddp", "fsdp", "fsdp", "fsdp2", "fsdp2", "zero1", "zero2", "zero2", "zero3", "zero3"]


def arguments(own, launch):
    """Arguments of `TrainingArguments`."""
    options = Options(own)
    options.given["output_dir"] = "out"
    options.one_of("per_device_train_batch_size", [1, 2, 4], 0.95)
    options.one_of("gradient_accumulation_steps", [1, 2], 0.5)
    options.one_of("learning_rate", [2e-5, 5e-5])
    if launch.precision is None or launch.command.startswith(("torchrun", "deepspeed")):
        options.one_of("bf16", [True], 0.8)
    elif launch.precision == "bf16" and (launch.way.startswith("zero") or own.random() < 0.5):
        options.given["bf16"] = True  # without which `Trainer` stops where DeepSpeed is told otherwise
    names = ["adamw_torch", "adamw_torch_fused", "sgd"] + (["adafactor", "adamw_8bit"] if launch.way == "ddp" else [])
    if "optimizer" not in launch.files.get("ds_config.json", "optimizer" if launch.way.startswith("zero") else ""):
        names = ["adamw_torch", "adamw_torch_fused"]
    options.one_of("optim", names, 0.5)
    if "activation_checkpointing" not in str(launch.files) + str(launch.arguments):
        options.one_of("gradient_checkpointing", [True, False], 0.5)
        if options.given.get("gradient_checkpointing"):
            options.one_of("gradient_checkpointing_kwargs", [dict(use_reentrant=False), dict(use_reentrant=True)], 0.4)
    options.one_of("max_grad_norm", [0.3, 1.0, 0.0], 0.2)
    options.one_of("weight_decay", [0.01], 0.4)
    if launch.way == "ddp":
        options.one_of("ddp_find_unused_parameters", [False], 0.4)
    options.given.update(launch.arguments)
    options.given.update(max_steps=scripts.STEPS, logging_steps=1, save_strategy="no", report_to="none")
    return options


def launched_script(own, corpus):
    name = own.choice(MODELS)
    launch = Launch(own, own.choice(WAYS), name, corpus)
    given = arguments(own, launch)
    length = own.choice([128, 256, 512, 1024])
    quantized = 4 if launch.way == "ddp" and "gpt2" not in name and own.random() < 0.3 else None
    adapted = bool(quantized) or own.random() < 0.3
    text, names, peft = scripts.model_of(own, name, True, given, quantized, adapted)
    text = "".join(line for line in text.splitlines(True) if "device_map" not in line)
    names.append("DataCollatorForLanguageModeling")
    more = ("import torch\n" if "torch." in text else "") + (f"from peft import {', '.join(peft)}\n" if peft else "")
    whole = scripts.SCRIPT.format(names=", ".join(sorted(names)), more=more, model=name, length=length, pad="tokenizer.pad_token = tokenizer.eos_token\n", model_made=text, padding="", removed='dataset["train"].column_names')
    # DeepSpeed's third stage wants to be known before the model is made.
    made = f"training_args = {called('TrainingArguments', given.given)}\n"
    trainer = called("Trainer", dict(model="=model", args="=training_args", train_dataset='=tokenized["train"]', data_collator="=DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)"))
    before = 'tokenizer = AutoTokenizer.from_pretrained(MODEL)\n'
    if own.random() < 0.6:
        whole = whole.replace(before, f"{made}\n{before}")
        made = ""
    whole += f"\n{made}trainer = {trainer}\ntrainer.train()\n"
    return dict(trainer="hf-script", files={"train.py": whole, "run.sh": f"{launch.command} train.py\n", **launch.files}, data=dict(kind="long", tokens=length), set={"padding_mask": False})


def launched_trl(own, corpus):
    import draw
    found = draw.yamls(f"{corpus}/{draw.SOURCES['trl-sft']}")
    made = draw.trl(draw.Drawn(own, own.choice(found)[1], [fields for _, fields in found]), "trl-sft")
    fields = yaml.safe_load(made["files"]["config.yaml"])
    fields["model_name_or_path"] = own.choice(MODELS[:6])
    launch = Launch(own, own.choice(WAYS), fields["model_name_or_path"], corpus)
    fields["attn_implementation"] = own.choice(["sdpa", "sdpa", "eager"])
    for key in ("load_in_8bit", "activation_offloading", "warmup_ratio", *(("load_in_4bit", "use_bnb_nested_quant") if launch.way != "ddp" else ())):
        fields.pop(key, None)
    if launch.way != "ddp":
        fields["optim"] = own.choice(["adamw_torch", "adamw_torch_fused"])
    if launch.way.startswith("zero") and launch.precision is not None and launch.command.startswith("accelerate"):
        fields["bf16"] = launch.precision == "bf16"
    fields.update(launch.arguments)
    if "activation_checkpointing" in str(launch.files) + str(launch.arguments):
        fields.update(gradient_checkpointing=False)
        fields.pop("gradient_checkpointing_kwargs", None)
    files = {"config.yaml": draw.text(fields), **launch.files}
    if "accelerate.yaml" in files and own.random() < 0.4:
        command = "trl sft --accelerate_config accelerate.yaml --config config.yaml\n"
    else:
        command = f"{launch.command} trl/scripts/sft.py --config config.yaml\n"
    return dict(trainer="trl-sft", files={**files, "run.sh": command}, data=made["data"], set=made["set"])


MAKERS = {"launched-script": launched_script, "launched-trl": launched_trl, "torchtitan": titan.torchtitan}
