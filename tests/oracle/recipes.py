"""What people add to a step on one GPU beside the options of transformers: rows packed by their positions, Cut Cross-Entropy, optimizers of other
libraries, activations that wait on the host, layers checkpointed operation by operation. With transformers 5 alone.

    DIR/venv/bin/pip install --no-deps cut-cross-entropy==25.1.1 torchao==0.18.0 adam-mini==1.1.1 apollo-torch==1.0.3 lomo-optim==0.1.1 schedulefree==1.4.1

What depends on values is said: how many sequences a row holds, that all labels count. torch.compile makes its code as on a GPU and its wrappers allocate; their
kernels are neither compiled nor launched."""
import contextlib, sys, types
import torch
import chunked_loss, libraries, masks, scenario as scenarios

TORCHAO = dict(torchao_adamw_8bit="AdamW8bit", torchao_adamw_4bit="AdamW4bit", torchao_adamw_fp8="AdamWFp8")
OPTIMIZERS = (*TORCHAO, "adam_mini", "apollo_adamw", "apollo_mini", "lomo", "adalomo", "schedule_free_adamw", "schedule_free_sgd")
OFFLOADS = ("none", "saved_tensors", "save_on_cpu", "layer_inputs")
OPERATIONS = dict(mm=("aten.mm.default", "aten.addmm.default"), attention=("aten._scaled_dot_product_flash_attention.default", "aten._scaled_dot_product_efficient_attention.default"))


def check(asked):
    """Refuses what is not run here."""
    if packed(asked) and asked["evaluation"].get("kind") == "generate":
        raise ValueError("generates from no packed rows")
    offload = asked["activation_offload"].get("kind", "none")
    if offload not in OFFLOADS or set(asked["selective"]) - {"save", "every_second_mm"}:
        raise ValueError(f"cannot run {asked['activation_offload']} {asked['selective']}")
    if asked["loss"] == "cut_cross_entropy" and asked["precision"].startswith("amp") and caps_logits(asked):
        raise ValueError("the mode that watches autocast's copies stops torch.compile, which Cut Cross-Entropy calls where logits are capped")


def caps_logits(asked):
    return getattr(scenarios.config(asked), "final_logit_softcapping", None)


# Packed rows


def packed(asked):
    return asked["packing"].get("kind", "none") != "none" and not asked["objective"]


def parts(asked):
    return asked["packing"].get("sequences", 4)


