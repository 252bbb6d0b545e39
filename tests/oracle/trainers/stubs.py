"""What of a trainer depends on values or on a real GPU, and stands in for it on the stubbed runtime. On a real GPU nothing is replaced. Batches are known by the hosts' (`watch.py`);
positions that a model makes for itself are those of one sequence."""
import os, sys


def install(trainer):
    if os.environ.get("HIGHWATER_REAL_GPU"):
        return
    import torch, accelerate.accelerator, libraries
    libraries.trust_asserts()
    torch.erfinv = torch.empty_like  # a kernel that is compiled when it is called first, which the stubs do not
    torch.backends.cudnn.version = lambda: None  # the stubs have none
    libraries.compiled_without_kernels()
    if trainer.startswith("torchtune"):
        weights_of_no_file()
        return
    if trainer == "torchtitan":
        attention_without_cudnn()
        return
    positions()
    accelerate.accelerator.pad_across_processes = lambda found, **named: found  # as long as those of one process
    if trainer == "swift" and "flash_attn" in sys.argv:
        libraries.flash_attention()
    if trainer == "hf-example":
        metrics()
    if trainer == "llama-factory":  # which does not ask for torchao, and whose PEFT does not know a later one
        import peft.tuners.lora.torchao
        peft.tuners.lora.torchao.is_torchao_available = lambda: False


def metrics():
    """Metrics and the sentences of a summary, which are fetched when they are first asked for."""
    import evaluate, types
    sys.modules["nltk"] = types.SimpleNamespace(__spec__=None, data=types.SimpleNamespace(find=lambda name: name), sent_tokenize=lambda text: [text])

    class Metric:
        def compute(self, **given):
            return {"accuracy": 0.5}

    evaluate.load = lambda *given, **named: Metric()


def attention_without_cudnn():
    """torchtitan asks for cuDNN's attention first, which the stubs do not have; flash attention, which it asks for next, keeps the same."""
    from torch.nn.attention import SDPBackend
    from torchtitan.models.attention import ScaledDotProductAttentionWrapper
    made = ScaledDotProductAttentionWrapper.__init__

    def make(self, *rest, **named):
        made(self, *rest, **named)
        self.sdpa_backends = [backend for backend in self.sdpa_backends if backend != SDPBackend.CUDNN_ATTENTION]

    ScaledDotProductAttentionWrapper.__init__ = make


def positions():
    import transformers.masking_utils as masking
    from known_values import Known
    find = masking.find_packed_sequence_indices
    masking.find_packed_sequence_indices = lambda position_ids: find(position_ids) if isinstance(position_ids, Known) else None


def weights_of_no_file():
    """A recipe of torchtune loads memory of the host that nobody has written, in place of its checkpoint's files, and saves none."""
    import torch, torchtune.training
    from torchtune.modules import TransformerDecoder

    class Checkpointer:
        def __init__(self, *rest, **named):
            pass

        def load_checkpoint(self, *rest, **named):
            return {torchtune.training.MODEL_KEY: None}

        def save_checkpoint(self, *rest, **named):
            pass

    torchtune.training.FullModelHFCheckpointer = Checkpointer
    loads = TransformerDecoder.load_state_dict

    def loaded(model, state_dict, **named):
        adapted = ("lora_a.weight", "lora_b.weight", "magnitude")
        names = {name.replace("_checkpoint_wrapped_module.", ""): parameter for name, parameter in model.named_parameters()}
        unwritten = {name: torch.empty(parameter.shape, dtype=parameter.dtype) for name, parameter in names.items() if not name.endswith(adapted)}
        return loads(model, unwritten, **named)

    TransformerDecoder.load_state_dict = loaded
