"""Watches a trainer of transformers (`Trainer` and all that inherit from it) for three steps: marks between its phases, then the peaks. Nothing in the
trainer is replaced; what its loop calls is wrapped."""
import importlib, json, os, sys
import torch

STEPS = 3
RESULT = os.environ.get("WATCHED", "measured.json")


def plain(state):
    """The tensors of an optimizer's state, those within subclasses too."""
    from recorder import tensors
    for tensor in tensors(state):
        if hasattr(tensor, "__tensor_flatten__"):
            yield from plain([getattr(tensor, name) for name in tensor.__tensor_flatten__()[0]])
        else:
            yield tensor


class Watch:
    def __init__(self):
        self.recorder, self.known, self.step, self.micro_batch, self.ends = None, {}, 0, 0, None

    def begin(self):
        from recorder import Recorder
        if self.recorder is None:
            self.recorder = Recorder()

    def mark(self, phase, **known):
        self.recorder.mark(f"{self.step}:{max(self.micro_batch, 0)}:{phase}", **known)

    def around(self, trainer):
        """Wraps what the loop of this trainer calls."""
        from recorder import known_as, storage
        import libraries
        accelerator = trainer.accelerator
        gradients = lambda: {storage(p.grad) for p in trainer.model.parameters() if p.grad is not None}

        def before(name, owner, act):
            inner = getattr(owner, name)

            def wrapped(*rest, **named):
                act()
                return inner(*rest, **named)
            setattr(owner, name, wrapped)

        def data():
            if not self.recorder.marks:
                held = list(trainer.model.parameters())
                reference = getattr(trainer, "ref_model", None)
                buffers = list(trainer.model.buffers())
                if reference is not None:
                    held, buffers = held + list(reference.parameters()), buffers + list(reference.buffers())
                self.known = {**known_as("buffers", buffers), **known_as("parameters", held + list(libraries.states(trainer.model)))}
                self.facts = dict(num_parameters=sum(p.numel() for p in held), num_trainable=sum(p.numel() for p in held if p.requires_grad))
            else:
                self.step += 1
            self.micro_batch = -1
            self.mark("data")

        def forward():
            self.micro_batch += 1
            self.mark("forward")

        backward = accelerator.backward

        def goes_backward(loss, **named):
            self.mark("forward_end", activations=None)
            self.mark("backward")
            backward(loss, **named)
            self.mark("backward_end", gradients=gradients())

        before("get_batch_samples", trainer, data)
        before("training_step", trainer, forward)
        accelerator.backward = goes_backward
        before("clip_grad_norm_", accelerator, lambda: self.mark("clip"))
        ended = trainer.callback_handler.on_step_end

        def step_ended(*rest, **named):
            self.mark("step_end")
            control = ended(*rest, **named)
            if self.step + 1 >= STEPS and not control.should_evaluate:
                self.finish()
            return control

        trainer.callback_handler.on_step_end = step_ended
        evaluates = trainer.evaluate

        def evaluate(*rest, **named):
            self.micro_batch = 0
            self.mark("evaluation")
            found = evaluates(*rest, **named)
            if self.step + 1 >= STEPS:
                self.finish()
            return found

        trainer.evaluate = evaluate
        from accelerate.optimizer import AcceleratedOptimizer
        steps = AcceleratedOptimizer.step

        def step(optimizer, *rest, **named):
            self.mark("optimizer_step")
            found = steps(optimizer, *rest, **named)
            self.mark("zero_grad", optimizer_states={storage(t) for t in plain(list(optimizer.optimizer.state.values()))})
            return found

        AcceleratedOptimizer.step = step

    def finish(self):
        import phases
        self.recorder.mark("end")
        found = phases.summarize(self.recorder, self.known, getattr(self, "facts", {}))
        found["steps"] = self.by_step()
        found["loading"] = self.recorder.figures[0][2:4]  # the most that was allocated and reserved before the first step
        found["versions"] = versions()
        json.dump(found, open(RESULT, "w"))
        if os.environ.get("WATCHED_EVENTS"):
            events(self.recorder, os.environ["WATCHED_EVENTS"])
        sys.stdout.flush()
        os._exit(0)

    def by_step(self):
        """[peak of live tensors, allocated, reserved] of each step."""
        import phases
        marks, figures = self.recorder.marks, self.recorder.figures
        sequence, sizes, _ = phases.categories(self.recorder.events(), marks, self.known, self.recorder.seen, self.recorder.unknown)
        steps, total, at = {}, 0, None
        for kind, index in sequence:
            if kind == "mark":
                name = marks[index][0]
                at = None if name == "end" else int(name.split(":")[0])
                if at is not None:
                    held = figures[index + 1][2:4]
                    steps.setdefault(at, [0, 0, 0])
                    steps[at] = [max(steps[at][0], total), max(steps[at][1], held[0]), max(steps[at][2], held[1])]
                continue
            total += phases.rounded(sizes[index]) * (1 if kind == "alloc" else -1)
            if at is not None:
                steps[at][0] = max(steps[at][0], total)
        return [steps[number] for number in sorted(steps)]


def versions():
    import importlib.metadata as metadata
    names = ("torch", "transformers", "peft", "accelerate", "trl", "axolotl", "llamafactory", "torchtune", "torchao", "bitsandbytes", "liger-kernel")
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name).split("+")[0]
        except metadata.PackageNotFoundError:
            pass
    return found


def events(recorder, path):
    """One a line: allocations with the operation that made them, frees, marks."""
    numbers, count = {}, 0
    with open(path, "w") as out:
        for event in recorder.events():
            if event[0] == "mark":
                out.write(f"M {recorder.marks[event[1]][0]}\n")
                numbers[event[2]] = None
            elif event[0] == "alloc":
                numbers[event[1]] = count
                out.write(f"A {count} {event[2]} {event[3]}\n")
                count += 1
            elif event[0] == "free" and (number := numbers.pop(event[1], None)) is not None:
                out.write(f"F {number}\n")


def batches(trainer):
    """What a batch on the device holds is known from the one on the host that it is a copy of: masks, labels, positions."""
    import accelerate.data_loader, accelerate.utils.operations as operations
    import known_values
    loader = importlib.import_module("swift.dataloader.shard") if trainer == "swift" else None
    sends = loader.to_device if loader else operations.send_to_device

    def sent(batch, *rest, **named):
        hosts = dict(batch) if hasattr(batch, "keys") else {}  # some batches move in place
        found = sends(batch, *rest, **named)
        for key, host in hosts.items():
            device = found[key]
            if isinstance(host, torch.Tensor) and host.device.type == "cpu" and isinstance(device, torch.Tensor) and device.is_cuda and not host.is_floating_point():
                found[key] = known_values.known(device, host.clone())
        return found

    if loader:
        loader.to_device = sent
        return
    for module in (operations, accelerate.data_loader):
        module.send_to_device = sent


def install(trainer):
    import transformers
    watch = Watch()
    loads = transformers.PreTrainedModel.from_pretrained.__func__

    def loaded(cls, *rest, **named):
        watch.begin()
        return loads(cls, *rest, **named)

    transformers.PreTrainedModel.from_pretrained = classmethod(loaded)
    trains = transformers.Trainer.train

    def train(self, *rest, **named):
        watch.around(self)
        return trains(self, *rest, **named)

    transformers.Trainer.train = train
    batches(trainer)
    return watch
