"""The first of the processes that a launcher starts, as this process: `accelerate launch`, `torchrun`, `trl sft --accelerate_config`. The launcher's own program reads its options and files and sets the
variables of its processes; where it would start them, this one becomes rank 0 of a group whose collectives return at once (`ranks.py`)."""
import ctypes, os, runpy, sys

LAUNCHERS = ("accelerate", "torchrun", "trl", "deepspeed")
# Modules whose files users start by their paths.
MODULES = {"trl/scripts/sft.py": "trl.scripts.sft", "trl/scripts/dpo.py": "trl.scripts.dpo"}


def start(words, prepare):
    """Runs a command up to where it would start processes; `prepare` is called by what becomes the first of them."""
    import torch.distributed.run as elastic
    elastic.run = lambda options: first(options, prepare)
    launcher, *rest = words
    sys.argv = [launcher, *rest]
    if launcher == "torchrun":
        return elastic.main(rest)
    if launcher == "deepspeed":
        return by_deepspeed(rest, prepare)
    import accelerate.commands.launch as launch
    if launcher == "accelerate":
        return launch.launch_command(launch.launch_command_parser().parse_args(rest[1:]))
    import trl.cli
    return trl.cli.main()


def first(options, prepare):
    """Rank 0 of what `torch.distributed.run` would start."""
    each, nodes = int(options.nproc_per_node), int(str(options.nnodes).split(":")[0])
    become(each, nodes)
    program(options.training_script, options.training_script_args, options.module, prepare)


def by_deepspeed(words, prepare):
    """DeepSpeed's launcher starts the script with its rank as an option."""
    from deepspeed.launcher import runner
    options = runner.parse_args(words)
    become(options.num_gpus, 1)
    program(options.user_script, [f"--local_rank={os.environ['LOCAL_RANK']}", *options.user_args], options.module, prepare)


def program(script, arguments, is_module, prepare):
    module = script if is_module else next((own for path, own in MODULES.items() if script.endswith(path)), None)
    sys.argv = [script, *arguments]
    prepare()
    if module == "torchtitan.train":  # its trainer is watched
        from torchtitan import train
        return train.main(train.Trainer)
    if module:
        return runpy.run_module(module, run_name="__main__", alter_sys=True)
    return runpy.run_path(script, run_name="__main__")


def become(each, nodes):
    """Rank 0 among `each` processes on each of `nodes` machines."""
    size = each * nodes
    os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE=str(size), LOCAL_WORLD_SIZE=str(each), GROUP_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    import master_weights
    if size == 1:
        return
    master_weights.alone(0, size)
    import trainer_ranks
    trainer_ranks.gathers_at_once()
    data_parallel()


def data_parallel():
    """DDP's own all-reduce gives back its bucket, as ranks.py says; other ranks have the same parameters."""
    import torch
    import torch.nn.parallel.distributed as ddp
    import libraries
    ddp._verify_param_shape_across_processes = lambda *given, **named: None
    if libraries.STUBBED:
        ctypes.CDLL(None).fakecuda_gives_back(1)
    made = ddp.DistributedDataParallel.__init__

    def reduce(state, bucket):
        done = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    def make(self, *given, **named):
        made(self, *given, **named)
        self.register_comm_hook(None, reduce)

    ddp.DistributedDataParallel.__init__ = make


def deepspeed_alone():
    """What DeepSpeed asks other ranks, and its compiled optimizers, whose kernels allocate nothing."""
    import types
    import deepspeed
    import deepspeed.runtime.bf16_optimizer as silent
    import ranks
    deepspeed.logger.setLevel("ERROR")
    silent.see_memory_usage = lambda *_, **__: None
    ranks.agreed()
    from deepspeed.ops.op_builder import CPUAdamBuilder, FusedAdamBuilder
    nothing = lambda *_, **__: 0
    kernels = types.SimpleNamespace(**dict.fromkeys(("multi_tensor_adam", "create_adam", "destroy_adam", "adam_update", "adam_update_copy"), nothing))
    for builder in (CPUAdamBuilder, FusedAdamBuilder):
        builder.load = lambda self, *_, **__: kernels
        builder.is_compatible = lambda self, *_, **__: True
