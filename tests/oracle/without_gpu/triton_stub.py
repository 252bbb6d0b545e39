"""Triton on the stubbed runtime: kernels are neither compiled nor launched. The Python around them runs, allocations and all: a grid is
worked out, hooks run, the autotuner takes the first configuration that its pruning leaves (and measures none, so its buffers are not seen).
Import before any library that uses Triton; on a real GPU do not import it."""
import os
import torch, triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

os.environ.setdefault("FLA_CACHE_MODE", "disabled")


# Bytes of shared memory that a block of compute capability 8.0 can have, which torch 2.6 does not say.
AMPERE_SHARED_MEMORY = 166912


class Anything:
    """Answers to every name with a function that does nothing."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


class Utils(Anything):
    def get_device_properties(self, device=0):
        facts = torch.cuda.get_device_properties(0)
        return dict(max_shared_mem=getattr(facts, "shared_memory_per_block_optin", AMPERE_SHARED_MEMORY), max_num_regs=65536, multiprocessor_count=facts.multi_processor_count,
                    warpSize=32, sm_clock_rate=1410000, mem_clock_rate=1215000, mem_bus_width=5120)

    def is_stream_capturing(self, stream):
        return False


class Driver:
    utils, launcher_cls = Utils(), None

    def get_current_target(self):
        major, minor = torch.cuda.get_device_capability(0)
        return GPUTarget("cuda", major * 10 + minor, 32)

    get_current_device = lambda self: torch.cuda.current_device()
    set_current_device = lambda self, device: None
    get_current_stream = lambda self, device=0: 0
    get_device_capability = lambda self, device=0: torch.cuda.get_device_capability(0)
    get_active_torch_device = lambda self: torch.device("cuda", 0)
    get_device_interface = lambda self: torch.cuda
    get_benchmarker = lambda self: lambda call, *args, **kwargs: [1.0, 1.0, 1.0]
    is_active = staticmethod(lambda: True)


class Kernel(Anything):
    n_regs, n_spills, shared, num_warps = 32, 0, 0, 4

    class metadata:
        num_warps, shared, num_stages, num_ctas = 4, 0, 2, 1


def launched(self, *args, grid=None, warmup=False, **kwargs):
    for hook in self.pre_run_hooks:
        hook(*args, **kwargs)
    if callable(grid):
        values = {**dict(zip(self.arg_names, args)), **kwargs}
        for parameter in self.params:
            if parameter.name not in values and parameter.has_default:
                values[parameter.name] = parameter.default
        grid(values)
    return Kernel()


def tuned(self, *args, **kwargs):
    self.nargs = dict(zip(self.arg_names, args))
    chosen = self.configs[0] if self.configs else triton.Config({})
    if len(self.configs) > 1:
        chosen = (self.prune_configs(kwargs) or self.configs)[0]
    self.best_config = chosen
    if chosen.pre_hook is not None:
        chosen.pre_hook({**self.nargs, **kwargs, **chosen.all_kwargs()})
    result = self.fn.run(*args, **{**kwargs, **chosen.all_kwargs()})
    self.nargs = None
    return result


driver.set_active(Driver())
setattr(driver, "_default" if hasattr(driver, "_default") else "default", Driver())  # of triton 3.9, and of 3.2
JITFunction.run, Autotuner.run = launched, tuned
# Orthogonal initialization needs cuSOLVER.
torch.linalg.qr = lambda a, *args, **kwargs: (torch.empty_like(a), a.new_empty(a.shape[-1], a.shape[-1]))
