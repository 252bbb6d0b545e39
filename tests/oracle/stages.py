"""One rank of a pipeline of torch.distributed.pipelining (`parallelism.pp`): a decoder cut as torchtitan cuts one. Embeddings are on the first stage, the last norm and the
head on the last (a tied head becomes a weight of its own there), layers are dealt out evenly, the first stages getting those that are left. Sends and receives return at once, with
the tensors that NCCL's keep until they are waited for. Autocast is around `schedule.step`, whose backward passes are within, and so is ring attention's context, in
which token ids, labels and positions of the whole step are this rank's parts."""
import contextlib, functools, gc
import torch
import master_weights, ranks as ranks_of, scenario as scenarios
from recorder import AutocastCopies, known_as, local, storage, tensors

SCHEDULES = dict(gpipe="ScheduleGPipe", interleaved="ScheduleInterleaved1F1B", looped_bfs="ScheduleLoopedBFS", izb="ScheduleInterleavedZeroBubble",
                 zbv="ScheduleZBVZeroBubble", dualpipev="ScheduleDualPipeV") | {"1f1b": "Schedule1F1B"}


def asked(scenario):
    """The settings of a pipeline, or None where there is none. Other axes are refused."""
    pp = scenario["parallelism"].get("pp", {})
    if pp.get("size", 1) < 2:
        return None
    others = {axis for axis, settings in scenario["parallelism"].items() if axis not in ("pp", "dp", "tp", "cp") and settings.get("size", 1) > 1}
    kind = scenario["parallelism"].get("dp", {}).get("kind", "none")
    if scenario["parallelism"].get("cp", {}).get("kind", "ring") != "ring":
        raise ValueError("cannot run Ulysses beside a pipeline")
    if others or kind not in ("none", "fsdp2") or scenario["precision"] == "amp_fp16":
        raise ValueError(f"cannot run {sorted(others) or kind} in {scenario['precision']} beside a pipeline")
    return pp


class Held:
    """What is under way keeps its tensors until it is waited for."""

    def __init__(self, works, kept):
        self.works, self.kept = works, kept

    def wait(self, *given, **named):
        for work in self.works:
            work.wait()
        self.kept = None
        return True


class Stage(torch.nn.Module):
    def __init__(self, model, layers, first, last, tokens):
        super().__init__()
        self.tokens, self.positions = tokens, None
        base = model.model
        self.embed_tokens = base.embed_tokens if first else None
        self.layers, self.rotary_emb = torch.nn.ModuleList(list(base.layers)[slice(*layers)]), base.rotary_emb
        self.norm, self.lm_head = (base.norm, model.lm_head) if last else (None, None)

    def forward(self, x):
        hidden = x if self.embed_tokens is None else self.embed_tokens(x)
        positions = torch.arange(self.tokens, device=x.device).unsqueeze(0) if self.positions is None else self.positions
        embeddings = self.rotary_emb(hidden, position_ids=positions)
        for layer in self.layers:
            hidden = layer(hidden, attention_mask=None, position_embeddings=embeddings, position_ids=positions, past_key_values=None, use_cache=False)
        return hidden if self.norm is None else self.lm_head(self.norm(hidden))


def cut(layers, stages):
    each, rest = divmod(layers, stages)
    ends = [0]
    for stage in range(stages):
        ends.append(ends[-1] + each + (stage < rest))
    return list(zip(ends, ends[1:]))


def parallelized(model, tp, ranks):
    """The modules of a decoder with a Llama's names, divided as scripts do."""
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel, parallelize_module
    sequences = tp.get("sequence_parallel", False)
    part = dict(output_layouts=Shard(1)) if sequences else {}
    around = {"model.embed_tokens": RowwiseParallel(input_layouts=Replicate(), **part), "lm_head": ColwiseParallel(output_layouts=Replicate(), **dict(input_layouts=Shard(1)) if sequences else {})}
    each = {f"self_attn.{name}": ColwiseParallel() for name in ("q_proj", "k_proj", "v_proj")} | {f"mlp.{name}": ColwiseParallel() for name in ("gate_proj", "up_proj")}
    each.update({"self_attn.o_proj": RowwiseParallel(**part), "mlp.down_proj": RowwiseParallel(**part)})
    if sequences:
        around["model.norm"] = SequenceParallel()
        each.update(input_layernorm=SequenceParallel(), post_attention_layernorm=SequenceParallel())
        each["self_attn"] = PrepareModuleInput(input_kwarg_layouts={"hidden_states": Shard(1)}, desired_input_kwarg_layouts={"hidden_states": Replicate()})
        each["mlp"] = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
    parallelize_module(model, ranks, around)
    for layer in model.model.layers:
        parallelize_module(layer, ranks, each)


