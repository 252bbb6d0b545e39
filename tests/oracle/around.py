"""What stands around the steps: the model's way from a checkpoint to the device, as transformers' own `from_pretrained`, PEFT and `Trainer` go it, and
what saving a checkpoint takes (`around` of a scenario).

    python3 around.py 7 60 | DIR/run.sh cases.py --apart > measured.jsonl            # drawn by a seed
    python3 around.py 7 30 ranks | DIR/run.sh cases.py --apart > measured.jsonl      # ranks of several that save (`pip install deepspeed==0.19.8`)
    python3 around.py 7 30 ranks loading | DIR/run.sh cases.py --apart > measured.jsonl    # or that load; of one kind where that is named, as `fsdp2`"""
import json, os, random, shutil, sys, tempfile

DEFAULTS = dict(loading="none", saving=False)
LARGEST = 60_000_000  # entries of a table: checkpoints are really written
LOADING = ("none", "cpu", "device_map", "zero_init")
folder = None
engine = None  # DeepSpeed's configuration, as long as transformers is to know of it


def complete(asked):
    found = {**DEFAULTS, **asked["around"]}
    if set(asked["around"]) - set(DEFAULTS) or found["loading"] not in LOADING:
        raise ValueError(f"cannot run around {asked['around']}")
    return found


def begins(asked, recorder):
    """Writes the checkpoint that is to be loaded, on the host; from here on it is."""
    import torch, scenario as scenarios
    global folder
    complete(asked)
    # Weights come in the order of their names; several threads, which read ahead otherwise, take turns as they like.
    os.environ["HF_DEACTIVATE_ASYNC_LOAD"] = "1"
    folder = tempfile.mkdtemp()
    with scenarios.without_values():
        model = scenarios.class_of(asked).from_config(scenarios.config(asked), dtype=scenarios.WEIGHTS[asked["weights"] or asked["precision"]])
    model.tie_weights()
    model.save_pretrained(folder)
    if asked["around"]["loading"] == "zero_init":
        partitions_as_built(asked)
    recorder.mark("0:0:loading")
    torch.cuda.empty_cache()  # of what the mark took: the reservation for weights would be so much less


def partitions_as_built(asked):
    """From here on `from_pretrained` builds within `deepspeed.zero.Init`, as it does once `TrainingArguments(deepspeed=...)` are there."""
    import master_weights, ranks
    from transformers.integrations import HfDeepSpeedConfig
    global engine
    dp = ranks.asked(asked)
    group = ranks.group_of(asked, dp)
    master_weights.alone(group["rank"], group["size"])
    engine = HfDeepSpeedConfig(ranks.Zero.settings(asked, dp))


def loaded(asked):
    """The model as a training script has it before PEFT and Trainer come to it."""
    import torch, libraries, scenario as scenarios
    quantization = asked["quantization"]
    options = dict(dtype=scenarios.WEIGHTS[asked["weights"] or asked["precision"]])
    kind = quantization.get("type", "none")
    if kind != "none":
        libraries.stub_triton()
        from transformers import BitsAndBytesConfig
        compute = libraries.COMPUTE[quantization.get("compute_dtype", "bf16")]
        options = dict(dtype=compute, quantization_config=BitsAndBytesConfig(load_in_8bit=True) if kind == "int8" else BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type=kind, bnb_4bit_use_double_quant=quantization.get("double", False), bnb_4bit_compute_dtype=compute,
            bnb_4bit_quant_storage=getattr(torch, quantization.get("storage", "uint8"))))
    if complete(asked)["loading"] == "device_map":
        options["device_map"] = {"": 0}
    config = scenarios.config(asked)
    if quantization.get("experts"):
        quantizes_experts(quantization)
    model = scenarios.class_of(asked).from_pretrained(folder, config=config, attn_implementation=scenarios.attention_of(asked), **options)
    shutil.rmtree(folder)
    prepares = kind != "none" and quantization.get("prepare_for_kbit_training", True)
    casts = prepares and quantization.get("cast_back")
    if casts:
        libraries.cast_embeddings(model, torch.float32)
    if prepares:
        from peft import prepare_model_for_kbit_training
        checkpointing = asked["activation_checkpointing"]
        more = dict(gradient_checkpointing_kwargs=dict(use_reentrant=checkpointing == "full_reentrant")) if checkpointing != "none" else {}
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=checkpointing != "none", **more)
    if casts:
        libraries.cast_embeddings(model, compute)
    return model


