"""What a CUDA context takes, on the GPU outside of PyTorch's allocator and on the host, stage by stage. Needs a GPU and nothing else on it.

    python3 context.py > contexts.jsonl        # a line for each stage of each run: {"run", "stage", "device", "host": {...}}

Each run is a process of its own; `device` is what is in use on the GPU less what PyTorch's allocator reserves. Two processes at once say
what of the file-backed pages is shared: `file_union` of the node beside each one's `file`."""
import json, multiprocessing, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import measure


def look(run, stage, device=True):
    import torch
    outside = None
    if device:
        torch.cuda.synchronize()
        free, total = torch.cuda.mem_get_info()
        outside = total - free - torch.cuda.memory_reserved()
    measure.trim()
    host = {key: value for key, value in measure.snapshot().items() if key in ("rss", "anon", "file", "shmem", "pte", "uss")}
    print(json.dumps(dict(run=run, stage=stage, device=outside, host=host)), flush=True)


def matmul(dtype):
    import torch
    x = torch.ones(256, 256, device="cuda", dtype=dtype, requires_grad=True)
    (x @ x).sum().backward()


def layers():
    """A small model trained for two steps: attention, norms, the optimizer's fused kernels."""
    import torch
    layer = torch.nn.TransformerEncoderLayer(256, 4, 512, device="cuda", dtype=torch.bfloat16, batch_first=True)
    optimizer = torch.optim.AdamW(layer.parameters(), fused=True)
    for _ in range(2):
        layer(torch.ones(2, 64, 256, device="cuda", dtype=torch.bfloat16)).float().pow(2).mean().backward()
        torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def transformer():
    """Three steps of a causal language model of transformers, as `cases.py` runs them."""
    import torch, transformers
    config = transformers.LlamaConfig(vocab_size=1024, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4)
    model = transformers.AutoModelForCausalLM.from_config(config).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    ids = torch.ones(2, 64, device="cuda", dtype=torch.int64)
    for _ in range(3):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def convolution():
    import torch
    conv = torch.nn.Conv2d(3, 64, 7, device="cuda")
    conv(torch.ones(2, 3, 64, 64, device="cuda")).sum().backward()


def nccl(rank, ranks):
    import torch
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.distributed.init_process_group("nccl", rank=rank, world_size=ranks)
    x = torch.ones(1 << 20, device="cuda")
    torch.distributed.all_reduce(x)


def bitsandbytes():
    import bitsandbytes as bnb, torch
    layer = bnb.nn.Linear4bit(256, 256, compute_dtype=torch.bfloat16).to("cuda")
    layer(torch.ones(2, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)).sum().backward()


def liger():
    import torch
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    x = torch.ones(64, 256, device="cuda", requires_grad=True)
    LigerRMSNormFunction.apply(x, torch.ones(256, device="cuda", requires_grad=True), 1e-6).sum().backward()


STAGES = {
    "context": lambda: __import__("torch").zeros(1, device="cuda"),
    "matmul fp32": lambda: matmul(__import__("torch").float32),
    "matmul bf16": lambda: matmul(__import__("torch").bfloat16),
    "layers": layers,
    "convolution": convolution,
    "transformer": transformer,
    "nccl": lambda: nccl(0, 1),
    "bitsandbytes": bitsandbytes,
    "triton": liger,
}
RUNS = {
    "stages": list(STAGES),
    "transformer": ["transformer"],
    "nccl": ["context", "nccl"],
    "eager": ["context", "matmul bf16", "transformer"],  # CUDA_MODULE_LOADING=EAGER
    "bitsandbytes": ["context", "matmul bf16", "bitsandbytes"],
}


def one(run):
    if run == "eager":
        os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    import torch, transformers
    look(run, "imported", device=False)
    for stage in RUNS[run]:
        try:
            STAGES[stage]()
        except Exception as error:
            print(json.dumps(dict(run=run, stage=stage, error=str(error)[:200])), flush=True)
            continue
        look(run, stage)


def together(barrier):
    import torch, transformers
    transformer()
    torch.cuda.synchronize()
    barrier.wait()
    barrier.wait()


def several(count):
    """The same process several times at once: what the node holds of them together."""
    import torch
    torch.zeros(1, device="cuda")
    before = torch.cuda.mem_get_info()[0]
    barrier = multiprocessing.get_context("spawn").Barrier(count + 1)
    processes = [multiprocessing.get_context("spawn").Process(target=together, args=(barrier,)) for _ in range(count)]
    for process in processes:
        process.start()
    barrier.wait()
    node = [measure.tree(process.pid) for process in processes]
    device = before - torch.cuda.mem_get_info()[0]
    pages = {}
    for process in processes:
        for key, size in measure.file_pages(process.pid).items():
            pages[key] = max(pages.get(key, 0), size)
    print(json.dumps(dict(run=f"{count} at once", device=device, file_union=sum(pages.values()),
                          each=[dict(anon=n["anon"], file=n["file"], uss=n["uss"]) for n in node],
                          files=sorted(([key[1], size] for key, size in pages.items()), key=lambda entry: -entry[1])[:25])), flush=True)
    barrier.wait()
    for process in processes:
        process.join()


if __name__ == "__main__":
    for run in RUNS:
        process = multiprocessing.get_context("spawn").Process(target=one, args=(run,))
        process.start()
        process.join()
    for count in (1, 2):
        process = multiprocessing.get_context("spawn").Process(target=several, args=(count,))
        process.start()
        process.join()
