"""Scripts over transformers' `Trainer`, drawn by a seed: such as people write (`hf-script`), and commands of transformers' own examples (`hf-example`)."""
from material import KINDS

CAUSAL = ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen3-0.6B", "HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-360M", "meta-llama/Llama-3.2-1B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "google/gemma-3-270m", "google/gemma-3-1b-it", "openai-community/gpt2"]
ENCODERS = ["google-bert/bert-base-uncased", "distilbert/distilbert-base-uncased", "FacebookAI/roberta-base"]
SEQUENCES = ["google-t5/t5-small", "google/flan-t5-small", "google-t5/t5-base"]
# Names of modules that get adapters, by architecture.
TARGETS = {"openai-community/gpt2": [["c_attn"], ["c_attn", "c_proj"]], "bert": [["query", "value"], None], "distilbert": [["q_lin", "v_lin"]],
           None: [["q_proj", "v_proj"], ["q_proj", "k_proj", "v_proj", "o_proj"], ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], "all-linear", None]}
STEPS = 5
# As many batches of each evaluation.
EVALUATED = 3


def argument(value):
    """A value as it is written in Python."""
    return value[1:] if isinstance(value, str) and value.startswith("=") else repr(value)


def called(name, given, indent=""):
    inner = "".join(f"{indent}    {key}={argument(value)},\n" if not key.isdigit() else f"{indent}    {argument(value)},\n" for key, value in given.items())
    return f"{name}(\n{inner}{indent})"


class Options:
    """Draws options into a dictionary of arguments."""

    def __init__(self, random):
        self.random, self.given = random, {}

    def one_of(self, key, values, share=1.0):
        if self.random.random() < share:
            value = self.random.choice(values)
            if value is not None:
                self.given[key] = value

    def chance(self, share):
        return self.random.random() < share


def training(own, causal, evaluates):
    """Arguments of `TrainingArguments`."""
    options = Options(own)
    options.given["output_dir"] = "out"
    options.one_of("per_device_train_batch_size", [1, 2, 4, 8], 0.9)
    options.one_of("gradient_accumulation_steps", [1, 2], 0.5)
    options.one_of("learning_rate", [2e-5, 5e-5, 2e-4])
    options.one_of("half", ["bf16", "fp16", None])
    if half := options.given.pop("half", None):
        options.given[half] = True
    options.one_of("optim", ["adamw_torch", "adamw_torch_fused", "adafactor", "sgd", "adamw_8bit", "paged_adamw_8bit", "paged_adamw_32bit", "adamw_bnb_8bit", "rmsprop", "lion_8bit", "adagrad"], 0.6)
    options.one_of("gradient_checkpointing", [True, False], 0.4)
    if options.given.get("gradient_checkpointing"):
        options.one_of("gradient_checkpointing_kwargs", [dict(use_reentrant=False), dict(use_reentrant=True)], 0.5)
    options.one_of("max_grad_norm", [0.3, 1.0, 0.0], 0.2)
    options.one_of("train_sampling_strategy", ["random"], 0.1)
    options.one_of("auto_find_batch_size", [False], 0.1)
    options.one_of("weight_decay", [0.01], 0.5)
    options.one_of("warmup_steps", [10], 0.3)
    options.one_of("use_liger_kernel", [True], 0.1 if causal else 0)
    if evaluates:
        options.given.update(eval_strategy="steps", eval_steps=1)
        options.one_of("per_device_eval_batch_size", [1, 2, 4, 8], 0.7)
        options.one_of("eval_accumulation_steps", [1, 2], 0.25)
        options.one_of("prediction_loss_only", [True], 0.2)
    options.given.update(max_steps=STEPS, logging_steps=1, save_strategy="no", report_to="none")
    return options


SCRIPT = """from datasets import load_dataset
from transformers import {names}
{more}
MODEL = "{model}"
MAX_LENGTH = {length}

tokenizer = AutoTokenizer.from_pretrained(MODEL)
{pad}{model_made}

dataset = load_dataset("own/data")


def tokenize(examples):
    return tokenizer(examples["text"], truncation=True, max_length=MAX_LENGTH{padding})


tokenized = dataset.map(tokenize, batched=True, remove_columns={removed})
"""


