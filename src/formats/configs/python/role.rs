//! Roles of calls in a job, by their names.

/// The role of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// `TrainingArguments` and its subclasses in transformers.
    Arguments,
    /// A configuration of TRL's, with the word of the command that starts its trainer.
    Config(&'static str),
    /// A trainer of transformers'.
    Trainer,
    /// A trainer of TRL's, with the word of its command.
    TrlTrainer(&'static str),
    /// `LoraConfig`.
    Lora,
    /// A configuration of other adapters.
    OtherAdapter,
    /// `get_peft_model`.
    Adapt,
    /// `PeftModel.from_pretrained`.
    LoadAdapters,
    /// `prepare_model_for_kbit_training`.
    Prepare,
    /// `BitsAndBytesConfig`.
    Bits,
    /// A configuration of other quantization.
    OtherQuantization,
    /// A model's `from_pretrained`.
    Load,
    /// A model's `from_config`.
    FromConfig,
    /// A config's `from_pretrained`.
    LoadConfig,
    /// Unsloth's `from_pretrained`.
    FastLoad,
    /// Unsloth's `get_peft_model`.
    FastAdapt,
    /// A tokenizer's or a processor's `from_pretrained`.
    LoadTokenizer,
    /// A tokenizer's call.
    Tokenize,
    /// `Accelerator`.
    Accelerator,
    /// `FullyShardedDataParallelPlugin`.
    FsdpPlugin,
    /// `DeepSpeedPlugin`.
    DeepSpeedPlugin,
    /// `deepspeed.initialize`.
    DeepSpeed,
    /// An optimizer of a plain loop.
    Optimizer,
    /// `DataLoader`.
    Loader,
    /// `DistributedDataParallel`.
    Ddp,
    /// `FullyShardedDataParallel`.
    Fsdp1,
    /// `fully_shard`.
    Fsdp2,
    /// `DataParallel`.
    DataParallel,
    /// `torch.autocast`.
    Autocast,
    /// `gradient_checkpointing_enable`.
    Checkpoint,
    /// `clip_grad_norm_`.
    Clip,
    /// `torch.compile`.
    Compile,
    /// A method that casts a model.
    Cast,
    /// `requires_grad_`.
    Freeze,
    /// `apply_liger_kernel_to_...`.
    Liger,
    /// `HfArgumentParser` or `TrlParser`.
    Parser,
}

impl Role {
    /// Whether a text with such a call is Python of a training job.
    pub(super) const fn tells(self) -> bool {
        !matches!(
            self,
            Self::Autocast | Self::Cast | Self::Tokenize | Self::Optimizer | Self::Clip
        )
    }
}

/// Trainers of TRL's by their names, with the words that start them; each has a configuration of the same name.
const TRL: &[(&str, &str)] = &[
    ("SFT", "sft"),
    ("DPO", "dpo"),
    ("GRPO", "grpo"),
    ("KTO", "kto"),
    ("ORPO", "orpo"),
    ("CPO", "cpo"),
    ("Reward", "reward"),
    ("Distillation", "distillation"),
    ("Unsloth", "sft"),
    ("RLOO", "rloo"),
    ("PPO", "ppo"),
    ("PPOv2", "ppo"),
    ("GKD", "gkd"),
    ("BCO", "bco"),
    ("PRM", "prm"),
    ("XPO", "xpo"),
    ("NashMD", "nash_md"),
    ("OnlineDPO", "online_dpo"),
    ("GOLD", "gold"),
    ("AsyncGRPO", "async_grpo"),
    ("TPO", "tpo"),
    ("SDFT", "sdft"),
    ("SDPO", "sdpo"),
];

/// Calls by the last part of their names.
const PLAIN: &[(&str, Role)] = &[
    ("TrainingArguments", Role::Arguments),
    ("Seq2SeqTrainingArguments", Role::Arguments),
    ("Trainer", Role::Trainer),
    ("Seq2SeqTrainer", Role::Trainer),
    ("LoraConfig", Role::Lora),
    ("get_peft_model", Role::Adapt),
    ("inject_adapter_in_model", Role::Adapt),
    ("add_adapter", Role::Adapt),
    ("prepare_model_for_kbit_training", Role::Prepare),
    ("prepare_model_for_int8_training", Role::Prepare),
    ("BitsAndBytesConfig", Role::Bits),
    ("Accelerator", Role::Accelerator),
    ("FullyShardedDataParallelPlugin", Role::FsdpPlugin),
    ("FSDPConfig", Role::FsdpPlugin),
    ("DeepSpeedPlugin", Role::DeepSpeedPlugin),
    ("DataLoader", Role::Loader),
    ("StatefulDataLoader", Role::Loader),
    ("DDP", Role::Ddp),
    ("DistributedDataParallel", Role::Ddp),
    ("FSDP", Role::Fsdp1),
    ("FullyShardedDataParallel", Role::Fsdp1),
    ("fully_shard", Role::Fsdp2),
    ("DataParallel", Role::DataParallel),
    ("autocast", Role::Autocast),
    ("gradient_checkpointing_enable", Role::Checkpoint),
    ("enable_gradient_checkpointing", Role::Checkpoint),
    ("clip_grad_norm_", Role::Clip),
    ("half", Role::Cast),
    ("bfloat16", Role::Cast),
    ("requires_grad_", Role::Freeze),
    ("HfArgumentParser", Role::Parser),
    ("TrlParser", Role::Parser),
    ("tokenizer", Role::Tokenize),
    ("processor", Role::Tokenize),
    ("batch_encode_plus", Role::Tokenize),
    ("encode_plus", Role::Tokenize),
];

/// Optimizers by their classes, with the name and the implementation of a scenario.
pub(super) const OPTIMIZERS: &[(&str, &str)] = &[
    ("AdamW", "adamw"),
    ("Adam", "adam"),
    ("SGD", "sgd"),
    ("Adadelta", "adadelta"),
    ("Adagrad", "adagrad"),
    ("Adamax", "adamax"),
    ("NAdam", "nadam"),
    ("RMSprop", "rmsprop"),
    ("Muon", "muon"),
    ("Adafactor", "adafactor"),
    ("Lion", "lion"),
    ("AdamW8bit", "adamw_8bit"),
    ("Adam8bit", "adamw_8bit"),
    ("PagedAdamW", "paged_adamw_32bit"),
    ("PagedAdamW32bit", "paged_adamw_32bit"),
    ("PagedAdamW8bit", "paged_adamw_8bit"),
    ("AdamW32bit", "adamw_32bit_bitsandbytes"),
    ("Lion8bit", "lion_8bit"),
    ("SGD8bit", "sgd_8bit"),
    ("AdamW4bit", "torchao_adamw_4bit"),
    ("AdamWFp8", "torchao_adamw_fp8"),
    ("AdamWScheduleFree", "schedule_free_adamw"),
    ("SGDScheduleFree", "schedule_free_sgd"),
    ("FusedAdam", "adamw"),
    ("DeepSpeedCPUAdam", "adamw"),
    ("Adam_mini", "adam_mini"),
];

/// Ends of the names of configurations of adapters and of quantization.
const ADAPTERS: &[&str] = &[
    "AdaLoraConfig",
    "IA3Config",
    "LoHaConfig",
    "LoKrConfig",
    "VeraConfig",
    "OFTConfig",
    "BOFTConfig",
    "PrefixTuningConfig",
    "PromptTuningConfig",
    "PromptEncoderConfig",
    "AdaptionPromptConfig",
    "FourierFTConfig",
    "BoneConfig",
    "LNTuningConfig",
    "HRAConfig",
    "XLoraConfig",
];

const QUANTIZATIONS: &[&str] = &[
    "GPTQConfig",
    "AwqConfig",
    "AWQConfig",
    "HqqConfig",
    "QuantoConfig",
    "AqlmConfig",
    "EetqConfig",
    "TorchAoConfig",
    "FbgemmFp8Config",
    "FineGrainedFP8Config",
    "Mxfp4Config",
    "CompressedTensorsConfig",
    "VptqConfig",
    "HiggsConfig",
];

/// The role of a call by its dotted name, where it has one.
pub(super) fn role(callee: &str) -> Option<Role> {
    let (before, last) = callee.rsplit_once('.').unwrap_or(("", callee));
    let of = before.rsplit('.').next().unwrap_or_default();
    match last {
        "from_pretrained" => return loads(of),
        "from_config" | "_from_config" if is_model(of) => return Some(Role::FromConfig),
        "get_peft_model" if of.starts_with("Fast") => return Some(Role::FastAdapt),
        "initialize" if of == "deepspeed" => return Some(Role::DeepSpeed),
        "compile" if of == "torch" => return Some(Role::Compile),
        _ => {}
    }
    if let Some((_, role)) = PLAIN.iter().find(|(name, _)| *name == last) {
        return Some(*role);
    }
    for (name, word) in TRL {
        match last.strip_prefix(name) {
            Some("Config") => return Some(Role::Config(word)),
            Some("TrainingArguments") if *name == "Unsloth" => return Some(Role::Config(word)),
            Some("Trainer") => return Some(Role::TrlTrainer(word)),
            _ => {}
        }
    }
    if OPTIMIZERS.iter().any(|(name, _)| *name == last) {
        Some(Role::Optimizer)
    } else if ADAPTERS.contains(&last) {
        Some(Role::OtherAdapter)
    } else if QUANTIZATIONS.contains(&last) {
        Some(Role::OtherQuantization)
    } else if last.starts_with("apply_liger_kernel_to_") {
        Some(Role::Liger)
    } else {
        None
    }
}

/// The role of a class's `from_pretrained`.
fn loads(class: &str) -> Option<Role> {
    if [
        "FastLanguageModel",
        "FastVisionModel",
        "FastModel",
        "FastTextModel",
    ]
    .contains(&class)
    {
        return Some(Role::FastLoad);
    }
    if class == "PeftModel" || class.starts_with("PeftModelFor") {
        return Some(Role::LoadAdapters);
    }
    if class.ends_with("Tokenizer")
        || class.ends_with("TokenizerFast")
        || class.ends_with("Processor")
    {
        return Some(Role::LoadTokenizer);
    }
    if class.ends_with("Config") {
        return Some(Role::LoadConfig);
    }
    is_model(class).then_some(Role::Load)
}

/// Whether a class is a model of transformers'.
fn is_model(class: &str) -> bool {
    let begins = class.starts_with(|letter: char| letter.is_ascii_uppercase());
    begins && (class.ends_with("Model") || class.contains("For") || class.ends_with("HeadModel"))
}

/// The task that a model's class is made for, where it is none of its own.
pub(super) fn task(class: &str) -> Option<&'static str> {
    let ends = [
        ("ForSequenceClassification", "sequence_classification"),
        ("ForTokenClassification", "token_classification"),
        ("ForQuestionAnswering", "question_answering"),
        ("ForMaskedLM", "masked_lm"),
        ("ForSeq2SeqLM", "seq2seq_lm"),
        ("ForImageClassification", "image_classification"),
        ("ForCTC", "ctc"),
        ("ForAudioClassification", "audio_classification"),
    ];
    let found = ends.iter().find(|(end, _)| class.ends_with(end));
    found.map(|(_, task)| *task)
}
