#!/usr/bin/env python3
"""Exports published models that are not transformers' at their published sizes, without weights.

usage: published_graphs.py OUT_DIR [id ...]     writes OUT_DIR/<id>.pt2 and OUT_DIR/index.json, and prints a line for each

It needs torch 2.15 and the libraries of `VERSIONS`; no GPU. Models that are larger than a machine's memory are built and
exported as fake tensors (`FakeTensorMode`), which hold shapes alone. `--check` exports small models both ways and compares
the graphs. What an estimate does not need (weights, examples, stack traces) is left out.
"""
import contextlib, importlib.metadata, inspect, json, os, re, sys, tempfile, time, traceback, warnings, zipfile

os.environ.update(HF_HUB_OFFLINE="1", YOLO_OFFLINE="True", YOLO_VERBOSE="False")
warnings.filterwarnings("ignore")
import torch
torch.version.cuda = "13.0"  # 2.11 is torchaudio's last release, built for CUDA 13.0: only its modules are used
from torch._subclasses.fake_tensor import FakeTensorMode

HERE = os.path.dirname(os.path.abspath(__file__))
# Behind the libraries: files of this folder have names that some of them import, too.
sys.path = [path for path in sys.path if path != HERE] + [HERE, os.path.join(HERE, "../../src/python")]
from highwater._export import _leave_weights, _as_it_trains
import published_modules as own

VERSIONS = {"timm": "1.0.31", "torchvision": "0.29.2", "diffusers": "0.42.1", "segmentation-models-pytorch": "0.6.0",
            "ultralytics": "8.4.190", "monai": "1.6.1", "torchaudio": "2.11.0"}
# Parameters from which a model is built of fake tensors: 2 GiB in float32.
LARGE = 500e6
MODELS = {}


def model(id, name, library, source, parameters, make, inputs, loss, *, batch=1, dtype="float32", large=False, call=None):
    """A model: `parameters` as they are published or as the library builds them; `inputs` a list or a dict of shapes, in which
    "B" is the batch and a letter with a number, as "H640", a size of that number that stays open; a dtype behind."""
    MODELS[id] = dict(id=id, name=name, library=library, source=source, parameters=parameters, make=make, inputs=inputs,
                      loss=loss, batch=batch, dtype=dtype, large=large, call=call or {})


def image(size, channels=3, open=True):
    return ("B", channels, *(2 * (f"H{size}" if open else size,)), "float")


# ---- timm and torchvision ---------------------------------------------------------------------------------------------
def timm_model(name, title, parameters, size=224, batch=64, open=True, **how):
    def make():
        import timm
        return timm.create_model(name, pretrained=False, **how)
    model("timm-" + name.replace("_", "-"), title, "timm", f"timm.create_model({name!r})", parameters, make,
          [image(size, open=open)], "cross_entropy", batch=batch)


timm_model("resnet18", "ResNet-18", 11_689_512)
timm_model("resnet50", "ResNet-50", 25_557_032)
timm_model("resnet101", "ResNet-101", 44_549_160)
timm_model("convnext_tiny", "ConvNeXt-T", 28_589_128)
timm_model("convnext_base", "ConvNeXt-B", 88_591_464)
timm_model("efficientnet_b0", "EfficientNet-B0", 5_288_548)
timm_model("efficientnet_b4", "EfficientNet-B4", 19_341_616, 380)
timm_model("tf_efficientnetv2_m", "EfficientNetV2-M", 54_139_356, 384, open=False)
timm_model("mobilenetv3_large_100", "MobileNetV3-L", 5_483_032)
timm_model("vit_small_patch16_224", "ViT-S/16", 22_050_664, open=False)
timm_model("vit_base_patch16_224", "ViT-B/16", 86_567_656, open=False)
timm_model("vit_large_patch16_224", "ViT-L/16", 304_326_632, open=False)


def fpn():
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
    return resnet_fpn_backbone(backbone_name="resnet50", weights=None, trainable_layers=5)


def deeplab():
    from torchvision.models.segmentation import deeplabv3_resnet50
    return deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21)


model("torchvision-resnet50-fpn", "ResNet-50 FPN (backbone of Faster R-CNN)", "torchvision",
      "torchvision.models.detection.backbone_utils.resnet_fpn_backbone", None, fpn, [image(800)], "mean", batch=2)
model("torchvision-deeplabv3-resnet50", "DeepLabV3, ResNet-50", "torchvision",
      "torchvision.models.segmentation.deeplabv3_resnet50(num_classes=21)", None, deeplab, [image(520)], "cross_entropy", batch=8)


