//! The families of this folder.

use super::reader;
use crate::ask::Framework;
use crate::model::{Architecture, ConfigParts, Family, ImageKind, Proof};

/// `llava`.
pub(crate) const LLAVA: Family = Family {
    model_types: &["llava"],
    source: "models/llava, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers448),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(super::image_size::fixed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["vision_language.jsonl"]),
    published: Proof::of(&[
        ("llava-1.5-7b-hf", 7_063_427_072),
        ("llava-1.5-13b-hf", 13_351_494_656),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::Llava, fields))
    })
};

/// `llava_next`.
pub(crate) const LLAVA_NEXT: Family = Family {
    model_types: &["llava_next"],
    source: "models/llava_next, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers448),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(super::image_size::usual),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["llava_next.jsonl"]),
    published: Proof::of(&[
        ("llava-1.6-mistral-7b-hf", 7_566_747_648),
        ("llava-1.6-vicuna-7b-hf", 7_063_431_168),
        ("llava-1.6-vicuna-13b-hf", 13_351_499_776),
        ("llava-1.6-34b-hf", 34_752_083_968),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::LlavaNext, fields))
    })
};

/// `gemma3`.
pub(crate) const GEMMA3_WITH_IMAGES: Family = Family {
    model_types: &["gemma3"],
    source: "models/gemma3, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers451),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        kinds: Some(crate::model::TokenKinds::Repeated { given: false }),
        ..crate::model::Generation::NONE
    },
    image_sides: Some(super::image_size::fixed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["vision_language.jsonl"]),
    published: Proof::of(&[
        ("gemma-3-27b", 27_432_406_640),
        ("gemma-3-12b", 12_187_325_040),
        ("gemma-3-4b", 4_300_079_472),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::Gemma3, fields))
    })
};

/// `paligemma`.
pub(crate) const PALIGEMMA: Family = Family {
    model_types: &["paligemma"],
    source: "models/paligemma, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers448),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    generation: crate::model::Generation {
        kinds: Some(crate::model::TokenKinds::Repeated { given: true }),
        later_positions: true,
        ..crate::model::Generation::NONE
    },
    image_sides: Some(super::image_size::fixed),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["paligemma.jsonl", "vision_language.jsonl"]),
    published: Proof::of(&[
        ("paligemma-3b-pt-224", 2_923_466_480),
        ("paligemma2-28b-pt-224", 27_650_487_024),
        ("paligemma2-10b-pt-224", 9_662_638_832),
        ("paligemma2-3b-pt-224", 3_032_242_416),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::PaliGemma, fields))
    })
};

/// `idefics3`.
pub(crate) const IDEFICS3: Family = Family {
    model_types: &["idefics3"],
    source: "models/idefics3, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers448),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(super::image_size::tiled),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["idefics3.jsonl"]),
    published: Proof::of(&[
        ("smolvlm-256m-instruct", 256_484_928),
        ("smolvlm-500m-instruct", 507_482_304),
        ("smolvlm-instruct", 2_246_272_880),
        ("idefics3-8b-llama3", 8_462_086_384),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::Idefics3, fields))
    })
};

/// `smolvlm`.
pub(crate) const SMOLVLM: Family = Family {
    model_types: &["smolvlm"],
    source: "models/smolvlm, transformers 5.23",
    parts: ConfigParts::Images {
        since: Some(Framework::Torch26Transformers451),
    },
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageTextToText],
    image_sides: Some(super::image_size::tiled),
    check: Some(super::refused::check),
    // Support.
    fixtures: Proof::of(&["idefics3.jsonl"]),
    published: Proof::of(&[
        ("smolvlm2-256m-video-instruct", 256_484_928),
        ("smolvlm2-500m-video-instruct", 507_482_304),
        ("smolvlm2-2.2b-instruct", 2_246_784_880),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::Decoder(reader::read(family, ImageKind::SmolVlm, fields))
    })
};
