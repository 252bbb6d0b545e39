"""run.py TRAINER ARGUMENTS: the trainer's own program in the current folder, watched for three steps; the peaks go to measured.json. Arguments that begin with a launcher's name are a command for
several GPUs, of which this is the first (`launch.py`)."""
import os, runpy, sys, warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [f"{HERE}/..", HERE, f"{HERE}/../without_gpu"]
for name, value in dict(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", WANDB_MODE="disabled", WANDB_DISABLED="true", AXOLOTL_DO_NOT_TRACK="1", DO_NOT_TRACK="1", TOKENIZERS_PARALLELISM="false",
                        HF_DATASETS_CACHE=os.path.abspath("cache"), CUDA_VISIBLE_DEVICES="0", DISABLE_VERSION_CHECK="1").items():
    os.environ.setdefault(name, value)
warnings.filterwarnings("ignore")
# Modules that are the programs of trainers.
PROGRAMS = {"trl-sft": "trl.scripts.sft", "trl-dpo": "trl.scripts.dpo", "axolotl": "axolotl.cli.train", "llama-factory": "llamafactory.launcher", "swift": "swift.cli.sft"}
PROGRAMS |= dict.fromkeys(("torchtune-full", "torchtune-lora", "torchtune-dpo"), "torchtune._cli.tune")


def main():
    if sys.argv[1] == "axolotl":  # the command `axolotl train` sets it (`cli/main.py`) before it starts this program
        os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")
    import torch
    torch.set_num_threads(1)
    import libraries
    libraries.stub_triton()
    torch.backends.cudnn.enabled = False  # the stubs have none
    trainer, arguments = sys.argv[1], sys.argv[2:]
    import launch
    if arguments and arguments[0] in launch.LAUNCHERS:
        return launch.start(arguments, lambda: watched(trainer, several=True))
    watched(trainer)
    if trainer.startswith("hf"):
        sys.argv = arguments
        return runpy.run_path(arguments[0], run_name="__main__")
    sys.argv = [trainer, *arguments]
    runpy.run_module(PROGRAMS[trainer], run_name="__main__", alter_sys=True)


def watched(trainer, several=False):
    """What stands in for values and a GPU, and marks around the trainer's steps."""
    import stubs
    stubs.install(trainer)
    if trainer.startswith("torchtune"):
        import watch_recipes
        watch_recipes.install()
    elif trainer == "torchtitan":
        import watch_titan
        watch_titan.install()
    else:
        import watch
        watch.install(trainer)
    if several and trainer != "torchtitan":
        import importlib.util, launch
        if importlib.util.find_spec("deepspeed"):
            launch.deepspeed_alone()


if __name__ == "__main__":
    main()
