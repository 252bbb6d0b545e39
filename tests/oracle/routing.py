"""How many tokens a router of transformers 4 sends to each expert. Values read from a stubbed device are zeros, so that all of them would go
nowhere; here they are spread as evenly as can be, the first experts taking one more. On a real GPU the router's weights decide, and
nothing is replaced."""
import ctypes, os
import torch

where = torch.where


def balanced(mask, *rest, **named):
    """`torch.where(expert_mask[e])` finds as many tokens as expert e gets; the mask is a view of those of all experts."""
    if not rest and not named and mask.dim() == 2 and mask.dtype == torch.int64:
        assignments = mask.numel()
        experts = mask.untyped_storage().nbytes() // mask.element_size() // assignments
        ctypes.CDLL(None).fakecuda_answer(assignments // experts + (mask.storage_offset() < assignments % experts))
    return where(mask, *rest, **named)


if not os.environ.get("HIGHWATER_REAL_GPU"):
    # TorchScript compiles functions of these when they are imported, with PyTorch's own `where`.
    import transformers.models.deberta_v2.modeling_deberta_v2, transformers.models.gpt_bigcode.modeling_gpt_bigcode
    torch.where = balanced
