"""The loss in chunks, as a training loop computes it with torchtune's own module (`pip install --no-deps torchtune==0.6.1`) around a model of
transformers: the head's result for each piece of the sequence, then the loss of one piece after the other."""
import importlib.util, os
import torch
from transformers.modeling_outputs import CausalLMOutput


def module():
    """torchtune imports more than the one file needs."""
    found = importlib.util.find_spec("torchtune").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("chunked", f"{found}/modules/loss/ce_chunked_output_loss.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.CEWithChunkedOutputLoss()


def run(model, batch):
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return CausalLMOutput(loss=loss(base, **batch))


def loss(base, labels, **inputs):
    compute = module()
    hidden = base.base_model(**inputs).last_hidden_state
    logits = [base.get_output_embeddings()(part) for part in hidden.chunk(compute.num_output_chunks, dim=1)]
    labels = torch.nn.functional.pad(labels, (0, 1), value=-100)[..., 1:].contiguous()
    return compute(logits, labels)
