"""Predictions of an evaluation in host memory: what transformers' Trainer makes of logits that come from the device.

usage: python3 evaluation.py

The Trainer's own container takes batches of logits as they arrive in host memory and joins them into numpy arrays,
after every `eval_accumulation_steps` of them or at the end. Peaks are of anonymous memory, sampled every 3 ms.
"""

import sys

import measure

SAMPLES, TOKENS, VOCABULARY = 8, 128, 32_000
CASES = [(dtype, batches, steps) for dtype in ("float32", "bfloat16") for batches, steps in ((6, None), (6, 1), (6, 2), (7, 3))]


def run(dtype, batches, steps):
    import torch
    from transformers.trainer_pt_utils import EvalLoopContainer
    every = batches if steps is None else steps
    container = EvalLoopContainer(do_nested_concat=True, padding_index=-100)
    with measure.Peak() as memory:
        left = batches
        while left > 0:
            arriving = min(every, left)
            container.add(torch.ones(arriving * SAMPLES, TOKENS, VOCABULARY, dtype=getattr(torch, dtype)))
            container.to_cpu_and_numpy()
            left -= arriving
        kept = container.get_arrays()
    assert kept.shape[0] == batches * SAMPLES
    config = {"dtype": dtype, "batches": batches, "steps": steps, "batch": SAMPLES, "seq": TOKENS, "vocab": VOCABULARY}
    measure.emit("12_evaluation", config, **memory.deltas())


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run(sys.argv[1], int(sys.argv[2]), None if sys.argv[3] == "None" else int(sys.argv[3]))
    else:
        for case in CASES:
            measure.run_again(__file__, *case)
