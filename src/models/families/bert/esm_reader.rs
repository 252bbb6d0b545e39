//! ESM, which reads proteins (`models/esm/{configuration,modeling}_esm.py` of transformers 5.23).

use crate::ask::{Finding, VOCABULARY, message};
use crate::model::ConfigFields;
use crate::model::{BertKind, Esm};

/// Reads the fields that only ESM has.
pub(crate) fn read(kind: BertKind, fields: &mut ConfigFields<'_>) -> Option<Esm> {
    if kind != BertKind::Esm {
        return None;
    }
    let position = fields.text("position_embedding_type").unwrap_or("absolute");
    if !matches!(position, "absolute" | "rotary") {
        let key = fields.key("position_embedding_type");
        fields.push(
            Finding::error(&key, message!(bert::esm_positions, position)).with_fix(&key, "rotary"),
        );
    }
    if fields.flag("is_folding_model", false) {
        let key = fields.key("is_folding_model");
        fields.push(Finding::error(&key, message!(bert::esm_folds)).with_fix(&key, false));
    }
    Some(Esm {
        rotary: position == "rotary",
        normed: fields.flag("emb_layer_norm_before", false),
        token_dropout: fields.flag("token_dropout", false),
        tied: fields.flag("tie_word_embeddings", true),
    })
}

/// Rows of the table of positions.
pub(crate) fn positions(fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("max_position_embeddings", &VOCABULARY, 1026)
}
