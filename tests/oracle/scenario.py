"""From the keys of a scenario (the project's JSON contract) to PyTorch objects."""
import contextlib, glob, importlib, json, os
import torch
import transformers, around, divided, images, libraries, optimizers, recipes, speech
from transformers import AutoConfig

HERE = os.path.dirname(os.path.abspath(__file__))
# Beside the scripts where setup.sh put them, else those of the catalog.
CONFIGS = {os.path.basename(path)[:-5]: path for path in glob.glob(f"{HERE}/configs/*.json") or glob.glob(f"{HERE}/../../src/models/families/*/models/*.json")}
DEFAULTS = dict(
    task="causal_lm", micro_batch_size=2, seq_len=256, target_seq_len=None, gradient_accumulation_steps=1, precision="fp32", autocast_style="plain",
    optimizer=dict(name="adamw", impl="foreach"), attention="sdpa", sdpa_backend=None, padding_mask=None, use_cache=False,
    activation_checkpointing="none", weights=None, lora=None, frozen=[], clip_grad_norm=False, zero_grad_set_to_none=True, loss="labels",
    keep_outputs=False, program="training", model_overrides={}, offload={}, checkpoint_every=1, pad_to_multiple_of=None, evaluation={}, quantization={},
    liger_kernel=[], allocator={}, dataset={}, images=1, image_size=None, parallelism={}, objective={}, around={}, neftune_noise_alpha=None, packing={},
    activation_offload={}, selective={})
WEIGHTS = dict(fp32=torch.float32, amp_bf16=torch.float32, amp_fp16=torch.float32, bf16=torch.bfloat16, fp16=torch.float16)
AUTOCAST = dict(amp_bf16=torch.bfloat16, amp_fp16=torch.float16)
CLASSES = dict(causal_lm="AutoModelForCausalLM", seq2seq_lm="AutoModelForSeq2SeqLM", masked_lm="AutoModelForMaskedLM",
               sequence_classification="AutoModelForSequenceClassification", token_classification="AutoModelForTokenClassification",
               question_answering="AutoModelForQuestionAnswering",
               image_classification="AutoModelForImageClassification", contrastive="AutoModelForZeroShotImageClassification",
               image_text_to_text="AutoModelForImageTextToText", ctc="AutoModelForCTC", audio_classification="AutoModelForAudioClassification")
TRANSFORMERS_5 = int(transformers.__version__.split(".")[0]) >= 5
# Where a model's initial values are switched off.
initialization = importlib.import_module("transformers.initialization" if TRANSFORMERS_5 else "transformers.modeling_utils")


def framework():
    short = lambda version: ".".join(version.split(".")[:2])
    return f"torch-{short(torch.__version__)}/transformers-{short(transformers.__version__)}"


def complete(written):
    """All keys; refuses what this oracle cannot run, so that nothing is measured that was not asked."""
    scenario = {**DEFAULTS, **written}
    if scenario["padding_mask"] is None:
        scenario["padding_mask"] = scenario["program"] == "evaluation"
    if written.get("framework", framework()) != framework():
        raise ValueError(f"needs {written['framework']}, here is {framework()}")
    ignored = {"v", "model", "framework", "hardware", "host", "dataset", "dataloader", "memory_limit"}
    unknown = set(scenario) - set(DEFAULTS) - ignored
    if scenario["checkpoint_every"] > 1 and not TRANSFORMERS_5:
        raise ValueError("transformers 4 checkpoints all layers or none")
    recipes.check(scenario)
    settings = allocator_settings(scenario["allocator"])
    if settings and settings != os.environ.get("PYTORCH_CUDA_ALLOC_CONF"):
        raise ValueError(f"needs PYTORCH_CUDA_ALLOC_CONF={settings}, or --apart")
    if unknown or scenario["task"] not in CLASSES:
        raise ValueError(f"cannot run {sorted(unknown) or scenario['task']}")
    return scenario


def allocator_settings(asked):
    """As PYTORCH_CUDA_ALLOC_CONF has them."""
    return ",".join(f"{name}:{value}" for name, value in asked.items() if name != "empty_cache_after_loading")


