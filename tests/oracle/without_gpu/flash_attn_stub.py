"""The flash-attn package (2.8.3) on the stubbed runtime, as far as models call it. Allocations are those of `flash_attn_interface.py`,
`bert_padding.py` and `csrc/flash_attn/flash_api.cpp`, in their order; nothing is computed."""
import math, sys, types
import torch

HEAD_ALIGNMENT, QUERY_BLOCK, LARGEST_SPLIT = 8, 128, 128


def aligned(x):
    columns = x.shape[-1]
    return x if columns % HEAD_ALIGNMENT == 0 else torch.nn.functional.pad(x, [0, -columns % HEAD_ALIGNMENT])


def splits(blocks, key_blocks):
    """`num_splits_heuristic`."""
    processors = 2 * torch.cuda.get_device_properties(0).multi_processor_count
    if blocks >= 0.8 * processors:
        return 1
    most = min(LARGEST_SPLIT, processors, key_blocks)
    new = lambda n: n == 1 or math.ceil(key_blocks / n) != math.ceil(key_blocks / (n - 1))
    efficiency = {}
    for n in range(1, most + 1):
        waves = blocks * n / processors
        efficiency[n] = waves / math.ceil(waves) if new(n) else 0
    return next((n for n in range(1, most + 1) if new(n) and efficiency[n] >= 0.85 * max(efficiency.values())), 1)


def partial_results(q, k):
    """`set_params_splitkv`."""
    (b, s, a, d), keys = q.shape, k.shape[1]
    key_block = 256 if d <= 64 else 128 if d <= 128 else 64
    n = splits(b * a * math.ceil(s / 64), math.ceil(keys / key_block))
    if n == 1:
        return None
    rows = [n, b, a, s]
    return torch.empty(rows, device=q.device), torch.empty([*rows, math.ceil(d / 32) * 32], device=q.device)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, boundaries, sequences, dropout):
        columns = q.shape[-1]
        q, k, v = (aligned(x if x.stride(-1) == 1 else x.contiguous()) for x in (q, k, v))
        out = torch.empty_like(q)
        a, s = q.shape[-2], q.shape[-3]
        sums = torch.empty([a, s] if sequences else [q.shape[0], a, s], device=q.device)
        partials = None if sequences or dropout else partial_results(q, k)
        generator = torch.empty(2, dtype=torch.int64, device=q.device)
        del partials
        ctx.save_for_backward(q, k, v, out, sums, boundaries, generator)
        ctx.sequences = sequences
        return out[..., :columns]

    @staticmethod
    def backward(ctx, g):
        q, k, v, out, sums, boundaries, generator = ctx.saved_tensors
        columns = g.shape[-1]
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        padded = aligned(g.contiguous())
        a, s, d = q.shape[-2], q.shape[-3], q.shape[-1]
        step = 32 if d <= 128 else 64
        wide = math.ceil(d / step) * step
        if ctx.sequences:
            rows = s + QUERY_BLOCK * ctx.sequences
            products, accumulated = [a, rows], [rows, a, wide]
        else:
            rows = math.ceil(s / QUERY_BLOCK) * QUERY_BLOCK
            products, accumulated = [q.shape[0], a, rows], [q.shape[0], rows, a, wide]
        products, accumulated = torch.empty(products, device=q.device), torch.empty(accumulated, device=q.device)
        expanded = [x.new_empty([*x.shape[:-2], a, d]) for x in (k, v)] if k.shape[-2] != a else None
        del products, accumulated, expanded, padded
        return dq[..., :columns], dk[..., :columns], dv[..., :columns], None, None, None


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, deterministic=False):
    return Attention.apply(q, k, v, None, None, dropout_p > 0)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, deterministic=False):
    return Attention.apply(q, k, v, cu_seqlens_q, len(cu_seqlens_q) - 1, dropout_p > 0)


flash_attn_with_kvcache = None


class PutRows(torch.autograd.Function):
    """`IndexPutFirstAxis`."""

    @staticmethod
    def forward(ctx, values, indices, rows):
        ctx.save_for_backward(indices)
        out = torch.zeros(rows, *values.shape[1:], device=values.device, dtype=values.dtype)
        out[indices] = values
        return out

    @staticmethod
    def backward(ctx, g):
        indices, = ctx.saved_tensors
        return g[indices], None, None


def pad_input(hidden_states, indices, batch, seqlen):
    out = PutRows.apply(hidden_states, indices, batch * seqlen)
    return out.view(batch, seqlen, *out.shape[1:])


bert_padding = types.ModuleType("flash_attn.bert_padding")
bert_padding.pad_input, bert_padding.unpad_input = pad_input, None

