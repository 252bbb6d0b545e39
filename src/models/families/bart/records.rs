//! The families of this folder.

use super::reader;
use super::whisper_reader;
use crate::model::{Architecture, BartKind, Family, Proof};

/// How the models of texts generate.
const GENERATION: crate::model::Generation = crate::model::Generation {
    logits_to_keep: crate::model::LogitsToKeep::Alone,
    caches_in_4: [crate::model::CacheIn4::Tuples; 2],
    labels_or_cache: true,
    special_tokens: 2,
    forced_end: true,
    positions: false,
    ..crate::model::Generation::DECODER
};

/// `bart`.
pub(crate) const BART: Family = Family {
    model_types: &["bart"],
    source: "models/bart, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart.jsonl", "bart_decoders.jsonl"]),
    published: Proof::of(&[
        ("bart-base", 139_420_416),
        ("bart-large", 406_291_456),
        ("bart-large-cnn", 406_290_432),
        ("distilbart-cnn-12-6", 305_510_400),
    ]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Bart, task, fields))
    })
};

/// `mbart`.
pub(crate) const MBART: Family = Family {
    model_types: &["mbart"],
    source: "models/mbart, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[("mbart-large-50", 610_879_488)]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Mbart, task, fields))
    })
};

/// `plbart`.
pub(crate) const PLBART: Family = Family {
    model_types: &["plbart"],
    source: "models/plbart, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[("plbart-base", 139_220_736)]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Plbart, task, fields))
    })
};

/// `blenderbot`.
pub(crate) const BLENDERBOT: Family = Family {
    model_types: &["blenderbot"],
    source: "models/blenderbot, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[
        ("blenderbot-400m-distill", 364_802_560),
        ("blenderbot-3b", 2_696_268_800),
    ]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Blenderbot, task, fields))
    })
};

/// `blenderbot-small`.
pub(crate) const BLENDERBOT_SMALL: Family = Family {
    model_types: &["blenderbot-small"],
    source: "models/blenderbot_small, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[("blenderbot-small-90m", 87_508_992)]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(
            family,
            BartKind::BlenderbotSmall,
            task,
            fields,
        ))
    })
};

/// `pegasus`.
pub(crate) const PEGASUS: Family = Family {
    model_types: &["pegasus"],
    source: "models/pegasus, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::Before5,
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[("pegasus-large", 570_797_056)]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Pegasus, task, fields))
    })
};

/// `marian`.
pub(crate) const MARIAN: Family = Family {
    model_types: &["marian"],
    source: "models/marian, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm, crate::ask::Task::CausalLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::Before5,
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: Proof::of(&["bart_decoders.jsonl", "bart_kin.jsonl"]),
    published: Proof::of(&[("opus-mt-en-de", 74_410_496)]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::Marian, task, fields))
    })
};

/// `m2m_100`.
pub(crate) const M2M_100: Family = Family {
    model_types: &["m2m_100"],
    source: "models/m2m_100, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: crate::model::Generation {
        forced_end: false,
        ..GENERATION
    },
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["bart_kin.jsonl"]),
    published: Proof::of(&[
        ("nllb-200-distilled-600m", 615_073_792),
        ("nllb-200-1.3b", 1_370_638_336),
    ]),
    ..Family::new(|family, task, fields| {
        Architecture::Bart(reader::read(family, BartKind::M2m100, task, fields))
    })
};

/// `whisper`.
pub(crate) const WHISPER: Family = Family {
    model_types: &["whisper"],
    source: "models/whisper, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::Never),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        special_tokens: 3,
        positions: false,
        beams: false,
        ..crate::model::Generation::DECODER
    },
    check: Some(super::refused::check_whisper),
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    fixtures: Proof::of(&["evaluation_fla_whisper.jsonl", "whisper.jsonl"]),
    published: Proof::of(&[
        ("whisper-tiny", 37_760_640),
        ("whisper-base", 72_593_920),
        ("whisper-small", 241_734_912),
        ("whisper-medium", 763_857_920),
        ("whisper-large-v2", 1_543_304_960),
        ("whisper-large-v3", 1_543_490_560),
        ("whisper-large-v3-turbo", 808_878_080),
    ]),
    ..Family::new(|family, _, fields| Architecture::Bart(whisper_reader::read(family, fields)))
};
