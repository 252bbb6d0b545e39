"""One training run: three iterations of data, forward, backward, clip, optimizer step, zero_grad."""
import contextlib, gc, os
import torch, transformers
import around, chunked_loss, evaluation, libraries, masks, ranks, recipes, routing, scenario as scenarios, stages
from recorder import AutocastCopies, Recorder, known_as, local, storage, tensors

torch.set_num_threads(1)
torch.backends.cudnn.enabled = bool(os.environ.get("HIGHWATER_CUDNN"))  # the stubs have none
if libraries.STUBBED:
    torch.erfinv = torch.empty_like  # a kernel that is compiled when it is called first, which the stubs do not (Gemma 3n)
transformers.logging.set_verbosity_error()
ITERATIONS = 3


def on_host():
    return torch.autograd.graph.save_on_cpu(pin_memory=True)


def run(written, iterations=ITERATIONS, lengths=None):
    """With `lengths` as many micro-batches, each of its own length. -> recorder, known storages {address: (bytes, category)} before the first mark, facts. What runs out of memory ends early."""
    asked = scenarios.complete(written)
    if asked["objective"]:
        import objectives
        return objectives.run(written, iterations, Recorder())
    if scenarios.TRANSFORMERS_5:
        libraries.stub_triton()  # which PyTorch's own wheels bring: some of its operations are kernels of Triton since torch 2.15
    scenarios.sdpa_kernels(asked)
    recorder = Recorder()
    if pipeline := stages.asked(asked):
        return stages.run(asked, pipeline, iterations, recorder)
    loads = asked["around"].get("loading", "none") != "none"
    if loads:
        around.begins(asked, recorder)
    distributed = ranks.asked(asked)
    model = scenarios.model(asked, ranks.device(asked))
    facts = dict(num_parameters=sum(getattr(p, "ds_numel", p.numel()) for p in model.parameters()))
    quantized = list(libraries.states(model))
    training = asked["program"] == "training"
    make = lambda parameters: scenarios.optimizer(asked, parameters, model)
    engine = ranks.made(model, make, asked) if distributed else None  # whose shards take the parameters' place
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]
    if asked["optimizer"].get("in_backward"):
        for parameter in trained:  # ahead of the hook that drops the gradient
            parameter.register_post_accumulate_grad_hook(lambda p: recorder.see("gradients", [p.grad]))
    optimizer = None if not training else engine.optimizer if engine else make(trained)
    if asked["optimizer"].get("master_weights", "none") != "none":
        import master_weights
        optimizer = engine = master_weights.made(model, optimizer, asked)
    state = lambda: list((engine or optimizer).state.values()) if optimizer else []
    gradients = lambda: {storage(p.grad) for p in trained if p.grad is not None} | {storage(t) for t in (engine.reduced() if distributed else ())}
    gc.collect()
    # A model that is only evaluated was loaded elsewhere and moved to the device.
    if asked["allocator"].get("empty_cache_after_loading") or asked["program"] == "evaluation" or distributed and not loads:
        torch.cuda.empty_cache()
    known = {**known_as("optimizer_states", state()), **known_as("buffers", list(model.buffers())), **known_as("parameters", parameters + quantized)}
    for category, kept in dict(master_weights=engine.weights, gradients=engine.gradients, optimizer_states=engine.others).items() if engine else ():
        known.update(known_as(category, kept))
    if distributed:
        known.update(known_as("parameters", engine.kept))
        recorder.unknown = engine.unknown
    facts["num_trainable"] = None if distributed and not engine.shares else sum(local(p).numel() for p in trained)
    weights = {address for address, (_, category) in known.items() if category != "optimizer_states"}
    autocast = scenarios.AUTOCAST.get(asked["precision"])
    scaler = torch.amp.GradScaler("cuda") if asked["precision"] == "amp_fp16" else None
    steps = asked["gradient_accumulation_steps"]
    iterations = len(lengths) // steps if lengths else iterations
    outputs, waits = None, recipes.around_forward(asked, model)
    if asked["program"] == "evaluation":
        evaluation.alone(engine.engine if engine else model, asked, autocast, recorder)
        return recorder, known, {**facts, "num_trainable": 0}
    for step in range(iterations):
        for micro_batch in range(steps):
            at = f"{step}:{micro_batch}"
            recorder.mark(f"{at}:data")
            usual = scenarios.of_length(asked, lengths[step * steps + micro_batch]) if lengths else asked if step + 1 == iterations else scenarios.usual(asked)
            batch = scenarios.batch(usual, model.config)
            if "attention_mask" in batch:
                masks.comes_with_batch(batch["attention_mask"])
            recorder.mark(f"{at}:forward", inputs={storage(t) for t in tensors(list(batch.values()))})
            copies = AutocastCopies(weights, recorder) if autocast else contextlib.nullcontext()
            cast = torch.autocast("cuda", dtype=autocast) if autocast and asked["autocast_style"] == "plain" else contextlib.nullcontext()
            synced = contextlib.ExitStack()
            synced.enter_context(engine.micro_batch(micro_batch + 1 == steps) if distributed else contextlib.nullcontext())
            with copies, contextlib.nullcontext() if training else torch.no_grad(), cast:
                with on_host() if asked["offload"].get("activations") else waits:
                    output = chunked_loss.run(model, batch) if asked["loss"] == "chunked" else (engine.engine if engine else model)(**batch)
                logits = getattr(output, dict(question_answering="start_logits", contrastive="logits_per_image").get(asked["task"], "logits"))
                loss = logits.mean() if asked["loss"] == "mean_logits" else output.loss
                if asked["keep_outputs"]:
                    outputs = output
                recorder.see("kv_cache", evaluation.cached(output))
                recorder.mark(f"{at}:forward_end_cast")
            # Liger's fused loss leaves no logits.
            at_end = {storage(logits)} if logits is not None else set()
            del output, logits
            if steps > 1 and not (engine and engine.divides):
                loss = loss / steps
            recorder.mark(f"{at}:forward_end", parameters=set() if distributed else {storage(p) for p in parameters}, logits=at_end | {storage(loss)}, activations=None)
            if training:
                recorder.mark(f"{at}:backward")
                backward = engine.backward if engine else getattr(optimizer, "backward", torch.Tensor.backward)
                backward(scaler.scale(loss) if scaler else loss)
                recorder.mark(f"{at}:backward_end", gradients=gradients(), communication=engine.buckets() - gradients() if distributed else ())
                if not asked["keep_outputs"]:
                    loss = None
            synced.close()
        if optimizer:
            if asked["clip_grad_norm"] and (not engine or distributed and not engine.clips):
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
            optimizer.zero_grad(set_to_none=asked["zero_grad_set_to_none"])
        if libraries.SLOW:
            torch.cuda.current_stream().synchronize()  # whoever trains looks at the loss once a step, without which the device may lag by whole steps
        if asked["evaluation"].get("kind", "none") != "none":
            recorder.mark(f"{step}:0:evaluation")
            evaluation.run(engine.engine if engine else model, asked, autocast, recorder, step)
        if asked["around"].get("saving"):
            recorder.mark(f"{step}:0:saving")
            around.save(engine.engine if engine else model, optimizer, asked)
        batch = None
    recorder.mark("end")
    return recorder, known, facts
