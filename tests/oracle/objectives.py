"""Steps as TRL's own trainers make them (`objective` of a scenario; `pip install --no-deps trl==1.16.0 && pip install datasets`): the trainer is
made with the scenario's model, its collator makes the batches, its `training_step` computes the loss and goes backward. The loop around it
clips, steps and drops gradients, as `program.py` does. `draw_objectives.py` draws scenarios."""
import contextlib, ctypes, gc, tempfile

KINDS = ("sft", "dpo", "grpo", "reward", "kto", "orpo", "cpo", "distillation")
EXPERIMENTAL = ("orpo", "cpo")
# Those that train on what is generated for a step.
GENERATED = ("grpo", "distillation")
DEFAULTS = dict(kind="none", completion_tokens=None, beta=None, loss_type=None, precompute_ref_log_probs=False, teacher=None, teacher_dtype=None, generation="none", num_iterations=1, vllm_gpu_memory_utilization=0.3)
# By which name the trainer asks for its teacher.
TEACHER = "teacher"
# What this harness does not hand on to trainers.
PLAIN = dict(program="training", frozen=[], use_cache=False, offload={}, checkpoint_every=1, keep_outputs=False,
             pad_to_multiple_of=None, loss="labels")
# Kernels that compute a loss, which trainers compute by themselves.
LIGER_LOSSES = {"all", "cross_entropy", "fused_linear_cross_entropy"}


def complete(asked):
    objective = {**DEFAULTS, **asked["objective"]}
    unknown = set(asked["objective"]) - set(DEFAULTS)
    changed = [key for key, value in PLAIN.items() if asked[key] != value]
    changed += ["liger_kernel"] if LIGER_LOSSES & set(asked["liger_kernel"]) else []
    if unknown or changed or objective["kind"] not in KINDS or objective["generation"] not in ("none", "model", "vllm", "vllm_sleep"):
        raise ValueError(f"cannot run objective {sorted(unknown) or changed or objective['kind']}")
    if asked["evaluation"]:
        import evaluation
        if evaluation.complete(asked)["kind"] not in ("none", "loss", "trainer"):
            raise ValueError(f"{objective['kind']} does not evaluate so")
    packing = asked["packing"]
    if packing and (objective["kind"] != "sft" or packing["kind"] != "padding_free" or asked["micro_batch_size"] > 1):
        raise ValueError("packs one row for SFTTrainer, as its padding_free does")
    if objective["completion_tokens"] is None:
        objective["completion_tokens"] = asked["seq_len"] - 1
    return objective


