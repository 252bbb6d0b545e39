"""draw_recipes.py SEED COUNT KIND > SCENARIOS: what `draw.py` draws of decoders, with one of `recipes.py` beside it: packing, evaluations of packed rows, losses, optimizers or activations.

    python3 draw_recipes.py 7 40 optimizers | DIR/run.sh cases.py --apart > measured.jsonl"""
import json, random, sys
import draw

OPTIMIZERS = ("torchao_adamw_8bit", "torchao_adamw_4bit", "torchao_adamw_fp8", "adam_mini", "apollo_adamw", "apollo_mini", "lomo", "adalomo", "schedule_free_adamw", "schedule_free_sgd")


def decoder(chance):
    """A decoder in training, without what excludes recipes."""
    while True:
        made = draw.scenario(chance)
        kind = made["model"]["hf_config"]["model_type"] if isinstance(made["model"], dict) else json.load(open(draw.CATALOG[made["model"]]))["model_type"]
        if made["task"] != "causal_lm" or kind in draw.LINEAR_ATTENTION or made.get("program") or made["optimizer"].get("master_weights"):
            continue
        for key in ("offload", "evaluation", "dataset", "keep_outputs", "use_cache", "autocast_style"):
            made.pop(key, None)
        return kind, made


def packing(chance, kind, made):
    often, pick = lambda share: chance.random() < share, chance.choice
    made.update(seq_len=pick([100, 256, 301, 512, 1024, 2048]), padding_mask=False, packing=dict(kind=pick(["position_ids", "position_ids", "padding_free"]), sequences=pick([1, 2, 3, 4, 7, 16])))
    if made["packing"]["kind"] == "padding_free" or often(0.6):
        made["micro_batch_size"] = 1
    if made["precision"] in ("bf16", "amp_bf16", "fp16") and kind not in draw.EAGER_ONLY and often(0.4):
        made["attention"] = "flash_attention_2"
    if made["packing"]["sequences"] > 1 or made["attention"] != "sdpa":
        made.pop("sdpa_backend", None)


def evaluations(chance, kind, made):
    """Packed rows, and evaluations of such rows after a step or as a program of their own."""
    packing(chance, kind, made)
    made["evaluation"] = draw.evaluation(chance, "causal_lm", generates=False)
    for key in ("use_cache", "logits_to_keep"):
        made["evaluation"].pop(key, None)
    if chance.random() < 0.3:
        losses(chance, kind, made)
        made["evaluation"]["kind"] = chance.choice(["loss", "trainer"])
    elif chance.random() < 0.3:
        made["program"] = "evaluation"


def losses(chance, kind, made):
    made["loss"] = "cut_cross_entropy"
    if made["precision"] == "fp32":
        made["precision"] = chance.choice(["bf16", "amp_bf16", "amp_fp16"])
    if "quantization" in made and not made["precision"].startswith("amp"):
        made["quantization"]["prepare_for_kbit_training"] = False
    made.pop("liger_kernel", None)


def optimizers(chance, kind, made):
    pick = chance.choice
    name = pick(OPTIMIZERS)
    option = dict(torchao_adamw_8bit="compiled", torchao_adamw_4bit="compiled", torchao_adamw_fp8="compiled", schedule_free_adamw=pick(["foreach", "for_loop"]), schedule_free_sgd="foreach")
    made["optimizer"] = dict(name=name, impl=option.get(name, "for_loop"))
    if name == "apollo_adamw":
        made["optimizer"]["rank"] = pick([4, 64, 128, 256])
    if name.startswith("torchao") and made["precision"] == "bf16" and chance.random() < 0.3:
        made["optimizer"]["bf16_stochastic_round"] = True
    if name in ("lomo", "adalomo"):
        for key in ("gradient_accumulation_steps", "clip_grad_norm"):
            made.pop(key, None)
        if made["precision"] == "amp_fp16":
            made["precision"] = "amp_bf16"
    if name in ("adalomo", "adam_mini"):
        for key in ("lora", "quantization", "frozen"):
            made.pop(key, None)


def activations(chance, kind, made):
    often, pick = lambda share: chance.random() < share, chance.choice
    for key in ("activation_checkpointing", "checkpoint_every"):
        if often(0.7):
            made.pop(key, None)
    if often(0.4):
        made.update(activation_checkpointing="operations", selective=dict(save=pick([["mm"], ["attention"], ["mm", "attention"], ["mm", "attention"]]), **dict(every_second_mm=True) if often(0.3) else {}))
        made.pop("checkpoint_every", None)
    else:
        made["activation_offload"] = dict(kind=pick(["saved_tensors", "saved_tensors", "save_on_cpu", "layer_inputs"]))
        if made["activation_offload"]["kind"] == "saved_tensors":
            made["activation_offload"]["streams"] = often(0.5)
        if made["activation_offload"]["kind"] == "layer_inputs":
            made["activation_checkpointing"] = "full_reentrant"
            made.pop("checkpoint_every", None)
    if often(0.25):
        made["neftune_noise_alpha"] = 5.0


KINDS = dict(packing=packing, evaluations=evaluations, losses=losses, optimizers=optimizers, activations=activations)


def drawn(chance, wanted):
    kind, made = decoder(chance)
    if wanted != "optimizers":
        made["optimizer"].pop("in_backward", None)
    KINDS[wanted](chance, kind, made)
    # Another of them beside it.
    for name, share in dict(packing=0.15, losses=0.15, activations=0.15).items():
        if name != wanted and chance.random() < share and "loss" not in made and not (made.get("offload")):
            KINDS[name](chance, kind, made)
    if "packing" in made:
        made["padding_mask"] = False
        if made["packing"]["kind"] == "padding_free":
            made.get("evaluation", {}).pop("micro_batch_size", None)
    return dict(v=1, **made)


if __name__ == "__main__":
    seed, count, wanted = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for number in range(count):
        print(json.dumps(drawn(random.Random(f"{wanted}.{seed}.{number}"), wanted)))
