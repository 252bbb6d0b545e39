"""Evaluations, alone or after a training step: losses, logits, predictions that are gathered, and new tokens (`evaluation` of a scenario)."""
import contextlib, functools, inspect, os
import torch
from recorder import storage, tensors
from transformers.generation.utils import GenerationMixin
from transformers.trainer_pt_utils import nested_concat
import images, libraries, masks, ranks, scenario as scenarios

DEFAULTS = dict(kind="loss", batches=3, use_cache=None, logits_to_keep=None, keep_predictions=True, accumulation_steps=None, max_new_tokens=128, num_beams=1, do_sample=False)
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
    if evaluation["kind"] not in ("loss", "logits", "trainer", "generate", "none") or unknown:
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


def size(objective):
    """Samples of a batch of a trainer of TRL's: of sequences that are packed into a row as many as it has."""
    asked = objective.asked
    parts = asked["packing"].get("sequences", 4) if asked["packing"] else 1
    return asked["evaluation"].get("micro_batch_size", asked["micro_batch_size"]) * parts


def groups(objective):
    """Completions of a prompt that a batch of GRPO's evaluation holds."""
    return next((n for n in (2, 3, 5, 7) if size(objective) % n == 0), 1) if objective.kind == "grpo" else 1


def rows(objective):
    """Of the batches of all ranks."""
    dp = ranks.asked(objective.asked)
    return (ranks.group_of(objective.asked, dp)["size"] if dp else 1) * complete(objective.asked)["batches"] * size(objective) // groups(objective)


def asked_of_trainer(objective, options, more):
    """What a trainer of TRL's is made with so that it evaluates: options of its config, and others. Predictions are kept where metrics are computed of them."""
    evaluation = complete(objective.asked)
    options.update(per_device_eval_batch_size=size(objective), eval_accumulation_steps=evaluation["accumulation_steps"])
    if objective.kind == "grpo":
        options.update(num_generations_eval=groups(objective))
    # Those that generate compute none.
    if evaluation["kind"] == "trainer" and evaluation["keep_predictions"] and objective.kind not in ("grpo", "distillation"):
        more["compute_metrics"] = lambda _: {}


def padded_across_processes(found, dim=0, **_):
    """A stubbed device cannot say how long the tensors of all processes are: as long as those of this one."""
    from accelerate.utils.operations import gather
    for tensor in tensors(found):
        if dim < tensor.dim():
            gather(torch.tensor(tensor.shape, device=tensor.device)[None])
    return found


def watched_in_trainer(objective):
    """Each batch of its evaluations is marked; what is kept of predictions is seen."""
    import accelerate.accelerator, transformers.trainer_pt_utils as kept
    from transformers import PrinterCallback
    trainer, recorder = objective.trainer, objective.recorder
    trainer.remove_callback(PrinterCallback)
    predicts, concat = trainer.prediction_step, kept.nested_concat

    def predict(model, inputs, *rest, **named):
        masks.passed.clear()
        if objective.asked["padding_mask"] and hasattr(inputs, "items"):
            masks.passed.update(value.data_ptr() for key, value in inputs.items() if key.endswith("attention_mask"))
        recorder.mark(f"{objective.evaluated}:0:evaluation", inputs={storage(t) for t in tensors(dict(inputs))} if hasattr(inputs, "items") else set())
        found = predicts(model, inputs, *rest, **named)
        recorder.see("logits", tensors(found[1]))
        recorder.mark(f"{objective.evaluated}:0:evaluation_end")
        return found

    def joined(*rest, **named):
        found = concat(*rest, **named)
        recorder.see("logits", tensors(found))
        return found

    trainer.prediction_step, kept.nested_concat = predict, joined
    if not os.environ.get("HIGHWATER_REAL_GPU"):
        accelerate.accelerator.pad_across_processes = padded_across_processes


def by_trainer(objective, step, copies):
    """`evaluate` of a trainer of TRL's, with its own loop over its own batches."""
    objective.at, objective.evaluated = "", step
    objective.recorder.mark(f"{step}:0:evaluation")
    with copies:
        objective.trainer.evaluate()


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
