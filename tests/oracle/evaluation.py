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
        # Trainer.prediction_step: all outputs but the loss and what the model's config says to ignore.
        predictions = tuple(value for key, value in output.items() if key not in ("loss", "past_key_values"))
        predictions = tuple((value.float() if autocast else value).detach() for value in predictions)
        del output
        if kind == "trainer" and evaluation.get("keep_predictions", True):
            kept = predictions if kept is None else nested_concat(kept, predictions, padding_index=-100)
        del predictions, batch
        recorder.mark(f"{step}:0:evaluation_end", logits={storage(value) for value in kept or ()})
    del kept
    model.train()
