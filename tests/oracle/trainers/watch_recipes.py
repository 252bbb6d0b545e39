"""Watches a recipe of torchtune for three steps: marks between its phases, then the peaks. Nothing in a recipe is replaced; what its loop calls is wrapped."""
import types
import torch
from watch import STEPS, Watch, plain


class RecipeWatch(Watch):
    def __init__(self):
        super().__init__()
        self.model, self.optimizers, self.in_backward, self.stepped = None, [], False, True

    def gradients(self):
        from recorder import storage
        return {storage(p.grad) for p in self.model.parameters() if p.grad is not None}

    def states(self):
        from recorder import storage
        return {storage(t) for optimizer in self.optimizers for t in plain(list(optimizer.state.values()))}

    def made(self, component, arguments):
        """Looks at what a recipe has made of a part of its configuration."""
        if isinstance(component, torch.nn.Module) and hasattr(component, "tok_embeddings"):
            self.model = component
        elif isinstance(component, torch.optim.Optimizer):
            self.optimizers.append(component)
            self.in_backward = isinstance(arguments[1], list)  # an optimizer for each parameter
            if not self.in_backward:
                self.around(component)

    def around(self, optimizer):
        steps, zeroes = optimizer.step, optimizer.zero_grad

        def step(_, *rest, **named):
            self.mark("optimizer_step")
            found = steps(*rest, **named)
            self.mark("zero_grad", optimizer_states=self.states())
            self.stepped = True
            return found

        def zero_grad(_, *rest, **named):
            found = zeroes(*rest, **named)
            if self.recorder.marks:
                self.mark("step_end")
            return found

        optimizer.step, optimizer.zero_grad = types.MethodType(step, optimizer), types.MethodType(zero_grad, optimizer)

    def fetched(self, batches):
        """The batches of a loader; a step is over when the next batch is asked for."""
        from recorder import known_as
        for batch in batches:
            if self.stepped:
                if self.recorder.marks:
                    self.step += 1
                else:
                    held = list(self.model.parameters())
                    self.known = {**known_as("buffers", list(self.model.buffers())), **known_as("parameters", list(plain(held)))}
                    self.facts = dict(num_parameters=sum(p.numel() for p in held), num_trainable=sum(p.numel() for p in held if p.requires_grad))
                self.stepped, self.micro_batch = False, -1
                self.mark("data")
            self.micro_batch += 1
            self.mark("forward")
            yield batch
            if self.stepped and self.step + 1 >= STEPS:
                self.finish()

    def goes_backward(self, backward):
        def wrapped(loss, *rest, **named):
            self.mark("forward_end", activations=None)
            self.mark("backward")
            backward(loss, *rest, **named)
            if self.in_backward:
                self.mark("step_end", optimizer_states=self.states())
                self.stepped = True
            else:
                self.mark("backward_end", gradients=self.gradients())
        return wrapped


def install():
    import torchtune
    from torch.utils.data import DataLoader
    from torchdata.stateful_dataloader import StatefulDataLoader
    watch = RecipeWatch()
    instantiate = torchtune.config.instantiate

    def instantiated(*arguments, **named):
        watch.begin()
        made = instantiate(*arguments, **named)
        watch.made(made, arguments)
        return made

    torchtune.config.instantiate = instantiated
    for loader in (DataLoader, StatefulDataLoader):
        loader.__iter__ = (lambda batches: lambda self: watch.fetched(batches(self)))(loader.__iter__)
    torch.Tensor.backward = watch.goes_backward(torch.Tensor.backward)
    clips = torch.nn.utils.clip_grad_norm_

    def clipped(*rest, **named):
        watch.mark("clip")
        return clips(*rest, **named)

    torch.nn.utils.clip_grad_norm_ = clipped
    return watch
