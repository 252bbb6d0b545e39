"""Memory of a process after its imports, alone and beside others of its kind (experiment 1).

usage: python3 imports.py [STEP ...]
"""

import os
import subprocess
import sys

import measure

TORCH_MODEL = "import torch; from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM"
OPTIMIZER = "p = torch.nn.Parameter(torch.ones(8)); o = torch.optim.AdamW([p])"
STEPS = {
    "bare": "",
    "numpy": "import numpy",
    "pandas": "import pandas",
    "pyarrow": "import pyarrow.parquet, pyarrow.dataset",
    "datasets": "import datasets",
    "torch": "import torch",
    "torch_used": "import torch; torch.nn.Linear(8, 8)(torch.randn(2, 8)).sum().backward()",
    "torch+AdamW_ctor": f"import torch; {OPTIMIZER}",
    "torch+pandas": "import torch, pandas, pyarrow.parquet",
    "torch+datasets": "import torch, datasets",
    "accelerate": "import torch, accelerate",
    "accelerate+AdamW_ctor": f"import torch, accelerate; {OPTIMIZER}",
    "transformers": TORCH_MODEL,
    "transformers+AdamW_ctor": f"{TORCH_MODEL}; {OPTIMIZER}",
    "tf+accelerate+peft": f"{TORCH_MODEL}; import accelerate, peft",
    "tf+accelerate+peft+AdamW_ctor": f"{TORCH_MODEL}; import accelerate, peft; {OPTIMIZER}",
    "trainer": f"{TORCH_MODEL}, Trainer, TrainingArguments",
    "all": f"{TORCH_MODEL}, Trainer, TrainingArguments; import accelerate, peft, datasets, pandas",
    "torchrun_launcher": "import torch.distributed.run, torch.distributed.elastic.agent.server.local_elastic_agent",
}
TOGETHER = {"torch": (2, 3, 4), "all": (2, 3, 4)}


def run(step, count):
    code = STEPS[step] + "\nimport sys; print('ready', flush=True); sys.stdin.readline()"
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
    processes = [subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, env=environment) for _ in range(count)]
    for process in processes:
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{step}: the imports failed")
    each = [measure.snapshot(process.pid) for process in processes]
    files = {}
    for process in processes:
        for key, size in measure.file_pages(process.pid).items():
            files[key] = max(files.get(key, 0), size)
    for process in processes:
        process.communicate("\n")
    anon = sum(one["anon"] for one in each)
    measure.emit("1_baseline", {"step": step, "n_procs": count}, anon_each=anon // count,
                 file_union=sum(files.values()), pte_each=each[0]["pte"], rss_sum=sum(one["rss"] for one in each),
                 true_total=anon + sum(files.values()) + sum(one["pte"] for one in each))


if __name__ == "__main__":
    for step in sys.argv[1:] or STEPS:
        for count in (1, *TOGETHER.get(step, ())):
            run(step, count)
