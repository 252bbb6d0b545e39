//! Casts of a quantized model by its trainer, once all of it is loaded.
//!
//! Source: `prepare_model_for_kbit_training` (`utils/other.py`, peft 0.15 and 0.21);
//! `_configure_embedding_dtypes` and `_convert_embedding_modules_dtype` (`loaders/model.py`) and
//! `get_linear_embedding_layers` (`loaders/utils.py`, axolotl 0.19).

use crate::model::{LayerNames, ResolvedSpec};
use crate::tape::{Category, Tape, Tensor};
use crate::units::DType;

/// A parameter of a quantized model that trainers cast.
pub(super) struct Recast {
    /// The scope of its module.
    pub(super) scope: u32,
    /// The parameter as it is loaded.
    pub(super) loaded: Tensor,
    /// The parameter as it is trained with, without memory before the cast.
    pub(super) parameter: Tensor,
    /// Whether the parameter becomes float32 and is cast back.
    pub(super) back: bool,
}

/// The parts of names of modules that `spec` has cast back after they became float32.
pub(super) fn cast_back(spec: &ResolvedSpec) -> Option<[&'static str; 3]> {
    spec.quantization.casts_back().then(|| names(spec))
}

/// The parts of names of norms, of the input embedding and of the output layer.
pub(super) fn names(spec: &ResolvedSpec) -> [&'static str; 3] {
    let family = spec.architecture.family();
    let usual = LayerNames::LLAMA.cast_back;
    let [tokens, output] = family.map_or(usual, |family| family.names.cast_back);
    ["norm", tokens, output]
}

/// Casts all parameters: the ones that are cast back become float32 before the others do, and return after the cache
/// was emptied where preparing `empties` it.
#[cold]
pub(super) fn cast(t: &Tape, all: Vec<Recast>, empties: bool) {
    let (back, stays): (Vec<Recast>, Vec<Recast>) = all.into_iter().partition(|one| one.back);
    let widened = |one: Recast| {
        let shape = *one.parameter.shape();
        let wide = || t.allocate("_to_copy", shape, DType::Float32, Category::Parameters);
        let loaded = t.in_scope(one.scope, wide);
        Recast { loaded, ..one }
    };
    let end = |one: Recast| {
        t.in_scope(one.scope, || {
            t.give_storage("_to_copy", &one.parameter);
            drop(one.loaded);
        });
    };
    let back: Vec<Recast> = back.into_iter().map(widened).collect();
    stays.into_iter().for_each(end);
    if empties {
        t.empty_cache();
    }
    back.into_iter().for_each(end);
}
