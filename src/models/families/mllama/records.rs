//! The families of this folder.

use crate::families::image_text::reader as images;
use crate::families::llama::LLAMA;
use crate::model::{Architecture, ConfigParts, Family, ImageKind, Proof};

/// `mllama`.
pub(crate) const MLLAMA: Family = Family {
    model_types: &["mllama"],
    source: "models/mllama, transformers 5.23",
    parts: ConfigParts::Images { since: None },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(crate::families::image_text::image_size::fixed),
    check: Some(crate::families::image_text::refused::check),
    // Support.
    fixtures: Proof::of(&["mllama.jsonl", "vision_language.jsonl"]),
    published: Proof::of(&[
        ("llama-3.2-11b-vision", 10_642_941_475),
        ("llama-3.2-11b-vision-instruct", 10_670_220_835),
        ("llama-3.2-90b-vision-instruct", 88_593_355_323),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Mllama, fields))
    })
};

/// The text part of it.
pub(crate) const MLLAMA_TEXT: Family = Family {
    model_types: &["mllama_text_model"],
    source: "models/mllama, transformers 5.23",
    fixtures: Proof::of(&["mllama.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