def told_apart(asked):
    """A real run finds the sequences by values of `position_ids`."""
    import transformers.modeling_flash_attention_utils as attention
    count, is_packed = parts(asked), attention._is_packed_sequence
    masks.packed[0] = count > 1

    def found(position_ids, batch_size):
        operations = is_packed(position_ids, batch_size)
        return operations if operations is False else count > 1

    def boundaries(position_ids):
        named, flat = dict(dtype=torch.int32, device=position_ids.device), position_ids.reshape(-1)
        starts = flat == flat.min()
        indices = torch.arange(count, device=flat.device) * (flat.numel() // count)
        sums = torch.cat((indices.to(**named), torch.tensor(flat.size(), **named)))
        longest = sums.diff().max()
        return (sums, sums), (flat.numel() // count, flat.numel() // count)

    attention._is_packed_sequence, attention.prepare_fa_kwargs_from_position_ids = found, boundaries


def with_positions(asked, batch):
    """Positions of each row, and of one that TRL's collator makes (`padding_free`) where its sequences begin."""
    ids = batch["input_ids"]
    batch["position_ids"] = torch.zeros_like(ids)
    if asked["packing"]["kind"] == "padding_free":
        sums, each = torch.empty(parts(asked) + 1, dtype=torch.int32, device="cuda"), ids.shape[1] // parts(asked)
        batch.update(cu_seq_lens_q=sums, cu_seq_lens_k=sums, max_length_q=each, max_length_k=each, seq_idx=torch.zeros(1, ids.shape[1], dtype=torch.int32, device="cuda"))
    return batch


# Losses


def cut_loss(model):
    """The head of ml-cross-entropy's patch of transformers: hidden states to the loss, without logits."""
    libraries.compiled_without_kernels()
    import cut_cross_entropy.cce as kernels
    from cut_cross_entropy import linear_cross_entropy
    from transformers.modeling_outputs import MoeCausalLMOutputWithPast

    def valid(targets, ignore_index, shift):  # all but the last of each row count
        if not shift:
            (targets != ignore_index).nonzero()
            return None
        counted = targets[..., 1:]
        counts = counted != ignore_index
        rows = torch.zeros(counted.numel(), counted.ndim, dtype=torch.long, device=counted.device).to(torch.int32)
        for i in range(counted.ndim - 1):
            rows[:, i] *= counted.stride(i)
        return rows.sum(1)

    kernels._build_flat_valids = valid
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    cap = getattr(base.config, "final_logit_softcapping", None)

    def forward(self, labels=None, **named):
        outputs = self.base_model(**named, **chunked_loss.router_logits(self))
        hidden, weight, routed = outputs.last_hidden_state, self.get_output_embeddings().weight, getattr(outputs, "router_logits", None)
        del outputs
        times = self.config.logits_scaling if self.config.model_type == "minicpm3" else chunked_loss.scale(self.config)
        if times is not None:  # there are no logits that could be multiplied
            hidden = hidden * times
        if torch.is_autocast_enabled("cuda"):
            dtype = torch.get_autocast_dtype("cuda")
        else:
            dtype = hidden.dtype if weight.dtype == torch.float32 else weight.dtype
        hidden, weight = hidden.to(dtype), weight.to(dtype)
        loss = linear_cross_entropy(hidden, weight, labels, softcap=cap, shift=True, impl="cce")
        return MoeCausalLMOutputWithPast(**chunked_loss.balanced(self, loss, routed, named.get("attention_mask")))

    base.forward = types.MethodType(forward, base)


# Optimizers


class Plain:
    """An optimizer whose states are those plain tensors that subclasses hold."""

    def __init__(self, inner):
        self.inner, self.param_groups = inner, inner.param_groups
        self.step, self.zero_grad = inner.step, inner.zero_grad

    @property
    def state(self):
        held = lambda value: [getattr(value, name) for name in value.__tensor_flatten__()[0]] if hasattr(value, "__tensor_flatten__") else value
        return {p: {name: held(value) for name, value in state.items()} for p, state in self.inner.state.items()}


class InBackward:
    """LOMO and AdaLOMO."""
    param_groups = []

    def __init__(self, inner):
        self.inner = inner

    @property
    def state(self):
        return {name: getattr(self.inner, name, {}) for name in ("exp_avg_sq", "exp_avg_sq_row", "exp_avg_sq_col")}

    def backward(self, loss):
        self.inner.fused_backward(loss, 1e-3)

    def step(self):
        pass

    def zero_grad(self, set_to_none=True):
        pass


def is_hidden(name, parameter):
    """Which matrices APOLLO projects."""
    return parameter.ndim == 2 and "embed" not in name and "lm_head" not in name


def optimizer(asked, parameters, model):
    name = asked["name"]
    if name in TORCHAO:
        libraries.compiled_without_kernels()
        import torchao.optim
        return Plain(getattr(torchao.optim, TORCHAO[name])(parameters, lr=1e-3, **dict(bf16_stochastic_round=True) if asked.get("bf16_stochastic_round") else {}))
    if name == "adam_mini":
        from adam_mini import Adam_mini
        sizes = model.config
        return Adam_mini(named_parameters=model.named_parameters(), lr=1e-3, betas=(0.9, 0.999), weight_decay=0.0, dim=sizes.hidden_size, n_heads=sizes.num_attention_heads,
                         n_kv_heads=sizes.num_key_value_heads, verbose=False)
    if name.startswith("apollo"):
        from apollo_torch import APOLLOAdamW
        hidden = [p for n, p in model.named_parameters() if p.requires_grad and is_hidden(n, p)]
        others = [p for p in parameters if all(p is not other for other in hidden)]
        mini = name == "apollo_mini"
        low = dict(params=hidden, rank=asked.get("rank", 1 if mini else 128), proj="random", scale_type="tensor" if mini else "channel", scale=128 if mini else 1, update_proj_gap=200, proj_type="std")
        return APOLLOAdamW([dict(params=others), low] if others else [low], lr=1e-3)
    if name in ("lomo", "adalomo"):
        import lomo_optim
        return InBackward(dict(lomo=lomo_optim.Lomo, adalomo=lomo_optim.AdaLomo)[name](model, lr=1e-3))
    import schedulefree
    made = schedulefree.AdamWScheduleFree(parameters, lr=1e-3, foreach=asked.get("impl", "foreach") == "foreach") if name == "schedule_free_adamw" else schedulefree.SGDScheduleFree(parameters, lr=1e-3)
    made.train()
    return made


# Activations


def around_forward(asked, model):
    """What surrounds a forward pass, made once."""
    kind, streams = asked["activation_offload"].get("kind", "none"), asked["activation_offload"].get("streams", True)
    if kind == "saved_tensors":
        from trl.models.activation_offloading import get_act_offloading_ctx_manager
        return get_act_offloading_ctx_manager(model, use_streams=streams)
    return torch.autograd.graph.save_on_cpu(pin_memory=True) if kind == "save_on_cpu" else contextlib.nullcontext()


def checkpointing(asked):
    """Options of `gradient_checkpointing_enable` for layers that keep the results of some operations (torchtitan's policy)."""
    from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts
    kept = [name for operation in asked["selective"].get("save", ["mm", "attention"]) for name in OPERATIONS[operation]]

    def contexts():
        counted = {}

        def policy(context, operation, *args, **named):
            pass_ = "again" if context.is_recompute else "forward"
            if str(operation) in OPERATIONS["mm"]:
                counted[pass_] = counted.get(pass_, 0) + 1
                if asked["selective"].get("every_second_mm") and counted[pass_] % 2 == 0:
                    return CheckpointPolicy.PREFER_RECOMPUTE
            return CheckpointPolicy.MUST_SAVE if str(operation) in kept else CheckpointPolicy.PREFER_RECOMPUTE

        return create_selective_checkpoint_contexts(policy)

    return dict(use_reentrant=False, context_fn=contexts)


def inputs_on_host(base):
    """axolotl's `gradient_checkpointing: offload`; its package has one file that is needed, `monkeypatch/gradient_checkpointing/offload_cpu.py` (0.19), here `axolotl_offload_cpu.py`."""
    from axolotl_offload_cpu import CPU_Offloaded_Gradient_Checkpointer as checkpointer
    for module in base.modules():
        if hasattr(module, "_gradient_checkpointing_func"):
            module._gradient_checkpointing_func = lambda layer, *args, use_reentrant=None, **named: checkpointer.apply(layer, *args)