def by_mesh(parameters):
    """Groups of an optimizer, whose multi-tensor operations take parameters of one mesh."""
    groups = {}
    for parameter in parameters:
        groups.setdefault(getattr(parameter, "device_mesh", None), []).append(parameter)
    return [dict(params=group) for group in groups.values()]


def divided(stage, dp, ranks):
    """By FSDP2: each layer, and the rest of the stage."""
    from torch.distributed.fsdp import fully_shard
    options, root = ranks_of.options_of_fsdp2(dp, ranks), dp.get("reshard_root_after_forward")
    for layer in stage.layers:
        fully_shard(layer, reshard_after_forward=dp.get("reshard_after_forward", True), **options)
    fully_shard(stage, **{} if root is None else dict(reshard_after_forward=root), **options)


def in_pieces(ranks, cp, buffers):
    """Ring attention's context, in which the batch is this rank's part of it."""
    if ranks.size() < 2:
        return contextlib.nullcontext()
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental._attention import set_rotate_method
    set_rotate_method(cp.get("rotate", "allgather"))
    return context_parallel(ranks, buffers=buffers, buffer_seq_dims=[1] * len(buffers), no_restore_buffers=set(buffers))


def loss(logits, labels):
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(0, 1))


def run(scenario, pp, iterations, recorder):
    """As `program.run` does for a rank that has the whole model."""
    import torch.distributed.pipelining.schedules as schedules
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.pipelining import PipelineStage
    really = schedules._batch_p2p
    schedules._batch_p2p = lambda ops, desc=None: [Held(really(ops, desc), [op.tensor for op in ops])] if ops else []
    size, rank, stages_of_rank, batches = pp["size"], pp.get("rank", 0), pp.get("stages_per_rank", 1), pp["microbatches"]
    dp = scenario["parallelism"].get("dp", {})
    tp = scenario["parallelism"].get("tp", {})
    cp = scenario["parallelism"].get("cp", {})
    shards, parts, pieces = dp.get("size", 1), tp.get("size", 1), cp.get("size", 1)
    master_weights.alone(((rank * shards + dp.get("rank", 0)) * pieces + cp.get("rank", 0)) * parts, size * shards * pieces * parts)
    mesh = init_device_mesh("cuda", (size, shards, pieces, parts), mesh_dim_names=("pp", "dp", "cp", "tp"))
    sharing = mesh[("dp", "cp")]._flatten("dp_cp") if pieces > 1 else mesh["dp"]
    model = scenarios.model(scenario, "meta")
    whole = model.get_base_model() if scenario["lora"] else model
    if whole.config.tie_word_embeddings:
        whole.lm_head.weight = torch.nn.Parameter(torch.empty_like(whole.lm_head.weight), requires_grad=whole.lm_head.weight.requires_grad)
    facts = dict(num_parameters=sum(p.numel() for p in model.parameters()))
    if parts > 1:
        parallelized(whole, tp, mesh["tp"])
    count, v_shaped = size * stages_of_rank, pp["schedule"] in ("zbv", "dualpipev")
    own = sorted([rank, count - 1 - rank]) if v_shaped else [rank + size * turn for turn in range(stages_of_rank)]
    ranges = cut(whole.config.num_hidden_layers, count)
    autocast, weights = scenarios.AUTOCAST.get(scenario["precision"]), scenarios.WEIGHTS[scenario["weights"] or scenario["precision"]]
    sent = ranks_of.DTYPES.get(dp.get("mixed_precision", {}).get("param"), weights)
    samples, tokens = scenario["micro_batch_size"], scenario["seq_len"] // pieces
    made, stages = [], []
    for index in own:
        first, last = index == 0, index == count - 1
        made.append(Stage(whole, ranges[index], first, last, tokens).train())
        if dp.get("kind") == "fsdp2":
            divided(made[-1], dp, sharing)
        made[-1].to_empty(device="cuda")
        like = lambda *shape, dtype=sent, parts=1: torch.empty(samples, tokens // parts, *shape, dtype=dtype, device="meta", requires_grad=dtype.is_floating_point)
        between = like(whole.config.hidden_size, parts=parts if tp.get("sequence_parallel") else 1)
        given, gives = like(dtype=torch.long) if first else between, like(whole.config.vocab_size, dtype=autocast or sent) if last else between
        stages.append(PipelineStage(made[-1], index, count, torch.device("cuda", 0), input_args=(given,), output_args=(gives,), group=mesh["pp"].get_group()))
    del model, whole
    kind = getattr(schedules, SCHEDULES[pp["schedule"]])
    alone = issubclass(kind, schedules.PipelineScheduleSingle)
    schedule = kind(stages[0] if alone else stages, n_microbatches=batches, loss_fn=loss)
    parameters = [p for stage in made for p in stage.parameters()]
    trained = [p for p in parameters if p.requires_grad]
    optimizer = scenarios.optimizer(scenario, by_mesh(trained) if parts > 1 else trained, made[0])
    gc.collect()
    torch.cuda.empty_cache()
    buffers = [buffer for stage in made for buffer in stage.buffers()]
    known = {**known_as("buffers", buffers), **known_as("parameters", parameters)}
    facts["num_trainable"] = sum(local(p).numel() for p in trained)
    # Gradients are copied below a mode that sees what is called: it is there in forward passes alone.
    copies = functools.partial(AutocastCopies, set(known), recorder) if autocast else contextlib.nullcontext
    follows = Follower(recorder, stages, trained, copies, pieces > 1)
    reads, ends = 0 in own, count - 1 in own
    outputs = None
    for step in range(iterations):
        recorder.mark(f"{step}:0:data")
        ids, labels = (torch.zeros(samples * batches, scenario["seq_len"], dtype=torch.long, device="cuda") if has else None for has in (reads, ends))
        positions = torch.arange(scenario["seq_len"], device="cuda").unsqueeze(0) if pieces > 1 else None
        recorder.mark(f"{step}:0:forward", inputs={storage(t) for t in tensors([ids, labels, positions])})
        follows.step = step
        losses = [] if ends else None
        for stage in made:
            stage.positions = positions
        with in_pieces(mesh["cp"], cp, [t for t in (ids, labels, positions) if t is not None]), torch.autocast("cuda", dtype=autocast) if autocast else contextlib.nullcontext():
            outputs = schedule.step(*((ids,) if reads else ()), return_outputs=pp.get("return_outputs", True), **dict(target=labels, losses=losses) if ends else {})
            follows.ends()
        if not pp.get("return_outputs", True):
            outputs = None
        if ends:
            mean = torch.mean(torch.stack([x.detach() for x in losses]))
        if scenario["clip_grad_norm"]:
            recorder.mark(f"{step}:0:clip")
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
        recorder.mark(f"{step}:0:optimizer_step")
        optimizer.step()
        recorder.mark(f"{step}:0:zero_grad", optimizer_states={storage(t) for t in tensors(list(optimizer.state.values()))})
        optimizer.zero_grad(set_to_none=scenario["zero_grad_set_to_none"])
        ids = labels = losses = mean = positions = None
        for stage in made:
            stage.positions = None
    recorder.mark("end")
    return recorder, known, facts


class Follower:
    """Marks where passes begin. What a pass is followed by, its loss, sends and the next receive, is part of it. Backward passes in two parts leave cycles
    of references to what ring attention saved, which Python's collector frees when it comes to them: here before each pass."""

    def __init__(self, recorder, stages, trained, copies, collects):
        self.collects = collects
        self.recorder, self.trained, self.copies, self.step, self.now, self.logits = recorder, trained, copies, 0, None, set()
        for stage in stages:
            for name, phase in dict(forward_one_chunk="forward", backward_one_chunk="backward", backward_weight_one_chunk="backward").items():
                setattr(stage, name, self.followed(stage, getattr(stage, name), phase))

    def followed(self, stage, function, phase):
        def call(micro_batch, *given, **named):
            self.ends()
            if self.collects:
                gc.collect()
            self.now = f"{self.step}:{micro_batch}:{phase}"
            self.recorder.mark(self.now)
            with self.copies() if phase == "forward" else contextlib.nullcontext():
                result = function(micro_batch, *given, **named)
            if phase == "forward" and stage.is_last:
                self.logits = {storage(result)}
            return result
        return call

    def ends(self):
        if self.now and self.now.endswith("forward"):
            self.recorder.mark(f"{self.now}_end", logits=self.logits, activations=None)
        elif self.now:
            self.recorder.mark(f"{self.now}_end", gradients={storage(p.grad) for p in self.trained if p.grad is not None})
        self.now, self.logits = None, set()
