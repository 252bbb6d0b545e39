"""Training without a GPU: the private memory of whole steps on the CPU, and of an optimizer's step alone.

usage: python3 cpu_training.py [--mapped] [NAME ...]

Every case runs in a process of its own, after one step of a tiny model, so that what libraries allocate at their
first use is not in the figures. Peaks are of anonymous memory, sampled every 3 ms. With
--mapped malloc maps every tensor by itself and returns it at once (MALLOC_MMAP_THRESHOLD_), so that the figures are
those of the tensors alone.
"""

import gc
import os
import sys

import measure

LLAMA = dict(model_type="llama", hidden_size=512, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=8,
             num_key_value_heads=4, vocab_size=32000, max_position_embeddings=2048, tie_word_embeddings=True)
GPT2 = dict(model_type="gpt2", n_embd=512, n_layer=6, n_head=8, n_positions=1024, vocab_size=32000,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
T5 = dict(model_type="t5", d_model=512, d_kv=64, d_ff=2048, num_layers=4, num_decoder_layers=4, num_heads=8,
          vocab_size=32128, dropout_rate=0.0, feed_forward_proj="relu", tie_word_embeddings=True,
          decoder_start_token_id=0)
CASES = {
    "llama for_loop": dict(sizes=LLAMA, batch=2, seq=256, impl="for_loop"),
    "llama foreach": dict(sizes=LLAMA, batch=2, seq=256, impl="foreach"),
    "llama fused": dict(sizes=LLAMA, batch=2, seq=256, impl="fused"),
    "llama large batch": dict(sizes=LLAMA, batch=8, seq=512, impl="fused"),
    "llama bf16": dict(sizes=LLAMA, batch=4, seq=512, impl="fused", precision="bf16"),
    "llama amp": dict(sizes=LLAMA, batch=4, seq=512, impl="fused", precision="amp_bf16"),
    "llama checkpointed": dict(sizes=LLAMA, batch=8, seq=512, impl="fused", checkpointing=True),
    "llama accumulation": dict(sizes=LLAMA, batch=4, seq=256, impl="fused", accumulation=2),
    "gpt2": dict(sizes=GPT2, batch=4, seq=512, impl="for_loop"),
    "gpt2 eager": dict(sizes=GPT2, batch=4, seq=512, impl="fused", attention="eager"),
    "t5": dict(sizes=T5, batch=4, seq=256, impl="for_loop", attention="eager"),
}


def model_of(case, sizes):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM
    config = AutoConfig.for_model(**sizes)
    config.use_cache = False
    auto = AutoModelForSeq2SeqLM if sizes["model_type"] == "t5" else AutoModelForCausalLM
    dtype = torch.bfloat16 if case.get("precision") == "bf16" else torch.float32
    model = auto.from_config(config, dtype=dtype, attn_implementation=case.get("attention", "sdpa")).train()
    if case.get("checkpointing"):
        model.gradient_checkpointing_enable()
    return model


def steps(case, sizes, count):
    import torch
    model = model_of(case, sizes)
    chosen = {"fused": {"fused": True}, "foreach": {"foreach": True}, "for_loop": {"foreach": False}}[case["impl"]]
    optimizer = torch.optim.AdamW(model.parameters(), **chosen)
    amp = torch.autocast("cpu", dtype=torch.bfloat16, enabled=case.get("precision") == "amp_bf16")
    for _ in range(count):
        for _ in range(case.get("accumulation", 1)):
            tokens = torch.randint(0, sizes["vocab_size"], (case["batch"], case["seq"]))
            with amp:
                loss = model(input_ids=tokens, labels=tokens).loss
            loss.backward()
            del loss, tokens
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


def run(name):
    case = CASES[name]
    small = {**case["sizes"], "vocab_size": 64}
    small.update({key: 1 for key in ("num_hidden_layers", "n_layer", "num_layers", "num_decoder_layers") if key in small})
    steps({**case, "batch": 1, "seq": 8}, small, 2)
    gc.collect()
    measure.trim()
    with measure.Peak() as memory:
        kept = steps(case, case["sizes"], 3)
    del kept
    mapped = "MALLOC_MMAP_THRESHOLD_" in os.environ
    measure.emit("11_cpu_training", {"name": name, "mapped": mapped, **case}, **memory.deltas())


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        run(sys.argv[2])
    else:
        mapped = {"MALLOC_MMAP_THRESHOLD_": "65536"} if "--mapped" in sys.argv else {}
        for each in [name for name in sys.argv[1:] if name != "--mapped"] or CASES:
            measure.run_again(__file__, "--one", each, **mapped)