# ---- detection and segmentation -----------------------------------------------------------------------------------------
def yolo(name, title, parameters):
    def make():
        from ultralytics.nn.tasks import DetectionModel
        return DetectionModel(f"{name}.yaml", verbose=False)
    model(name, title, "ultralytics", f"ultralytics {name}.yaml", parameters, make, [image(640)], "mean", batch=16)


for size, v8, v11 in (("n", 3_157_200, 2_624_080), ("s", 11_166_560, 9_458_752), ("m", 25_902_640, 20_114_688),
                      ("l", 43_691_520, 25_372_160), ("x", 68_229_648, 56_966_176)):
    yolo("yolov8" + size, "YOLOv8" + size, v8)
    yolo("yolo11" + size, "YOLO11" + size, v11)


def smp_unet():
    import segmentation_models_pytorch as smp
    return smp.Unet("resnet34", encoder_weights=None, classes=1)


def nnunet():
    """nnU-Net's 3d_fullres for patches of 128: six stages up to 320 channels, instance norm, deep supervision off."""
    from monai.networks.nets import DynUNet
    return DynUNet(3, 4, 3, [[3, 3, 3]] * 6, [[1, 1, 1]] + [[2, 2, 2]] * 5, [[2, 2, 2]] * 5,
                   filters=[32, 64, 128, 256, 320, 320], norm_name=("INSTANCE", {"affine": True}),
                   act_name=("leakyrelu", {"inplace": True, "negative_slope": 0.01}), trans_bias=True)


def swin_unetr():
    from monai.networks.nets import SwinUNETR
    return SwinUNETR(in_channels=1, out_channels=14, feature_size=48)


model("smp-unet-resnet34", "U-Net, ResNet-34", "segmentation-models-pytorch", "segmentation_models_pytorch.Unet('resnet34')",
      24_436_369, smp_unet, [image(512)], "mean", batch=16)
model("unet", "U-Net of 2015", "plain PyTorch", "github.com/milesial/Pytorch-UNet", 31_037_633, lambda: own.UNet(1), [image(512)],
      "mean", batch=4)
model("nnunet-3d-fullres", "nnU-Net 3d_fullres", "monai", "MIC-DKFZ/nnUNet 3d_fullres as monai's DynUNet", None, nnunet,
      [("B", 4, 128, 128, 128, "float")], "cross_entropy", batch=2)
model("swin-unetr", "SwinUNETR", "monai", "monai.networks.nets.SwinUNETR(feature_size=48)", 62_187_296, swin_unetr,
      [("B", 1, 96, 96, 96, "float")], "cross_entropy", batch=1)


# ---- diffusion: configs of the repositories on the Hub -------------------------------------------------------------------
def diffusers_model(id, name, source, parameters, cls, config, inputs, **how):
    def make():
        import diffusers
        return getattr(diffusers, cls)(**config)
    model(id, name, "diffusers", source, parameters, make, inputs, "mse", call={"return_dict": False}, **how)


diffusers_model("sd-1.5-unet", "Stable Diffusion 1.5 (UNet)", "stable-diffusion-v1-5/stable-diffusion-v1-5", 859_520_964,
                "UNet2DConditionModel", dict(sample_size=64, cross_attention_dim=768),
                dict(sample=("B", 4, "H64", "H64", "float"), timestep=("B", "long"), encoder_hidden_states=("B", 77, 768, "float")))


def sdxl():
    """Its conditions come in a dict, which a module around it takes apart."""
    from diffusers import UNet2DConditionModel
    unet = UNet2DConditionModel(
        sample_size=128, cross_attention_dim=2048, block_out_channels=(320, 640, 1280), use_linear_projection=True,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), attention_head_dim=[5, 10, 20],
        transformer_layers_per_block=[1, 2, 10], addition_embed_type="text_time", addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816)
    return own.Conditioned(unet)


model("sdxl-unet", "SDXL (UNet)", "diffusers", "stabilityai/stable-diffusion-xl-base-1.0", 2_567_463_684, sdxl,
      dict(sample=("B", 4, "H128", "H128", "float"), timestep=("B", "long"), encoder_hidden_states=("B", 77, 2048, "float"),
           text_embeds=("B", 1280, "float"), time_ids=("B", 6, "float")), "mse", large=True)
