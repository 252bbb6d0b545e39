"""How much GPU memory a training step takes, before it runs.

    import highwater
    print(highwater.estimate(model, (torch.zeros(3, 3, 224, 224),), micro_batch_size=64, gpu="rtx-4090"))

`model` is an `nn.Module`, the path of an archive that `export` or `torch.export.save` wrote, the name of a published
model ("llama-3.1-8b"), or a scenario as a dict. Only an `nn.Module` needs torch. No GPU and no network are needed.
"""

from ._engine import Error
from ._estimate import estimate
from ._export import export
from ._report import Report

__all__ = ["Error", "Report", "estimate", "export"]