def model_fields(scenario):
    """model_type and the fields of the model's config."""
    model = scenario["model"]
    fields = dict(model["hf_config"]) if isinstance(model, dict) else json.load(open(CONFIGS[model]))
    fields.update(scenario["model_overrides"])
    kind = fields.pop("model_type")
    for key in ("architectures", "torch_dtype", "dtype"):
        fields.pop(key, None)
    if scenario["task"] == "seq2seq_lm":
        # Catalog configs are cut to what decides sizes; labels are shifted behind this token.
        fields = {"decoder_start_token_id": 0, "pad_token_id": 0, **fields}
    if scenario["task"] == "sequence_classification":
        fields["pad_token_id"] = fields.get("pad_token_id") or 0  # decoders find the last token by it
    return kind, fields


def config(scenario):
    kind, fields = model_fields(scenario)
    config = AutoConfig.for_model(kind, **fields)
    for part in (config, getattr(config, "text_config", None)):  # the decoder of a model with images asks its own
        if part is not None:
            part.use_cache = scenario["use_cache"]
    if kind in speech.KINDS:
        config.layerdrop = 0.0
    # Looked through where a type has several classes for a task, of which the first is meant.
    config.architectures = config.architectures or []
    return config


def class_of(scenario):
    """The class of transformers that makes the model."""
    kind, _ = model_fields(scenario)
    if kind == "whisper":
        return transformers.AutoModelForSpeechSeq2Seq
    if kind == "mistral4" and scenario["task"] == "causal_lm":
        return transformers.AutoModelForPreTraining
    return getattr(transformers, CLASSES[scenario["task"]])


def attention_of(scenario):
    return "eager" if model_fields(scenario)[0] in images.CONVOLUTIONAL else scenario["attention"]


def model(scenario, device="cuda"):
    """The model on the device, or without memory on the meta device."""
    weights = WEIGHTS[scenario["weights"] or scenario["precision"]]
    dtype = {"dtype" if TRANSFORMERS_5 else "torch_dtype": weights}
    made, checkpointing = class_of(scenario), scenario["activation_checkpointing"]
    kind, fields = model_fields(scenario)
    if scenario["liger_kernel"]:
        libraries.liger(scenario["liger_kernel"], kind)
    quantized = scenario["quantization"].get("type", "none") != "none"
    if scenario["attention"] == "flash_attention_2":
        libraries.flash_attention()
    model = libraries.linear_attention(kind, fields, weights, scenario["use_cache"], device)
    loads = scenario["around"].get("loading", "none") != "none"
    if loads:
        model = around.loaded(scenario)
    elif quantized:
        model = libraries.quantized(made, config(scenario), scenario["quantization"], scenario["attention"], *dtype, checkpointing)
    elif model is None:
        with torch.device(device), without_values():
            model = made.from_config(config(scenario), attn_implementation=attention_of(scenario), **dtype)
        model = model.to(device)  # DiffLlama draws parameters without asking where
        model.tie_weights()
    if scenario["loss"] == "labels_uncast":
        transformers.loss.loss_utils.LOSS_MAPPING["ForCausalLM"] = uncast_loss
    if divided.asked(scenario):
        divided.divide(model, scenario)
        device = "cuda"
    model.train()
    names = [name for name, _ in model.named_parameters()]
    if not all(any(part in name for name in names) for part in scenario["frozen"]):
        raise ValueError(f"frozen {scenario['frozen']}: not all is there")
    for name, parameter in model.named_parameters():
        if any(part in name for part in scenario["frozen"]):
            parameter.requires_grad_(False)
    if kind in speech.KINDS:
        speech.ready(model)
    lora = scenario["lora"]
    if lora:
        libraries.stub_triton()  # bitsandbytes 0.45, which PEFT imports, asks Triton for the driver
        import peft
        with contextlib.nullcontext() if loads else torch.device(device):
            model = peft.get_peft_model(model, lora_config(scenario), autocast_adapter_dtype=lora.get("adapter_dtype", "fp32") == "fp32")
        if not quantized and not loads:
            model.to(device)  # as Trainer does
    if loads and not quantized and scenario["parallelism"].get("dp", {}).get("kind") not in ("fsdp1", "fsdp2", "deepspeed_zero"):  # which take it from the host
        model.to(device)
    if checkpointing != "none":
        reentrant = checkpointing == "full_reentrant"
        base = model.get_base_model() if lora else model
        base.gradient_checkpointing_enable(gradient_checkpointing_kwargs=recipes.checkpointing(scenario) if checkpointing == "operations" else {"use_reentrant": reentrant})
        if scenario["activation_offload"].get("kind") == "layer_inputs":
            recipes.inputs_on_host(base)
        layers = [m for m in base.modules() if any(c.__name__ == "GradientCheckpointingLayer" for c in type(m).__mro__)]
        for number, layer in enumerate(layers):  # as `every_n_layers` of transformers 5.23 has it
            layer.gradient_checkpointing = number % scenario["checkpoint_every"] == 0
        if lora and reentrant:
            model.enable_input_require_grads()
    if recipes.packed(scenario):
        recipes.told_apart(scenario)
    if scenario["loss"] == "cut_cross_entropy":
        recipes.cut_loss(model)
    if scenario["neftune_noise_alpha"] is not None:
        from transformers.integrations.neftune import activate_neftune
        activate_neftune(model, scenario["neftune_noise_alpha"])
    if scenario["precision"] in AUTOCAST and scenario["autocast_style"] == "accelerate":
        import types
        from accelerate.utils.operations import convert_outputs_to_fp32
        inner = torch.autocast("cuda", dtype=AUTOCAST[scenario["precision"]])(model.forward.__func__)
        model.forward = types.MethodType(inner, model)
        model.forward = types.MethodType(convert_outputs_to_fp32(model.forward.__func__), model)
    return model


