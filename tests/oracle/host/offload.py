"""What offloading by DeepSpeed and FSDP keeps in host memory: pinned and pageable bytes of one rank, moment by moment, and with
the full state gathered on rank 0.

usage: run.sh offload.py [NAME ...]     (a real GPU, or the stubbed runtime of tests/oracle)

One rank of W in one process: the collectives of PyTorch's fake process group return at once. Pinned bytes are
PyTorch's own (`torch.cuda.host_memory_stats`), pageable ones those of all tensors on the CPU that live.
Needs deepspeed beside PyTorch and transformers; its CPU Adam is compiled at the first run (2 minutes).
"""

import functools
import gc
import itertools
import os
import sys
import types

import measure

os.environ.setdefault("DS_ACCELERATOR", "cuda")
os.environ.setdefault("DS_SKIP_CUDA_CHECK", "1")

# Name: kind, ranks, more.
CASES = {
    "zero1": dict(kind="deepspeed_zero", stage=1, size=1),
    "zero2": dict(kind="deepspeed_zero", stage=2, size=1),
    "zero2 of 4": dict(kind="deepspeed_zero", stage=2, size=4),
    "zero2 pageable": dict(kind="deepspeed_zero", stage=2, size=1, pin_memory=False),
    "zero2 accumulation": dict(kind="deepspeed_zero", stage=2, size=1, accumulation=2),
    "zero2 of 4 accumulation": dict(kind="deepspeed_zero", stage=2, size=4, accumulation=2),
    "zero2 fp32": dict(kind="deepspeed_zero", stage=2, size=1, precision="fp32"),
    "zero2 lora": dict(kind="deepspeed_zero", stage=2, size=1, lora=True),
    "zero3": dict(kind="deepspeed_zero", stage=3, size=1),
    "zero3 of 4": dict(kind="deepspeed_zero", stage=3, size=4),
    "zero3 pageable": dict(kind="deepspeed_zero", stage=3, size=1, pin_memory=False),
    "zero3 accumulation": dict(kind="deepspeed_zero", stage=3, size=1, accumulation=2),
    "zero3 params": dict(kind="deepspeed_zero", stage=3, size=1, offload_param="cpu"),
    "zero3 params of 4": dict(kind="deepspeed_zero", stage=3, size=4, offload_param="cpu"),
    "zero3 params pageable": dict(kind="deepspeed_zero", stage=3, size=1, offload_param="cpu", pin_memory=False),
    "fsdp1": dict(kind="fsdp1", size=1),
    "fsdp1 of 4": dict(kind="fsdp1", size=4),
    "fsdp1 of 4 mixed": dict(kind="fsdp1", size=4, mixed=True),
    "fsdp1 of 4 bf16": dict(kind="fsdp1", size=4, precision="bf16"),
    "fsdp2": dict(kind="fsdp2", size=1),
    "fsdp2 of 4": dict(kind="fsdp2", size=4),
    "fsdp2 of 4 mixed": dict(kind="fsdp2", size=4, mixed=True),
    "fsdp2 of 4 bf16": dict(kind="fsdp2", size=4, precision="bf16"),
    "fsdp2 of 4 pageable": dict(kind="fsdp2", size=4, pin_memory=False),
    # Beside a model that the trained one is compared with, as TRL prepares it.
    "zero2 of 4 reference": dict(kind="deepspeed_zero", stage=2, size=4, reference=True),
    "zero3 of 4 reference": dict(kind="deepspeed_zero", stage=3, size=4, reference=True),
    "zero3 params reference": dict(kind="deepspeed_zero", stage=3, size=1, offload_param="cpu", reference=True),
    "zero3 params of 4 reference": dict(kind="deepspeed_zero", stage=3, size=4, offload_param="cpu", reference=True),
    "zero3 params of 4 pageable reference": dict(kind="deepspeed_zero", stage=3, size=4, offload_param="cpu", pin_memory=False, reference=True),
    "fsdp1 of 4 reference": dict(kind="fsdp1", size=4, reference=True),
    "fsdp1 of 4 mixed reference": dict(kind="fsdp1", size=4, mixed=True, reference=True),
    "fsdp1 of 4 bf16 reference": dict(kind="fsdp1", size=4, precision="bf16", reference=True),
    "fsdp2 of 4 reference": dict(kind="fsdp2", size=4, reference=True),
    "fsdp2 of 4 bf16 reference": dict(kind="fsdp2", size=4, precision="bf16", reference=True),
    "fsdp2 of 4 pageable reference": dict(kind="fsdp2", size=4, pin_memory=False, reference=True),
}
SIZES = dict(hidden_size=576, intermediate_size=1536, num_hidden_layers=8, num_attention_heads=9,
             num_key_value_heads=3, vocab_size=49152, max_position_embeddings=2048, tie_word_embeddings=True)


