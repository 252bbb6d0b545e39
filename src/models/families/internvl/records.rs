//! The families of this folder.

use crate::families::image_text::reader as images;
use crate::model::{Architecture, ConfigParts, Family, ImageKind, Proof};

/// `internvl`.
pub(crate) const INTERNVL: Family = Family {
    model_types: &["internvl"],
    source: "models/internvl, transformers 5.23",
    parts: ConfigParts::Images { since: None },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(crate::families::image_text::image_size::usual),
    check: Some(crate::families::image_text::refused::check),
    // Support.
    fixtures: Proof::of(&["internvl.jsonl", "vision_language.jsonl"]),
    published: Proof::of(&[
        ("internvl3.5-38b-hf", 38_390_405_504),
        ("internvl3.5-14b-hf", 15_119_523_840),
        ("internvl3.5-8b-hf", 8_528_318_464),
        ("internvl3.5-4b-hf", 4_732_489_216),
        ("internvl3.5-2b-hf", 2_348_347_392),
        ("internvl3.5-1b-hf", 1_060_897_792),
        ("internvl3-1b-hf", 938_193_024),
        ("internvl3-2b-hf", 2_088_957_440),
        ("internvl3-8b-hf", 7_944_373_760),
        ("internvl3-14b-hf", 15_117_256_704),
        ("internvl3-78b-hf", 78_408_318_336),
        ("internvl3-38b-hf", 38_388_164_992),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(images::read(family, ImageKind::InternVl, fields))
    })
};
