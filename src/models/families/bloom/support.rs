//! Attention as BLOOM and MPT have it.

use crate::ask::{Attention, message};
use crate::model::{AttentionSupport, FlashRefusal};

/// Eager attention alone.
pub(crate) const ATTENTION: AttentionSupport = AttentionSupport {
    flash_refused: Some(FlashRefusal::Because {
        why: || message!(bloom::one_way),
        instead: Attention::Eager,
    }),
    ..AttentionSupport::EAGER
};