def adapters(own, model):
    options = Options(own)
    options.given.update(r=own.choice([8, 16, 32, 64]), lora_alpha=own.choice([16, 32]))
    options.one_of("lora_dropout", [0.05, 0.1, 0.0], 0.8)
    family = next((name for name in TARGETS if name and name in model), None)
    options.one_of("target_modules", TARGETS[family])
    options.one_of("bias", ["none"], 0.8)
    return options


def loading(own, name, quantized, autocast):
    """Arguments of `from_pretrained`, and statements before the call."""
    options, before = Options(own), ""
    spelled = own.choice(["dtype", "torch_dtype"])
    # Gradients of 16 bits are not scaled (`unscale_grads`, torch).
    options.one_of(spelled, [value for value in ("=torch.bfloat16", "=torch.float32", "auto") if value != "auto" or KINDS.get(name, "BF16") == "F32"] if autocast == "fp16" and not quantized else ["=torch.bfloat16", "=torch.float32", "auto", None], 0.6)
    options.one_of("attn_implementation", ["sdpa", "eager"], 0.4)
    if quantized:
        bits = Options(own)
        bits.given[f"load_in_{quantized}bit"] = True
        if quantized == 4:
            bits.one_of("bnb_4bit_quant_type", ["nf4", "fp4"], 0.9)
            bits.one_of("bnb_4bit_use_double_quant", [True, False], 0.7)
            bits.one_of("bnb_4bit_compute_dtype", ["=torch.bfloat16", "=torch.float16"], 0.9)
        before = f"bnb_config = {called('BitsAndBytesConfig', bits.given)}\n"
        options.given["quantization_config"] = "=bnb_config"
        options.one_of("device_map", [{"": 0}, "auto"], 0.7)
    return options, before


def quantizing(own, arguments):
    """Statements that prepare a quantized model, and the function that they call."""
    if own.random() < 0.15:
        return "", []
    prepared = "model = prepare_model_for_kbit_training(model"
    checkpoints = bool(arguments.given.get("gradient_checkpointing"))
    return own.choice([f"{prepared})\n", f"model.gradient_checkpointing_enable()\n{prepared})\n", f"{prepared}, use_gradient_checkpointing={checkpoints})\n"]), ["prepare_model_for_kbit_training"]


def adapting(own, name, causal, asks_for_gradients):
    lora = adapters(own, name)
    if causal or own.random() < 0.7:
        lora.given["task_type"] = "CAUSAL_LM" if causal else "SEQ_CLS"
    text = "model.enable_input_require_grads()\n" if asks_for_gradients else ""
    return text + f"peft_config = {called('LoraConfig', lora.given)}\nmodel = get_peft_model(model, peft_config)\nmodel.print_trainable_parameters()\n"


METRICS = {
    None: "",
    "kept": """

def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    return {"accuracy": float((predictions.argmax(-1) == labels).mean())}
""",
    "chosen": """

def preprocess_logits_for_metrics(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    return {"accuracy": float((predictions[:, :-1] == labels[:, 1:]).mean())}
""",
}


def model_of(own, name, causal, arguments, quantized, adapted):
    """Statements that make the model, the names that they take from transformers and from PEFT."""
    autocast = "fp16" if arguments.given.get("fp16") else "bf16" if arguments.given.get("bf16") else None
    options, text = loading(own, name, quantized, autocast)
    made = "AutoModelForCausalLM" if causal else "AutoModelForSequenceClassification"
    names, peft = ["AutoTokenizer", made, "Trainer", "TrainingArguments"], []
    if not causal:
        options.given["num_labels"] = 2
    text += f"model = {called(f'{made}.from_pretrained', {'0': '=MODEL', **options.given})}\n"
    if causal and own.random() < 0.4:
        text += "model.config.use_cache = False\n"
    if quantized:
        names.append("BitsAndBytesConfig")
        more, peft = quantizing(own, arguments)
        text += more
    if adapted:
        peft = [*peft, "LoraConfig", "get_peft_model"]
        text += adapting(own, name, causal, not quantized and arguments.given.get("gradient_checkpointing") and own.random() < 0.6)
    return text, names, peft


