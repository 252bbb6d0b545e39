//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `eurobert`.
pub(crate) const EUROBERT: Family = Family {
    model_types: &["eurobert"],
    source: "models/eurobert, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::ENCODER,
    // Support.
    fixtures: Proof::of(&["eurobert.jsonl"]),
    published: Proof::of(&[
        ("eurobert-210m", 310_266_624),
        ("eurobert-610m", 755_625_600),
        ("eurobert-2.1b", 2_403_092_736),
    ]),
    ..Family::new(|family, _, fields| Architecture::EuroBert(reader::read(family, fields)))
};
