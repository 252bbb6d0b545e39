"""An evaluation after a training step: `evaluation` of a scenario, without a cache or generation."""
import contextlib
import torch
from recorder import storage
from transformers.trainer_pt_utils import nested_concat
import scenario as scenarios


def run(model, asked, autocast, recorder, step):
    evaluation = asked["evaluation"]
    kind, batches = evaluation["kind"], evaluation.get("batches", 3)
    if kind not in ("loss", "trainer"):
        raise ValueError(f"cannot run an evaluation of {kind} after a step")
    size = evaluation.get("micro_batch_size", asked["micro_batch_size"])
    kept = None
    model.eval()
    for _ in range(batches):
        batch = scenarios.batch({**asked, "micro_batch_size": size, "loss": "labels"}, model.config)
        recorder.mark(f"{step}:0:evaluation", inputs={storage(t) for t in batch.values()})
        with torch.no_grad(), torch.autocast("cuda", dtype=autocast) if autocast else contextlib.nullcontext():
            output = model(**batch)
        logits = (output.logits.float() if autocast else output.logits).detach()
        del output
        if kind == "trainer" and evaluation.get("keep_predictions", True):
            kept = logits if kept is None else nested_concat(kept, logits, padding_index=-100)
        del logits, batch
        recorder.mark(f"{step}:0:evaluation_end", logits=set() if kept is None else {storage(kept)})
    del kept
    model.train()
