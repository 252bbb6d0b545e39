//! What `DiffLlama` has that Llama has not (`models/diffllama` of transformers 5.23).

use crate::ask::{Finding, HEADS};
use crate::model::ConfigFields;

/// `DiffLlamaAttention` takes no dropout, and parts its key-value heads in halves.
pub(crate) fn check(heads: u64, fields: &mut ConfigFields<'_>) {
    const DROPOUT: &str = "attention_dropout";
    const SHARED: &str = "num_key_value_heads";
    if fields.drops(DROPOUT, false) {
        let key = fields.key(DROPOUT);
        fields.push(
            Finding::error(
                &key,
                "transformers refuses dropout on the attention of DiffLlama, which is the difference of two.",
                "transformers 不允许 DiffLlama 的注意力（两个注意力之差）使用 dropout。",
            )
            .with_fix(&key, 0.0),
        );
    }
    let shared = fields.optional(SHARED, &HEADS, heads);
    if !shared.is_multiple_of(2) {
        let key = fields.key(SHARED);
        fields.push(
            Finding::error(
                &key,
                format!("DiffLlama parts its key-value heads in halves, and {shared} is odd."),
                format!("DiffLlama 把键值头分为两半，而 {shared} 是奇数。"),
            )
            .with_fix(&key, shared + 1),
        );
    }
}
