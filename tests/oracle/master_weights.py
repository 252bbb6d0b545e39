"""Full-precision weights beside those in half precision: DeepSpeed's engine without ZeRO, on one device."""
import os
import torch

SETTINGS = dict(DS_ACCELERATOR="cuda", DS_BUILD_OPS="0", DS_SKIP_CUDA_CHECK="1", CUDA_HOME="/nonexistent", RANK="0", LOCAL_RANK="0", WORLD_SIZE="1",
                MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")


class DeepSpeed:
    """An engine as the training program uses a model and its optimizer."""

    def __init__(self, model, optimizer, asked):
        os.environ.update({key: value for key, value in SETTINGS.items() if key not in os.environ})
        import deepspeed
        import deepspeed.runtime.engine as engine
        from torch.testing._internal.distributed.fake_pg import FakeStore
        if not torch.distributed.is_initialized():
            torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=1)
        # Its own fused Adam needs a compiler for CUDA; torch's in its place goes the same way.
        engine.FusedAdam = type(optimizer)
        settings = dict(train_micro_batch_size_per_gpu=asked["micro_batch_size"], gradient_accumulation_steps=asked["gradient_accumulation_steps"],
                        zero_optimization=dict(stage=0), gradient_clipping=1.0 if asked["clip_grad_norm"] else 0.0, **{asked["precision"]: dict(enabled=True)})
        trained = [p for p in model.parameters() if p.requires_grad]
        self.engine = deepspeed.initialize(model=model, optimizer=optimizer, model_parameters=trained, config=settings)[0]
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