def quantizes_experts(asked):
    """From here on stacked weights of experts are quantized as they are set (axolotl 0.19, `patch_moe_quantization_on_load`)."""
    import torch, libraries
    from transformers import core_model_loading, modeling_utils
    modeling_utils.caching_allocator_warmup = lambda *args, **kwargs: None
    original = core_model_loading.set_param_for_module

    def set_param(model, target, value, *args, **kwargs):
        original(model, target, value, *args, **kwargs)
        if value.ndim >= 3 and value.is_cuda and "expert" in target:
            path, _, name = target.rpartition(".")
            libraries.quantize_experts(model.get_submodule(path), name, asked)
            value.data = torch.empty(0, device="cpu")
            torch.cuda.empty_cache()

    core_model_loading.set_param_for_module = set_param


def held(model):
    """What the host has of a model that FSDP2 is to divide, which goes to the meta device (`fsdp2_prepare_model`, accelerate 1.15)."""
    import copy, torch
    from accelerate.utils.fsdp_utils import get_non_persistent_buffers
    whole = model.state_dict()
    names = get_non_persistent_buffers(model, recurse=True, fqns=True)
    buffers = copy.deepcopy({name: buffer for name, buffer in model.named_buffers() if name in names})
    model.to(torch.device("meta"))
    model.tie_weights()
    return whole, buffers


def distributed(model, held, rank):
    """Each rank's part of it, from the first rank's host (`cpu_ram_efficient_loading`)."""
    import types
    from accelerate.utils.fsdp_utils import fsdp2_load_full_state_dict
    whole, buffers = held
    fsdp2_load_full_state_dict(types.SimpleNamespace(is_main_process=rank == 0), model, whole)
    for name, buffer in buffers.items():
        parent, _, own = name.rpartition(".")
        (model.get_submodule(parent) if parent else model).register_buffer(own, buffer.cuda(), persistent=False)
    model.tie_weights()


def save(model, optimizer, asked):
    """A checkpoint as Trainer writes it: the model, then the optimizer's states."""
    import torch
    dp = asked["parallelism"].get("dp", {})
    kind = dp.get("kind", "none")
    if kind in ("fsdp1", "fsdp2", "deepspeed_zero"):
        whole = asked.get("host", {}).get("saving", "full_state" if kind == "fsdp1" else "shards") == "full_state"
        return gathered(model, kind, dp, optimizer) if whole else divided(model, kind, optimizer)
    with tempfile.TemporaryDirectory() as at:
        getattr(model, "module", model).save_pretrained(at)
        if optimizer:
            torch.save(list(optimizer.state.values()), f"{at}/optimizer.pt")


def gathered(engine, kind, dp, optimizer):
    """What `Accelerator.get_state_dict` gathers of the model on the first rank (accelerate 1.15), then of the optimizer's states what
    `save_fsdp_optimizer` does: of FSDP1 they cannot be asked for where other ranks do not answer. DeepSpeed writes them as shards."""
    if kind == "fsdp1":
        from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel, StateDictType
        with FullyShardedDataParallel.state_dict_type(engine, StateDictType.FULL_STATE_DICT, FullStateDictConfig(offload_to_cpu=True, rank0_only=True)):
            engine.state_dict()
    elif kind == "fsdp2":
        from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_optimizer_state_dict
        whole = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True)
        get_model_state_dict(engine, options=whole)
        get_optimizer_state_dict(engine, optimizer, options=whole)
    elif dp.get("stage", 2) == 3:
        engine._zero3_consolidated_16bit_state_dict()


