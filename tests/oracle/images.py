"""Batches of texts with images, and what the models that read them find in values. On a stubbed device as many tokens stand for images as
there are features of them; on a real GPU the token ids say so, and nothing is replaced."""
import ctypes, math, os, sys
import torch

real = bool(os.environ.get("HIGHWATER_REAL_GPU"))
DEEP = ("qwen3_vl", "qwen3_vl_moe")  # decoders' first layers get features of images, too
PACKED = ("qwen2_vl", "qwen2_5_vl", *DEEP)  # patches of images of any size come in one list
# `min_pixels` and `max_pixels` in `preprocessor_config.json` of Qwen/Qwen2-VL-7B-Instruct and Qwen/Qwen2.5-VL-7B-Instruct, and
# `shortest_edge` and `longest_edge` in those of Qwen/Qwen3-VL-*-Instruct.
PIXELS = {False: (3136, 12845056), True: (65536, 16777216)}


def sizes(scenario, vision):
    """Height and width of an image in pixels."""
    width, _, height = str(scenario["image_size"] or getattr(vision, "image_size", 768)).partition("x")
    return int(height or width), int(width)


def with_images(scenario, config, batch):
    """The batch with what a processor adds for `images` images in each sample, and their tokens."""
    count = scenario["micro_batch_size"] * scenario["images"]
    vision = config.vision_config
    if config.model_type in PACKED:
        return with_patches(scenario, config, batch, count)
    if not count:
        return batch
    if config.model_type in TILED:
        return TILED[config.model_type](scenario, config, batch)
    height, width = sizes(scenario, vision)
    batch["pixel_values"] = torch.zeros(count, vision.num_channels, height, width, device="cuda")
    tokens = getattr(config, "mm_tokens_per_image", None) or (height // vision.patch_size) * (width // vision.patch_size)
    if config.model_type in ("gemma3", "paligemma"):
        batch["token_type_ids"] = torch.zeros_like(batch["input_ids"])
    if getattr(config, "vision_feature_select_strategy", None) == "full":
        tokens += 1
    batch["input_ids"][:, :scenario["images"] * tokens] = config.image_token_id
    return batch


def split(scenario, config, batch):
    """What the processor of Idefics3 adds, whose tiles are as large as the tower's images; all of an image comes after its tiles."""
    vision, (samples, count) = config.vision_config, (scenario["micro_batch_size"], scenario["images"])
    side = vision.image_size
    rows, columns = [math.ceil(length / side) for length in (sizes(scenario, vision) if scenario["image_size"] else (4 * side, 4 * side))]
    tiles = count * (rows * columns + 1 if rows * columns > 1 else 1)
    shape = samples, tiles, side, side
    batch["pixel_values"] = with_values(torch.ones(()).expand(samples, tiles, vision.num_channels, side, side), torch.zeros(samples, tiles, vision.num_channels, side, side, device="cuda"))
    batch["pixel_attention_mask"] = with_values(torch.ones(shape, dtype=torch.long))
    batch["input_ids"][:, :tiles * (side // vision.patch_size // config.scale_factor) ** 2] = config.image_token_id
    return batch


def resized(height, width, factor, pixels):
    """`smart_resize` of `image_processing_qwen2_vl.py`, which cannot be imported without torchvision."""
    least, most = pixels
    sides = [round(side / factor) * factor for side in (height, width)]
    if sides[0] * sides[1] > most:
        return [max(factor, math.floor(side / math.sqrt(height * width / most) / factor) * factor) for side in (height, width)]
    if sides[0] * sides[1] < least:
        return [math.ceil(side * math.sqrt(least / (height * width)) / factor) * factor for side in (height, width)]
    return sides


def with_patches(scenario, config, batch, count):
    """What processors of Qwen's add: patches, how many of them each image has down and across, kinds of tokens."""
    vision = config.vision_config
    merge = vision.spatial_merge_size
    deep = config.model_type in DEEP
    grid = [side // vision.patch_size for side in resized(*sizes(scenario, vision), vision.patch_size * merge, PIXELS[deep])]
    columns = vision.in_channels * vision.temporal_patch_size * vision.patch_size ** 2
    tokens = grid[0] * grid[1] // merge ** 2
    kinds = torch.zeros(batch["input_ids"].shape, dtype=torch.long)
    for image in range(scenario["images"]):
        start = image * (tokens + 2) + 1  # between tokens of its start and its end
        kinds[:, start:start + tokens] = 1
    grids = torch.tensor([[1, *grid]] * count)
    if count:
        batch["pixel_values"] = torch.zeros(count * grid[0] * grid[1], columns, device="cuda")
        batch["image_grid_thw"] = with_values(grids)
    batch["mm_token_type_ids"] = with_values(kinds)
    if "attention_mask" in batch:
        mask = torch.ones(kinds.shape, dtype=torch.long)
        mask[:, -1:] = 0
        batch["attention_mask"] = with_values(mask, batch["attention_mask"])
    if real:
        batch["input_ids"][kinds.cuda() == 1] = config.image_token_id
    elif deep:
        injected(config.model_type, count * tokens)
    return batch


TILED = dict(idefics3=split, smolvlm=split)  # images that are seen in squares


def with_values(values, x=None):
    """The tensor on the device, x if it is there, whose values are known on the stubbed one, too."""
    x = values.cuda() if x is None else x
    if real:
        return x
    import known_values
    return known_values.known(x, values)


def injected(model_type, tokens):
    """DeepStack adds to as many places as there are tokens of images, which are looked for forward and backward."""
    module = sys.modules[f"transformers.models.{model_type}.modeling_{model_type}"]
    text = next(getattr(module, name) for name in dir(module) if name.endswith("TextModel"))
    process = text.__dict__.get("as_it_is") or text._deepstack_process
    answers = ctypes.CDLL(None).fakecuda_answers
    answers.restype = None

    def counted(self, *given):
        answers(tokens, 2)
        result = process(self, *given)
        answers(0, 0)
        nodes = [result.grad_fn]
        for node in filter(None, nodes):
            if "Index" in node.name():
                node.register_prehook(lambda gradients: answers(tokens, 2))
                node.register_hook(lambda *gradients: answers(0, 0))
            if len(nodes) < 8:
                nodes += [following for following, _ in node.next_functions]
        return result

    text.as_it_is, text._deepstack_process = process, counted


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


class Torch:
    """PyTorch for the functions that find patches and windows: what they put on the device keeps its values."""
    def __getattr__(self, name):
        return getattr(torch, name)

    def arange(self, *ends, **options):
        return torch.arange(*map(int, ends), **options)

    def tensor(self, values, **options):
        return with_values(torch.tensor(values, dtype=options.get("dtype")), torch.tensor(values, **options))


def seen():
    try:
        import transformers.vision_utils as vision
    except ImportError:
        return
    vision.torch = Torch()
    unique = torch.unique_consecutive

    def found(x):
        """As many as there are stay of the result's memory, which has a place for each."""
        return with_values(unique(x.values), unique(x.as_subclass(torch.Tensor)).resize_(len(unique(x.values))))

    Torch.unique_consecutive = staticmethod(found)


if not real:
    sys.path.append(f"{os.path.dirname(os.path.abspath(__file__))}/without_gpu")
    scattered()
    matching()
    seen()
