//! A family that nobody has, in tests alone: adding one takes a record and the registry's line.

use crate::families::llama::LLAMA;
use crate::model::{Family, Proof, Sizes};

/// `fictitious`.
pub(crate) const FICTITIOUS: Family = Family {
    model_types: &["fictitious"],
    source: "nowhere",
    sizes: Sizes {
        layers: 3,
        ..LLAMA.sizes
    },
    fixtures: Proof::NONE,
    published: Proof::NONE,
    ..LLAMA
};
