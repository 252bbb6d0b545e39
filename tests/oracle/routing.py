"""How many tokens a router of transformers 4 sends to each expert. Values read from a stubbed device are zeros, so that all of them would go
nowhere; here they are spread as evenly as can be, the first experts taking one more. On a real GPU the router's weights decide, and
nothing is replaced."""
import ctypes, importlib, os
import torch

where = torch.where


def balanced(mask, *rest, **named):
    """`torch.where(expert_mask[e])` finds as many tokens as expert e gets; the mask is a view of those of all experts."""
    if not rest and not named and mask.dim() == 2 and mask.dtype == torch.int64:
        assignments = mask.numel()
        experts = mask.untyped_storage().nbytes() // mask.element_size() // assignments
        ctypes.CDLL(None).fakecuda_answer(assignments // experts + (mask.storage_offset() < assignments % experts))
    return where(mask, *rest, **named)


def spread(gating):
    """Routers of Granite and JetMoE read how many tokens each expert gets as a list."""
    forward, read = gating.forward, torch.Tensor.tolist

    def with_sizes(router, hidden_states):
        pairs, count = hidden_states.size(0) * router.top_k, router.num_experts
        torch.Tensor.tolist = lambda sizes: [pairs // count + (index < pairs % count) for index, _ in enumerate(read(sizes))]
        try:
            return forward(router, hidden_states)
        finally:
            torch.Tensor.tolist = read

    gating.forward = with_sizes


if not os.environ.get("HIGHWATER_REAL_GPU"):
    # TorchScript compiles functions of these when they are imported, with PyTorch's own `where`.
    import transformers.models.deberta_v2.modeling_deberta_v2, transformers.models.gpt_bigcode.modeling_gpt_bigcode
    torch.where = balanced
    for family, name in dict(granitemoe="GraniteMoeTopKGating", granitemoeshared="GraniteMoeSharedTopKGating", jetmoe="JetMoeTopKGating").items():
        try:
            spread(getattr(importlib.import_module(f"transformers.models.{family}.modeling_{family}"), name))
        except (ImportError, AttributeError):  # transformers 5 has other routers but for the last, 4.48 not all of these
            pass
