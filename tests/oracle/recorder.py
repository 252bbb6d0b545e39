"""Phase marks and allocator events of a run."""
import contextlib, inspect
import torch
from torch.utils._python_dispatch import TorchDispatchMode

memory = torch.cuda.memory
# A mark is a tensor that is allocated and freed at once. Recent versions of torch give it a name; in others its odd size tells it.
NAMED = hasattr(memory, "_set_memory_metadata")
MARK_BYTES = 1 if NAMED else 12347


def local(tensor):
    """Of a distributed tensor what this rank has, of one that is under way what it will be."""
    own = getattr(tensor, "_local_tensor", tensor)
    return getattr(own, "elem", own)


def storage(tensor):
    return local(tensor).untyped_storage().data_ptr()


def known_as(category, found):
    """{storage: (bytes, category)} of those tensors that have a storage on the device."""
    storages = [local(tensor).untyped_storage() for tensor in tensors(found)]
    return {s.data_ptr(): (s.nbytes(), category) for s in storages if s.nbytes()}


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
    """`marks` are (name, {category: storages known at the mark}), `seen` what was known in between: how often the allocator had been asked,
    address and category. `figures` are the allocator's own: allocated and reserved at the mark, and the peaks of allocated, reserved and
    active since the last, without the marks' own tensors. `unknown` is the category of what nobody knows at the first mark."""

    def __init__(self):
        self.unknown = "buffers"
        self.marks, self.figures, self.seen = [], [], []
        self.before = allocations()
        more = dict(clear_history=True) if "clear_history" in inspect.signature(memory._record_memory_history).parameters else {}
        memory._record_memory_history(enabled="all", context=None, stacks="python", max_entries=50_000_000, **more)

    def mark(self, name, **known):
        stats = torch.cuda.memory_stats()
        kinds = ("allocated_bytes.all.current", "reserved_bytes.all.current", "allocated_bytes.all.peak", "reserved_bytes.all.peak", "active_bytes.all.peak")
        self.figures.append([stats[kind] for kind in kinds])
        label = getattr(memory, "_set_memory_metadata", lambda _: None)
        label("MARK")
        torch.empty(MARK_BYTES, dtype=torch.uint8, device="cuda")
        label("")
        torch.cuda.reset_peak_memory_stats()
        self.marks.append((name, known))

    def see(self, category, found):
        """These live now, wherever they are at the next mark."""
        asked = allocations() - self.before
        self.seen += [(asked, storage(tensor), category) for tensor in found]

    def events(self):
        """The allocator's events so far: ("alloc", address, bytes), ("free", address), ("mark", index, address, bytes),
        ("segment", kind, bytes), ("oom", bytes)."""
        events, marks = [], 0
        for event in memory._snapshot()["device_traces"][0]:
            action, address, size = event["action"], event["addr"], event["size"]
            if action == "alloc":
                if event["user_metadata"] == "MARK" if NAMED else size == MARK_BYTES:
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
    """Sees the low-precision copies that autocast makes of weights."""

    def __init__(self, weights, recorder):
        super().__init__()
        self.weights, self.recorder = weights, recorder

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        # Below a mode autocast is off; what bitsandbytes writes in Python runs under it.
        inside = torch.autocast("cuda", dtype=torch.get_autocast_dtype("cuda")) if op.namespace == "bitsandbytes" else contextlib.nullcontext()
        with inside:
            result = op(*args, **(kwargs or {}))
        if op is torch.ops.aten._to_copy.default and storage(args[0]) in self.weights:
            self.recorder.see("autocast_weights", [result])
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
