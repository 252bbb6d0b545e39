"""modules.py MODELS [--export FOLDER] < CASES: training steps of modules that are exported as graphs.

MODELS is a Python file with `made(name)` -> (module on the CPU, inputs(sizes, device) -> (args, kwargs), loss): the loss is own, cross_entropy, mse or
mean, as a scenario has it. A case is {"name", "sizes", "scenario"}: the scenario's `model` says only which graph it is, `sizes` has the numbers of
what the inputs leave open. For each case a line {"name", "scenario", "expect"}, as cases.py writes it; with --export the graphs, too, without weights.

Of a scenario it runs precision, optimizer, accumulation, clipping, `activation_checkpointing` (of `layer_modules`), `lora` (PEFT's
inject_adapter_in_model) and `parallelism.dp` (ranks.py; each of `layer_modules` is a unit). Convolutions are native."""
import collections, contextlib, functools, gc, importlib.util, json, os, sys, tempfile, zipfile
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import torch.nn.functional as F

counted = torch._C._cuda_getDeviceCount
torch._C._cuda_getDeviceCount = lambda: 0  # a process that saw a device cannot be forked: libraries that look for one while they are imported find none
import libraries, phases, ranks, scenario as scenarios
from recorder import AutocastCopies, Recorder, known_as, storage, tensors

torch.set_num_threads(1)
torch.backends.cudnn.enabled = False
torch.backends.cuda.enable_cudnn_sdp(False)
ITERATIONS = 3
NAMES_KEPT = ("stack_trace", "torch_fn", "from_node", "source_fn_stack")