def group(size):
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore
    os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE=str(size), MASTER_ADDR="localhost", MASTER_PORT="29511")
    dist.init_process_group("fake", rank=0, world_size=size, store=FakeStore())
    return dist.group.WORLD


def llama(case, device):
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig
    dtype = torch.float32 if case.get("precision", case["default"]) == "fp32" else torch.bfloat16
    with torch.device(device):
        return AutoModelForCausalLM.from_config(LlamaConfig(**SIZES), dtype=dtype).train()


def of_deepspeed(case):
    # The fake group answers with zeros: the checks that ranks agree would fail.
    import deepspeed
    from deepspeed.ops.adam import DeepSpeedCPUAdam
    from deepspeed.runtime.zero import parameter_offload, partition_parameters, partitioned_param_coordinator, stage3, utils
    for module in (utils, partitioned_param_coordinator, stage3, parameter_offload, partition_parameters):
        for name in ("assert_ints_same_as_other_ranks", "assert_lst_len_same_as_other_ranks"):
            if hasattr(module, name):
                setattr(module, name, lambda *_, **__: None)
        if hasattr(module, "get_lst_from_rank0"):
            module.get_lst_from_rank0 = lambda values: values
    model = llama(case, "cuda")
    if case.get("lora"):
        from peft import LoraConfig, get_peft_model
        model = get_peft_model(model, LoraConfig(r=64, target_modules=["q_proj", "v_proj"]))
    trained = [p for p in model.parameters() if p.requires_grad]
    pinned = case.get("pin_memory", True)
    zero = {"stage": case["stage"], "overlap_comm": False, "reduce_bucket_size": 5_000_000,
            "offload_optimizer": {"device": "cpu", "pin_memory": pinned}}
    if "offload_param" in case:
        zero["offload_param"] = {"device": "cpu", "pin_memory": pinned}
    config = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": case.get("accumulation", 1),
              "zero_optimization": zero, "bf16": {"enabled": case.get("precision") != "fp32"}}
    refers(case, "prepare_deepspeed", deepspeed_plugin=types.SimpleNamespace(deepspeed_config=config))  # before the model, as trainers do
    optimizer = DeepSpeedCPUAdam(trained)
    engine, _, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, model_parameters=trained, config=config)
    gathers = {"model": engine._zero3_consolidated_16bit_state_dict} if case["stage"] == 3 else {}
    return types.SimpleNamespace(forward=engine, backward=engine.backward, step=engine.step, zero_grad=lambda: None,
                                 gathers=gathers)


def refers(case, prepares, **state):
    """A reference that TRL prepares (`models/utils.py`, trl 1.16) for an accelerator that knows the options of the model."""
    import torch, trl.models.utils
    if not case.get("reference"):
        return
    accelerator = types.SimpleNamespace(device=torch.device("cuda", 0), state=types.SimpleNamespace(**state))
    case["compared"] = getattr(trl.models.utils, prepares)(llama(case, "cuda"), accelerator)


def torch_optimizer(model, forward, gathers):
    import torch
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], fused=True)
    return types.SimpleNamespace(forward=forward, backward=lambda loss: loss.backward(), step=optimizer.step,
                                 zero_grad=optimizer.zero_grad,
                                 gathers={what: functools.partial(state, model, optimizer)
                                          for what, state in gathers.items()})


