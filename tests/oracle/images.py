"""Batches of texts with images, and what the models that read them find in values. On a stubbed device as many tokens stand for images as
there are features of them; on a real GPU the token ids say so, and nothing is replaced."""
import ctypes, os
import torch

real = bool(os.environ.get("HIGHWATER_REAL_GPU"))


def sizes(scenario, vision):
    """Height and width of an image in pixels."""
    asked = scenario["image_size"] or vision.image_size
    return asked if isinstance(asked, (list, tuple)) else (asked, asked)


def with_images(scenario, config, batch):
    """The batch with what a processor adds for `images` images in each sample, and their tokens."""
    count = scenario["micro_batch_size"] * scenario["images"]
    if not count:
        return batch
    vision = config.vision_config
    height, width = sizes(scenario, vision)
    batch["pixel_values"] = torch.zeros(count, vision.num_channels, height, width, device="cuda")
    tokens = getattr(config, "mm_tokens_per_image", None) or (height // vision.patch_size) * (width // vision.patch_size)
    if config.model_type == "gemma3":
        batch["token_type_ids"] = torch.zeros_like(batch["input_ids"])
    if getattr(config, "vision_feature_select_strategy", None) == "full":
        tokens += 1
    batch["input_ids"][:, :scenario["images"] * tokens] = config.image_token_id
    return batch


def scattered():
    """As many places as there are features get one: `masked_scatter`'s gradient looks for them."""
    scatter = torch.Tensor.masked_scatter
    answer = ctypes.CDLL(None).fakecuda_answer
    answer.restype = None

    def counted(self, mask, source):
        result = scatter(self, mask, source)
        if result.grad_fn is not None and source.requires_grad:
            result.grad_fn.register_prehook(lambda gradients: answer(source_elements))
        source_elements = source.numel()
        return result

    torch.Tensor.masked_scatter = counted


def matching():
    """Checks that tokens and features are as many hold."""
    def computed(error, condition, message=None):
        condition._is_all_true().item()

    torch._check_tensor_all_with = computed


if not real:
    scattered()
    matching()
