"""The cycle of GRPO on one GPU: the trainer's own generation by the model itself (`objective.generation` of a scenario is `model`) or by a vLLM beside it,
which is a stub (`vllm`, `vllm_sleep`; `without_gpu/vllm_stub.py`), then log-probabilities before the step, those of a reference, and training.

    python3 cycle.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl          # drawn by a seed
    python3 cycle.py 7 60 vllm | DIR/run.sh cases.py --apart > measured.jsonl     # with vLLM
    python3 cycle.py 7 60 ranks [vllm] | DIR/run.sh cases.py --apart > measured.jsonl     # on a rank of DDP, ZeRO 1 or 2"""
import json, random, sys


def turn(objective, generates):
    """`_generate_single_turn` of a trainer, with its phase. Values are not known: completions have as many tokens as they may."""
    import evaluation, masks
    recorder, asked = objective.recorder, objective.asked

    def generate(prompt_ids, *rest, **named):
        objective.phase("generation")
        evaluation.left[0] = objective.objective["completion_tokens"]
        model = objective.trainer.accelerator.unwrap_model(objective.trainer.model_wrapped)
        # As of checkpoints: of a config alone it would be what the scenario says of training.
        model.generation_config.use_cache = True
        with evaluation.watched(model, asked["padding_mask"], recorder):
            found = generates(prompt_ids, *rest, **named)
        objective.phase("forward")
        if objective.kind == "distillation":
            return objective.generated(found)
        found, log_probs = found
        return [[3] * objective.objective["completion_tokens"] for _ in found], log_probs

    return generate


def vllm(objective, policy):
    """Options of a trainer with the stub."""
    import sys, os
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "without_gpu"))
    import torch, vllm_stub, trl.trainer.grpo_trainer as module
    module.nanmin, module.nanmax = torch.min, torch.max  # metrics of one number, which ask whether it is one
    objective.model_config = policy.config
    count = sum(p.numel() for p in policy.parameters())
    vllm_stub.installed(objective, lambda: count)
    asked = objective.objective
    return dict(use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=asked["generation"] == "vllm_sleep", vllm_gpu_memory_utilization=asked["vllm_gpu_memory_utilization"])


def drawn(chance, with_vllm=False):
    """A scenario with the whole cycle."""
    import draw_objectives
    often, pick = lambda share: chance.random() < share, chance.choice
    while True:
        scenario = draw_objectives.drawn(chance)
        objective = scenario["objective"]
        if objective["kind"] == "grpo":
            break
    objective["generation"] = "model"
    if often(0.25):  # so that generating takes most: the prompt's logits, the cache
        scenario.update(micro_batch_size=1, gradient_accumulation_steps=pick([8, 16, 24]), activation_checkpointing="full")
    if often(0.4):
        objective["num_iterations"] = pick([2, 2, 3])
    if with_vllm:
        objective.update(generation=pick(["vllm", "vllm_sleep"]), vllm_gpu_memory_utilization=pick([0.2, 0.3, 0.5, 0.9]))
        scenario["hardware"] = dict(gpu_memory=pick([24, 40, 80, 140]) * 10**9)
    return scenario


def on_a_rank(chance, with_vllm=False):
    """The same on one rank of several, each of which has the whole model."""
    import draw_objectives
    while True:
        kind = chance.choice(["ddp", "deepspeed_zero"])
        scenario = draw_objectives.of_ranks(chance, kind, [lambda chance: drawn(chance, with_vllm)])
        if scenario["parallelism"]["dp"].get("stage") != 3:
            return scenario


if __name__ == "__main__":
    seed, count, said = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    draws = on_a_rank if "ranks" in said else drawn
    for number in range(count):
        print(json.dumps(draws(random.Random(f"{seed}.{number}"), "vllm" in said)))
