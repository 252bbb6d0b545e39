"""One rank of several that a trainer of TRL trains (`parallelism.dp` beside `objective`). accelerate is told of the process group of ranks.py, so that the
trainer prepares its reference as it does there, and gathers its metrics; the trained model is wrapped by ranks.py, within accelerate's region of autocast."""
import os
import master_weights, ranks


def begins(asked):
    """Before anything of accelerate is made. -> options of `TrainingArguments`."""
    dp = ranks.asked(asked)
    if not dp:
        return {}
    if "zero_redundancy_optimizer" in dp or dp.get("comm_hook", "none") != "none":
        raise ValueError("Trainer has no such options")
    group = ranks.group_of(asked, dp)
    master_weights.alone(group["rank"], group["size"])
    gathers_at_once()
    # Of a model that is loaded divided no optimizer is saved, which `Trainer` asks to be told.
    return dict(ddp=dict, divided=lambda: dict(save_strategy="no"), fsdp1=lambda: sharded(1), fsdp2=lambda: sharded(2), deepspeed_zero=lambda: dict(deepspeed=ranks.Zero.settings(asked, dp)))[dp["kind"]]()


def sharded(version):
    os.environ.update(ACCELERATE_USE_FSDP="true", FSDP_VERSION=str(version), FSDP_CPU_RAM_EFFICIENT_LOADING="false")
    return {}


def gathers_at_once():
    """The group of a process wants what is gathered in the shape of the result, and has no objects of others."""
    import torch
    gather = torch.distributed.all_gather_into_tensor
    torch.distributed.all_gather_into_tensor = lambda output_tensor, input_tensor, *rest, **named: gather(output_tensor.view(-1), input_tensor.reshape(-1), *rest, **named)
    torch.distributed.broadcast_object_list = lambda *_, **__: None


def sharded_reference(prepare, asked):
    """`prepare_fsdp` of a reference, for which accelerate knows the options of the scenario."""
    dp = ranks.asked(asked)

    def prepared(model, accelerator):
        plugin = accelerator.state.fsdp_plugin
        if dp["kind"] == "fsdp2":
            options = ranks.options_of_fsdp2(dp, None)
            plugin.mixed_precision_policy, plugin.cpu_offload = options.get("mp_policy"), options.get("offload_policy")
            plugin.reshard_after_forward = dp.get("reshard_after_forward", True)
        else:
            for key, value in ranks.Fsdp1.options(model, asked, dp).items():
                setattr(plugin, dict(mixed_precision="mixed_precision_policy").get(key, key), value)
            plugin.set_auto_wrap_policy = lambda model: None
        return prepare(model, accelerator)
    return prepared


def wrapped(objective, make):
    """The rank around the trainer's model; `make` makes the optimizer of given parameters."""
    asked, trainer = objective.asked, objective.trainer
    model = trainer.accelerator.prepare_model(trainer.model, evaluation_mode=True)
    model.train()
    rank = ranks.made(model, make, asked)
    if rank.dp["kind"].startswith("fsdp"):  # breaking convention, as Trainer says
        trainer.model = rank.engine
    if rank.dp["kind"] == "deepspeed_zero":
        trainer.accelerator.deepspeed_engine_wrapped, trainer.deepspeed = Steps(rank), rank.engine
    return rank


class Steps:
    """What accelerate calls instead of an engine of DeepSpeed: the loop around the trainer steps."""

    def __init__(self, rank):
        self.rank = rank

    def backward(self, loss, sync_gradients=True, **named):
        self.rank.engine.set_gradient_accumulation_boundary(is_boundary=self.rank.is_last)
        self.rank.engine.backward(loss, **named)