def lora_config(scenario):
    import peft
    lora = scenario["lora"]
    kind, _ = model_fields(scenario)
    # PEFT's own wrapper of encoder-decoders passes token ids on, which Whisper does not take.
    # With those of heads PEFT trains the heads, too.
    tasks = dict(causal_lm="CAUSAL_LM", image_text_to_text="CAUSAL_LM", seq2seq_lm=None if kind == "whisper" else "SEQ_2_SEQ_LM", sequence_classification="SEQ_CLS",
                 token_classification="TOKEN_CLS", question_answering="QUESTION_ANS")
    return peft.LoraConfig(r=lora.get("r", 16), lora_alpha=32, lora_dropout=lora.get("dropout", 0.0), bias="none", use_dora=lora.get("use_dora", False),
                           target_modules="all-linear" if "all-linear" in lora["target_modules"] else lora["target_modules"], modules_to_save=lora.get("modules_to_save"), **only_in_5("target_parameters", lora), task_type=tasks.get(scenario["task"]))


@contextlib.contextmanager
def without_values():
    """Weights come from a checkpoint: some initial values (a normal distribution that is cut) would leave segments behind. Ties are made all the same, where models make them."""
    base = transformers.PreTrainedModel
    with initialization.no_init_weights():
        before, base.init_weights = base.init_weights, lambda model: model.tie_weights(**dict(recompute_mapping=False) if TRANSFORMERS_5 else {})
        try:
            yield
        finally:
            base.init_weights = before


def only_in_5(key, options):
    """The option where it was asked for; PEFT has none of that name beside transformers 4."""
    return {key: options[key]} if options.get(key) else {}


