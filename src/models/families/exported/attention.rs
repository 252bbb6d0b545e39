//! Attention.

use super::call::{Arm, Call, Results, one};
use crate::tape::Sdpa;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "scaled_dot_product_attention" => sdpa,
        _ => return None,
    })
}

fn sdpa(call: &Call) -> Results {
    let (q, k, v) = (
        call.tensor("query")?,
        call.tensor("key")?,
        call.tensor("value")?,
    );
    if [&q, &k, &v].iter().any(|x| x.shape().rank() != 4) {
        return None;
    }
    let mask = call.tensor("attn_mask");
    let options = Sdpa {
        forced: None,
        causal: call.flag("is_causal", false)?,
        dropout: call.float("dropout_p", 0.0) > 0.0 && call.t.is_training(),
        grouped: call.flag("enable_gqa", false)?,
        ring: None,
    };
    one(call.t.sdpa(&q, &k, &v, mask.as_ref(), options))
}
