"""Records snapshots of torch.cuda.memory for tests/fixtures/inputs/snapshots.

    snapshots.py FOLDER

writes one pickle for each job, as `_dump_snapshot` writes it, and `peaks.jsonl`: what PyTorch itself
reports of each, and the scenario where it is one. Only the folders of the frames' files are shortened; one job is written in each protocol.
"""

import gc
import json
import os
import pickle
import random
import sys

import torch

import libraries
import scenario as scenarios

CUDA = torch.cuda


def linear():
    """The linear layer of the fifth situation, trained for two steps."""
    layer = torch.nn.Linear(10000, 50000, device="cuda")
    optimizer = torch.optim.AdamW(layer.parameters(), foreach=True)
    for _ in range(2):
        layer(torch.randn(128, 10000, device="cuda")).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    del layer, optimizer


def network():
    sizes = [256, 1024, 256, 1024, 256]
    layers = []
    for before, after in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(before, after, device="cuda"), torch.nn.GELU()]
    return torch.nn.Sequential(*layers)


class LoRA(torch.nn.Module):
    def __init__(self, base, r=8):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = torch.nn.Linear(base.in_features, r, bias=False, device="cuda")
        self.b = torch.nn.Linear(r, base.out_features, bias=False, device="cuda")

    def forward(self, x):
        return self.base(x) + self.b(self.a(x))


def lora():
    """Adapters on a small network whose base was there before recording began."""
    model = torch.nn.Sequential(*(LoRA(m) if isinstance(m, torch.nn.Linear) else m for m in BASE))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    for batch in (64, 512):
        model(torch.randn(batch, 256, device="cuda")).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def lengths():
    """Batches of many lengths, which leave segments in pieces."""
    model = network()
    for batch in (3000, 6100, 900, 7200):
        model(torch.randn(batch, 256, device="cuda")).mean().backward()


SMALL = {"model_type": "llama", "vocab_size": 2000, "hidden_size": 256, "intermediate_size": 704, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512}
TRAINED = {
    "trained": {"model": {"hf_config": SMALL}, "precision": "fp32", "micro_batch_size": 4, "seq_len": 128},
    "trained_lora": {"model": {"hf_config": {**SMALL, "num_hidden_layers": 1}}, "precision": "bf16", "micro_batch_size": 8, "seq_len": 256,
                     "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}, "activation_checkpointing": "full"},
}


def trained(asked):
    """A script that loads a model and trains it, recorded from its beginning; what it trains is a scenario."""
    asked = scenarios.complete(asked)
    model = scenarios.model(asked)
    optimizer = scenarios.optimizer(asked, [p for p in model.parameters() if p.requires_grad], model)
    for _ in range(3):
        for _ in range(asked["gradient_accumulation_steps"]):
            batch = scenarios.batch(asked, model.config)
            loss = model(**batch).loss / asked["gradient_accumulation_steps"]
            loss.backward()
            del loss
        optimizer.step()
        optimizer.zero_grad()
    MADE[:] = [model, optimizer]


def runs_out():
    """A list that grows until nothing is left."""
    held = []
    try:
        while True:
            held.append(torch.empty(1 << 35, dtype=torch.uint8, device="cuda"))
            torch.empty(3 << 20, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError as error:
        print(error)
    KEPT.extend(held[:2])


def drawn():
    """Sizes drawn at random, given back in no order, among those that were there before."""
    numbers = random.Random(1)
    held = OLD
    for _ in range(250):
        if numbers.random() < 0.6 or not held:
            size = int(2 ** numbers.uniform(4, 26.5))
            held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        else:
            held.pop(numbers.randrange(len(held)))


def old():
    """What `drawn` begins with, made by its settings."""
    OLD.extend(torch.empty(3_000_000 * i + 700, dtype=torch.uint8, device="cuda") for i in range(12))
    del OLD[::3]


KEPT = []
MADE = []
BASE = []
OLD = []


def shortened(snapshot):
    seen = set()
    for part in snapshot["segments"]:
        for item in [part, *part["blocks"]]:
            shorten(item, seen)
    for trace in snapshot["device_traces"]:
        for event in trace:
            shorten(event, seen)
    return snapshot


def shorten(item, seen):
    frames = item.get("frames") or []
    # The launcher's own frames say nothing.
    for frame in frames:
        if id(frame) not in seen:
            seen.add(id(frame))
            name = frame["filename"]
            for mark in ("site-packages/", "/lib/python"):
                name = name.split(mark)[-1]
            frame["filename"] = name.rsplit("/", 1)[-1] if name.startswith("/") else name


def record(folder, name, job, protocols=(4,), settings=None):
    gc.collect()
    CUDA.empty_cache()
    if settings:
        CUDA.memory._set_allocator_settings(settings)
    if job is drawn:
        old()
    CUDA.reset_peak_memory_stats()
    start = CUDA.memory_allocated(), CUDA.memory_reserved()
    CUDA.memory._record_memory_history(max_entries=100000, stacks="python")
    job()
    peak = CUDA.max_memory_allocated(), CUDA.max_memory_reserved()
    end = CUDA.memory_allocated(), CUDA.memory_reserved()
    snapshot = shortened(CUDA.memory._snapshot())
    MADE.clear()
    CUDA.memory._record_memory_history(enabled=None)
    if settings:
        CUDA.memory._set_allocator_settings("expandable_segments:False")
    for protocol in protocols:
        suffix = "" if len(protocols) == 1 else f"_protocol_{protocol}"
        file = f"{name}{suffix}.pickle"
        with open(os.path.join(folder, file), "wb") as raw:
            pickle.dump(snapshot, raw, protocol=protocol)
        line = {"file": file, "torch": torch.__version__, "events": len(snapshot["device_traces"][0])}
        line |= {"start_allocated": start[0], "start_reserved": start[1]}
        line |= {"peak_allocated": peak[0], "peak_reserved": peak[1]}
        line |= {"end_allocated": end[0], "end_reserved": end[1]}
        if name in TRAINED:
            line |= {"scenario": TRAINED[name]}
        yield line


def main(folder):
    os.makedirs(folder, exist_ok=True)
    BASE.extend(network())
    jobs = [
        ("linear", linear, (4,), None),
        ("lora", lora, (2, 5), None),
        ("lengths", lengths, (4,), None),
        ("expandable", lengths, (4,), "expandable_segments:True"),
        *((name, lambda asked=asked: trained(asked), (4,), None) for name, asked in TRAINED.items()),
        ("runs_out", runs_out, (4,), None),
        ("drawn", drawn, (4,), "max_split_size_mb:32,roundup_power2_divisions:[4:2,16:8,>:1]"),
    ]
    with open(os.path.join(folder, "peaks.jsonl"), "w") as out:
        for name, job, protocols, settings in jobs:
            for line in record(folder, name, job, protocols, settings):
                print(line)
                out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
