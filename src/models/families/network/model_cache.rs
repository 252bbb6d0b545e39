//! The cache of a model from one forward pass to the next, and tensors that `generate` makes for it beforehand.

use super::generation::GenerateVersion;
use super::model::Model;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::tape::{CacheKind, Places, Tape, Tensor};

impl Model {
    /// From here on attention keeps keys and values, of at most `tokens` tokens where that must be known
    /// beforehand.
    pub fn open_cache(&self, t: &Tape, tokens: u64) {
        let places = Places {
            tokens,
            dtype: self.dtype,
        };
        t.open_cache(self.calling.cache, places, self.windows.clone());
    }

    /// [`Self::open_cache`] for a text of `tokens` tokens, of which 4.51 has no place for the last: places
    /// that are made beforehand stay for the next one (`_get_cache`, `generation/utils.py`).
    pub fn open_cache_of_text(&self, t: &Tape, tokens: u64) {
        let without = u64::from(self.calling.version == GenerateVersion::V451);
        match self.call.take_cache() {
            Some(kept) => t.reopen_cache(kept),
            None => self.open_cache(t, tokens - without),
        }
    }

    /// A text has ended.
    pub fn close_cache_of_text(&self, t: &Tape) {
        let kept = t.take_cache();
        if self.calling.cache == CacheKind::Fixed {
            self.call.keep_cache(kept);
        }
    }
}

/// The mask `[B, 1, S, K]` for B samples of S tokens, and `known` that are known with them, that
/// `prepare_inputs_for_generation` makes where a cache has K places.
pub fn mask_beforehand(t: &Tape, size: BatchShape, known: u64) -> Option<Tensor> {
    let places = t.cache_places()?;
    Some(mask::of_places(t, size, known, places))
}