def models(path):
    spec = importlib.util.spec_from_file_location("models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(value):
    """The tensors in nested results."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [found for item in value for found in flat(item)] if isinstance(value, (list, tuple)) else []


def loss_of(kind, output, target):
    if kind == "own":
        return output if isinstance(output, torch.Tensor) else output["loss"] if isinstance(output, dict) else output[0]
    if kind == "mean":
        return sum(t.mean() for t in flat(output) if t.is_floating_point())
    return dict(cross_entropy=F.cross_entropy, mse=F.mse_loss)[kind](flat(output)[0], target)


def target_of(kind, output, autocast):
    """Shape and dtype of the target, or None."""
    first = flat(output)[0]
    if kind == "cross_entropy":
        return first.shape[:1] + first.shape[2:], torch.long
    return (first.shape, torch.float32 if autocast else first.dtype) if kind == "mse" else None


def layers(module, wanted):
    """The outermost modules of those classes, paths or lists; the elements of lists that hold further modules where none is named."""
    def is_meant(path, found):
        list_, _, name = path.rpartition(".")
        if not wanted:
            return name.isdigit() and any(True for _ in found.children())
        return path and not isinstance(found, torch.nn.ModuleList) and (type(found).__name__ in wanted or path in wanted or name.isdigit() and list_ in wanted)
    all_found = {path: found for path, found in module.named_modules() if is_meant(path, found)}
    return [found for path, found in all_found.items() if not any(path.startswith(outer + ".") for outer in all_found)]


def quantized(module, asked):
    """With bitsandbytes' layers in the place of linear ones, on the device."""
    libraries.stub_triton()
    import bitsandbytes as bnb
    dtype, eight = libraries.COMPUTE[asked.get("compute_dtype", "bf16")], asked["type"] == "int8"
    shared = collections.Counter(id(p) for _, p in module.named_parameters(remove_duplicate=False))
    for path, layer in list(module.named_modules()):
        if type(layer) is torch.nn.Linear and shared[id(layer.weight)] == 1:  # as transformers leaves what is tied
            parent, _, name = path.rpartition(".")
            size = layer.in_features, layer.out_features, layer.bias is not None
            made = bnb.nn.Linear8bitLt(*size, has_fp16_weights=False, threshold=6.0) if eight else bnb.nn.Linear4bit(*size, compute_dtype=dtype, quant_type=asked["type"], compress_statistics=asked.get("double", False))
            setattr(module.get_submodule(parent), name, made)
    held = {}
    for part in module.modules():
        for name, parameter in list(part._parameters.items()):
            if parameter is not None:
                held[id(parameter)] = held.get(id(parameter)) or (parameter, libraries.materialized(parameter, bnb, dtype))
                part._parameters[name] = held[id(parameter)][1]
        for name, buffer in list(part._buffers.items()):
            if buffer is not None:
                part._buffers[name] = buffer.to(dtype if buffer.is_floating_point() else buffer.dtype).cuda()
    if asked.get("prepare_for_kbit_training", True):
        import peft
        module.is_loaded_in_8bit, module.is_loaded_in_4bit = eight, not eight
        module = peft.prepare_model_for_kbit_training(module, use_gradient_checkpointing=False)
    return module


def prepared(module, asked):
    """With adapters and checkpoints."""
    if lora := asked.get("lora"):
        import peft
        libraries.stub_triton()
        config = peft.LoraConfig(r=lora.get("r", 16), lora_alpha=32, lora_dropout=lora.get("dropout", 0.0), target_modules=lora["target_modules"], use_dora=lora.get("use_dora", False))
        for parameter in module.parameters():
            parameter.requires_grad_(False)
        module = peft.inject_adapter_in_model(config, module)
        for name, parameter in module.named_parameters():
            parameter.requires_grad_("lora_" in name)
            if "lora_" in name and parameter.dtype in (torch.bfloat16, torch.float16):
                parameter.data = parameter.data.float()
    if (kind := asked.get("activation_checkpointing", "none")) != "none":
        from torch.utils.checkpoint import checkpoint
        for layer in layers(module, asked["layer_modules"]):
            inner = layer.forward
            layer.forward = lambda *args, inner=inner, **kwargs: checkpoint(inner, *args, use_reentrant=kind == "full_reentrant", **kwargs)
    return module


def run(made, sizes, asked, recorder):
    module, inputs, kind = made
    dtype = dict(bf16=torch.bfloat16, fp16=torch.float16).get(asked["precision"])
    autocast = scenarios.AUTOCAST.get(asked["precision"])
    cast = lambda: torch.autocast("cuda", dtype=autocast) if autocast else contextlib.nullcontext()
    narrow = lambda t: t.to(dtype) if dtype and isinstance(t, torch.Tensor) and t.is_floating_point() else t
    quantizes = asked["quantization"].get("type", "none") != "none"
    module = quantized(module, asked["quantization"]) if quantizes else (module.to(dtype) if dtype else module).to("cuda")

    def data():
        args, kwargs = inputs(sizes, "cuda")
        return [narrow(t) for t in args], {name: narrow(t) for name, t in kwargs.items()}
    with torch.no_grad(), cast():
        before = {name: buffer.clone() for name, buffer in module.named_buffers()}
        args, kwargs = data()
        target = target_of(kind, module(*args, **kwargs), autocast)
        del before, args, kwargs
    module = prepared(module, asked)
    facts = dict(num_parameters=sum(p.numel() for p in module.parameters()))
    units = layers(module, asked["layer_modules"])
    ranks.layers = lambda model: units
    of_types = ranks.Fsdp1.options

    def of_modules(model, scenario, dp):
        """Units are those modules themselves, not all of their classes."""
        from torch.distributed.fsdp.wrap import lambda_auto_wrap_policy
        return {**of_types(model, scenario, dp), "auto_wrap_policy": functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda found: any(found is unit for unit in units))}
    ranks.Fsdp1.options = staticmethod(of_modules)
    distributed = ranks.asked(asked)
    make = lambda parameters: scenarios.optimizer(asked, parameters, module)
    gc.collect()
    engine = ranks.made(module, make, asked) if distributed else None
    parameters = list(module.parameters())
    trained = [p for p in parameters if p.requires_grad]
    optimizer = engine.optimizer if engine else make(trained)
    gradients = lambda: {storage(p.grad) for p in trained if p.grad is not None} | {storage(t) for t in (engine.reduced() if engine else ())}
    gc.collect()
    torch.cuda.empty_cache()
    torch._C._cuda_clearCublasWorkspaces()
    state = lambda: list((engine or optimizer).state.values())
    known = {**known_as("optimizer_states", state()), **known_as("buffers", list(module.buffers())), **known_as("parameters", parameters + list(libraries.states(module)))}
    if engine:
        for category, kept in dict(master_weights=engine.weights, gradients=engine.gradients, optimizer_states=engine.others, parameters=engine.kept).items():
            known.update(known_as(category, kept))
        recorder.unknown = engine.unknown
    facts["num_trainable"] = None if engine else sum(p.numel() for p in trained)
    weights = {address for address, (_, category) in known.items() if category != "optimizer_states"}
    scaler = torch.amp.GradScaler("cuda") if asked["precision"] == "amp_fp16" else None
    steps = asked["gradient_accumulation_steps"]
    call = engine.engine if engine else module
    for step in range(ITERATIONS):
        for micro_batch in range(steps):
            at = f"{step}:{micro_batch}"
            recorder.mark(f"{at}:data")
            args, kwargs = data()
            wanted = target and torch.zeros(target[0], dtype=target[1], device="cuda")
            recorder.mark(f"{at}:forward", inputs={storage(t) for t in tensors([args, kwargs, wanted])})
            copies = AutocastCopies(weights, recorder) if autocast else contextlib.nullcontext()
            synced = engine.micro_batch(micro_batch + 1 == steps) if engine else contextlib.nullcontext()
            with synced:
                with copies, cast():
                    loss = loss_of(kind, call(*args, **kwargs), wanted)
                    if steps > 1 and not (engine and engine.divides):
                        loss = loss / steps
                recorder.mark(f"{at}:forward_end", logits={storage(loss)}, activations=None)
                recorder.mark(f"{at}:backward")
                backward = engine.backward if engine else torch.Tensor.backward
                backward(scaler.scale(loss) if scaler else loss)
                recorder.mark(f"{at}:backward_end", gradients=gradients())
                loss = None
        if asked["clip_grad_norm"] and not (engine and engine.clips):
            recorder.mark(f"{step}:0:clip")
            if scaler:
                scaler.unscale_(optimizer)
            engine.clip() if engine else torch.nn.utils.clip_grad_norm_(trained, 1.0)
        recorder.mark(f"{step}:0:optimizer_step")
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        recorder.mark(f"{step}:0:zero_grad", optimizer_states={storage(t) for t in tensors(state())})
        optimizer.zero_grad(set_to_none=True)
        args = kwargs = wanted = None
    recorder.mark("end")
    return recorder, known, facts