def of_fsdp1(case):
    import torch
    from torch.distributed.fsdp import CPUOffload, FullyShardedDataParallel, MixedPrecision
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
    model = llama(case, "cuda")
    wrap = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={type(model.model.layers[0])})
    bf16 = torch.bfloat16
    mixed = MixedPrecision(param_dtype=bf16, reduce_dtype=bf16, buffer_dtype=bf16) if case.get("mixed") else None
    sharded = FullyShardedDataParallel(model, auto_wrap_policy=wrap, mixed_precision=mixed, device_id=0,
                                       use_orig_params=True, cpu_offload=CPUOffload(offload_params=True))

    def gathered(model, _):
        from torch.distributed.fsdp import FullStateDictConfig, StateDictType
        on_rank_0 = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, on_rank_0):
            return model.state_dict()

    plugin = types.SimpleNamespace(
        fsdp_version=1, set_auto_wrap_policy=lambda model: None, sharding_strategy=sharded.sharding_strategy, cpu_offload=CPUOffload(offload_params=True),
        auto_wrap_policy=wrap, mixed_precision_policy=mixed, sync_module_states=False, backward_prefetch=None, forward_prefetch=False, use_orig_params=True,
        param_init_fn=None, ignored_modules=None, limit_all_gathers=True)
    refers(case, "prepare_fsdp", fsdp_plugin=plugin)

    # Its optimizer's states cannot be gathered here: ranks that do not exist answer nothing about theirs.
    return torch_optimizer(sharded, sharded, {"model": gathered})


def of_fsdp2(case):
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
    model = llama(case, "meta")
    options = {"mesh": init_device_mesh("cuda", (case["size"],)),
               "offload_policy": CPUOffloadPolicy(pin_memory=case.get("pin_memory", True))}
    if case.get("mixed"):
        options["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.model.layers:
        fully_shard(layer, **options)
    fully_shard(model, **options)
    model.to_empty(device="cpu")
    for buffer in model.buffers():
        buffer.data = buffer.data.cuda()
    plugin = types.SimpleNamespace(fsdp_version=2, reshard_after_forward=True, cpu_offload=options["offload_policy"],
                                   mixed_precision_policy=options.get("mp_policy"), ignored_modules=None)
    refers(case, "prepare_fsdp", fsdp_plugin=plugin)
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_optimizer_state_dict
    full = StateDictOptions(full_state_dict=True, cpu_offload=True)
    return torch_optimizer(model, model, {
        "model": lambda model, _: get_model_state_dict(model, options=full),
        "optimizer": lambda model, optimizer: get_optimizer_state_dict(model, optimizer, options=full)})


def pageable():
    """Bytes of ordinary memory behind the tensors that live: those gc knows, and the gradients of all."""
    import torch
    found = {}
    known = [item for item in gc.get_objects() if isinstance(item, torch.Tensor)]
    for tensor in itertools.chain(known, (t.grad for t in known if t.is_leaf and t.grad is not None)):
        local = getattr(tensor, "_local_tensor", tensor)
        if local.device.type == "cpu" and local.layout == torch.strided and not local.is_pinned():
            storage = local.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values())


def run(name):
    import torch
    case = {"default": "bf16" if CASES[name]["kind"] == "deepspeed_zero" else "fp32", **CASES[name]}
    group(case["size"])
    torch.cuda.init()
    before = pageable()
    job = {"deepspeed_zero": of_deepspeed, "fsdp1": of_fsdp1, "fsdp2": of_fsdp2}[case["kind"]](case)
    gc.collect()
    figures = {}

    def mark(moment):
        stats = torch.cuda.host_memory_stats()
        figures[moment] = {"pinned": stats["allocated_bytes.current"], "pinned_in_use": stats["active_bytes.current"],
                           "pageable": pageable() - before}

    mark("built")
    batch = torch.zeros(1, 64, dtype=torch.long, device="cuda")
    for step in (1, 2):
        for micro in range(case.get("accumulation", 1)):
            if "compared" in case:
                with torch.no_grad():
                    case["compared"](input_ids=batch)
            loss = job.forward(input_ids=batch, labels=batch).loss
            job.backward(loss)
            del loss
            mark(f"backward {step}.{micro}")
            if case["kind"] == "deepspeed_zero" or micro == case.get("accumulation", 1) - 1:
                job.step()
        mark(f"step {step}")
        job.zero_grad()
        mark(f"zero_grad {step}")
    for what, gather in job.gathers.items():
        state = gather()
        mark(f"{what} gathered")
        del state
        gc.collect()
    case.pop("compared", None)
    measure.emit("10_offload", {"name": name, **case, "sizes": SIZES}, **figures)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        run(sys.argv[2])
    else:
        for each in sys.argv[1:] or CASES:
            measure.run_again(__file__, "--one", each)
