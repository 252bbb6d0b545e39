"""A module as a graph: what `torch.export` writes, without its weights."""

import inspect
import os
import warnings


def export(model, args=(), kwargs=None, path="model.pt2", *, dynamic=(), weights=False):
    """Writes the graph of `model` on an example batch to `path`, and returns the path.

    model: an `nn.Module` as it is trained: its dtype, its frozen parameters. It is exported in training mode.
    args, kwargs: an example batch of 2 or more; a size that is no other size is best, such as 3.
    dynamic: sizes that stay open besides the first of each tensor: dimensions of all inputs that have them, as (1,), or
        those of some inputs by name, as {"input_ids": (1,)}. With None no size stays open.
    weights: whether the archive keeps the weights, for `torch.export.load`. An estimate needs none.
    """
    import torch

    if not hasattr(torch.export, "save") or not hasattr(torch.export.Dim, "AUTO"):
        raise RuntimeError(f"torch {torch.__version__} is too old: torch 2.6 or newer exports such graphs")
    args, kwargs = tuple(args), dict(kwargs or {})
    was_training = model.training
    model.train()
    try:
        with _as_it_trains():
            program = torch.export.export(model, args, kwargs, dynamic_shapes=_open(model, args, kwargs, dynamic))
    finally:
        model.train(was_training)
    if not weights:
        _leave_weights(program, torch)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No complete tensor found")  # of weights that were left out
        torch.export.save(program, os.fspath(path))
    return path


class _as_it_trains:
    """transformers makes other masks while it exports than while it trains: meanwhile it does not."""

    def __enter__(self):
        self.before = {}
        try:
            import transformers.masking_utils as masks
        except ImportError:
            return
        for name, value in (
            ("is_torchdynamo_exporting", lambda: False),
            ("find_packed_sequence_indices", lambda *args, **kwargs: None),
        ):
            if hasattr(masks, name):
                self.before[name] = getattr(masks, name)
                setattr(masks, name, value)
        self.masks = masks

    def __exit__(self, *_):
        for name, value in self.before.items():
            setattr(self.masks, name, value)


def _open(model, args, kwargs, dynamic):
    """The sizes that stay open, by the names of forward's parameters."""
    import torch

    if dynamic is None:
        return None
    named = dynamic if isinstance(dynamic, dict) else {}
    every = () if named else tuple(dynamic)

    def sizes(name, value):
        further = named.get(name, every)
        tree = torch.utils._pytree.tree_map
        one = lambda tensor: {at: torch.export.Dim.AUTO for at in (0, *further) if at < tensor.dim()}
        return tree(lambda leaf: one(leaf) if isinstance(leaf, torch.Tensor) else None, value)

    shapes, rest = {}, list(args)
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            if rest:
                shapes[parameter.name] = tuple(sizes(parameter.name, value) for value in rest)
            rest = []
        elif rest and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            shapes[parameter.name] = sizes(parameter.name, rest.pop(0))
    unknown = set(named) - set(shapes) - set(kwargs)
    if unknown:
        raise ValueError(f"dynamic names no input: {', '.join(sorted(unknown))}")
    return {**shapes, **{name: sizes(name, value) for name, value in kwargs.items()}}


def _leave_weights(program, torch):
    """Puts a tensor of one element in the place of each weight: the graph has their shapes, and those that are tied stay
    one tensor. The example's values go, too."""
    first = {}
    with torch.no_grad():
        for values in (program.state_dict, program.constants):
            for name, value in values.items():
                if isinstance(value, torch.Tensor) and value.layout == torch.strided:
                    key = (value.untyped_storage()._cdata, value.storage_offset(), tuple(value.shape), value.dtype)
                    if key not in first:
                        small = torch.zeros((), dtype=value.dtype).expand(value.shape)
                        first[key] = torch.nn.Parameter(small, value.requires_grad) if isinstance(
                            value, torch.nn.Parameter
                        ) else small
                    values[name] = first[key]
    program.example_inputs = None
