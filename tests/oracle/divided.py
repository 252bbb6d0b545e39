"""One rank of those that modules or whole experts are divided among (`parallelism.tp`, `parallelism.ep`): by transformers' `DistributedConfig`, as `from_pretrained`
does, with its own FSDP2, or by a script (`parallelize_module`, as stages.py has it), then `fully_shard`. Adapters come after transformers' division, as PEFT has it."""
import contextlib, inspect
import ranks

# How many tokens go where is read from the device, whose kernels write nothing: as many go to each as can be.
READ = "torch.stack([send_counts.sum(dim=1), recv_counts.sum(dim=1)]).tolist()"
BALANCED = f"balanced(expert_ids.numel(), ep_size, {READ})"


def asked(scenario):
    """Whether modules or experts are divided, alone or beside FSDP2."""
    axes = scenario["parallelism"]
    tp, ep = (axes.get(axis, {}).get("size", 1) > 1 for axis in ("tp", "ep"))
    if not (tp or ep or axes.get("dp", {}).get("plan") == "transformers" and scenario.get("lora")) or axes.get("pp", {}).get("size", 1) > 1:
        return False
    if axes.get("cp", {}).get("size", 1) > 1 or axes.get("dp", {}).get("kind", "none") not in ("none", "fsdp2") or ep and not planned(scenario):
        raise ValueError("cannot run these axes together")
    return True


def planned(scenario):
    """Whether transformers divides."""
    tp, ep = scenario["parallelism"].get("tp", {}), scenario["parallelism"].get("ep", {})
    return tp.get("plan") == "transformers" or tp.get("size", 1) < 2 and ep.get("kind", "all_to_all") != "megatron"


def sizes(scenario):
    """Copies, shares of one, ranks of tensor and of expert parallelism."""
    dp, tp, ep = (dict(kind="none") | scenario["parallelism"].get(axis, {}) for axis in ("dp", "tp", "ep"))
    size = dp.get("size", 1) if dp["kind"] == "fsdp2" else 1
    copies = ranks.copies(dp, size, ranks.a_node(size))
    return copies, size // copies, tp.get("size", 1), ep.get("size", 1)


def divide(model, scenario):
    """The model, of which this rank has its part; on the device."""
    import master_weights
    copies, shards, parts, experts = sizes(scenario)
    master_weights.alone(scenario["parallelism"].get("dp", {}).get("rank", 0) * parts, copies * shards * parts)
    if planned(scenario):
        by_transformers(model, scenario, copies, shards, parts, experts)
    else:
        by_script(model, scenario, shards, parts)
    model.to_empty(device="cuda")
    if model.config.tie_word_embeddings:
        model.tie_weights()


def by_transformers(model, scenario, copies, shards, parts, experts):
    from transformers.distributed import expert_parallel
    from transformers.distributed.configuration_utils import DistributedConfig
    dp, ep = scenario["parallelism"].get("dp", {}), scenario["parallelism"].get("ep", {})
    if experts > 1 and not hasattr(expert_parallel, "balanced"):  # a reference is divided, too
        source = inspect.getsource(expert_parallel.AllToAllEP._dispatch_tokens)
        assert READ in source
        expert_parallel.balanced = balanced
        names = dict(vars(expert_parallel))
        exec(inspect.cleandoc("\n" + source).replace(READ, BALANCED), names)
        expert_parallel.AllToAllEP._dispatch_tokens = names["_dispatch_tokens"]
    settings = DistributedConfig(tp_size=parts, fsdp_size=shards, fsdp_mixed_precision="param" in dp.get("mixed_precision", {}), dp_replicate_size=copies,
                                 ep_size=experts, ep_implementation=ep.get("kind", "all_to_all"))
    settings, _, meshes = type(model).prepare_distribute_model(settings)
    type(model).maybe_distribute_model(model, settings, meshes)


def balanced(rows, groups, read):
    """Rows sent to and received from each rank, in the place of what was read."""
    each = [rows // groups + (group < rows % groups) for group in range(groups)]
    return each, each


def by_script(model, scenario, shards, parts):
    from torch.distributed.device_mesh import init_device_mesh
    import stages
    dp, tp = scenario["parallelism"].get("dp", {}), scenario["parallelism"]["tp"]
    if not tp.get("shard_embeddings", True) or tp.get("loss_parallel"):
        raise ValueError("divides embeddings, and no losses")
    mesh = init_device_mesh("cuda", (shards, parts), mesh_dim_names=("dp", "tp"))
    stages.parallelized(model, tp, mesh["tp"])
    if model.config.tie_word_embeddings:
        model.lm_head._parameters["weight"] = model.model.embed_tokens._parameters["weight"]
    if dp.get("kind") == "fsdp2":
        ranks.Fsdp2.divide(None, model, dp, mesh["dp"])


class Divided(ranks.Rank):
    """What steps; an optimizer's groups have one mesh each."""

    def __init__(self, model, optimizer, scenario):
        import stages
        super().__init__(model, optimizer and (lambda trained: optimizer(stages.by_mesh(trained))), scenario["parallelism"].get("dp", {}))

    def micro_batch(self, last):
        if self.dp.get("kind") == "fsdp2":
            base = self.engine.get_base_model() if hasattr(self.engine, "get_base_model") else self.engine
            base.set_requires_gradient_sync(last or not self.dp.get("no_sync", True))
        return contextlib.nullcontext()
