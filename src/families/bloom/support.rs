//! Attention as BLOOM and MPT have it.

use crate::ask::Attention;
use crate::model::{AttentionSupport, FlashRefusal};

/// Eager attention alone.
pub(crate) const ATTENTION: AttentionSupport = AttentionSupport {
    flash_refused: Some(FlashRefusal::Because {
        texts: [
            "transformers writes the attention of BLOOM and MPT in one way only; attention must be eager.",
            "transformers 中的 BLOOM 和 MPT 只有一种注意力实现；attention 必须为 eager。",
        ],
        instead: Attention::Eager,
    }),
    ..AttentionSupport::EAGER
};
