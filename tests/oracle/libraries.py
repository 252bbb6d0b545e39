"""Models of libraries around transformers: bases quantized by bitsandbytes, Liger's kernels, flash-linear-attention's models.
Without a GPU their Triton kernels are stubbed; bitsandbytes' own library runs on the stubbed runtime as it is."""
import importlib, os, sys
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
STUBBED = not os.environ.get("HIGHWATER_REAL_GPU")
# Whether the stubbed device does nothing before the host waits for it.
SLOW = os.environ.get("FAKE_GPU_SLOW", "0") != "0"
# Models of flash-linear-attention by model_type, with the names of their classes.
LINEAR_ATTENTION = dict(gla="GLA", delta_net="DeltaNet", gated_deltanet="GatedDeltaNet", retnet="RetNet", hgrn="HGRN", hgrn2="HGRN2", transformer="Transformer", rwkv7="RWKV7")
# Those whose model_type transformers has, too; what only its configs say tells them apart.
OF_BOTH, ITS_OWN = dict(mamba="Mamba", mamba2="Mamba2"), "fuse_cross_entropy"
# Those of transformers whose kernels are its.
KERNELS_OF_LINEAR_ATTENTION = ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "olmo_hybrid", "kimi_linear")
COMPUTE = dict(bf16=torch.bfloat16, fp16=torch.float16, fp32=torch.float32)


def stub_triton():
    if STUBBED and "triton_stub" not in sys.modules:
        sys.path.insert(0, f"{HERE}/without_gpu")
        import triton_stub


def compiled_without_kernels():
    """torch.compile on the stubbed runtime makes its code and allocates as on a GPU; what it compiles is not launched."""
    if not STUBBED:
        return
    stub_triton()
    import torch._dynamo, torch._inductor.config as config
    from torch._inductor.async_compile import AsyncCompile

    class Kernel:
        def run(self, *args, **named):
            pass

    config.compile_threads, config.fx_graph_cache, config.triton.cudagraphs = 1, False, False
    for cache in ("autotune_local_cache", "bundled_autotune_remote_cache"):
        if hasattr(config, cache):
            setattr(config, cache, False)
    import torch.utils._triton as known
    for function in vars(known).values():  # asked while there was no device
        getattr(function, "cache_clear", lambda: None)()
    AsyncCompile.triton = lambda self, name, source, device_str="cuda": Kernel()
    AsyncCompile.use_process_pool = classmethod(lambda cls: False)


def liger(kernels, model_type):
    """Replaces what the kernels replace, for the whole process: run other scenarios in another one."""
    stub_triton()
    import liger_kernel.transformers as kernel
    known = ("rope", "cross_entropy", "fused_linear_cross_entropy", "rms_norm", "swiglu", "geglu")
    if not set(kernels) <= set(known):
        raise ValueError(f"cannot run liger_kernel {kernels}")
    if STUBBED:
        trust_asserts()
        count_tiles()
    asked = {name: name in kernels for name in known if name in kernels or name not in ("swiglu", "geglu")}
    if not any(name in kernels for name in ("swiglu", "geglu")):
        asked["geglu" if model_type.startswith("gemma") else "swiglu"] = False
    getattr(kernel, f"apply_liger_kernel_to_{model_type}")(**asked)


def trust_asserts():
    """What Liger asserts of labels is so: the stubbed kernels have not computed it."""
    read = torch.Tensor.__bool__
    torch.Tensor.__bool__ = lambda x: True if x.is_cuda and sys._getframe(1).f_globals["__name__"].startswith("liger_kernel") else read(x)


