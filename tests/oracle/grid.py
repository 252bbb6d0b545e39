"""grid.py > SCENARIOS: some 120 small scenarios over every family of models and every option that this oracle runs, for one command:

    python3 grid.py | HIGHWATER_REAL_GPU=1 python3 cases.py > real.jsonl         # on a machine with a GPU, with its own torch and transformers
    python3 grid.py | DIR/run.sh cases.py > stubbed.jsonl                        # the same versions, without one
    python3 compare.py real.jsonl stubbed.jsonl                                  # how far stubbed and real differ
    highwater check real.jsonl                                                   # how far the estimates are off

Each option is met by several families, each family by several options: the lists are walked through at different paces."""
import glob, itertools, json, os

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = {os.path.basename(path)[:-5] for path in glob.glob(f"{HERE}/configs/*.json") or glob.glob(f"{HERE}/../../src/models/families/*/models/*.json")}
# Names of the catalog; those that are not there yet are left out.
DECODERS = ["llama-3.2-1b", "qwen2.5-0.5b", "qwen3-0.6b", "mistral-7b", "gpt2", "pythia-160m", "opt-125m", "phi-2", "phi-3-mini", "gemma-2b", "gemma-2-2b", "gemma-3-1b",
            "olmo-2-1b", "bloom-560m", "falcon-rw-1b", "starcoder2-3b", "granite-3.1-2b", "mixtral-8x7b", "olmoe-1b-7b", "qwen3-30b-a3b", "smollm2-135m", "mamba-130m"]
LORA_NAMES = dict(gpt2=["c_attn"], pythia=["query_key_value"], bloom=["query_key_value"], falcon=["query_key_value"], phi_3=["qkv_proj", "o_proj"])
LARGE = {"mistral-7b", "phi-2", "phi-3-mini", "gemma-2b", "gemma-2-2b", "mixtral-8x7b", "olmoe-1b-7b", "qwen3-30b-a3b", "starcoder2-3b", "granite-3.1-2b"}
EAGER_ONLY = {"gemma-2-2b", "bloom-560m"}
ADAMW = dict(name="adamw", impl="fused")
OPTIONS = [
    dict(precision="fp32"),
    dict(precision="bf16", optimizer=ADAMW),
    dict(precision="amp_bf16"),
    dict(precision="bf16", attention="eager", optimizer=ADAMW),
    dict(precision="amp_fp16", clip_grad_norm=True),
    dict(precision="bf16", activation_checkpointing="full", optimizer=ADAMW),
    dict(precision="amp_bf16", activation_checkpointing="full_reentrant"),
    dict(precision="bf16", lora=dict(r=16)),
    dict(precision="amp_bf16", weights="bf16", lora=dict(r=8, dropout=0.1)),
    dict(precision="amp_bf16", gradient_accumulation_steps=2, optimizer=ADAMW),
    dict(precision="bf16", padding_mask=True, optimizer=ADAMW),
    dict(precision="fp32", attention="eager", padding_mask=True),
    dict(precision="bf16", optimizer=dict(name="sgd", impl="foreach", momentum=0.9)),
    dict(precision="fp32", optimizer=dict(name="adafactor", impl="for_loop")),
    dict(precision="bf16", optimizer=dict(name="adam", impl="for_loop")),
    dict(precision="bf16", keep_outputs=True, zero_grad_set_to_none=False, optimizer=ADAMW),
    dict(precision="amp_bf16", autocast_style="accelerate", clip_grad_norm=True),
    dict(precision="bf16", loss="mean_logits", optimizer=ADAMW),
    dict(precision="bf16", program="forward"),
    dict(precision="bf16", sdpa_backend="math", optimizer=ADAMW),
]
SIZES = [(2, 512), (4, 256), (1, 1024), (3, 136), (8, 128), (2, 132)]


def targets(model):
    family = next((names for start, names in LORA_NAMES.items() if model.replace("-", "_").startswith(start)), None)
    return family or ["q_proj", "v_proj"]


def available(models):
    return [model for model in models if model in CATALOG]


def decoders(count):
    sizes = itertools.cycle(SIZES)
    models = itertools.cycle(available(DECODERS))
    for option in itertools.islice(itertools.cycle(OPTIONS), count):
        model, (batch, length) = next(models), next(sizes)
        scenario = dict(model=model, micro_batch_size=batch, seq_len=length, **json.loads(json.dumps(option)))
        if "lora" in scenario:
            scenario["lora"]["target_modules"] = targets(model)
        if model in EAGER_ONLY and "sdpa_backend" not in scenario:
            scenario["attention"] = "eager"
        if model in LARGE:
            scenario["model_overrides"] = dict(num_hidden_layers=2)
        yield scenario


def others():
    plain = [option for option in OPTIONS if not {"lora", "program", "loss", "weights"} & set(option)]
    for models, task, count in ((["t5-small", "t5-base", "flan-t5-base", "mt5-small", "bart-base"], "seq2seq_lm", 12),
                                (["bert-base", "roberta-base", "distilbert-base"], "masked_lm", 8),
                                (["bert-base", "roberta-base"], "sequence_classification", 4), (["vit-base"], "image_classification", 4)):
        names, sizes = available(models), itertools.cycle(SIZES)
        for i, option in zip(range(count if names else 0), itertools.cycle(plain)):
            batch, length = next(sizes)
            lengths = dict() if task == "image_classification" else dict(seq_len=min(length, 512))
            if task == "seq2seq_lm" and i % 2:
                lengths["target_seq_len"] = max(64, length // 4)
            scenario = dict(model=names[i % len(names)], task=task, micro_batch_size=batch, **lengths, **option)
            if "t5" in scenario["model"]:
                scenario["attention"] = "eager"
            yield {key: value for key, value in scenario.items() if not (task == "image_classification" and key == "padding_mask")}


if __name__ == "__main__":
    for scenario in [*decoders(96), *others()]:
        print(json.dumps({"v": 1, **scenario}))
