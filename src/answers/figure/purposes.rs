//! Guessed purposes of a snapshot's blocks, beside the purposes of an estimate's tensors.

use crate::inputs::{Guess, Purpose};
use crate::report::Composition;
use crate::tape::Category;
use crate::units::Bytes;

/// A purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurposeRow {
    /// Which.
    pub purpose: Purpose,
    /// Bytes of its blocks at the measured peak.
    pub measured: Bytes,
    /// Bytes of its tensors at the estimated one; nothing where no tensor can be of it.
    pub estimated: Option<Bytes>,
}

/// The purpose of tensors of a category in a snapshot.
const fn looks_like(category: Category) -> Purpose {
    match category {
        Category::Parameters | Category::Buffers => Purpose::Parameters,
        Category::OptimizerStates | Category::MasterWeights => Purpose::OptimizerStates,
        Category::Gradients => Purpose::Gradients,
        Category::Activations
        | Category::Logits
        | Category::AutocastWeights
        | Category::KvCache => Purpose::Activations,
        // Workspaces come in the first pass that needs one, and other blocks can be as long there.
        Category::Temporaries | Category::Workspaces | Category::Communication => {
            Purpose::Temporaries
        }
        Category::Inputs | Category::Vllm => Purpose::Unknown,
    }
}

/// The category whose colour a purpose has.
pub const fn purpose_color(purpose: Purpose) -> Category {
    match purpose {
        Purpose::Before => Category::Buffers,
        Purpose::Parameters => Category::Parameters,
        Purpose::OptimizerStates => Category::OptimizerStates,
        Purpose::Gradients => Category::Gradients,
        Purpose::Activations => Category::Activations,
        Purpose::Temporaries => Category::Temporaries,
        Purpose::Kept => Category::Workspaces,
        Purpose::Unknown => Category::Inputs,
    }
}

/// The purposes that one of them has something of.
pub fn purpose_rows(guess: &Guess, estimated: &Composition) -> Vec<PurposeRow> {
    let rows = Purpose::ALL.iter().map(|&purpose| {
        let of = |&&(one, _): &&(Purpose, u64)| one == purpose;
        let measured = guess.at_peak.iter().find(of).map_or(0, |(_, bytes)| *bytes);
        let parts = estimated.parts();
        let alike = parts.filter(|&(category, _)| looks_like(category) == purpose);
        let is_possible = Category::ALL.iter().any(|&all| looks_like(all) == purpose);
        PurposeRow {
            purpose,
            measured: Bytes(measured),
            estimated: is_possible.then(|| alike.map(|(_, bytes)| bytes).sum()),
        }
    });
    let is_there = |row: &PurposeRow| {
        row.measured > Bytes::ZERO || row.estimated.is_some_and(|bytes| bytes > Bytes::ZERO)
    };
    rows.filter(is_there).collect()
}
