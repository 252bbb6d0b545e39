"""The loss in chunks, as a training loop computes it with torchtune's own module (`pip install --no-deps torchtune==0.6.1`) around a model of
transformers: the head's result for each piece of the sequence, then the loss of one piece after the other."""
import importlib.util, os
import torch
from transformers.modeling_outputs import MoeCausalLMOutputWithPast


def module():
    """torchtune imports more than the one file needs."""
    found = importlib.util.find_spec("torchtune").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("chunked", f"{found}/modules/loss/ce_chunked_output_loss.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.CEWithChunkedOutputLoss()


def run(model, batch):
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return MoeCausalLMOutputWithPast(**loss(base, **batch))


def loss(base, labels, **inputs):
    compute = module()
    outputs = base.base_model(**inputs, **router_logits(base))
    hidden, routed = outputs.last_hidden_state, getattr(outputs, "router_logits", None)
    del outputs
    if base.config.model_type == "minicpm3":
        hidden = hidden / base.config.logits_scaling
    logits = [bent(base, base.get_output_embeddings()(part)) for part in hidden.chunk(compute.num_output_chunks, dim=1)]
    labels = torch.nn.functional.pad(labels, (0, 1), value=-100)[..., 1:].contiguous()
    return balanced(base, compute(logits, labels), routed, inputs.get("attention_mask"))


def scale(config):
    """What a model multiplies its logits by."""
    if config.model_type == "minicpm3":
        return None
    named = (getattr(config, name, None) for name in ("logit_scale", "logits_scaling", "lm_head_multiplier"))
    return next((number for number in named if isinstance(number, (int, float))), None)


def bent(base, logits):
    """What the model's own forward does with what its head gives."""
    times, cap = scale(base.config), getattr(base.config, "final_logit_softcapping", None)
    if times is not None:
        logits = logits * times
    if cap is not None:
        logits = logits / cap
        logits = torch.tanh(logits)
        logits = logits * cap
    return logits


def router_logits(base):
    """Asks for what is to be balanced, as the model's own forward does."""
    return dict(output_router_logits=True) if getattr(base.config, "output_router_logits", False) else {}


def balanced(base, loss, routed, mask):
    """The loss with that which balances experts, added as the model's own forward does, and what it has kept of it."""
    if not router_logits(base):
        return dict(loss=loss)
    from sys import modules
    balance = modules[type(base).__module__].load_balancing_loss_func(routed, base.num_experts, base.num_experts_per_tok, mask)
    loss += base.router_aux_loss_coef * balance.to(loss.device)
    return dict(loss=loss, aux_loss=balance, router_logits=routed)