def divided(engine, kind, optimizer):
    """Each rank's own: what `torch.distributed.checkpoint` then copies to the host, tensor by tensor."""
    if kind == "fsdp1":
        from torch.distributed.fsdp import FullyShardedDataParallel, StateDictType
        with FullyShardedDataParallel.state_dict_type(engine, StateDictType.SHARDED_STATE_DICT):
            engine.state_dict()
    elif kind == "fsdp2":
        from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict
        get_model_state_dict(engine), get_optimizer_state_dict(engine, optimizer)


def drawn(chance):
    """A scenario that draw.py draws, with loading before it, at times saving after it."""
    import draw
    often, pick = lambda share: chance.random() < share, chance.choice
    while True:
        made = draw.scenario(chance)
        kind = made["model"]["hf_config"]["model_type"] if isinstance(made["model"], dict) else json.load(open(draw.CATALOG[made["model"]]))["model_type"]
        if kind in draw.LINEAR_ATTENTION or "master_weights" in made["optimizer"] if "optimizer" in made else True:
            continue
        if isinstance(made["model"], str):
            config = json.load(open(draw.CATALOG[made["model"]]))
            depth = next((key for key in ("num_hidden_layers", "n_layer", "num_layers") if key in config), None)
            width, vocabulary = (next((config[key] for key in keys if key in config), 0) for keys in (("hidden_size", "n_embd", "d_model"), ("vocab_size",)))
            if depth is None or "layer_types" in config or "attention_types" in config or "text_config" in config or width * vocabulary > LARGEST or width > 2048:
                continue
            made["model_overrides"] = {depth: pick([1, 2, 3])}
        break
    for key in ("program", "offload", "evaluation"):
        if key != "evaluation" or often(0.7):
            made.pop(key, None)
    if often(0.4) and made["precision"] != "fp32":
        while "quantization" not in made:
            made.pop("frozen", None)
            made.pop("weights", None)
            made.update(draw.adapters(chance, kind, True))
    made["around"] = dict(loading=pick(["cpu", "device_map"]), **dict(saving=True) if often(0.5) else {})
    return dict(v=1, **made)


def drawn_rank(chance, loads=False, wanted=None):
    """One of several, which saves a checkpoint after each step, or loads its model."""
    import draw, draw_ranks
    kind = wanted or chance.choice(["ddp", "ddp", "fsdp1", "deepspeed_zero"] if loads else ["ddp", "fsdp1", "fsdp2", "deepspeed_zero"])
    made = draw_ranks.scenario(chance, kind)
    made.pop("evaluation", None)
    if loads:
        dp = made["parallelism"]["dp"]
        quantized = "quantization" in made
        if made["model"]["hf_config"]["model_type"] in draw.LINEAR_ATTENTION or kind in ("fsdp1", "fsdp2") and quantized or dp.get("plan") or dp.get("cpu_offload"):
            return drawn_rank(chance, loads, wanted)
        if kind == "deepspeed_zero":
            made.pop("program", None)
            return dict(made, around=dict(loading=chance.choice(["cpu", "device_map"] if dp["stage"] < 3 else ["cpu", "device_map", "zero_init", "zero_init"])))
        return dict(made, around=dict(loading="device_map" if quantized or kind not in ("fsdp1", "fsdp2") and chance.random() < 0.4 else "cpu"))
    return dict(made, around=dict(saving=True), **dict(host=dict(saving=chance.choice(["full_state", "full_state", "shards"]))) if kind != "ddp" else {})


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        chance = random.Random(f"{seed}.{number}")
        print(json.dumps(drawn(chance) if len(sys.argv) < 4 else drawn_rank(chance, "loading" in sys.argv, next((kind for kind in ("ddp", "fsdp1", "fsdp2", "deepspeed_zero") if kind in sys.argv), None))))
