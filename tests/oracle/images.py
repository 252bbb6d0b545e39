"""Batches of texts with images, and what the models that read them find in values. On a stubbed device as many tokens stand for images as
there are features of them; on a real GPU the token ids say so, and nothing is replaced."""
import ctypes, math, os, sys
import torch

real = bool(os.environ.get("HIGHWATER_REAL_GPU"))
CONVOLUTIONAL = ("convnext", "convnextv2", "resnet")  # nothing attends
DEEP = ("qwen3_vl", "qwen3_vl_moe")  # decoders' first layers get features of images, too
PACKED = ("qwen2_vl", "qwen2_5_vl", *DEEP)  # patches of images of any size come in one list
# `min_pixels` and `max_pixels` in `preprocessor_config.json` of Qwen/Qwen2-VL-7B-Instruct and Qwen/Qwen2.5-VL-7B-Instruct, and
# `shortest_edge` and `longest_edge` in those of Qwen/Qwen3-VL-*-Instruct.
PIXELS = {False: (3136, 12845056), True: (65536, 16777216)}
LONGEST = 1540  # `size` in `preprocessor_config.json` of mistralai/Mistral-Small-3.1-24B-Instruct-2503


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
    if config.model_type in OF_THEIR_OWN:
        return OF_THEIR_OWN[config.model_type](scenario, config, batch)
    height, width = sizes(scenario, vision)
    batch["pixel_values"] = torch.zeros(count, vision.num_channels, height, width, device="cuda")
    tokens = getattr(config, "mm_tokens_per_image", None) or (height // vision.patch_size) * (width // vision.patch_size)
    if config.model_type in ("gemma3", "paligemma"):
        batch["token_type_ids"] = torch.zeros_like(batch["input_ids"])
    if hasattr(config, "vision_feature_select_strategy"):  # CLIP has a token more; the first is left out by default
        tokens += (vision.model_type == "clip_vision_model") - (config.vision_feature_select_strategy == "default")
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


def joined(scenario, config, batch):
    """What the processor of Pixtral adds, for which sides are multiples of what becomes one token."""
    vision, samples = config.vision_config, scenario["micro_batch_size"]
    token = vision.patch_size * config.spatial_merge_size
    sides = [int(side) for side in (sizes(scenario, vision) if scenario["image_size"] else (768, 768))]
    ratio = max(side / LONGEST for side in sides)
    sides = [-(-(math.floor(side / ratio) if ratio > 1 else side) // token) * token for side in sides]
    count = samples * scenario["images"]
    batch["pixel_values"] = torch.zeros(count, vision.num_channels, *sides, device="cuda")
    batch["image_sizes"] = with_values(torch.tensor([sides] * count))
    batch["input_ids"][:, :scenario["images"] * (sides[0] // token) * (sides[1] // token)] = config.image_token_id
    return batch


def canvas(sides, tile, most=12):
    """`get_optimal_tiled_canvas` of `image_processing_got_ocr2.py`, which cannot be imported without torchvision."""
    nearest, found = math.inf, (1, 1)
    for grid in sorted(((across, down) for across in range(1, most + 1) for down in range(1, most + 1) if across * down <= most), key=math.prod):
        difference = abs(sides[1] / sides[0] - grid[0] / grid[1])
        if difference < nearest or difference == nearest and math.prod(sides) > 0.5 * math.prod(tile) * math.prod(grid):
            nearest, found = difference, grid
    return found


def tiled(scenario, config, batch):
    """What the processor of InternVL adds: squares in the arrangement that is nearest to the image's shape, and all of it besides."""
    vision, count = config.vision_config, scenario["micro_batch_size"] * scenario["images"]
    height, width = sizes(scenario, vision) if scenario["image_size"] else (768, 768)
    across, down = canvas((height, width), vision.image_size)
    squares = across * down + 1 if across * down > 1 else 1
    batch["pixel_values"] = torch.zeros(count * squares, vision.num_channels, *vision.image_size, device="cuda")
    tokens = squares * int((vision.image_size[0] // vision.patch_size[0]) * config.downsample_ratio) ** 2
    batch["input_ids"][:, :scenario["images"] * tokens] = config.image_token_id
    return batch


def in_rows(scenario, config, batch):
    """What the processor of LLaVA-NeXT adds: the squares of the resolution that fits the image best, after all of it."""
    from transformers.image_processing_utils import select_best_resolution
    from transformers.models.llava_next.modeling_llava_next import image_size_to_num_patches, unpad_image
    vision, samples = config.vision_config, scenario["micro_batch_size"]
    sides = sizes(scenario, vision) if scenario["image_size"] else (768, 768)
    side, count = vision.image_size, samples * scenario["images"]
    tiles = image_size_to_num_patches(sides, config.image_grid_pinpoints, side)
    patches = side // vision.patch_size
    grid = [length // side * patches for length in select_best_resolution(sides, config.image_grid_pinpoints)]
    _, down, across = unpad_image(torch.empty(1, *grid), sides).shape
    batch["pixel_values"] = torch.zeros(count, tiles, vision.num_channels, side, side, device="cuda")
    batch["image_sizes"] = with_values(torch.tensor([sides] * count))
    batch["input_ids"][:, :scenario["images"] * (patches ** 2 + down * (across + 1))] = config.image_token_id
    return batch


def crossed(scenario, config, batch):
    """What the processor of Mllama adds: as many squares of each image as there may be, and which tokens see which of them."""
    vision, samples, count = config.vision_config, scenario["micro_batch_size"], scenario["images"]
    shape, side = (samples, count, vision.max_num_tiles), vision.image_size
    batch["pixel_values"] = torch.zeros(*shape, vision.num_channels, side, side, device="cuda")
    batch["aspect_ratio_ids"] = torch.zeros(samples, count, dtype=torch.long, device="cuda")
    batch["aspect_ratio_mask"] = torch.zeros(shape, dtype=torch.long, device="cuda")
    batch["cross_attention_mask"] = torch.zeros(samples, batch["input_ids"].shape[1], *shape[1:], dtype=torch.long, device="cuda")
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


OF_THEIR_OWN = dict(idefics3=split, smolvlm=split, mistral3=joined, internvl=tiled, llava_next=in_rows, mllama=crossed)


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


def counted():
    """Sizes that are read from tensors on the device are the known ones."""
    import known_values
    number = lambda x: int(x.values) if isinstance(x, known_values.Known) else x
    for name in ("split", "view"):
        def sized(self, *sizes, function=getattr(torch.Tensor, name), **named):
            return function(self, *[[number(part) for part in size] if isinstance(size, (list, tuple)) else number(size) for size in sizes], **named)
        setattr(torch.Tensor, name, sized)


if not real:
    sys.path.append(f"{os.path.dirname(os.path.abspath(__file__))}/without_gpu")
    scattered()
    matching()
    seen()
    counted()