def count_tiles():
    """Tokens are spread over Liger's experts as evenly as can be; a stubbed kernel has not counted them."""
    read = torch.Tensor.item

    def item(x):
        caller = sys._getframe(1)
        if caller.f_code.co_name != "compute_routing_metadata":
            return read(x)
        pairs, experts, rows = (caller.f_locals[name] for name in ("TK", "E", "block_m_token"))
        return sum(-(-(pairs // experts + (expert < pairs % experts)) // rows) for expert in range(experts))

    torch.Tensor.item = item


def linear_attention(model_type, fields, dtype, use_cache, device):
    """A model of flash-linear-attention, or None. Some of transformers' own take its kernels where it is installed."""
    if model_type in KERNELS_OF_LINEAR_ATTENTION:
        stub_triton()
    name = LINEAR_ATTENTION.get(model_type, OF_BOTH.get(model_type) if ITS_OWN in fields else None)
    if name is None:
        return None
    stub_triton()
    if STUBBED:
        import flash_attn_stub
        sys.modules["flash_attn"] = flash_attn_stub
    module = importlib.import_module(f"fla.models.{model_type}")
    if STUBBED:  # no other library is to take it for the package
        del sys.modules["flash_attn"]
    config = getattr(module, f"{name}Config")(**fields)
    config.use_cache = use_cache
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(dtype)
        with torch.device(device):
            model = getattr(module, f"{name}ForCausalLM")(config)
    finally:
        torch.set_default_dtype(before)
    return model.to(dtype)


def flash_attention():
    """The flash-attn package for transformers 5. A mask counts as one that holds padding, every token as one that is none."""
    if not STUBBED or "flash_attn" in sys.modules:
        return
    sys.path.append(f"{HERE}/without_gpu")
    import flash_attn_stub
    sys.modules["flash_attn"], sys.modules["flash_attn.bert_padding"] = flash_attn_stub, flash_attn_stub.bert_padding
    import transformers
    import transformers.modeling_flash_attention_utils as attention
    transformers.PreTrainedModel._flash_attn_import_error = lambda *given, **named: None
    attention.is_flash_attn_2_available = lambda *given, **named: True

    def unpadding(mask):
        samples, tokens = mask.shape
        return torch.arange(samples * tokens, device=mask.device), torch.arange(0, (samples + 1) * tokens, tokens, dtype=torch.int32, device=mask.device), tokens

    attention._get_unpad_data = unpadding


def mask_of(mask, model_type, padded):
    """A mask for models of flash-linear-attention, which leave out what it calls padding: on the stubbed runtime every token counts, as in the
    worst of batches, also where the mask is said to be `padded`."""
    if not STUBBED or model_type not in LINEAR_ATTENTION:
        return mask
    import known_values
    known_values.never_all = padded
    return known_values.known(mask, torch.ones(mask.shape, dtype=mask.dtype))


def forget_masks():
    """Drops what flash-linear-attention keeps of the masks of earlier scenarios (`tensor_cache`)."""
    for name in ("fla.layers.utils", "fla.ops.utils.index"):
        for function in vars(sys.modules.get(name, object)).values():
            cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ())) if hasattr(function, "__code__") else {}
            if "cached" in cells:
                cells["cached"].cell_contents.clear()
            for last in ("last_args", "last_kwargs", "last_result"):  # 0.2.2
                if last in cells:
                    cells[last].cell_contents = None


def quantized(make, config, asked, attention, dtype_name, checkpointing):
    """A model whose linear layers bitsandbytes holds in fewer bits, tensor by tensor as from_pretrained leaves them."""
    stub_triton()
    import bitsandbytes as bnb
    from transformers import BitsAndBytesConfig
    from transformers.integrations.bitsandbytes import replace_with_bnb_linear
    dtype, kind = COMPUTE[asked.get("compute_dtype", "bf16")], asked["type"]
    with torch.device("meta"):
        model = make.from_config(config, attn_implementation=attention, **{dtype_name: dtype})
    if kind == "int8":
        settings = BitsAndBytesConfig(load_in_8bit=True)
    else:
        settings = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=kind, bnb_4bit_use_double_quant=asked.get("double", False), bnb_4bit_compute_dtype=dtype,
                                      bnb_4bit_quant_storage=getattr(torch, asked.get("storage", "uint8")))
    model = replace_with_bnb_linear(model, modules_to_not_convert=kept_whole(model), quantization_config=settings)
    model.is_loaded_in_8bit, model.is_loaded_in_4bit, model.config.quantization_config = kind == "int8", kind != "int8", settings
    for module in model.modules():  # which models read since transformers 5, those inside of others in a config of their own
        if hasattr(module, "config"):
            module.config._is_quantized = True
    made = {}
    wide = model._keep_in_fp32_modules or []
    wide = wide if dtype == torch.float16 or hasattr(bnb_quantizer(), "use_keep_in_fp32_modules") else []
    for path, module in list(model.named_modules()):
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                if id(parameter) not in made:
                    made[id(parameter)] = materialized(parameter, bnb, torch.float32 if set(path.split(".")) & set(wide) else dtype)
                    made[id(made[id(parameter)])] = made[id(parameter)]
                module._parameters[name] = made[id(parameter)]
                if asked.get("experts") and "expert" in path and parameter.ndim >= 3:
                    del made[id(module._parameters[name])], made[id(parameter)]
                    quantize_experts(module, name, asked)
        for name, buffer in list(module._buffers.items()):
            if buffer is not None and buffer.device.type == "meta":
                module._buffers[name] = torch.empty(buffer.shape, dtype=buffer.dtype, device="cuda")
    model.tie_weights()
    prepares = asked.get("prepare_for_kbit_training", True)
    if asked.get("cast_back") and prepares:
        cast_embeddings(model, torch.float32)
    if prepares:
        from peft import prepare_model_for_kbit_training
        options = dict(use_reentrant=checkpointing == "full_reentrant") if checkpointing != "none" else None
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=checkpointing != "none", gradient_checkpointing_kwargs=options)
    if asked.get("cast_back") and prepares:
        cast_embeddings(model, dtype)
    return model


