"""The optimizers of a scenario."""
import importlib.metadata
import torch
import libraries

TORCH = dict(adamw="AdamW", adam="Adam", sgd="SGD", adafactor="Adafactor", rmsprop="RMSprop", adagrad="Adagrad", adadelta="Adadelta",
             adamax="Adamax", nadam="NAdam")
BITSANDBYTES = dict(adamw_8bit="AdamW8bit", paged_adamw_8bit="PagedAdamW8bit", paged_adamw_32bit="PagedAdamW32bit",
                    adamw_32bit_bitsandbytes="AdamW32bit", lion_8bit="Lion8bit", sgd_8bit="SGD8bit")
IMPLEMENTATION = dict(foreach=dict(foreach=True), fused=dict(fused=True), for_loop=dict(foreach=False))


class Several:
    """Optimizers as one."""

    def __init__(self, parts):
        self.parts = parts

    @property
    def state(self):
        return {p: s for part in self.parts for p, s in part.state.items()}

    @property
    def param_groups(self):
        return [group for part in self.parts for group in part.param_groups]

    def step(self):
        for part in self.parts:
            part.step()

    def zero_grad(self, set_to_none=True):
        for part in self.parts:
            part.zero_grad(set_to_none=set_to_none)


def muon(parameters, model):
    """torch.optim.Muon over the matrices of hidden layers, torch.optim.AdamW over the rest."""
    asked = {id(p) for p in parameters}
    named = [(n, p) for n, p in model.named_parameters() if id(p) in asked]
    hidden = lambda n, p: p.ndim == 2 and "embed" not in n and "lm_head" not in n
    of = [(torch.optim.Muon, [p for n, p in named if hidden(n, p)]), (torch.optim.AdamW, [p for n, p in named if not hidden(n, p)])]
    return Several([make(some, lr=1e-3) for make, some in of if some])


class InBackward(Several):
    """An optimizer for each parameter, which steps and drops the gradient as soon as backward has it (PyTorch's tutorial "How to save memory by
    fusing the optimizer step into the backward pass")."""

    def __init__(self, make, parameters):
        super().__init__([make([p]) for p in parameters])
        for part, p in zip(self.parts, parameters):
            p.register_post_accumulate_grad_hook(lambda _, part=part: (part.step(), part.zero_grad()) and None)

    def step(self):
        pass

    def zero_grad(self, set_to_none=True):
        pass


class Offloaded:
    """torchao's CPUOffloadOptimizer; its own state_dict is not kept by parameter, so only the device's part has a state here."""

    def __init__(self, asked, gradients, parameters):
        from torchao.optim import CPUOffloadOptimizer
        options = dict(lr=1e-3, **{key: asked[key] for key in ("momentum", "amsgrad") if asked.get(key)})
        if asked.get("weight_decay"):
            options["weight_decay"] = 0.01
        self.inner = CPUOffloadOptimizer(parameters, getattr(torch.optim, TORCH[asked["name"]]), offload_gradients=gradients, **options)
        self.step, self.zero_grad = self.inner.step, self.inner.zero_grad

    @property
    def state(self):
        return self.inner.d_opt.state if self.inner.d_opt else {}


def make(asked, parameters, model, offload):
    if offload.get("optimizer_states"):
        return Offloaded(asked, offload.get("gradients", False), parameters)
    name = asked["name"]
    if name == "none":
        return None
    if name == "muon":
        return muon(parameters, model)
    if name == "lion":
        from lion_pytorch import Lion
        return Lion(parameters, lr=1e-4)
    if name in BITSANDBYTES:
        if importlib.metadata.version("bitsandbytes").startswith("0.45"):
            libraries.stub_triton()  # which it asks for the driver
        import bitsandbytes
        momentum = dict(momentum=asked["momentum"]) if asked.get("momentum") else {}
        return getattr(bitsandbytes.optim, BITSANDBYTES[name])(parameters, lr=1e-3, **momentum)
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
