//! The families of this folder.

use crate::ask::Framework;
use crate::families::image_text::reader as images;
use crate::families::qwen::QWEN2;
use crate::model::{Architecture, ConfigParts, Family, ImageKind, Proof};

/// `qwen2_vl`.
pub(crate) const QWEN2_VL: Family = Family {
    model_types: &["qwen2_vl"],
    source: "models/qwen2_vl, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers448),
    },
    flat_text: Some(&QWEN2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        special_tokens: 1,
        kinds: Some(crate::model::TokenKinds::OfTexts),
        ..crate::model::Generation::NONE
    },
    image_sides: Some(crate::families::image_text::image_size::packed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&[
        "qwen_vl.jsonl",
        "qwen_vl_flash.jsonl",
        "vision_language.jsonl",
    ]),
    published: Proof::of(&[
        ("qwen2-vl-72b-instruct", 73_405_560_320),
        ("qwen2-vl-2b-instruct", 2_208_985_600),
        ("qwen2-vl-7b-instruct", 8_291_375_616),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Qwen2, fields))
    })
};

/// `qwen2_5_vl`.
pub(crate) const QWEN2_5_VL: Family = Family {
    model_types: &["qwen2_5_vl"],
    source: "models/qwen2_5_vl, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers451),
    },
    flat_text: Some(&QWEN2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        special_tokens: 1,
        kinds: Some(crate::model::TokenKinds::OfTexts),
        ..crate::model::Generation::NONE
    },
    image_sides: Some(crate::families::image_text::image_size::packed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&[
        "qwen_vl.jsonl",
        "qwen_vl_flash.jsonl",
        "vision_language.jsonl",
    ]),
    published: Proof::of(&[
        ("qwen2.5-vl-72b-instruct", 73_410_777_344),
        ("qwen2.5-vl-32b-instruct", 33_452_718_336),
        ("qwen2.5-vl-3b-instruct", 3_754_622_976),
        ("qwen2.5-vl-7b-instruct", 8_292_166_656),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Qwen25, fields))
    })
};

/// `qwen3_vl`.
pub(crate) const QWEN3_VL: Family = Family {
    model_types: &["qwen3_vl"],
    source: "models/qwen3_vl, transformers 5.23",
    parts: ConfigParts::Images { since: None },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        kinds: Some(crate::model::TokenKinds::OfTexts),
        ..crate::model::Generation::NONE
    },
    image_sides: Some(crate::families::image_text::image_size::packed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["qwen3_vl.jsonl", "qwen_vl_flash.jsonl"]),
    published: Proof::of(&[
        ("qwen3-vl-2b-instruct", 2_127_532_032),
        ("qwen3-vl-4b-instruct", 4_437_815_808),
        ("qwen3-vl-8b-instruct", 8_767_123_696),
        ("qwen3-vl-32b-instruct", 33_357_390_064),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Qwen3, fields))
    })
};

/// `qwen3_vl_moe`.
pub(crate) const QWEN3_VL_MOE: Family = Family {
    model_types: &["qwen3_vl_moe"],
    source: "models/qwen3_vl_moe, transformers 5.23",
    parts: ConfigParts::Images { since: None },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        kinds: Some(crate::model::TokenKinds::OfTexts),
        ..crate::model::Generation::NONE
    },
    image_sides: Some(crate::families::image_text::image_size::packed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["qwen3_vl.jsonl", "qwen_vl_flash.jsonl"]),
    published: Proof::of(&[
        ("qwen3-vl-30b-a3b-instruct", 31_070_754_032),
        ("qwen3-vl-235b-a22b-instruct", 235_670_022_896),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Qwen3Moe, fields))
    })
};
