"""Host memory that others published, as lines that `highwater check` reads.

usage: python3 host.py < published_host.csv > published_host.jsonl     # what is left out, and why, on standard error

The value is the peak of a job's processes on one machine. Only what a source says is in a scenario; nothing is taken
from the measured value.
"""

import csv
import json
import sys

T5 = dict(model_type="t5", d_kv=128, num_heads=32, d_model=1024, d_ff=16384, num_layers=24, vocab_size=32128)
T5_3B, T5_11B = {"hf_config": T5}, {"hf_config": {**T5, "num_heads": 128, "d_ff": 65536}}
T0_3B = {"hf_config": {**T5, "d_kv": 64, "d_model": 2048, "d_ff": 5120, "feed_forward_proj": "gated-gelu",
                       "tie_word_embeddings": False}}
MT0_XXL = {"hf_config": {**T0_3B["hf_config"], "num_heads": 64, "d_model": 4096, "d_ff": 10240, "vocab_size": 250112}}
SEQ2SEQ = {"task": "seq2seq_lm", "host": {"tokenizer": "unigram", "libraries": "trainer"}}
LORA = {"lora": {"r": 8, "target_modules": ["q", "v"]}, "precision": "bf16"}
BLOOM_LORA = {"lora": {"r": 8, "target_modules": ["query_key_value"]}, "precision": "bf16"}
PEFT = {"micro_batch_size": 8, "seq_len": 64, "dataset": {"raw_bytes": 20_000_000, "rows": 50}, "dataloader": {"num_workers": 0}}
OPTIMUM = {"micro_batch_size": 2, "seq_len": 16, "dataset": {"raw_bytes": 0, "rows": 0}, "dataloader": {"num_workers": 0},
           "host": {"checkpoint": "random_init", "tokenizer": "none"}}


def zero(stage, gpus=1, **more):
    return {"parallelism": {"dp": {"kind": "deepspeed_zero", "stage": stage, "offload_optimizer": "cpu", **more}},
            "hardware": {"gpus_per_node": gpus}, "activation_checkpointing": "full"}


OFFLOADED = {"micro_batch_size": 1, "seq_len": 128, "dataset": {"raw_bytes": 0, "rows": 0}, "dataloader": {"num_workers": 0}}
ZERO_3 = zero(3, offload_param="cpu")
SCENARIOS = {
    "pdoc-002": [{"model": T0_3B, "precision": "bf16"}, SEQ2SEQ, PEFT],
    "pdoc-004": [{"model": T0_3B}, SEQ2SEQ, PEFT, LORA],
    "pdoc-006": [{"model": T0_3B}, SEQ2SEQ, PEFT, LORA, ZERO_3],
    "pdoc-008": [{"model": MT0_XXL}, SEQ2SEQ, PEFT, LORA],
    "pdoc-010": [{"model": MT0_XXL}, SEQ2SEQ, PEFT, LORA, ZERO_3],
    "pdoc-012": [{"model": "bloom-7.1b"}, PEFT, BLOOM_LORA],
    "pdoc-014": [{"model": "bloom-7.1b"}, PEFT, BLOOM_LORA, ZERO_3],
    "pdoc-022": [{"model": MT0_XXL}, SEQ2SEQ, PEFT, LORA, ZERO_3],
    "issue-001": [{"model": T5_3B, "precision": "bf16"}, SEQ2SEQ, OFFLOADED, zero(2)],
    "issue-002": [{"model": T5_11B, "precision": "bf16"}, SEQ2SEQ, OFFLOADED, zero(2)],
    "issue-004": [{"model": "bloom-7.1b"}, PEFT, BLOOM_LORA],
    "issue-006": [{"model": MT0_XXL}, SEQ2SEQ, OFFLOADED, {**LORA, "precision": "fp32"},
                  {"parallelism": {"dp": {"kind": "fsdp1", "cpu_offload": True}}, "hardware": {"gpus_per_node": 2}}],
    "issue-009": [{"model": "llama-7b", "precision": "bf16"}, OFFLOADED, zero(2, 8)],
    "issue-010": [{"model": "llama-7b", "precision": "bf16"}, OFFLOADED, zero(2, 4)],
    "issue-011": [{"model": "qwen2.5-32b", "precision": "bf16"}, OFFLOADED, ZERO_3],
    "issue-012": [{"model": "mistral-7b", "precision": "amp_bf16"}, OFFLOADED, {"hardware": {"gpus_per_node": 2}}],
    **{name: [{"model": "bert-base"}, OPTIMUM] for name in ("opt-003", "opt-004", "opt-005")},
    "opt-008": [{"model": "gpt2"}, OPTIMUM],
    **{name: [{"model": "vit-base"}, OPTIMUM] for name in ("opt-013", "opt-014")},
    "opt-022": [{"model": {"hf_config": dict(model_type="llama", hidden_size=16, intermediate_size=64, vocab_size=32000,
                                             num_hidden_layers=2, num_attention_heads=4)}}, OPTIMUM],
}
LEFT_OUT = {
    "pdoc-016": "a diffusion model", "pdoc-018": "a diffusion model", "pdoc-020": "a diffusion model",
    "pdoc-024": "FSDP with a quantized base", "issue-008": "tensor parallelism",
    "tmt-004": "growth during the start of the Trainer, not a total",
}
WHOLE_MACHINE = "use of a whole machine of 1 TB, of which 320 GB without offload"


def merged(parts):
    scenario = {}
    for part in parts:
        for key, value in part.items():
            old = scenario.get(key)
            scenario[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) and key != "model" else value
    return scenario


def main():
    for row in csv.DictReader(sys.stdin):
        name = row["id"]
        if name not in SCENARIOS:
            print(f"{name}: {LEFT_OUT.get(name, WHOLE_MACHINE)}", file=sys.stderr)
            continue
        unit = {"GB": 10**9, "GiB": 2**30}[row["unit"]]
        total = round(float(row["value"]) * unit)
        # What peft's scripts and optimum-benchmark watch begins when the model is there and ends before it is saved.
        watched = {"phase": "steady"} if name.startswith(("pdoc", "opt", "issue-004")) else {}
        source = f"{row['source_repo_or_page']} {row['path_or_url']}"
        print(json.dumps({"id": name, "source": source, "scenario": merged(SCENARIOS[name]),
                          "expect": {"host": {**watched, "total": total}}}))


if __name__ == "__main__":
    main()
