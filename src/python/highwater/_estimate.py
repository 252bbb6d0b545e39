"""From a model to a report."""

import os
import re
import shutil
import tempfile
import weakref

from ._export import export
from ._report import Report

# Names that people use for settings whose path is longer.
SHORT = {
    "gpu": "hardware.gpu",
    "gpus": "hardware.gpus_per_node",
    "nodes": "hardware.nodes",
    "batch_size": "micro_batch_size",
}


def estimate(model, args=(), kwargs=None, optimizer=None, precision=None, *, dynamic=(), **settings):
    """Estimates the memory of a training step, and returns a `Report`.

    model: an `nn.Module`, with an example batch in `args` and `kwargs`; or the path of an archive (.pt2), the name of a
        published model, or a scenario as a dict. A module that returns its loss is trained with it; else `loss` is one of
        "cross_entropy", "mse" and "mean".
    optimizer: its name, as "adamw", "sgd"; or a dict with its options, as {"name": "sgd", "momentum": 0.9}. AdamW for a module.
    precision: "fp32", "bf16", "amp_bf16" or "amp_fp16". For a module that of its weights where they are in bfloat16, else
        "amp_bf16".
    dynamic: sizes that stay open besides the batch: see `export`.
    settings: those of a scenario, as micro_batch_size=16, hardware={"gpu": "h100-80gb"} or **{"lora.r": 16}; for short gpu,
        gpus, nodes, batch_size. Without micro_batch_size it is that of the example batch.
    """
    folder, held, graph = None, None, False
    if isinstance(model, dict):
        scenario = dict(model)
    elif isinstance(model, os.PathLike) or (isinstance(model, str) and model.endswith(".pt2")):
        folder, name = os.path.split(os.path.abspath(os.fspath(model)))
        scenario, graph = {"model": {"exported": name}}, True
    elif isinstance(model, str):
        scenario = {"model": model}
    else:
        scenario, held = _exported(model, args, kwargs, dynamic)
        folder, graph = held.path, True
        precision = precision or _precision_of(model)
    if graph:
        precision, optimizer = precision or "amp_bf16", optimizer or "adamw"
    if optimizer is not None:
        scenario["optimizer"] = {"name": optimizer} if isinstance(optimizer, str) else dict(optimizer)
    if precision is not None:
        scenario["precision"] = precision
    put(scenario, settings)
    return Report(scenario, folder, held)


def put(scenario, settings):
    """Puts settings into a scenario, each by its path."""
    for name, value in settings.items():
        path = SHORT.get(name, name)
        if path == "optimizer" and isinstance(value, str):
            value = {"name": value}
        first, _, rest = path.partition(".")
        if first == "symbols" and rest:  # a symbol's name may have dots of its own
            scenario["symbols"] = {**scenario.get("symbols", {}), rest: value}
            continue
        inner, keys = scenario, path.split(".")
        for key in keys[:-1]:
            before = inner.get(key)
            inner[key] = dict(before) if isinstance(before, dict) else {}
            inner = inner[key]
        inner[keys[-1]] = value


class _Folder:
    """A temporary folder, as long as a report refers to it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="highwater-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _exported(model, args, kwargs, dynamic):
    """A scenario with a module's graph, and the folder that holds it."""
    args, kwargs, batch = _example(tuple(args), dict(kwargs or {}))
    held = _Folder()
    name = (re.sub(r"\W+", "_", type(model).__name__).strip("_") or "model") + ".pt2"
    export(model, args, kwargs, os.path.join(held.path, name), dynamic=dynamic)
    scenario = {"model": {"exported": name}}
    if batch:
        scenario["micro_batch_size"] = batch
    return scenario, held


def _example(args, kwargs):
    """An example batch that leaves the batch open, and the batch that was given. A size of 1 is taken to be always 1: a batch
    of one sample becomes one of three."""
    import torch

    leaves, _ = torch.utils._pytree.tree_flatten((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.dim()]
    batch = tensors[0].shape[0] if tensors else None
    if tensors and all(tensor.shape[0] == 1 for tensor in tensors):
        several = lambda leaf: (
            leaf.expand(3, *leaf.shape[1:]).contiguous() if isinstance(leaf, torch.Tensor) and leaf.dim() else leaf
        )
        args, kwargs = torch.utils._pytree.tree_map(several, (args, kwargs))
    return args, kwargs, batch


def _precision_of(model):
    """The precision of a module whose weights are all in one lower one."""
    types = {str(p.dtype) for p in model.parameters() if p.is_floating_point()}
    return {"torch.bfloat16": "bf16", "torch.float16": "fp16"}.get(next(iter(types))) if len(types) == 1 else None
