"""Evaluations, alone or after a training step: losses, logits, predictions that are gathered, and new tokens (`evaluation` of a scenario)."""
import contextlib, functools, inspect, os
import torch
from recorder import storage, tensors
from transformers.generation.utils import GenerationMixin
from transformers.trainer_pt_utils import nested_concat
import images, libraries, masks, scenario as scenarios

DEFAULTS = dict(kind="loss", batches=3, use_cache=None, logits_to_keep=None, keep_predictions=True, max_new_tokens=128, num_beams=1, do_sample=False)
left = [0]


def count_steps():
    """A stubbed device cannot say that no sample is finished: steps are counted. On a real GPU nothing is replaced."""
    def going_on(self, *rest, **named):
        left[0] -= 1
        return left[0] >= 0
    GenerationMixin._has_unfinished_sequences = going_on


if not os.environ.get("HIGHWATER_REAL_GPU"):
    count_steps()


@contextlib.contextmanager
def watched(model, padded, recorder):
    """The cache of every step of a generation is seen. Masks that are made from one with padding hold padding, too."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    prepare = base.prepare_inputs_for_generation

    @functools.wraps(prepare)
    def prepared(*rest, **named):
        inputs = prepare(*rest, **named)
        if padded and inputs.get("attention_mask") is not None:
            masks.passed.add(inputs["attention_mask"].data_ptr())
        recorder.see("kv_cache", cached(inputs))  # in the order of the beams
        return inputs

    base.prepare_inputs_for_generation = prepared
    if base is not model and hasattr(model, "base_model_prepare_inputs_for_generation"):
        model.base_model_prepare_inputs_for_generation = prepared
    watch = base.register_forward_hook(lambda _, inputs, output: recorder.see("kv_cache", cached(output)))
    try:
        yield base
    finally:
        watch.remove()
        del base.prepare_inputs_for_generation


def generate(model, batch, evaluation, padded, recorder):
    """New tokens."""
    n = left[0] = evaluation["max_new_tokens"]
    drawn = dict(do_sample=True, top_k=50) if evaluation["do_sample"] else dict(do_sample=False)
    with watched(model, padded, recorder) as base:
        return model.generate(**batch, max_new_tokens=n, pad_token_id=0, eos_token_id=None, use_cache=True, num_beams=evaluation["num_beams"],
                              return_dict_in_generate=base.config.model_type != "whisper", **drawn)  # whose dict is put together anew, by sample


def one(model, asked, evaluation, batch, autocast, kept, recorder):
    """One batch; returns the predictions that are kept of all batches so far."""
    kind = evaluation["kind"]
    more = {}
    if evaluation["use_cache"] is not None:
        more["use_cache"] = evaluation["use_cache"]
    if kind == "logits" and evaluation["logits_to_keep"] is not None:
        former = "num_logits_to_keep" in inspect.signature(getattr(inner(model), "get_base_model", lambda: inner(model))().forward).parameters  # transformers 4.48
        more["num_logits_to_keep" if former else "logits_to_keep"] = evaluation["logits_to_keep"]
    # Accelerate's wrapper of the model opens autocast itself.
    opens = autocast and asked["autocast_style"] == "plain"
    with torch.no_grad(), torch.autocast("cuda", dtype=autocast) if opens else contextlib.nullcontext():
        if kind == "generate":
            generate(inner(model), batch, evaluation, asked["padding_mask"], recorder)
            return kept
        output = model(**batch, **more)
    recorder.see("kv_cache", cached(output))
    if kind == "logits":
        recorder.see("logits", [output.logits])
    if kind in ("logits", "loss"):
        return kept
    # Trainer.prediction_step: all outputs but the loss and what the model's config says to ignore.
    predictions = tuple(value for key, value in output.items() if key not in ("loss", "past_key_values"))
    predictions = tuple(part for value in predictions for part in (value if isinstance(value, tuple) else (value,)))
    predictions = tuple((value.float() if autocast else value).detach() for value in predictions)
    del output
    if kind == "trainer" and evaluation["keep_predictions"]:
        kept = predictions if kept is None else nested_concat(kept, predictions, padding_index=-100)
    recorder.see("logits", kept or ())
    return kept


def cached(output):
    """The cache in an output, or in the inputs of a step: keys and values, or the states of other mixers."""
    cache = output.get("past_key_values", output.get("cache_params"))
    if cache is None:
        return []
    parts = [getattr(cache, name, None) for name in ("self_attention_cache", "cross_attention_cache")]
    found = []
    for part in [part for part in parts if part is not None] or [cache]:
        if isinstance(part, tuple):  # of transformers 4
            found.append(part)
        for layer in getattr(part, "layers", getattr(part, "states", ())):
            found.append(layer if isinstance(layer, dict) else vars(layer))
        found += [getattr(part, name, ()) for name in ("key_cache", "value_cache", "conv_states", "ssm_states", "recurrent_states")]
    return list(tensors([list(each.values()) if isinstance(each, dict) else each for each in found]))


def inner(model):
    """The model in what is called: in a wrapper of several ranks, or itself."""
    return getattr(model, "module", model)


def fetched(asked, evaluation, config):
    """A batch; a prompt comes with its mask."""
    generates = evaluation["kind"] == "generate"
    size = evaluation.get("micro_batch_size", asked["micro_batch_size"])
    labels = "labels" if evaluation["kind"] in ("loss", "trainer") else "none"
    batch = scenarios.batch({**asked, "micro_batch_size": size, "loss": labels}, config, target=not generates)
    masks.passed.clear()
    if "attention_mask" in batch:
        masks.comes_with_batch(batch["attention_mask"])
    elif generates and "input_ids" in batch:
        mask = torch.ones_like(batch["input_ids"])
        if asked["task"] == "image_text_to_text":  # so that it is known to be of ones, and left out
            batch["attention_mask"] = images.with_values(torch.ones(mask.shape, dtype=torch.long), mask)
        else:
            batch["attention_mask"] = libraries.mask_of(mask, config.model_type, padded=False)
    return batch


def complete(asked):
    evaluation = {**DEFAULTS, **asked["evaluation"]}
    unknown = set(asked["evaluation"]) - set(DEFAULTS) - {"micro_batch_size"}
    if evaluation["kind"] not in ("loss", "logits", "trainer", "generate") or unknown:
        raise ValueError(f"cannot run an evaluation of {sorted(unknown) or evaluation['kind']}")
    return evaluation


def run(model, asked, autocast, recorder, step):
    """After a step."""
    evaluation, kept = complete(asked), None
    model.eval()
    for _ in range(evaluation["batches"]):
        batch = fetched(asked, evaluation, inner(model).config)
        recorder.mark(f"{step}:0:evaluation", inputs={storage(t) for t in tensors(list(batch.values()))})
        kept = one(model, asked, evaluation, batch, autocast, kept, recorder)
        del batch
        recorder.mark(f"{step}:0:evaluation_end")
    del kept
    model.train()


def alone(model, asked, autocast, recorder):
    """As a program of its own: a batch is a step of it."""
    evaluation, kept = complete(asked), None
    model.eval()
    for number in range(2 if evaluation["kind"] == "generate" else 3):
        recorder.mark(f"{number}:0:data")
        batch = fetched(asked, evaluation, inner(model).config)
        recorder.mark(f"{number}:0:forward", inputs={storage(t) for t in tensors(list(batch.values()))})
        kept = one(model, asked, evaluation, batch, autocast, kept, recorder)
        recorder.mark(f"{number}:0:forward_end")
        del batch
    recorder.mark("end")
    del kept
