"""Watches torchtitan for three steps: marks between its phases, then the peaks. What its loop calls is wrapped; the group of processes is the launcher's (`launch.py`)."""
import torch
from watch import STEPS, Watch, plain


class TitanWatch(Watch):
    def gradients(self, trainer):
        from recorder import storage
        return {storage(p.grad) for part in trainer.model_parts for p in part.parameters() if p.grad is not None}

    def states(self, trainer):
        from recorder import storage
        return {storage(t) for optimizer in trainer.optimizers.optimizers for t in plain(list(optimizer.state.values()))}

    def begins_step(self, trainer):
        from recorder import known_as
        if self.recorder.marks:
            self.step += 1
        else:
            held = [p for part in trainer.model_parts for p in part.parameters()]
            buffers = [b for part in trainer.model_parts for b in part.buffers()]
            self.known = {**known_as("buffers", buffers), **known_as("parameters", held)}
            self.facts = dict(num_parameters=sum(p.numel() for p in held), num_trainable=sum(p.numel() for p in held if p.requires_grad))
            self.around_optimizers(trainer)
        self.micro_batch = -1
        self.mark("data")

    def around_optimizers(self, trainer):
        steps = trainer.optimizers.step

        def step(*rest, **named):
            self.mark("optimizer_step")
            found = steps(*rest, **named)
            self.mark("zero_grad", optimizer_states=self.states(trainer))
            return found

        trainer.optimizers.step = step


def install():
    import torchtitan.distributed.utils as distributed
    from torchtitan import train
    watch = TitanWatch()
    distributed.init_distributed = lambda *rest, **named: torch.distributed.get_world_size()
    makes, steps, passes = train.Trainer.__init__, train.Trainer.train_step, train.Trainer.forward_backward_step

    def make(self, *rest, **named):
        torch.cuda.init()
        watch.begin()
        watch.trainer = self
        makes(self, *rest, **named)

    def step(self, *rest, **named):
        watch.begins_step(self)
        steps(self, *rest, **named)
        if watch.step + 1 >= STEPS:
            watch.finish()

    def forward_backward(self, *rest, **named):
        watch.micro_batch += 1
        watch.mark("forward")
        return passes(self, *rest, **named)

    train.Trainer.__init__, train.Trainer.train_step, train.Trainer.forward_backward_step = make, step, forward_backward
    backward = torch.Tensor.backward

    def goes_backward(loss, *rest, **named):
        watch.mark("forward_end", activations=None)
        watch.mark("backward")
        backward(loss, *rest, **named)
        watch.mark("backward_end", gradients=watch.gradients(watch.trainer))

    torch.Tensor.backward = goes_backward
    clips = distributed.clip_grad_norm_

    def clip(*rest, **named):
        watch.mark("clip")
        return clips(*rest, **named)

    distributed.clip_grad_norm_ = clip
    return watch