def exported(made, path):
    """Writes a module's graph without weights. Batches are of 3 samples, and open."""
    module, inputs, _ = made
    args, kwargs = inputs({}, "cpu")
    open_sizes = lambda t: {0: torch.export.Dim.AUTO} if isinstance(t, torch.Tensor) and t.dim() else None
    program = torch.export.export(module, tuple(args), kwargs, dynamic_shapes=(tuple(map(open_sizes, args)), {name: open_sizes(t) for name, t in kwargs.items()}) if kwargs else tuple(map(open_sizes, args)))
    with tempfile.TemporaryDirectory() as folder:
        torch.export.save(program, whole := os.path.join(folder, "model.pt2"))
        slim(whole, path)


def slim(whole, path):
    def kept(value):
        if isinstance(value, dict):
            return {key: kept(item) for key, item in value.items() if key not in NAMES_KEPT}
        return [kept(item) for item in value] if isinstance(value, list) else value
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name in read.namelist():
            entry = zipfile.ZipInfo("model/" + name.split("/", 1)[1], (2026, 1, 1, 0, 0, 0))
            if name.endswith(".json"):
                written.writestr(entry, json.dumps(kept(json.loads(read.read(name))), separators=(",", ":")), zipfile.ZIP_DEFLATED, 9)
            elif name.endswith(("archive_format", "archive_version", "byteorder", ".data/version")):
                written.writestr(entry, read.read(name))


def measured(given, case):
    """In a process of its own."""
    asked = {**scenarios.DEFAULTS, "layer_modules": [], **case["scenario"]}
    torch.cuda.init()
    recorder = Recorder()
    return phases.summarize(*run(given.made(case["name"]), case.get("sizes", {}), asked, recorder))


def main():
    if "--export" in sys.argv:
        folder = sys.argv[sys.argv.index("--export") + 1]
        given = models(sys.argv[1])
        for name in sys.argv[sys.argv.index("--export") + 2:]:
            exported(given.made(name), os.path.join(folder, name + ".pt2"))
        return
    given = models(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        child = os.fork()
        if not child:
            torch._C._cuda_getDeviceCount = counted
            try:
                found = dict(expect=measured(given, case))
            except Exception as error:
                found = dict(error=f"{type(error).__name__}: {error}"[:300])
            print(json.dumps({**case, "loss": given.made(case["name"])[2] if "error" not in found else None, **found}), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


main()