SD3 = dict(hidden_states=("B", 16, 128, 128, "float"), encoder_hidden_states=("B", 333, 4096, "float"),
           pooled_projections=("B", 2048, "float"), timestep=("B", "long"))
diffusers_model("sd-3.5-medium", "Stable Diffusion 3.5 Medium", "stabilityai/stable-diffusion-3.5-medium", 2_243_171_520,
                "SD3Transformer2DModel", dict(sample_size=128, num_layers=24, num_attention_heads=24, caption_projection_dim=1536,
                pooled_projection_dim=2048, pos_embed_max_size=384, qk_norm="rms_norm", dual_attention_layers=tuple(range(13))),
                SD3, large=True)
diffusers_model("sd-3.5-large", "Stable Diffusion 3.5 Large", "stabilityai/stable-diffusion-3.5-large", 8_056_627_520,
                "SD3Transformer2DModel", dict(sample_size=128, num_layers=38, num_attention_heads=38, caption_projection_dim=2432,
                pooled_projection_dim=2048, pos_embed_max_size=192, qk_norm="rms_norm"), SD3, dtype="bfloat16", large=True)
diffusers_model("flux.1-dev", "FLUX.1-dev", "black-forest-labs/FLUX.1-dev", 11_901_408_320, "FluxTransformer2DModel",
                dict(guidance_embeds=True),
                dict(hidden_states=("B", "S4096", 64, "float"), encoder_hidden_states=("B", 512, 4096, "float"),
                     pooled_projections=("B", 768, "float"), timestep=("B", "float"), img_ids=("S4096", 3, "float"),
                     txt_ids=(512, 3, "float"), guidance=("B", "float")), dtype="bfloat16", large=True)


def qwen_image():
    from diffusers import QwenImageTransformer2DModel
    return own.OfOneShape(QwenImageTransformer2DModel(), (1, 64, 64))


model("qwen-image", "Qwen-Image", "diffusers", "Qwen/Qwen-Image", 20_430_401_088, qwen_image,
      dict(hidden_states=("B", 4096, 64, "float"), encoder_hidden_states=("B", 512, 3584, "float"),
           encoder_hidden_states_mask=("B", 512, "long"), timestep=("B", "float")), "mse", dtype="bfloat16", large=True)
for wan, title, parameters, heads, inner, layers in (("wan2.1-t2v-1.3b", "Wan 2.1 1.3B", 1_418_996_800, 12, 8960, 30),
                                                    ("wan2.1-t2v-14b", "Wan 2.1 14B", 14_288_491_584, 40, 13_824, 40)):
    diffusers_model(wan, title, f"Wan-AI/{wan.upper().replace('WAN', 'Wan')}-Diffusers", parameters, "WanTransformer3DModel",
                    dict(num_attention_heads=heads, ffn_dim=inner, num_layers=layers),
                    dict(hidden_states=("B", 16, 21, 60, 104, "float"), timestep=("B", "long"),
                         encoder_hidden_states=("B", 512, 4096, "float")), dtype="bfloat16", large=True)
diffusers_model("autoencoder-kl", "AutoencoderKL of Stable Diffusion", "stabilityai/sd-vae-ft-mse", 83_653_863, "AutoencoderKL",
                dict(block_out_channels=(128, 256, 512, 512), down_block_types=("DownEncoderBlock2D",) * 4,
                     up_block_types=("UpDecoderBlock2D",) * 4, layers_per_block=2, latent_channels=4, sample_size=512),
                dict(sample=image(512)))


# ---- speech -----------------------------------------------------------------------------------------------------------
def audio(make):
    def made():
        import torchaudio
        return make(torchaudio)
    return made


def wav2vec2(torchaudio):
    """Whether a layer is dropped is drawn in Python, which a graph cannot say: none is."""
    made = torchaudio.models.wav2vec2_base()
    layers = made.encoder.transformer
    layers.training = False  # all that it asks for itself; its layers train
    layers.train = lambda mode=True: [layer.train(mode) for layer in layers.children()]
    return made


model("wav2vec2-base", "wav2vec 2.0 Base (pretrained encoder)", "torchaudio", "torchaudio.models.wav2vec2_base(), without layer drop",
      94_370_944, audio(wav2vec2), [("B", "T160000", "float")], "mean", batch=8)
model("conformer-l", "Conformer (L), 17 blocks of 512", "torchaudio", "arxiv.org/abs/2005.08100, torchaudio.models.Conformer", None,
      audio(lambda a: own.OfOneLength(a.models.Conformer(512, 8, 2048, 17, 31, dropout=0.1))), [("B", "T400", 512, "float")], "mean",
      batch=8)

