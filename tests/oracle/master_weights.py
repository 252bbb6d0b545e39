"""Full-precision weights beside those in half precision, on one device: DeepSpeed's engine without ZeRO, and Megatron-Core's DDP with its
Float16OptimizerWithFloat16Params. Both are used as the training program uses a model and its optimizer; `weights` are the copies, `gradients` what
holds gradients all the time, `others` further tensors of theirs, `divides` says whether the loss is divided by the micro-batches in `backward`."""
import os
import torch

SETTINGS = dict(DS_ACCELERATOR="cuda", DS_BUILD_OPS="0", DS_SKIP_CUDA_CHECK="1", CUDA_HOME="/nonexistent", RANK="0", LOCAL_RANK="0", WORLD_SIZE="1",
                MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")


def alone(rank=0, size=1):
    """A process group of this process: of it alone, or of one rank among those that are not there, whose answers are zeros."""
    from torch.testing._internal.distributed.fake_pg import FakeStore
    os.environ.update({key: value for key, value in dict(SETTINGS, RANK=str(rank), WORLD_SIZE=str(size)).items() if key not in os.environ})
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("fake", store=FakeStore(), rank=rank, world_size=size)
    if (torch.distributed.get_rank(), torch.distributed.get_world_size()) != (rank, size):
        raise ValueError("a process is one rank of one group: needs --apart")


def made(model, optimizer, asked):
    return dict(deepspeed=DeepSpeed, megatron=Megatron)[asked["optimizer"]["master_weights"]](model, optimizer, asked)


def settings(asked, zero):
    """DeepSpeed's configuration, with settings of ZeRO or without it."""
    settings = dict(train_micro_batch_size_per_gpu=asked["micro_batch_size"], gradient_accumulation_steps=asked["gradient_accumulation_steps"],
                    zero_optimization=zero or dict(stage=0), gradient_clipping=1.0 if asked["clip_grad_norm"] else 0.0,
                    zero_allow_untested_optimizer=bool(zero), zero_force_ds_cpu_optimizer=False)
    if asked["precision"] in ("bf16", "fp16"):
        settings[asked["precision"]] = dict(enabled=True)
    return settings


class DeepSpeed:
    divides, gradients, others = True, [], []

    def __init__(self, model, optimizer, asked, zero=None):
        """With settings of ZeRO (ranks.py), or without it."""
        import deepspeed
        deepspeed.logger.setLevel("ERROR")  # it writes where cases are written
        if not zero:
            alone()
            import deepspeed.runtime.engine as engine
            # Its own fused Adam needs a compiler for CUDA; torch's in its place goes the same way.
            engine.FusedAdam = type(optimizer)
        trained = [p for p in model.parameters() if p.requires_grad]
        self.engine = deepspeed.initialize(model=model, optimizer=optimizer, model_parameters=trained, config=settings(asked, zero))[0]
        self.micro_batches = 0

    @property
    def state(self):
        return self.engine.optimizer.optimizer.state

    @property
    def weights(self):
        return self.engine.optimizer.fp32_groups_flat

    def backward(self, loss):
        self.engine.backward(loss)
        self.micro_batches += 1
        if self.micro_batches % self.engine.gradient_accumulation_steps():
            self.engine.step()

    def step(self):
        self.engine.step()

    def zero_grad(self, set_to_none=True):
        pass


class FusedAdam(torch.optim.Optimizer):
    """apex's FusedAdam without its kernel, which takes no memory: the steps are counted on the host (NVIDIA/apex, apex/optimizers/fused_adam.py)."""

    def __init__(self, parameters):
        self.flag = torch.zeros(1, dtype=torch.int, device="cuda")
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            if p.grad is not None and not self.state[p]:
                self.state[p].update({name: torch.zeros_like(p.data).float() for name in ("exp_avg", "exp_avg_sq")})


def kernels_of_apex(chunk, flag, lists, *rest):
    """What amp_C's kernels take: the norm a number for each of 320 blocks; scaling, and copying by it, nothing (csrc/multi_tensor_l2norm_kernel.cu)."""
    if len(lists) == 1:
        blocks = torch.zeros(320, device="cuda")
        return torch.empty(1, device="cuda"), None


class Megatron:
    divides = False

    def __init__(self, model, optimizer, asked):
        alone()
        from megatron.core import parallel_state
        from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
        from megatron.core.optimizer import OptimizerConfig, clip_grads, optimizer as wrappers
        from megatron.core.optimizer.grad_scaler import DynamicGradScaler
        from megatron.core.transformer import TransformerConfig
        if not parallel_state.is_initialized():
            parallel_state.initialize_model_parallel()
        # apex needs a compiler for CUDA; its fused Adam and its kernels in place of slower ones that take more.
        clip_grads.l2_norm_impl = clip_grads.multi_tensor_scale_impl = wrappers.multi_tensor_scale_impl = kernels_of_apex
        half = {asked["precision"]: True}
        sizes = TransformerConfig(num_layers=1, hidden_size=8, num_attention_heads=1, **half)
        self.engine = DistributedDataParallel(sizes, DistributedDataParallelConfig(grad_reduce_in_fp32=True), model)
        scaler = DynamicGradScaler(2.0**32, 1.0, 2.0, 0.5, 1000, 2) if asked["precision"] == "fp16" else None
        if asked["optimizer"].get("impl") == "fused":
            optimizer = FusedAdam([p for p in model.parameters() if p.requires_grad])
        settings = OptimizerConfig(clip_grad=1.0 if asked["clip_grad_norm"] else 0.0, **half)
        self.optimizer = wrappers.Float16OptimizerWithFloat16Params(optimizer, settings, scaler, lambda *_: None)

    @property
    def state(self):
        return self.optimizer.state

    @property
    def weights(self):
        return [w for group in self.optimizer.fp32_from_float16_groups for w in group]

    @property
    def gradients(self):
        return [buffer.grad_data for buffer in self.engine.buffers]

    @property
    def others(self):
        return [t for part in (self.optimizer, self.optimizer.grad_scaler, self.optimizer.optimizer) for t in vars(part or self).values() if isinstance(t, torch.Tensor)]

    def backward(self, loss):
        self.optimizer.scale_loss(loss).backward()

    def step(self):
        self.engine.finish_grad_sync()
        self.optimizer.step()

    def zero_grad(self, set_to_none=True):
        self.engine.zero_grad_buffer()
        self.optimizer.zero_grad()
