"""Phase marks and allocator events of a run."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

memory = torch.cuda.memory
TORCH_2_6 = torch.__version__.startswith("2.6")
# A mark is a tensor that is allocated and freed at once. torch 2.15 gives it a name; in 2.6 its odd size tells it.
MARK_BYTES = 12347 if TORCH_2_6 else 1


def storage(tensor):
    return tensor.untyped_storage().data_ptr()


def tensors(value):
    """The tensors on the device in nested dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        if value.device.type == "cuda":
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)


def allocations():
    """How often the allocator was asked so far."""
    return torch.cuda.memory_stats()["allocation.all.allocated"]


class Recorder:
    """`marks` are (name, {category: storages known at the mark}), `figures` the allocator's own: allocated and reserved at the mark, and
    their peaks since the last."""

    def __init__(self):
        self.marks, self.figures = [], []
        self.before = allocations()
        more = {} if TORCH_2_6 else dict(clear_history=True)
        memory._record_memory_history(enabled="all", context=None, stacks="python", max_entries=50_000_000, **more)

    def mark(self, name, **known):
        stats = torch.cuda.memory_stats()
        kinds = ("allocated_bytes.all.current", "reserved_bytes.all.current", "allocated_bytes.all.peak", "reserved_bytes.all.peak")
        self.figures.append([stats[kind] for kind in kinds])
        torch.cuda.reset_peak_memory_stats()
        label = getattr(memory, "_set_memory_metadata", lambda _: None)
        label("MARK")
        torch.empty(MARK_BYTES, dtype=torch.uint8, device="cuda")
        label("")
        self.marks.append((name, known))

    def events(self):
        """The allocator's events so far: ("alloc", address, bytes), ("free", address), ("mark", index, address, bytes),
        ("segment", kind, bytes), ("oom", bytes)."""
        events, marks = [], 0
        for event in memory._snapshot()["device_traces"][0]:
            action, address, size = event["action"], event["addr"], event["size"]
            if action == "alloc":
                if size == MARK_BYTES if TORCH_2_6 else event["user_metadata"] == "MARK":
                    events.append(("mark", marks, address, size))
                    marks += 1
                else:
                    events.append(("alloc", address, size, event.get("user_metadata", "")))
            elif action == "free_completed":
                events.append(("free", address))
            elif action.startswith("segment"):
                events.append(("segment", action[8:], size))
            elif action == "oom":
                events.append(("oom", size))
        return events


class AutocastCopies(TorchDispatchMode):
    """Storages of the low-precision copies that autocast makes of weights, each with how often the allocator was asked until then: a copy
    that is dropped leaves its address to others."""

    def __init__(self, weights, before):
        super().__init__()
        self.weights, self.before, self.storages = weights, before, {}

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        result = op(*args, **(kwargs or {}))
        if op is torch.ops.aten._to_copy.default and storage(args[0]) in self.weights:
            self.storages[storage(result)] = allocations() - self.before
        return result


class OpNames(TorchDispatchMode):
    """Writes the running operation beside each allocation (torch 2.15)."""

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if memory._get_memory_metadata() == "MARK":
            return op(*args, **(kwargs or {}))
        memory._set_memory_metadata(str(op))
        try:
            return op(*args, **(kwargs or {}))
        finally:
            memory._set_memory_metadata("")
