//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof, SpeechKind};

/// `wav2vec2`.
pub(crate) const WAV2VEC2: Family = Family {
    model_types: &["wav2vec2"],
    source: "models/wav2vec2, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "wav2vec2",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    fixtures: Proof::of(&["speech.jsonl"]),
    published: Proof::of(&[
        ("wav2vec2-base", 94_396_320),
        ("wav2vec2-base-960h", 94_396_320),
        ("wav2vec2-large-xlsr-53", 315_471_520),
        ("wav2vec2-xls-r-300m", 315_471_520),
        ("wav2vec2-xls-r-1b", 962_538_400),
        ("wav2vec2-xls-r-2b", 2_159_321_120),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::Wav2Vec2, fields))
    })
};

/// `unispeech`.
pub(crate) const UNISPEECH: Family = Family {
    model_types: &["unispeech"],
    source: "models/unispeech, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "unispeech",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    fixtures: Proof::of(&["speech.jsonl", "unispeech.jsonl"]),
    published: Proof::NONE,
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::UniSpeech, fields))
    })
};

/// `unispeech-sat`.
pub(crate) const UNISPEECH_SAT: Family = Family {
    model_types: &["unispeech-sat"],
    source: "models/unispeech_sat, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "unispeech_sat",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    fixtures: Proof::of(&["speech.jsonl", "unispeech.jsonl"]),
    published: Proof::of(&[("unispeech-sat-base-100h", 94_396_320)]),
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::UniSpeechSat, fields))
    })
};

/// `data2vec-audio`.
pub(crate) const DATA2VEC_AUDIO: Family = Family {
    model_types: &["data2vec-audio"],
    source: "models/data2vec_audio, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "data2vec_audio",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    fixtures: Proof::of(&["data2vec_audio.jsonl"]),
    published: Proof::of(&[
        ("data2vec-audio-base-960h", 93_188_896),
        ("data2vec-audio-large-960h", 313_309_216),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::Data2Vec, fields))
    })
};

/// `wavlm`.
pub(crate) const WAVLM: Family = Family {
    model_types: &["wavlm"],
    source: "models/wavlm, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "wavlm",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::EAGER,
    fixtures: Proof::of(&["wavlm.jsonl"]),
    published: Proof::of(&[
        ("wavlm-base", 94_406_544),
        ("wavlm-base-plus", 94_406_544),
        ("wavlm-large", 315_485_920),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::WavLm, fields))
    })
};

/// `hubert`.
pub(crate) const HUBERT: Family = Family {
    model_types: &["hubert"],
    source: "models/hubert, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "hubert",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Ctc, crate::ask::Task::AudioClassification],
    check: Some(super::reader::check),
    // Support.
    fixtures: Proof::of(&["speech.jsonl"]),
    published: Proof::of(&[
        ("hubert-base-ls960", 94_396_320),
        ("hubert-large-ls960-ft", 315_471_520),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Speech(reader::read(family, SpeechKind::Hubert, fields))
    })
};
