//! The families of this folder.

use super::reader;
use crate::families::wav2vec2::reader::check_quantized;
use crate::model::{Architecture, Family, Proof, VitKind};

/// `vit`.
pub(crate) const VIT: Family = Family {
    model_types: &["vit"],
    source: "models/vit, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "vit",
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::ImageClassification],
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["vit.jsonl"]),
    published: Proof::of(&[
        ("vit-tiny", 5_717_416),
        ("vit-small", 22_050_664),
        ("vit-large", 304_326_632),
        ("vit-huge", 630_767_362),
        ("vit-base", 85_800_194),
    ]),
    ..Family::new(|family, _, fields| Architecture::Vit(reader::read(family, VitKind::Vit, fields)))
};

/// `vit_msn`.
pub(crate) const VIT_MSN: Family = Family {
    model_types: &["vit_msn"],
    source: "models/vit_msn, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "vit",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["spectrograms.jsonl"]),
    published: Proof::of(&[("vit-msn-small", 21_666_434)]),
    ..Family::new(|family, _, fields| Architecture::Vit(reader::read(family, VitKind::Msn, fields)))
};

/// `audio-spectrogram-transformer`.
pub(crate) const AUDIO_SPECTROGRAM_TRANSFORMER: Family = Family {
    model_types: &["audio-spectrogram-transformer"],
    source: "models/audio_spectrogram_transformer, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "audio_spectrogram_transformer",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::AudioClassification],
    check: Some(|scenario, _, _, findings| check_quantized(scenario, findings)),
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["spectrograms.jsonl"]),
    published: Proof::of(&[("ast-audioset", 86_594_063)]),
    ..Family::new(|family, _, fields| Architecture::Vit(reader::read(family, VitKind::Ast, fields)))
};

/// `deit`.
pub(crate) const DEIT: Family = Family {
    model_types: &["deit"],
    source: "models/deit, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "deit",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["deit_dinov2.jsonl"]),
    published: Proof::of(&[("deit-base-distilled", 86_569_192)]),
    ..Family::new(|family, _, fields| {
        Architecture::Vit(reader::read(family, VitKind::Deit, fields))
    })
};

/// `dinov2`.
pub(crate) const DINOV2: Family = Family {
    model_types: &["dinov2"],
    source: "models/dinov2, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "dinov2",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["deit_dinov2.jsonl"]),
    published: Proof::of(&[
        ("dinov2-small", 22_058_114),
        ("dinov2-base", 86_583_554),
        ("dinov2-large", 304_372_738),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Vit(reader::read(family, VitKind::Dinov2, fields))
    })
};

/// `dinov2_with_registers`.
pub(crate) const DINOV2_WITH_REGISTERS: Family = Family {
    model_types: &["dinov2_with_registers"],
    source: "models/dinov2_with_registers, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "dinov2_with_registers",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["deit_dinov2.jsonl"]),
    published: Proof::of(&[
        ("dinov2-with-registers-small", 22_059_650),
        ("dinov2-with-registers-base", 86_586_626),
        ("dinov2-with-registers-large", 304_376_834),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Vit(reader::read(family, VitKind::Dinov2Registers, fields))
    })
};
