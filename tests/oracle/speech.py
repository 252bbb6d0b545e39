"""Waveforms, and what models that hear them draw or find in values: every layer runs (`layerdrop` skips some at random), masks of
SpecAugment are as many as can be and do not overlap, and every position of the labels is one. On a real GPU the values are there: only
layers are kept from being skipped."""
import ctypes, importlib, os
import torch
import masks

real = bool(os.environ.get("HIGHWATER_REAL_GPU"))
# Types of models, and what the names of their classes begin with.
KINDS = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "unispeech": "UniSpeech", "unispeech-sat": "UniSpeechSat", "data2vec-audio": "Data2VecAudio", "wavlm": "WavLM"}


def samples(config, positions):
    """Samples of the shortest waveform of which the encoder makes so many positions."""
    for kernel, stride in list(zip(config.conv_kernel, config.conv_stride))[::-1]:
        positions = (positions - 1) * stride + kernel
    return positions


def most(shape, mask_prob, mask_length, min_masks=0, **of_time):
    """`_compute_mask_indices` where rounding goes up and no spans overlap."""
    if mask_length > shape[1]:
        raise ValueError("`mask_length` has to be smaller than `sequence_length`")
    spans = min(max(-int(-mask_prob * shape[1] // mask_length), min_masks), shape[1] // mask_length)
    masked = torch.zeros(shape, dtype=torch.bool)
    masked[:, :spans * mask_length] = True
    if of_time:  # those of features are one number, for which nobody counts
        found[0] = int(masked.sum())
        device.fakecuda_answer(found[0])
    return masked.numpy()


def masked(kind):
    """As many positions are found where gradients go as where they were masked."""
    name = kind.replace("-", "_")
    folder = name.removesuffix("_audio")
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{name}")
    module._compute_mask_indices = most
    model = getattr(module, f"{KINDS[kind]}Model")
    mask = model._mask_hidden_states

    def counted(self, hidden_states, **options):
        found[0] = 0
        times = hidden_states.requires_grad + getattr(getattr(self, "masked_spec_embed", None), "requires_grad", False)
        out = mask(self, hidden_states, **options)
        if found[0] and out.grad_fn is not None:
            count = found[0]
            out.grad_fn.register_prehook(lambda gradients: device.fakecuda_answers(count, times))
        return out

    model._mask_hidden_states = counted
    pretrained = getattr(module, f"{KINDS[kind]}PreTrainedModel")
    shortened = pretrained._get_feature_vector_attention_mask

    def of_features(*rest, **named):
        mask = shortened(*rest, **named)
        masks.comes_with_batch(mask)
        return mask

    pretrained._get_feature_vector_attention_mask = of_features


def ctc():
    """Lengths are read from the device; on a stubbed one all labels and positions count."""
    selected, loss = torch.Tensor.masked_select, torch.nn.functional.ctc_loss

    def all_selected(x, mask):
        if x.is_cuda and x.dtype == torch.long:
            device.fakecuda_answer(x.numel())
        return selected(x, mask)

    def whole(log_probs, targets, input_lengths, target_lengths, **options):
        count = len(target_lengths)
        for i, (lengths, value) in enumerate([(input_lengths, log_probs.shape[0]), (target_lengths, len(targets) // count)]):
            device.fakecuda_same(i, ctypes.c_void_p(lengths.data_ptr()), ctypes.c_size_t(count), ctypes.c_longlong(value))
        return loss(log_probs, targets, input_lengths, target_lengths, **options)

    torch.Tensor.masked_select, torch.nn.functional.ctc_loss = all_selected, whole


def ready(model):
    """The model on the device, where the vector of masked positions is not made. Who freezes all parameters of the feature encoder calls
    `freeze_feature_encoder`."""
    model.to("cuda")
    for module in model.modules():
        if type(module).__name__.endswith("FeatureEncoder") and not any(p.requires_grad for p in module.parameters()):
            module._freeze_parameters()


found, device = [0], ctypes.CDLL(None)
if not real:
    device.fakecuda_answers.restype = None
    for kind in KINDS:
        masked(kind)
    ctc()