def cast_embeddings(model, dtype):
    """Norms, token embeddings and the output layer in another dtype (axolotl 0.19, `loaders/model.py`, `_convert_embedding_modules_dtype`)."""
    own = dict(gpt_neox=("embed_in", "embed_out"), falcon=("word_embeddings", "lm_head"), nemotron_h=("embeddings", "lm_head"))
    names = own.get(model.config.model_type, ("embed_tokens", "lm_head"))
    for path, module in model.named_modules():
        if "norm" in path or any(name in path for name in names) and hasattr(module, "weight"):
            module.to(dtype)


def quantize_experts(module, name, asked):
    """The stacked weights `name` of experts in fewer bits, as it is loaded (axolotl 0.19, `monkeypatch/moe_quant.py`)."""
    import bitsandbytes as bnb
    from bitsandbytes.nn.parametrize import replace_parameter_4bit
    from torch.nn.utils import parametrize

    class Dequantized(torch.nn.Module):
        def __init__(self, scales):
            super().__init__()
            self.register_buffer("row_stats", scales)

        @torch.no_grad()
        def forward(self, packed):
            return bnb.functional.int8_vectorwise_dequant(packed.reshape(-1, packed.shape[-1]), self.row_stats).reshape(packed.shape)

    def enable(module, inputs):
        parametrize._cache_enabled += 1

    def disable(module, inputs, output):
        parametrize._cache_enabled -= 1
        if not parametrize._cache_enabled:
            parametrize._cache = {}

    if asked["type"] != "int8":
        replace_parameter_4bit(module, name, compress_statistics=asked.get("double", False), quant_type=asked["type"])
    else:
        packed, scales, _ = bnb.functional.int8_vectorwise_quant(getattr(module, name).data.to(torch.float16))
        setattr(module, name, torch.nn.Parameter(packed, requires_grad=False))
        hooked = hasattr(module, "parametrizations")
        parametrize.register_parametrization(module, name, Dequantized(scales), unsafe=True)
        if not hooked:
            module.register_forward_pre_hook(enable)
            module.register_forward_hook(disable)
    torch.cuda.empty_cache()


def kept_whole(model):
    """Names of the modules that from_pretrained does not quantize: the output layer, what is tied to it, and what is kept in float32 beside."""
    try:
        from transformers.quantizers.base import get_keys_to_not_convert
    except ImportError:  # transformers 4
        from transformers.integrations.bitsandbytes import get_keys_to_not_convert
    return [*get_keys_to_not_convert(model), *(model._keep_in_fp32_modules or [])]


def bnb_quantizer():
    from transformers.quantizers.quantizer_bnb_4bit import Bnb4BitHfQuantizer
    return Bnb4BitHfQuantizer


def materialized(parameter, bnb, dtype):
    empty = lambda: torch.empty(parameter.shape, dtype=dtype if parameter.is_floating_point() else parameter.dtype, device="cuda")
    if isinstance(parameter, bnb.nn.Params4bit):
        kept = {key: value for key, value in parameter.__dict__.items() if key != "data"}
        made = bnb.nn.Params4bit(empty(), requires_grad=False, **kept).to("cuda")
        if not made.bnb_quantized:
            made._quantize("cuda")
        return made
    if isinstance(parameter, bnb.nn.Int8Params):
        made = bnb.nn.Int8Params(torch.empty(parameter.shape, dtype=dtype, device="cuda"), requires_grad=False, has_fp16_weights=False)
        return made._quantize("cuda") if hasattr(made, "_quantize") else made.cuda("cuda")
    return torch.nn.Parameter(empty(), requires_grad=parameter.requires_grad)


def states(model):
    """What quantized weights need beside themselves: scales and codes."""
    unpacking = [module for name, module in model.named_modules() if ".parametrizations." in name]
    yield from (module.row_stats for module in unpacking if hasattr(module, "row_stats"))
    for holder in [*model.parameters(), *unpacking]:
        state = getattr(holder, "quant_state", None)
        if state is not None:
            second = state.state2
            yield from (t for t in (state.absmax, state.code, state.offset, getattr(second, "absmax", None), getattr(second, "code", None)) if isinstance(t, torch.Tensor))
        yield from (t for t in (getattr(holder, name, None) for name in ("SCB", "CB")) if isinstance(t, torch.Tensor))