def hf_script(own):
    causal = own.random() < 0.75
    name = own.choice(CAUSAL if causal else ENCODERS)
    quantized = own.choice([None, None, 4, 4, 8]) if causal and "gpt2" not in name else None
    adapted = bool(quantized) or own.random() < 0.3
    evaluates = own.random() < 0.5
    arguments = training(own, causal, evaluates)
    length = own.choice([128, 256, 512, 1024] if causal else [64, 128, 256, 512])
    text, names, peft = model_of(own, name, causal, arguments, quantized, adapted)
    collator, padding = ("DataCollatorForLanguageModeling", "") if causal else ("DataCollatorWithPadding", own.choice(["", ', padding="max_length"']))
    names.append(collator)
    more = ("import torch\n" if "torch." in text else "") + (f"from peft import {', '.join(peft)}\n" if peft else "")
    whole = SCRIPT.format(names=", ".join(sorted(names)), more=more, model=name, length=length, pad="tokenizer.pad_token = tokenizer.eos_token\n" if causal else "", model_made=text, padding=padding,
                          removed='dataset["train"].column_names' if causal else '["text"]')
    trainer = dict(model="=model", args="=training_args", train_dataset='=tokenized["train"]')
    metrics = own.choice([None, "kept", "chosen"] if causal else [None, "kept", "kept"]) if evaluates else None
    if evaluates:
        trainer["eval_dataset"] = '=tokenized["test"]'
    trainer["data_collator"] = f"={collator}(tokenizer=tokenizer{', mlm=False' if causal else ''})"
    if metrics:
        trainer["compute_metrics"] = "=compute_metrics"
    if metrics == "chosen":
        trainer["preprocess_logits_for_metrics"] = "=preprocess_logits_for_metrics"
    if own.random() < 0.5:
        trainer["processing_class"] = "=tokenizer"
    whole += METRICS[metrics] + f"\ntraining_args = {called('TrainingArguments', arguments.given)}\n\ntrainer = {called('Trainer', trainer)}\ntrainer.train()\n"
    evaluated = EVALUATED * arguments.given.get("per_device_eval_batch_size", 8) if evaluates else 0
    return dict(files={"train.py": whole, "run.sh": "python train.py\n"}, data=dict(kind="long" if causal else "classes", tokens=length, evaluated=evaluated), set={"padding_mask": False})


def spoken(program, given):
    """A command with its options, one a line."""
    lines = [f"python {program}"]
    for key, value in given.items():
        lines.append(f"--{key}" if value is True else f"--{key} '{value}'" if " " in str(value) else f"--{key} {value}")
    return " \\\n    ".join(lines) + "\n"


def hf_example(own):
    program = own.choice(["run_clm.py", "run_clm.py", "run_mlm.py", "run_glue.py", "run_summarization.py"])
    causal, classes, sequences = program == "run_clm.py", program == "run_glue.py", program == "run_summarization.py"
    name = own.choice(CAUSAL if causal else SEQUENCES if sequences else ENCODERS)
    evaluates = own.random() < 0.4
    arguments = training(own, causal, evaluates)
    arguments.given.pop("auto_find_batch_size", None), arguments.given.pop("gradient_checkpointing_kwargs", None)
    arguments.given = {key: value for key, value in arguments.given.items() if value is not False}
    options = Options(own)
    options.given["model_name_or_path"] = name
    length = own.choice([128, 256, 512])
    data = dict(kind="exact", tokens=length, evaluated=0, split="validation")
    told = {"padding_mask": False}
    if classes:
        task = own.choice(["mrpc", "sst2"])
        options.given.update(task_name=task)
        options.one_of("max_seq_length", [64, 128, 256], 0.8)
        data.update(kind=f"glue-{task}", tokens=options.given.get("max_seq_length", 128))
    else:
        options.given.update(dataset_name="own/data")
    if sequences:
        options.given.update(source_prefix="summarize: ")
        options.one_of("max_source_length", [256, 512], 0.8)
        options.one_of("max_target_length", [64, 128], 0.6)
        options.one_of("pad_to_max_length", [True], 0.3)
        options.one_of("predict_with_generate", [True], 0.5 if not evaluates else 0)
        data.update(kind="articles", tokens=options.given.get("max_source_length", 1024))
    elif not classes:
        options.one_of("block_size" if causal else "max_seq_length", [length], 0.9)
        options.one_of("torch_dtype", ["bfloat16", "float32", "auto"] if not arguments.given.get("fp16") else ["float32"], 0.3)
        data["tokens"] = options.given.get("block_size", options.given.get("max_seq_length", 1024 if causal else 512))
    options.given["do_train"] = True
    if evaluates or own.random() < 0.5:
        options.given["do_eval"] = True
    if evaluates:
        data["evaluated"] = EVALUATED * arguments.given.get("per_device_eval_batch_size", 8)
        options.given["max_eval_samples"] = data["evaluated"]
    options.given.update(arguments.given)
    return dict(files={"run.sh": spoken(program, options.given)}, data=data, set=told)