# ---- written by their authors in a file of their own: published_modules.py ----------------------------------------------
TOKENS = ("B", "S1024", "long")
model("nanogpt-124m", "nanoGPT, GPT-2 124M", "plain PyTorch", "github.com/karpathy/nanoGPT", 124_475_904, lambda: own.GPT(), [TOKENS, TOKENS],
      "own", batch=12)
model("nanogpt-350m", "nanoGPT, GPT-2 350M", "plain PyTorch", "github.com/karpathy/nanoGPT", 354_871_296,
      lambda: own.GPT(24, 16, 1024), [TOKENS, TOKENS], "own", batch=4)
model("lstm-lm", "LSTM language model, 2 x 1500", "plain PyTorch", "github.com/pytorch/examples word_language_model", None, own.LstmLm,
      [("B", "S35", "long"), ("B", "S35", "long")], "own", batch=20)
model("dcgan-generator", "DCGAN generator", "plain PyTorch", "github.com/pytorch/examples dcgan", 3_576_704, own.generator,
      [("B", 100, 1, 1, "float")], "mean", batch=64)
model("dcgan-discriminator", "DCGAN discriminator", "plain PyTorch", "github.com/pytorch/examples dcgan", 2_765_568, own.discriminator,
      [("B", 3, 64, 64, "float")], "mean", batch=64)
model("pointnet", "PointNet classifier", "plain PyTorch", "arxiv.org/abs/1612.00593", None, own.PointNet, [("B", 3, "N1024", "float")],
      "cross_entropy", batch=32)
model("gcn-cora", "GCN on Cora", "plain PyTorch", "github.com/tkipf/pygcn", 23_063, own.Gcn,
      [("B", 1433, "float"), ("B", "B", "float")], "cross_entropy", batch=2708)
model("dlrm-kaggle", "DLRM, Criteo Kaggle", "plain PyTorch", "github.com/facebookresearch/dlrm dlrm_s_criteo_kaggle.sh", None, own.Dlrm,
      [("B", 13, "float"), ("B", 26, "long"), ("B", "float")], "own", batch=128)


# ---- exporting --------------------------------------------------------------------------------------------------------
EXAMPLE = 3  # of a batch: a size that no other has


def example(row, dtype):
    """Example inputs, and the sizes that stay open."""
    def one(shape):
        *shape, kind = shape
        sizes = [EXAMPLE if s == "B" else int(s[1:]) if isinstance(s, str) else s for s in shape]
        open = {at: torch.export.Dim.AUTO for at, s in enumerate(shape) if isinstance(s, str)}
        return torch.zeros(sizes, dtype=dtype if kind == "float" else torch.long), open
    if isinstance(row["inputs"], dict):
        made = {name: one(shape) for name, shape in row["inputs"].items()}
        fixed = {name: None for name in row["call"]}
        return (), {**{n: t for n, (t, _) in made.items()}, **row["call"]}, {**{n: o for n, (_, o) in made.items()}, **fixed}
    made = [one(shape) for shape in row["inputs"]]
    return tuple(t for t, _ in made), {}, [open for _, open in made]


def by_name(module, sizes):
    """Open sizes by the names of forward's parameters; a further one takes all that remain."""
    if isinstance(sizes, dict):
        return sizes
    named = {}
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            if sizes:
                named[parameter.name] = tuple(sizes)
            break
        if not sizes:
            break
        named[parameter.name], sizes = sizes[0], sizes[1:]
    return named


@contextlib.contextmanager
def without_values():
    """Meanwhile initializers do nothing: values do not matter."""
    names = [n for n in dir(torch.nn.init) if n.endswith("_") and not n.startswith("_")]
    before = {n: getattr(torch.nn.init, n) for n in names}
    for n in names:
        setattr(torch.nn.init, n, lambda tensor, *args, **kwargs: tensor)
    try:
        yield
    finally:
        for n, f in before.items():
            setattr(torch.nn.init, n, f)


def in_dtype(module, dtype):
    """`module.to(dtype)`, which fake tensors refuse."""
    if dtype != torch.float32:
        new = {}
        for part in module.modules():
            for name, p in part._parameters.items():
                if p is not None and p.is_floating_point():
                    part._parameters[name] = new.setdefault(id(p), torch.nn.Parameter(p.detach().to(dtype), p.requires_grad))
            for name, b in part._buffers.items():
                if b is not None and b.is_floating_point():
                    part._buffers[name] = b.to(dtype)
    return module


