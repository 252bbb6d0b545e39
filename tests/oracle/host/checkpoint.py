"""Memory while weights are read and written (experiment 6).

usage: python3 checkpoint.py [HIDDEN LAYERS]      a Llama of about 0.5 billion parameters when nothing is given
"""

import os
import shutil
import sys

import measure

BYTES = {"bf16": 2, "fp32": 4}


def config(hidden, layers):
    from transformers import LlamaConfig
    return LlamaConfig(hidden_size=hidden, intermediate_size=11 * hidden // 4, num_hidden_layers=layers,
                       num_attention_heads=16, num_key_value_heads=16, vocab_size=50_000, tie_word_embeddings=False)


def make(hidden, layers):
    """Folders with the weights in each dtype as one safetensors file, as shards, as a .bin."""
    import torch
    from transformers import LlamaForCausalLM
    for dtype, torch_dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        model = LlamaForCausalLM(config(hidden, layers)).to(torch_dtype)
        name = f"{hidden}x{layers}_{dtype}"
        model.save_pretrained(measure.path("models", f"{name}_single"), max_shard_size="50GB")
        model.save_pretrained(measure.path("models", f"{name}_shard"), max_shard_size="300MB")
        torch.save(model.state_dict(), measure.path("models", f"{name}_bin", "pytorch_model.bin"))
        model.config.save_pretrained(measure.path("models", f"{name}_bin"))


def load(how, name, target):
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
    folder, dtype = measure.path("models", name), {"bf16": torch.bfloat16, "fp32": torch.float32}[target]
    LlamaForCausalLM  # noqa: B018  the lazy import, before measuring
    with measure.Peak() as peak:
        if how == "from_pretrained":
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
        elif how == "ctor_fp32_then_half":
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).to(torch.bfloat16)
        elif how.startswith("torch_load"):
            model = torch.load(os.path.join(folder, "pytorch_model.bin"), mmap=how == "torch_load_mmap")
        elif how == "st_load_file":
            model = load_file(os.path.join(folder, "model.safetensors"))
        else:
            torch.set_default_dtype(dtype)
            model = LlamaForCausalLM(LlamaConfig.from_pretrained(folder))
            if how == "init_then_load":
                binary = os.path.join(folder, "pytorch_model.bin")
                single = os.path.join(folder, "model.safetensors")
                state = torch.load(binary) if os.path.exists(binary) else load_file(single)
                model.load_state_dict(state)
                del state
    tensors = model.values() if isinstance(model, dict) else model.parameters()
    counts = [p.numel() for p in tensors]
    measure.emit("6_load", {"how": how, "model": name, "target": target, "N": sum(counts),
                            "largest_tensor": max(counts)}, **peak.deltas())


def save(how, name):
    import torch
    import safetensors.torch as st
    from transformers import AutoModelForCausalLM
    model = AutoModelForCausalLM.from_pretrained(measure.path("models", name), dtype="auto")
    for parameter in model.parameters():
        # Memory of its own instead of pages of the file.
        parameter.data = parameter.data.clone()
    parameter_bytes = sum(p.numel() * p.element_size() for p in model.parameters())
    out = measure.path("out", "")
    with measure.Peak() as peak:
        if how == "torch_save":
            torch.save(model.state_dict(), os.path.join(out, "model.bin"))
        elif how == "save_pretrained":
            model.save_pretrained(out)
        else:
            # What a model on a GPU does: a shard's tensors come to the host before it is written.
            on_host = {key: value.clone() for key, value in model.state_dict().items()}
            st.save_file(on_host, os.path.join(out, "model.safetensors"))
            del on_host
    shutil.rmtree(out)
    count = sum(p.numel() for p in model.parameters())
    measure.emit("6_save", {"how": how, "model": name, "N": count, "param_bytes": parameter_bytes}, **peak.deltas())


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(*sys.argv[2:])
    elif sys.argv[1:2] == ["save"]:
        save(*sys.argv[2:])
    elif sys.argv[1:2] == ["make"]:
        make(int(sys.argv[2]), int(sys.argv[3]))
    else:
        hidden, layers = sys.argv[1:] or (1024, 30)
        measure.run_again(__file__, "make", hidden, layers)
        measure.run_again(__file__, "load", "ctor_fp32_then_half", f"{hidden}x{layers}_bf16_single", "bf16")
        for source in BYTES:
            name = f"{hidden}x{layers}_{source}"
            for form in ("single", "shard", "bin"):
                for target in BYTES:
                    measure.run_again(__file__, "load", "from_pretrained", f"{name}_{form}", target)
            for how in ("init_only", "init_then_load"):
                measure.run_again(__file__, "load", how, f"{name}_bin", source)
            for how in ("torch_load", "torch_load_mmap"):
                measure.run_again(__file__, "load", how, f"{name}_bin", source)
            for how in ("init_then_load", "st_load_file"):
                measure.run_again(__file__, "load", how, f"{name}_single", source)
            for how in ("torch_save", "save_pretrained", "save_file_fakegpu"):
                measure.run_again(__file__, "save", how, f"{name}_single")
