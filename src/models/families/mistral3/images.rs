//! The families of this folder.

use crate::ask::Framework;
use crate::families::image_text::reader as images;
use crate::model::{Architecture, ConfigParts, Family, ImageKind, Proof};

/// `mistral3`.
pub(crate) const MISTRAL3_WITH_IMAGES: Family = Family {
    model_types: &["mistral3"],
    source: "models/mistral3, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers451),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(crate::families::image_text::image_size::covering),
    check: Some(crate::families::image_text::refused::check),
    // Support.
    fixtures: Proof::of(&["mistral3.jsonl"]),
    published: Proof::of(&[
        ("mistral-small-3.1-24b", 24_011_361_280),
        ("mistral-small-3.2-24b", 24_011_361_280),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::Mistral3, fields))
    })
};
