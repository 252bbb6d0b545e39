"""What the mask builders of transformers find in a mask. Values read from a stubbed device are zeros, and these are the only branches on
values while training: a padding mask that came with the batch holds padding, one that a model makes for itself is all ones, positions are
not packed, hidden states are finite, and samples have labels. On a real GPU the values are there and nothing is replaced."""
import os
import torch

passed = set()  # addresses of the masks that came with batches
packed = [False]  # whether rows hold several sequences


def comes_with_batch(mask):
    passed.clear()
    passed.add(mask.data_ptr())


def recent():
    """transformers 5."""
    import transformers.masking_utils as masking
    find = masking.find_packed_sequence_indices
    masking.find_packed_sequence_indices = lambda position_ids: find(position_ids) if packed[0] else None
    padded = [False]
    preprocess, counts, ignore = masking._preprocess_mask_arguments, masking.fast_all, masking._ignore_bidirectional_mask_sdpa
    recurrent = masking.create_recurrent_attention_mask

    def remembered(config, inputs_embeds, attention_mask, *rest, **named):
        padded[0] = attention_mask is not None and attention_mask.data_ptr() in passed
        return preprocess(config, inputs_embeds, attention_mask, *rest, **named)

    def counted(mask):
        counts(mask)
        return not padded[0]

    def ignored(padding_mask, *rest, **named):
        if padding_mask is not None and not padded[0]:
            padding_mask.all()
            padding_mask = None
        return ignore(padding_mask, *rest, **named)

    def of_states(config, inputs_embeds, attention_mask, *rest, **named):
        found = recurrent(config, inputs_embeds, attention_mask, *rest, **named)
        return found if attention_mask is not None and attention_mask.data_ptr() in passed else None

    flash = masking.flash_attention_mask

    def of_flash(*rest, **named):
        found = flash(*rest, **named)
        return found if padded[0] else None

    masking.ALL_MASK_ATTENTION_FUNCTIONS._global_mapping["flash_attention_2"] = of_flash
    masking.create_recurrent_attention_mask = of_states
    masking._preprocess_mask_arguments, masking.fast_all, masking._ignore_bidirectional_mask_sdpa = remembered, counted, ignored


def finite():
    """`torch.isfinite(x).all()` is true."""
    computed = torch.isfinite

    class Everywhere:
        def __init__(self, x):
            self.flags = computed(x)

        def all(self):
            self.flags.all()
            return True

        def logical_and(self, other):
            return self.flags.logical_and(other.flags)

        def __invert__(self):
            return ~self.flags

        def __and__(self, other):
            return self.flags & other

    torch.isfinite = Everywhere


def four():
    """transformers 4."""
    import transformers.modeling_attn_mask_utils as masking
    converter = masking.AttentionMaskConverter
    ignore = converter._ignore_causal_mask_sdpa

    def ignored(attention_mask, *rest, **named):
        found = ignore(attention_mask, *rest, **named)
        return found or (attention_mask is not None and attention_mask.data_ptr() not in passed)

    def expanded(mask, dtype, tgt_len=None):
        torch.all(mask == 1)
        return converter._expand_mask(mask=mask, dtype=dtype, tgt_len=tgt_len) if mask.data_ptr() in passed else None

    converter._ignore_causal_mask_sdpa = staticmethod(ignored)
    masking._prepare_4d_attention_mask_for_sdpa = expanded


def labelled():
    """Every sample has a label: DeBERTa looks for those whose label is not negative."""
    found = torch.Tensor.nonzero

    def everywhere(self, *rest, **named):
        rows = found(self, *rest, **named)
        if self.dim() != 1 or self.dtype != torch.bool or not self.is_cuda:
            return rows
        return torch.zeros(len(self), 1, dtype=torch.long, device=self.device)

    torch.Tensor.nonzero = everywhere


if not os.environ.get("HIGHWATER_REAL_GPU"):
    finite()
    labelled()
    try:
        recent()
    except ImportError:
        four()