def export(row, fake):
    """The program of a model, and its number of parameters."""
    dtype = getattr(torch, row["dtype"])
    with without_values(), FakeTensorMode(allow_non_fake_inputs=True) if fake else contextlib.nullcontext():
        module = in_dtype(row["make"](), dtype).train()
        args, kwargs, sizes = example(row, dtype)
    with _as_it_trains():
        program = torch.export.export(module, args, kwargs, dynamic_shapes=by_name(module, sizes))
    _leave_weights(program, torch)
    return program, sum(p.numel() for p in module.parameters())


def slim(src, dst):
    """An archive's JSON, deflated, without what says where a node stems from but its module, and how tensors lie in memory."""
    drop = ("stack_trace", "torch_fn", "from_node", "source_fn_stack", "strides", "storage_offset", "layout", "device")
    clean = lambda x: ({k: clean(v) for k, v in x.items() if k not in drop} if isinstance(x, dict)
                       else [clean(v) for v in x] if isinstance(x, list) else x)
    digest = None
    with zipfile.ZipFile(src) as z, zipfile.ZipFile(dst, "w") as out:
        for last in ("models/model.json", "data/weights/model_weights_config.json", "archive_format", "archive_version"):
            name = next(n for n in z.namelist() if n.endswith(last))
            content = z.read(name)
            if name.endswith(".json"):
                content = json.dumps(clean(json.loads(content)), separators=(",", ":")).encode()
                digest = fnv(content, digest)
            entry = zipfile.ZipInfo("model/" + last, (2026, 1, 1, 0, 0, 0))
            out.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return f"{digest:016x}"


def fnv(content, so_far=None):
    """FNV-1a of 64 bits, the digest by which graphs are told apart."""
    digest = 0xCBF29CE484222325 if so_far is None else so_far
    for byte in content:
        digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return digest


def write(row, out, fake=None):
    start = time.time()
    program, parameters = export(row, row["large"] if fake is None else fake)
    if row["parameters"] not in (None, parameters):
        raise ValueError(f"{parameters} parameters, published are {row['parameters']}")
    path = os.path.join(out, row["id"] + ".pt2")
    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, "model.pt2")
        torch.export.save(program, whole)
        digest = slim(whole, path)
    version = VERSIONS.get(row["library"])
    if version and importlib.metadata.version(row["library"]).split("+")[0] != version:
        raise ValueError(f"{row['library']} is not {version}")
    line = {"id": row["id"], "name": row["name"], "library": " ".join(filter(None, (row["library"], version))), "source": row["source"],
            "parameters": parameters, "loss": row["loss"], "batch": row["batch"], "weights": row["dtype"], "digest": digest}
    ranges = {str(k): str(v) for k, v in program.range_constraints.items()}
    print(json.dumps({"id": row["id"], "parameters": parameters, "bytes": os.path.getsize(path), "nodes": len(program.graph.nodes),
                      "ranges": ranges, "seconds": round(time.time() - start, 1)}), flush=True)
    return line


def check():
    """Small models exported both ways have one graph."""
    for id in ("timm-resnet18", "autoencoder-kl", "nanogpt-124m"):
        with tempfile.TemporaryDirectory() as folder:
            digests = []
            for fake in (False, True):
                digests.append(write(MODELS[id], folder, fake)["digest"])
            assert digests[0] == digests[1], f"{id}: {digests}"
    print("Fake tensors give the same graphs.")


def main():
    if sys.argv[1] == "--check":
        return check()
    out, wanted = sys.argv[1], sys.argv[2:]
    os.makedirs(out, exist_ok=True)
    index = os.path.join(out, "index.json")
    lines = {line["id"]: line for line in json.load(open(index))} if os.path.exists(index) else {}
    failed = 0
    for row in MODELS.values():
        if wanted and not any(re.fullmatch(w, row["id"]) for w in wanted):
            continue
        try:
            lines[row["id"]] = write(row, out)
        except Exception as why:
            failed += 1
            if os.environ.get("TRACE"):
                traceback.print_exc()
            print(json.dumps({"id": row["id"], "error": f"{type(why).__name__}: {str(why)[:600]}"}), flush=True)
        with open(index, "w") as file:
            ordered = [lines[id] for id in MODELS if id in lines]
            file.write("[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in ordered) + "\n]\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
