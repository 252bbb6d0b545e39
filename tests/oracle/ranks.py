"""One rank of several: the model as DDP, FSDP1, FSDP2 or DeepSpeed's ZeRO hold it (`parallelism.dp`), in a process group whose collectives return
at once. Each is used as the training program uses a model and its optimizer: `engine` is what is called, `optimizer` what steps. Which ranks there are: `size`, or all GPUs of `hardware`; `rank` is the one that is looked at."""
import contextlib, ctypes, functools, inspect
import torch
import around, libraries, master_weights
from recorder import storage, tensors

DTYPES = dict(bf16=torch.bfloat16, fp16=torch.float16, fp32=torch.float32)
# Keys of a scenario that DeepSpeed calls the same.
ZERO = ("overlap_comm", "contiguous_gradients", "reduce_bucket_size", "allgather_bucket_size", "sub_group_size", "stage3_max_live_parameters", "stage3_max_reuse_distance",
        "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold", "zero_hpz_partition_size")


def asked(scenario):
    """The settings of data parallelism, or None where one GPU trains alone. Other axes are refused."""
    import divided
    if divided.asked(scenario):
        return scenario["parallelism"].get("dp", {}) | dict(kind="divided")
    others = {axis for axis, settings in scenario["parallelism"].items() if axis != "dp" and settings.get("size", 1) > 1}
    dp = scenario["parallelism"].get("dp", {})
    kind = dp.get("kind", "none")
    if others or kind not in ("none", *KINDS):
        raise ValueError(f"cannot run {sorted(others) or kind}")
    return None if kind == "none" else dp


def device(scenario):
    """Where the model is built: what FSDP2 divides has no memory before it is divided, but where it is quantized."""
    dp = asked(scenario)
    whole = not dp or dp["kind"] not in ("fsdp2", "divided") or scenario["quantization"].get("type", "none") != "none"
    return "cuda" if whole else "meta"


def made(model, optimizer, scenario):
    """The rank around a model; `optimizer` makes one over given parameters, or is None where nothing is trained."""
    dp = asked(scenario)
    if dp["kind"] == "divided":
        import divided
        return divided.Divided(model, optimizer, scenario)
    group = group_of(scenario, dp)
    master_weights.alone(group["rank"], group["size"])
    return KINDS[dp["kind"]](model, optimizer, scenario, dp, group)


def group_of(scenario, dp):
    """How many ranks there are, which one is looked at, and how often the parameters are there."""
    hardware = scenario.get("hardware", {})
    gpus = hardware.get("gpus_per_node", 1) * hardware.get("nodes", 1)
    size = dp.get("size", gpus)
    return dict(size=size, rank=dp.get("rank", 0), copies=copies(dp, size, hardware.get("gpus_per_node", 1) if gpus > 1 else a_node(size)))


def a_node(size):
    """GPUs of a node where nothing is said of them."""
    return max(count for count in range(1, 9) if size % count == 0)