def lengths(asked):
    """Tokens of the sequences of a sample: of one that is packed as many as its parts have."""
    parts = asked["packing"].get("sequences", 4) if asked["packing"] else 1
    return [asked["seq_len"] // parts + (number < asked["seq_len"] % parts) for number in range(parts)]


class Objective:
    """A trainer of TRL and what the loop around it asks of it."""

    def __init__(self, asked, recorder):
        self.asked, self.objective, self.recorder = asked, complete(asked), recorder
        self.kind, self.at, self.refers = self.objective["kind"], "", False
        # Rows of a batch.
        self.samples = asked["micro_batch_size"] * (2 if self.kind in ("dpo", "reward", *EXPERIMENTAL) else 1)
        # Tokens of a row that are scored.
        self.scored = sum(min(self.objective["completion_tokens"], length - 1) for length in lengths(asked))

    def arguments(self, config, **more):
        asked = self.asked
        checkpointing = asked["activation_checkpointing"]
        precision = dict(bf16=asked["precision"] == "amp_bf16", fp16=asked["precision"] == "amp_fp16")
        return config(output_dir=tempfile.mkdtemp(), report_to=[], per_device_train_batch_size=asked["micro_batch_size"], use_cpu=False,
                      gradient_accumulation_steps=asked["gradient_accumulation_steps"], gradient_checkpointing=checkpointing != "none", max_steps=3,
                      gradient_checkpointing_kwargs=dict(use_reentrant=checkpointing == "full_reentrant"), dataloader_pin_memory=False, disable_tqdm=True, **precision, **self.of_ranks, **more)

    def made(self):
        import torch, datasets, cycle, divided, evaluation, ranks, trainer_ranks, scenario as scenarios
        import trl.trainer.utils
        asked, objective = self.asked, self.objective
        self.of_ranks = trainer_ranks.begins(asked)
        datasets.disable_progress_bars()
        # What is loaded divided has memory for its part alone.
        device = "meta" if divided.asked(asked) else "cuda"
        model = lambda name=None, device_map="auto", **__: self.teacher(device_map) if name == TEACHER else scenarios.model({**asked, "lora": None, "neftune_noise_alpha": None}, device)
        name = dict(sft="SFT", dpo="DPO", grpo="GRPO", reward="Reward", kto="KTO", orpo="ORPO", cpo="CPO", distillation="Distillation")[self.kind]
        within = f"trl.experimental.{self.kind}" if self.kind in EXPERIMENTAL else "trl.trainer"
        module = __import__(f"{within}.{name.lower()}_trainer", fromlist=["x"])
        trainer, config = getattr(module, name + "Trainer"), getattr(__import__(f"{within}.{name.lower()}_config", fromlist=["x"]), name + "Config")
        # Names of models are ids of the Hub, which is not asked.
        module.create_model_from_path = lambda *named, **more: model(*named[:1], **more).eval()  # as `from_pretrained` gives it
        module.get_config_model_id = lambda config: "model"
        if self.kind in ("dpo", "grpo", "kto"):
            module.disable_gradient_checkpointing = self.around_reference(module.disable_gradient_checkpointing)
        if hasattr(module, "prepare_fsdp"):
            module.prepare_fsdp = trainer_ranks.sharded_reference(module.prepare_fsdp, asked)
        if hasattr(module, "get_peft_model"):
            wrap = module.get_peft_model
            def wrapped(*rest, **named):
                with torch.device("cuda"):
                    return wrap(*rest, **named)
            module.get_peft_model = wrapped
        more = dict(peft_config=scenarios.lora_config(asked)) if asked["lora"] else {}
        policy = model()
        options = dict(beta=objective["beta"], loss_type=objective["loss_type"])
        options = {key: value for key, value in options.items() if value is not None}
        if self.kind in ("dpo", "kto"):
            options.update(max_length=None, precompute_ref_log_probs=objective["precompute_ref_log_probs"])
        if self.kind in ("sft", "reward"):
            options.update(max_length=None)
        if self.kind == "distillation":
            options.update(max_completion_length=objective["completion_tokens"])
            if objective["generation"].startswith("vllm"):
                options.update(cycle.vllm(self, policy))
            more["teacher_model"] = TEACHER
        if asked["packing"]:
            import masks
            masks.packed[0] = asked["packing"].get("sequences", 4) > 1
            options.update(padding_free=True)
        if objective["loss_type"] == "exo_pair":  # which it asks for
            options.update(label_smoothing=1e-3)
        if self.kind in EXPERIMENTAL:
            options.update(max_length=asked["seq_len"])
        if self.kind == "grpo":
            size = asked["micro_batch_size"] * asked["gradient_accumulation_steps"]
            groups = [n for n in range(2, size + 1) if size % n == 0]
            if not groups:
                raise ValueError("a group of GRPO has at least two completions")
            options.update(num_generations=groups[asked["seq_len"] % len(groups) if objective["generation"] != "none" else 0], max_completion_length=objective["completion_tokens"], num_iterations=objective["num_iterations"])
            if objective["generation"].startswith("vllm"):
                options.update(cycle.vllm(self, policy))
            more["reward_funcs"] = lambda completions, **_: [0.0] * len(completions)
        if asked["evaluation"]:
            evaluation.asked_of_trainer(self, options, more)
            more["eval_dataset"] = datasets.Dataset.from_list(self.rows(evaluation.rows(self)))
        self.trainer = trainer(model=policy, args=self.arguments(config, **options), train_dataset=datasets.Dataset.from_list(self.rows()), processing_class=tokenizer(), **more)
        kwargs = self.trainer.args.gradient_checkpointing_kwargs or {}
        if asked["activation_checkpointing"] == "full" and kwargs.get("use_reentrant"):  # the trainer's own choice, which `train` makes
            self.trainer.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=kwargs)
        if asked["evaluation"]:
            evaluation.watched_in_trainer(self)
        if self.kind == "distillation":
            self.trainer._get_last_hidden_state = self.marked(self.trainer._get_last_hidden_state)
            self.trainer._forward_redirection = self.redirected(self.trainer._forward_redirection)
        if self.kind in GENERATED:
            turns = cycle.turn(self, self.trainer._generate_single_turn) if objective["generation"] != "none" else None
            self.trainer._generate_single_turn = turns or self.generated
            self.trainer._prepare_inputs = self.prepared(self.trainer._prepare_inputs)
        if self.kind == "grpo":
            self.trainer._get_per_token_logps_and_entropies = self.marked(self.trainer._get_per_token_logps_and_entropies)
        if self.kind in EXPERIMENTAL:
            self.trainer.concatenated_inputs = self.joined(self.trainer.concatenated_inputs)
        if self.kind == "kto":
            self.trainer._compute_kl_logps = self.apart(self.trainer._compute_kl_logps)
        self.trainer.current_gradient_accumulation_steps = asked["gradient_accumulation_steps"]
        if asked["neftune_noise_alpha"] is not None:  # which `train` does
            from transformers.integrations.neftune import activate_neftune
            activate_neftune(self.trainer.model, asked["neftune_noise_alpha"], self.trainer.accelerator)
        trained = self.trainer.model
        make = lambda parameters: scenarios.optimizer(asked, parameters, trained)
        self.rank = trainer_ranks.wrapped(self, make) if ranks.asked(asked) else None
        self.model = self.rank.engine if self.rank else self.trainer.accelerator.prepare(self.trainer.model)
        self.backward, self.trainer.accelerator.backward = self.trainer.accelerator.backward, self.goes_backward
        return trained

    def rows(self, count=None):
        """Samples of so many tokens, of which the last ones are scored."""
        if self.asked["packing"]:
            found = [self.row(length, min(self.objective["completion_tokens"], length - 1), 0) for length in lengths(self.asked)]
            return found * ((count or len(found)) // len(found))
        total, scored = self.asked["seq_len"], self.objective["completion_tokens"]
        return [self.row(total, scored, number) for number in range(count or max(8, self.asked["micro_batch_size"]))]

    def row(self, total, scored, number):
        words = lambda count: " ".join(["a"] * count)
        prompt, completion = words(total - scored), " " * (scored > 1) + words(scored - 1) + "</s>"
        row = dict(sft=dict(prompt=prompt, completion=completion), **dict.fromkeys(("dpo", *EXPERIMENTAL), dict(prompt=prompt, chosen=completion, rejected=completion)),
                   reward=dict(prompt=prompt, chosen=completion, rejected=completion), kto=dict(prompt=prompt, completion=completion), **dict.fromkeys(GENERATED, dict(prompt=prompt)))[self.kind]
        return dict(row, label=number % 2 == 0) if self.kind == "kto" else row

    def generated(self, prompt_ids, *_):
        """Instead of generating: completions of so many tokens."""
        completions = [[3] * self.objective["completion_tokens"] for _ in prompt_ids]
        return (completions, None) if self.kind == "grpo" else completions

    def teacher(self, device_map):
        """The model that teaches, which is not trained: on the host where the trainer asks for no device, but for DeepSpeed, whose `zero.Init` brings it."""
        import scenario as scenarios
        asked, objective = self.asked, self.objective
        weights = objective["teacher_dtype"] or asked["weights"]
        named = dict(model=objective["teacher"], model_overrides={}) if objective["teacher"] else {}
        return scenarios.model({**asked, "lora": None, "activation_checkpointing": "none", "quantization": {}, **named, **({"weights": weights} if weights else {})}, "cuda" if device_map or "deepspeed" in self.of_ranks else "cpu")

    def redirected(self, redirects):
        """The teacher's forward as a phase."""
        def redirect(wrapper, *rest, **named):
            taught = wrapper is self.trainer.teacher_model
            if taught:
                self.phase("reference_forward")
            found = redirects(wrapper, *rest, **named)
            if taught:
                self.phase("forward")
            return found
        return redirect

    def phase(self, name):
        """From here on a micro-batch is in this phase; an evaluation is one of its own."""
        if self.at:
            self.recorder.mark(f"{self.at}:{name}")

    def apart(self, computes):
        """The policy's log-probabilities of other completions are like the reference's: nothing is kept for backward."""
        def compute(model, batch):
            if self.refers or not self.trainer.calculate_KL:
                return computes(model, batch)
            self.phase("reference_forward")
            found = computes(model, batch)
            self.phase("forward")
            return found
        return compute

    def joined(self, joins):
        """As in `marked`."""
        import masks
        def join(*rest, **named):
            found = joins(*rest, **named)
            if self.asked["padding_mask"]:
                masks.passed.add(found["concatenated_attention_mask"].data_ptr())
            return found
        return join

    def marked(self, computes):
        """The mask is put together anew: what it holds is known all the same."""
        import masks
        def compute(model, input_ids, attention_mask, *rest, **named):
            if self.asked["padding_mask"]:
                size = named.get("batch_size") or len(input_ids)
                masks.passed.update(attention_mask[start:].data_ptr() for start in range(0, len(input_ids), size))
            return computes(model, input_ids, attention_mask, *rest, **named)
        return compute

    def prepared(self, prepares):
        """What was generated is the input of all micro-batches."""
        from recorder import tensors
        def prepare(batch):
            inputs = prepares(batch)
            for buffered in [*(self.trainer._buffered_inputs or ()), inputs]:
                self.recorder.see("inputs", tensors(buffered))
            return inputs
        return prepare

    def around_reference(self, context):
        @contextlib.contextmanager
        def around(*rest, **named):
            referred = self.kind in ("dpo", "kto") or self.objective["beta"] or self.objective["num_iterations"] > 1 or self.objective["generation"].startswith("vllm")
            if not self.at or not referred:  # while the trainer is made, or of nothing
                with context(*rest, **named):
                    yield
                return
            self.recorder.mark(f"{self.at}:reference_forward")
            self.refers = True
            with context(*rest, **named):
                yield
            self.refers = False
            self.recorder.mark(f"{self.at}:forward")
        return around

    def batch(self):
        """The collator's, on the device."""
        import torch
        rows = [self.trainer.train_dataset[i] for i in range(len(lengths(self.asked)) if self.asked["packing"] else self.asked["micro_batch_size"])]
        if self.kind in GENERATED:
            return rows * self.asked["gradient_accumulation_steps"] if self.fetches() else rows
        batch = {key: value.to("cuda") if isinstance(value, torch.Tensor) else value for key, value in self.trainer.data_collator(rows).items()}
        if self.kind == "sft":  # which the loop of Trainer counts
            scored = self.samples * self.scored * self.asked["gradient_accumulation_steps"]
            batch["num_items_in_batch"] = torch.tensor(scored, device="cuda")
        return batch

    def fetches(self):
        if self.kind == "distillation":
            return self.trainer._step % self.trainer.args.gradient_accumulation_steps == 0
        return self.trainer._step % (self.trainer.args.steps_per_generation * self.trainer.num_iterations) == 0

    def step(self, at, batch, copies, forward_ended):
        """Forward and backward of a micro-batch."""
        self.at, self.copies, self.forward_ended = at, contextlib.ExitStack(), forward_ended
        self.copies.enter_context(copies)
        items = batch.get("num_items_in_batch") if self.kind == "sft" else None
        given = {key: value for key, value in batch.items() if key != "num_items_in_batch"} if isinstance(batch, dict) else batch
        return self.trainer.training_step(self.model, given, items)

    def goes_backward(self, loss, **named):
        self.copies.close()
        self.forward_ended(loss)
        self.backward(loss, **named)


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    made = Tokenizer(models.WordLevel({"<pad>": 0, "</s>": 1, "<unk>": 2, "a": 3}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def counts_flags(objective):
    """The stubbed runtime is told for how many elements a condition holds: of each row as many as are scored, and of other flags all."""
    import torch
    index, answer = torch.Tensor.__getitem__, ctypes.CDLL(None).fakecuda_answer
    answer.restype = None

    def picked(self, at):
        if not isinstance(at, torch.Tensor) or at.dtype != torch.bool or not at.is_cuda:
            return index(self, at)
        held = len(at) * objective.scored if at.dim() == 2 else at.numel()
        answer(held)
        result = index(self, at)
        if result.grad_fn is not None:  # its gradient looks for them once more
            result.grad_fn.register_prehook(lambda gradients: answer(held))
        return result

    puts = torch.Tensor.__setitem__

    def put(self, at, value):
        if isinstance(at, torch.Tensor) and at.dtype == torch.bool and at.is_cuda:
            answer(at.numel())
        puts(self, at, value)

    torch.Tensor.__getitem__, torch.Tensor.__setitem__ = picked, put
    nonzero, times = torch.nonzero, [0]

    def found(flags, **named):  # samples that are chosen, then those that are not
        times[0] += 1
        answer((len(flags) + times[0] % 2) // 2)
        return nonzero(flags, **named)

    torch.nonzero = found


def run(written, iterations, recorder):
    """As `program.run`."""
    import torch, evaluation, masks, libraries, scenario as scenarios
    from recorder import AutocastCopies, known_as, local, storage, tensors
    asked = scenarios.complete(written)
    if "padding_mask" not in written:
        asked["padding_mask"] = not asked["packing"]
    libraries.stub_triton()
    scenarios.sdpa_kernels(asked)
    objective = Objective(asked, recorder)
    counts_flags(objective)
    model = objective.made()
    facts = dict(num_parameters=sum(p.numel() for p in model.parameters()))
    reference = getattr(objective.trainer, "teacher_model" if objective.kind == "distillation" else "ref_model", None)
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]
    rank = objective.rank
    optimizer = objective.trainer.optimizer = rank.optimizer if rank else scenarios.optimizer(asked, trained, model)
    state = lambda: list((rank or optimizer).state.values())
    gc.collect()
    if asked["allocator"].get("empty_cache_after_loading") or rank:
        torch.cuda.empty_cache()
    held = parameters + (list(reference.parameters()) if reference is not None else [])
    buffers = list(model.buffers()) + (list(reference.buffers()) if reference is not None else [])
    known = {**known_as("optimizer_states", state()), **known_as("buffers", buffers), **known_as("parameters", held + list(libraries.states(model)))}
    for category, kept in dict(master_weights=rank.weights, gradients=rank.gradients, optimizer_states=rank.others, parameters=rank.kept).items() if rank else ():
        known.update(known_as(category, kept))
    recorder.unknown = rank.unknown if rank else recorder.unknown
    facts["num_trainable"] = None if rank and not rank.shares else sum(local(p).numel() for p in trained)
    weights = {address for address, (_, category) in known.items() if category != "optimizer_states"}
    autocast = scenarios.AUTOCAST.get(asked["precision"])
    scaler = objective.trainer.accelerator.scaler
    steps = asked["gradient_accumulation_steps"]
    gradients = lambda: {storage(p.grad) for p in trained if p.grad is not None} | {storage(t) for t in (rank.reduced() if rank else ())}
    batch = None
    if objective.objective["num_iterations"] > 2:  # so that the last step generates
        iterations = objective.objective["num_iterations"] + 1
    for step in range(iterations):
        for micro_batch in range(steps):
            at = f"{step}:{micro_batch}"
            recorder.mark(f"{at}:data")
            batch = objective.batch()
            masks.passed.clear()
            if asked["padding_mask"] and isinstance(batch, dict):
                masks.passed.update(value.data_ptr() for key, value in batch.items() if key.endswith("attention_mask"))
            recorder.mark(f"{at}:forward", inputs={storage(t) for t in tensors(list(batch.values()))} if isinstance(batch, dict) else set())
            copies = AutocastCopies(weights, recorder) if autocast else contextlib.nullcontext()

            def forward_ended(loss):
                recorder.mark(f"{at}:forward_end", parameters=set() if rank else {storage(p) for p in held}, logits={storage(loss)}, activations=None)
                recorder.mark(f"{at}:backward")

            with rank.micro_batch(micro_batch + 1 == steps) if rank else contextlib.nullcontext():
                loss = objective.step(at, batch, copies, forward_ended)
            recorder.mark(f"{at}:backward_end", gradients=gradients(), communication=rank.buckets() - gradients() if rank else ())
            del loss
        if asked["clip_grad_norm"] and not (rank and rank.clips):
            recorder.mark(f"{step}:0:clip")
            if scaler:
                scaler.unscale_(optimizer)
            rank.clip() if rank else torch.nn.utils.clip_grad_norm_(trained, 1.0)
        recorder.mark(f"{step}:0:optimizer_step")
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        objective.trainer.state.global_step += 1
        recorder.mark(f"{step}:0:zero_grad", optimizer_states={storage(t) for t in tensors(state())})
        optimizer.zero_grad(set_to_none=asked["zero_grad_set_to_none"])
        if asked["evaluation"]:
            evaluation.by_trainer(objective, step, AutocastCopies(weights, recorder) if autocast else contextlib.nullcontext())
        batch = None
    recorder.mark("end")
    return recorder, known, facts