def uncast_loss(logits, labels, *_, **__):
    """The loss of the next token as models wrote it before they shared one: of logits in the dtype that they have."""
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = labels[..., 1:].contiguous()
    return torch.nn.functional.cross_entropy(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


def usual(scenario):
    """The scenario of a step with batches of usual length: all but the last step's where lengths differ."""
    mean = scenario["dataset"].get("length_mean")
    return of_length(scenario, mean) if mean else scenario


def of_length(scenario, length):
    """The scenario of a batch of another length; targets differ in the same proportion."""
    longest, target = scenario["seq_len"], scenario["target_seq_len"]
    return {**scenario, "seq_len": length, "target_seq_len": target and -(-target * length // longest)}


def batch(scenario, config, target=True):
    count, labelled = scenario["micro_batch_size"], scenario["loss"] in ("labels", "chunked", "labels_uncast", "cut_cross_entropy")
    tokens = lambda *shape: torch.zeros(count, *shape, dtype=torch.long, device="cuda")
    if scenario["task"] in ("image_classification", "contrastive"):
        sizes = getattr(config, "vision_config", config)
        image = torch.zeros(count, sizes.num_channels, sizes.image_size, sizes.image_size, device="cuda")
        if scenario["task"] == "image_classification":
            return dict(pixel_values=image, **dict(labels=tokens()) if labelled else {})
    length = scenario["seq_len"]
    if config.model_type == "whisper":
        shape = count, config.num_mel_bins, 2 * config.max_source_positions
        batch = dict(input_features=torch.zeros(*shape, dtype=WEIGHTS[scenario["weights"] or scenario["precision"]], device="cuda"))
    elif config.model_type in speech.KINDS:
        waveform = count, speech.samples(config, length)
        batch = dict(input_values=torch.zeros(*waveform, dtype=WEIGHTS[scenario["weights"] or scenario["precision"]], device="cuda"))
    elif config.model_type == "audio-spectrogram-transformer":
        batch = dict(input_values=torch.zeros(count, config.max_length, config.num_mel_bins, dtype=WEIGHTS[scenario["weights"] or scenario["precision"]], device="cuda"))
    else:
        batch = dict(input_ids=tokens(length))
    if scenario["padding_mask"] and ("input_ids" in batch or config.model_type in speech.KINDS):
        batch["attention_mask"] = torch.ones(*batch.get("input_ids", batch.get("input_values")).shape, dtype=torch.long, device="cuda")
        # Padding that a real GPU finds; stubbed kernels do nothing.
        batch["attention_mask"][:, -1:].zero_()
        batch["attention_mask"] = libraries.mask_of(batch["attention_mask"], config.model_type, padded=True)
    if scenario["task"] == "contrastive":
        return dict(batch, pixel_values=image, return_loss=labelled)
    if scenario["task"] == "seq2seq_lm" and target:
        batch["labels" if labelled else "decoder_input_ids"] = tokens(scenario["target_seq_len"] or length)
    elif labelled and scenario["task"] == "ctc":
        batch["labels"] = tokens(scenario["target_seq_len"] or length)
    elif labelled and scenario["task"] == "question_answering":
        batch.update(start_positions=tokens(), end_positions=tokens())
    elif labelled:
        of_sequences = scenario["task"] in ("sequence_classification", "audio_classification")
        batch["labels"] = tokens() if of_sequences else tokens(length)
        if of_sequences and config.num_labels == 1:
            batch["labels"] = torch.zeros(count, dtype=WEIGHTS[scenario["weights"] or scenario["precision"]], device="cuda")
    if divided.asked(scenario) and scenario["parallelism"].get("tp", {}).get("sequence_parallel"):
        batch["position_ids"] = torch.arange(length, device="cuda").unsqueeze(0)  # of the whole sequence, of which embeddings give a part
    if recipes.packed(scenario):
        batch = recipes.with_positions(scenario, batch)
    if scenario["task"] == "image_text_to_text":
        return images.with_images(scenario, config, batch)
    return batch


def sdpa_kernels(scenario):
    """PyTorch's own choice, or one forced kernel; never cuDNN, which the stubs do not have."""
    forced = scenario["sdpa_backend"]
    torch.backends.cuda.enable_flash_sdp(forced in (None, "flash"))
    torch.backends.cuda.enable_mem_efficient_sdp(forced in (None, "efficient"))
    torch.backends.cuda.enable_math_sdp(forced in (None, "math"))
    torch.backends.cuda.enable_cudnn_sdp(False)


def optimizer(scenario, parameters, model):
    if scenario["optimizer"]["name"] in recipes.OPTIMIZERS:
        return recipes.optimizer(scenario["optimizer"], parameters, model)
    make = lambda parameters: optimizers.make(scenario["optimizer"], parameters, model, scenario["offload"])
    return optimizers.InBackward(make, parameters) if scenario["optimizer"].get("in_backward") else make(parameters)
