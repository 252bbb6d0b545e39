"""The optimizers of a scenario."""
import torch

TORCH = dict(adamw="AdamW", adam="Adam", sgd="SGD", adafactor="Adafactor", rmsprop="RMSprop", adagrad="Adagrad", adadelta="Adadelta",
             adamax="Adamax", nadam="NAdam")
IMPLEMENTATION = dict(foreach=dict(foreach=True), fused=dict(fused=True), for_loop=dict(foreach=False))


def make(asked, parameters):
    name = asked["name"]
    if name == "none":
        return None
    if name == "adafactor_transformers":
        from transformers.optimization import Adafactor
        if asked.get("relative_step"):
            return Adafactor(parameters, lr=None, scale_parameter=True, relative_step=True, warmup_init=True)
        return Adafactor(parameters, lr=1e-3, scale_parameter=False, relative_step=False)
    options = dict(IMPLEMENTATION[asked.get("impl", "foreach")], lr=1e-3)
    if name == "adafactor" and options.get("foreach"):
        del options["foreach"]  # its default, which falls back to a loop
    if asked.get("momentum"):
        options["momentum"] = asked["momentum"]
    if asked.get("amsgrad"):
        options["amsgrad"] = True
    if asked.get("weight_decay"):
        options["weight_decay"] = 0.01
    return getattr(torch.optim, TORCH[name])(parameters, **options)