CHATS = ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-1.5B", "Qwen/Qwen3-0.6B", "Qwen/Qwen3-1.7B", "meta-llama/Llama-3.2-1B", "google/gemma-3-270m", "google/gemma-3-1b-it"]


def swift(own):
    """`swift sft`, with what public commands say."""
    options = Options(own)
    tuner = own.choice(["lora", "lora", "lora", "full"])
    options.given.update(model=own.choice(CHATS), dataset="own/data/train.jsonl")
    options.given["tuner_type"] = tuner
    options.one_of("torch_dtype", ["bfloat16", "float16", "float32", None] if tuner == "lora" else ["bfloat16", "bfloat16", "float32", None])
    length = own.choice([256, 512, 1024, 2048])
    # No logits are made of tokens without labels (`use_logits_to_keep`): here all have some.
    options.given.update(max_length=length, truncation_strategy="right", loss_scale="all")
    options.one_of("per_device_train_batch_size", [1, 2, 4], 0.9)
    options.one_of("gradient_accumulation_steps", [1, 2])
    options.one_of("learning_rate", ["1e-4", "1e-5"])
    options.one_of("attn_impl", ["sdpa", "eager", "flash_attn"], 0.5)
    if tuner == "lora":
        options.one_of("lora_rank", [8, 16, 64], 0.8)
        options.one_of("lora_alpha", [16, 32], 0.8)
        options.one_of("target_modules", ["all-linear", "q_proj v_proj", "q_proj k_proj v_proj o_proj"], 0.7)
        options.one_of("lora_dropout", [0.0, 0.1], 0.2)
        if options.chance(0.4):
            options.given["quant_method"] = "bnb"
            options.one_of("quant_bits", [4, 4, 8])
            if options.given["quant_bits"] == 4:
                options.one_of("bnb_4bit_compute_dtype", ["bfloat16"], 0.6)
                options.one_of("bnb_4bit_quant_type", ["nf4", "fp4"], 0.5)
                options.one_of("bnb_4bit_use_double_quant", ["true", "false"], 0.5)
    options.one_of("gradient_checkpointing", ["true", "false"], 0.4)
    options.one_of("gradient_checkpointing_kwargs", ['{"use_reentrant": false}'], 0.15)
    options.one_of("use_liger_kernel", ["true"], 0.2)
    options.one_of("optim", ["adamw_torch", "adamw_torch_fused", "adafactor", "paged_adamw_8bit", "adamw_8bit"], 0.4)
    options.one_of("lazy_tokenize", ["true"], 0.2)
    options.one_of("freeze_vit", ["true"], 0.2)
    options.one_of("dataloader_num_workers", [0, 1], 0.3)
    packed = options.given.get("attn_impl") == "flash_attn" and options.chance(0.5)
    if packed:
        options.given[own.choice(["packing", "padding_free"])] = "true"
    evaluated = 0
    if options.chance(0.2):
        options.one_of("per_device_eval_batch_size", [1, 2])
        options.given.update(val_dataset="own/data/test.jsonl", eval_strategy="steps", eval_steps=1)
        evaluated = EVALUATED * options.given["per_device_eval_batch_size"]
    options.one_of("warmup_ratio", [0.05], 0.5)
    options.given.update(max_steps=STEPS, logging_steps=1, save_strategy="no", report_to="none", output_dir="out")
    told = {"padding_mask": False}
    if packed:
        told = {"packing.sequences": 1 if "packing" in options.given else options.given.get("per_device_train_batch_size", 1)}
    return dict(files={"run.sh": spoken("swift sft", options.given).replace("python ", "", 1).replace("'q_proj", "q_proj").replace("_proj'", "_proj")}, data=dict(kind="messages", tokens=length, **(dict(evaluated=evaluated) if evaluated else {})), set=told)


MAKERS = {"swift": swift, "hf-script": hf_script, "hf-example": hf_example}
