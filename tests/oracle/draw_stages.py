"""draw_stages.py SEED COUNT [PRECISION] [ring] > SCENARIOS: one rank of a pipeline (stages.py), drawn at random by a seed over small decoders of odd sizes, all schedules, and adapters;
with "ring" its sequences are divided among ranks, too:

    python3 draw_stages.py 7 40 amp_bf16 | DIR/run.sh cases.py --apart > measured.jsonl
"""
import json, random, sys
import draw
from draw_ranks import Choice, optimizer
from families import FAMILIES, LINEARS, Drawn

KINDS_OF_MODELS = ["llama", "llama", "mistral", "qwen2", "qwen2", "qwen3", "olmo2", "phi3", "qwen3_moe", "mixtral"]
STAGES = dict(gpipe=[1], interleaved=[2, 3], looped_bfs=[2, 3], izb=[2], zbv=[2], dualpipev=[2]) | {"1f1b": [1]}


def pipeline(c):
    schedule, size = c.pick(["1f1b"] * 4 + ["gpipe", "gpipe", "interleaved", "interleaved", "looped_bfs", "izb", "zbv", "dualpipev"]), c.pick([2, 2, 3, 4])
    rounds = c.pick([2, 3]) if schedule == "dualpipev" else c.pick([1, 1, 2, 3])
    return dict(size=size, rank=c.chance.randrange(size), schedule=schedule, stages_per_rank=c.pick(STAGES[schedule]), microbatches=size * rounds, return_outputs=c.often(0.4))


def in_pieces(c, made):
    """The same with sequences that ranks divide."""
    size = c.pick([2, 2, 3, 4])
    pieces = 64 * size if made["precision"] == "fp32" and "mixed_precision" not in made["parallelism"].get("dp", {}) else 2 * size * made["parallelism"].get("tp", {}).get("size", 1)
    made["seq_len"] = pieces * c.pick([1, 2, 3] if pieces > 60 else [8, 15, 22])
    made["parallelism"]["cp"] = dict(kind="ring", size=size, rank=c.chance.randrange(size), rotate=c.pick(["allgather", "alltoall"]))
    return made


def scenario(chance, precision):
    c = Choice(chance)
    family, pp = c.pick(KINDS_OF_MODELS), pipeline(c)
    config = dict(model_type=family, **FAMILIES[family](Drawn(chance)))
    config["num_hidden_layers"] = pp["size"] * pp["stages_per_rank"] + c.pick([0, 0, 1, 3])
    for key in ("layer_types", "sliding_window", "max_window_layers", "use_sliding_window"):
        config.pop(key, None)
    if family == "mistral":
        config["sliding_window"] = None
    made = dict(v=1, model=dict(hf_config=config), task="causal_lm", framework=draw.FRAMEWORK, micro_batch_size=c.pick([1, 1, 2, 3]), seq_len=c.pick([33, 64, 100, 127, 200, 301]),
                attention="sdpa", precision=precision or c.pick(["fp32", "bf16", "amp_bf16", "amp_bf16"]), optimizer=optimizer(c, {}))
    split = pp["schedule"] in ("izb", "zbv", "dualpipev")
    if not split:
        made.update(c.sometimes(0.35, activation_checkpointing=["full", "full_reentrant"]))
        if "activation_checkpointing" in made:
            made.update(c.sometimes(0.3, checkpoint_every=2))
    if c.often(0.3):
        made["lora"] = dict(r=c.pick([4, 8, 16]), target_modules=c.pick([LINEARS["llama"], LINEARS["llama"][:2], ["all-linear"]]) if family not in ("phi3", "qwen3_moe", "mixtral") else ["o_proj"],
                            **c.sometimes(0.3, dropout=0.1), **c.sometimes(0.4, adapter_dtype="base"))
    dp = {}
    if not split and "lora" not in made and c.often(0.3):
        dp = dict(kind="fsdp2", size=c.pick([2, 3, 4]), **c.sometimes(0.5, reshard_after_forward=False), **c.sometimes(0.3, reshard_root_after_forward=[True, False]))
        if made["precision"] == "fp32" and c.often(0.7):
            dp["mixed_precision"] = dict(param="bf16", **c.sometimes(0.6, reduce=["fp32", "bf16"]))
    tp = {}
    if not split and "lora" not in made and family in ("llama", "mistral", "qwen2") and c.often(0.3):
        tp = dict(size=2, sequence_parallel=c.often(0.5))
        config.update(num_attention_heads=4, num_key_value_heads=c.pick([2, 4]), hidden_size=c.pick([128, 192, 320]), head_dim=None)
        config.pop("head_dim")
        made["seq_len"] = c.pick([34, 64, 100, 200])
        made["optimizer"] = dict(name="adamw", impl=c.pick(["foreach", "fused"]))
    of_divided = dict() if tp else c.sometimes(0.3, clip_grad_norm=True)  # PyTorch 2.15 neither norms nor zeroes gradients of whole and divided parameters together
    of_divided.update({} if tp else c.sometimes(0.15, zero_grad_set_to_none=False))
    return dict(made, **of_divided, parallelism=dict(pp=pp, **dict(dp=dp) if dp else {}, **dict(tp=tp) if tp else {}))


if __name__ == "__main__":
    seed, count, rings = int(sys.argv[1]), int(sys.argv[2]), "ring" in sys.argv
    precision = next((given for given in sys.argv[3:] if given != "ring"), None)
    for number in range(count):
        chance = random.Random(f"stages.{seed}.{number}")
        made = scenario(chance, precision)
        print(json.dumps(in_pieces(Choice(chance), made) if rings else made))