def copies(dp, size, node):
    """How often the parameters are there, each time divided among the other ranks."""
    hybrid = dp["kind"] == "fsdp1" and dp.get("sharding_strategy", "").startswith("HYBRID")
    if "shard_size" in dp:
        return size // dp["shard_size"]
    return dp.get("replicate_size", size // min(node, size) if hybrid else 1)


def layers(model):
    """The elements of the outermost lists of layers, or of blocks."""
    found = []
    for child in model.children():
        is_list = isinstance(child, torch.nn.ModuleList) and len(child) and type(child[0]).__name__.endswith(("Block", "Layer"))
        found += child if is_list else layers(child)
    return found


def mesh(group, copies):
    """The ranks of a group; where there are copies, those of one copy are neighbours."""
    from torch.distributed.device_mesh import init_device_mesh
    if not copies:
        return init_device_mesh("cuda", (group["size"],))
    return init_device_mesh("cuda", (group["copies"], group["size"] // group["copies"]), mesh_dim_names=("replicate", "shard"))


class Rank:
    """What most have in common. `weights`, `gradients` and `others` are kept beside the parameters, `kept` are further storages of parameters,
    `divides` says whether `backward` divides the loss, `clips` whether the optimizer's step clips; `unknown` is the category of what nobody
    knows when it is made, `shares` whether parameters say how much this rank has."""
    divides, clips, unknown, shares = False, False, "buffers", True
    weights, gradients, others, kept = [], [], [], []

    def __init__(self, engine, optimizer, dp):
        self.engine, self.dp = engine, dp
        self.trained = [p for p in engine.parameters() if p.requires_grad]
        self.optimizer = optimizer and optimizer(self.trained)

    @property
    def state(self):
        return self.optimizer.state

    def reduced(self):
        """What holds gradients beside the parameters when a backward pass has ended."""
        return []

    def buckets(self):
        """Storages in which gradients were reduced in the last backward pass."""
        return set()

    def micro_batch(self, last):
        """Around forward and backward of one: gradients are reduced after the last of a step, or after each."""
        return contextlib.nullcontext() if last or not self.dp.get("no_sync", True) else self.engine.no_sync()

    def backward(self, loss):
        loss.backward()

    def clip(self):
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)


class Ddp(Rank):
    unknown = "communication"

    def __init__(self, model, optimizer, scenario, dp, group):
        import torch.nn.parallel.distributed as ddp
        ddp._verify_param_shape_across_processes = lambda *given, **named: None  # other ranks answer with zeros
        if libraries.STUBBED:
            ctypes.CDLL(None).fakecuda_gives_back(1)  # the order of gradients, which the first rank says
        keys = ("gradient_as_bucket_view", "bucket_cap_mb", "static_graph", "find_unused_parameters")
        engine = ddp.DistributedDataParallel(model, **{key: dp[key] for key in keys if key in dp})
        self.seen = set()
        engine.register_comm_hook(dp.get("comm_hook", "none") == "bf16_compress", self.reduce)
        super().__init__(engine, optimizer, dp)
        if "zero_redundancy_optimizer" in dp and optimizer:
            self.optimizer = redundancy(self.optimizer, self.trained, dp["zero_redundancy_optimizer"])

    def reduce(self, compressed, bucket):
        """What the built-in all-reduce and `bf16_compress_hook` take, whose results the group does not have."""
        buffer, done = bucket.buffer(), torch.futures.Future()
        self.seen.add(storage(buffer))
        if compressed:
            copy = buffer.to(torch.bfloat16).div_(torch.distributed.get_world_size())
            done.set_result(copy)
            return done.then(lambda reduced: buffer.copy_(reduced.value()))
        done.set_result(buffer)
        return done

    @property
    def state(self):
        return getattr(self.optimizer, "optim", self.optimizer).state

    def backward(self, loss):
        self.seen.clear()
        loss.backward()

    def buckets(self):
        return self.seen


def redundancy(optimizer, trained, settings):
    """ZeroRedundancyOptimizer with the class and the options of an optimizer."""
    from torch.distributed.optim import ZeroRedundancyOptimizer
    options = {key: value for key, value in optimizer.defaults.items() if key in inspect.signature(type(optimizer)).parameters}
    return ZeroRedundancyOptimizer(trained, optimizer_class=type(optimizer), parameters_as_bucket_view=settings.get("parameters_as_bucket_view", False), **options)


class Fsdp1(Rank):
    def __init__(self, model, optimizer, scenario, dp, group):
        from torch.distributed.fsdp import FullyShardedDataParallel
        options = self.options(model, scenario, dp)
        where = dict(device_mesh=mesh(group, True)) if "HYBRID" in options["sharding_strategy"].name else dict(process_group=torch.distributed.group.WORLD)
        super().__init__(FullyShardedDataParallel(model, device_id=0, **options, **where), optimizer, dp)

    @staticmethod
    def options(model, scenario, dp):
        """What FSDP1 is given."""
        from torch.distributed.fsdp import BackwardPrefetch, CPUOffload, MixedPrecision, ShardingStrategy
        from torch.distributed.fsdp import wrap
        policy = functools.partial(wrap.transformer_auto_wrap_policy, transformer_layer_cls={type(layer) for layer in layers(model)})
        if dp.get("wrap_trainable_leaves"):  # fsdp_auto_wrap_policy of peft/utils/other.py
            is_trained = lambda module: not list(module.children()) and getattr(module, "weight", None) is not None and module.weight.requires_grad
            policy = functools.partial(wrap._or_policy, policies=[functools.partial(wrap.lambda_auto_wrap_policy, lambda_fn=is_trained), policy])
        mixed, precision = dp.get("mixed_precision", {}), None
        if "output" in mixed:
            raise ValueError("FSDP1 casts no outputs")
        if "param" in mixed:
            dtype = DTYPES[mixed["param"]]
            precision = MixedPrecision(param_dtype=dtype, reduce_dtype=DTYPES[mixed.get("reduce", mixed["param"])], buffer_dtype=dtype)
        strategy = dp.get("sharding_strategy", "FULL_SHARD")
        strategy = getattr(ShardingStrategy, "_HYBRID_SHARD_ZERO2" if strategy == "HYBRID_SHARD_ZERO2" else strategy)
        prefetch = dict(pre=BackwardPrefetch.BACKWARD_PRE, post=BackwardPrefetch.BACKWARD_POST, none=None)[dp.get("backward_prefetch", "pre")]
        return dict(
            sharding_strategy=strategy, auto_wrap_policy=policy, mixed_precision=precision, use_orig_params=dp.get("use_orig_params", True),
            limit_all_gathers=dp.get("limit_all_gathers", True), forward_prefetch=dp.get("forward_prefetch", False), backward_prefetch=prefetch,
            cpu_offload=CPUOffload(True) if dp.get("cpu_offload") else None)

    def clip(self):
        self.engine.clip_grad_norm_(1.0)


class Fsdp2(Rank):
    def __init__(self, model, optimizer, scenario, dp, group):
        loads = scenario["around"].get("loading", "none") != "none"
        held = around.held(model) if loads else None
        if dp.get("plan") == "transformers":
            divided_as_planned(model, dp, group)
        else:
            self.divide(model, dp, mesh(group, group["copies"] > 1))
        if loads:
            around.distributed(model, held, group["rank"])
        elif device(scenario) == "meta":
            model.to_empty(device="cpu" if dp.get("cpu_offload") else "cuda")
        for buffer in model.buffers():
            buffer.data = buffer.data.cuda()
        super().__init__(model, optimizer, dp)

    def divide(self, model, dp, ranks):
        from torch.distributed.fsdp import fully_shard
        options = options_of_fsdp2(dp, ranks)
        gives_back = dict(reshard_after_forward=dp.get("reshard_after_forward", True))
        groups, ahead = layers(model), dp.get("explicit_prefetch", 0)
        for layer in groups:
            fully_shard(layer, **gives_back, **options)
        if dp.get("wrap_embeddings"):
            fully_shard(model.model.embed_tokens, **gives_back, **options)
            fully_shard([model.model.norm, model.lm_head], reshard_after_forward=bool(dp.get("reshard_root_after_forward")), **options)
        root = dp.get("reshard_root_after_forward")
        fully_shard(model, **({} if root is None else dict(reshard_after_forward=root)), **options)
        for number, layer in enumerate(groups if ahead else ()):
            layer.set_modules_to_forward_prefetch(groups[number + 1:number + 1 + ahead])
            layer.set_modules_to_backward_prefetch(groups[max(0, number - ahead):number][::-1])

    @contextlib.contextmanager
    def micro_batch(self, last):
        self.engine.set_requires_gradient_sync(last or not self.dp.get("no_sync", True))
        yield


def options_of_fsdp2(dp, ranks):
    """What each `fully_shard` is given."""
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy
    mixed, options = dp.get("mixed_precision", {}), dict(mesh=ranks)
    if mixed:
        dtype = {f"{name}_dtype": DTYPES[mixed[name]] for name in ("param", "reduce", "output") if name in mixed}
        options["mp_policy"] = MixedPrecisionPolicy(**dtype, cast_forward_inputs=mixed.get("cast_forward_inputs", True))
    if dp.get("cpu_offload"):
        options["offload_policy"] = CPUOffloadPolicy(pin_memory=dp.get("pin_memory", True))
    return options


def divided_as_planned(model, dp, group):
    """By transformers, as its `base_model_fsdp_plan` says."""
    from transformers.distributed.configuration_utils import DistributedConfig
    settings = DistributedConfig(tp_size=1, fsdp_size=group["size"] // group["copies"], fsdp_mixed_precision="param" in dp.get("mixed_precision", {}),
                                 **dict(dp_replicate_size=group["copies"]) if group["copies"] > 1 else {})
    settings, _, ranks = type(model).prepare_distribute_model(settings)
    type(model).maybe_distribute_model(model, settings, ranks)


class Zero(master_weights.DeepSpeed, Rank):
    divides, clips, unknown = False, True, "communication"

    def __init__(self, model, optimizer, scenario, dp, group):
        agreed()
        self.dp, self.shares, self.is_last = dp, dp.get("stage", 2) < 3, True
        trained = [p for p in model.parameters() if p.requires_grad]
        master_weights.DeepSpeed.__init__(self, model, optimizer(trained), scenario, self.of_zero(dp))
        self.optimizer, self.trained = self, trained

    @staticmethod
    def of_zero(dp):
        stage = dp.get("stage", 2)
        settings = dict(stage=stage, overlap_comm=stage == 3, **{key: dp[key] for key in ZERO if key in dp and key != "overlap_comm"})
        if dp.get("overlap_comm") is not None:
            settings["overlap_comm"] = dp["overlap_comm"]
        for key in ("offload_optimizer", "offload_param"):
            if dp.get(key) == "cpu":
                settings[key] = dict(device="cpu", pin_memory=dp.get("pin_memory", True))
        return settings

    @classmethod
    def settings(cls, scenario, dp):
        """The whole configuration of DeepSpeed."""
        import deepspeed
        import deepspeed.runtime.bf16_optimizer as silent
        deepspeed.logger.setLevel("ERROR")
        silent.see_memory_usage = lambda *_, **__: None
        agreed()
        return master_weights.settings(scenario, cls.of_zero(dp))

    def of(self, *names):
        """Those attributes of the engine's optimizer that are there."""
        return list(tensors([getattr(self.engine.optimizer, name, None) or () for name in names]))

    @property
    def kept(self):
        whole = self.of("bit16_groups_flat", "fp16_partitioned_groups_flat", "fp16_groups_flat")
        return whole + list(tensors([getattr(p, "ds_tensor", None) for p in self.engine.module.parameters()]))

    @property
    def weights(self):
        return self.of("single_partition_of_fp32_groups", "fp32_partitioned_groups_flat")

    @property
    def gradients(self):
        flat = [getattr(self.engine.optimizer, name, None) for name in ("grad_partitions_flat_buffer", "_DeepSpeedZeroOptimizer_Stage3__ipg_bucket_flat_buffer")]
        return list(tensors(flat))

    def reduced(self):
        return self.of("averaged_gradients")

    def micro_batch(self, last):
        self.is_last = last
        return contextlib.nullcontext()


def agreed():
    """Other ranks answer with zeros: nobody asks whether all have the same."""
    import importlib
    for name in ("utils", "partitioned_param_coordinator", "stage3", "parameter_offload", "partition_parameters"):
        module = importlib.import_module(f"deepspeed.runtime.zero.{name}")
        for check in ("assert_ints_same_as_other_ranks", "assert_lst_len_same_as_other_ranks", "get_lst_from_rank0"):
            if hasattr(module, check):
                setattr(module, check, lambda given, *rest, **named: given)
    # Written into a message that nobody sees, parameters of a loaded model take as much as their values ask for, some KiB; the stubs have none.
    torch.nn.Parameter.__repr__ = lambda parameter: "Parameter"


KINDS = dict(ddp=Ddp, fsdp1=Fsdp1, fsdp2=Fsdp2, deepspeed_zero=Zero)
