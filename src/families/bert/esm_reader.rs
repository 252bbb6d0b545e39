//! ESM, which reads proteins (`models/esm/{configuration,modeling}_esm.py` of transformers 5.23).

use crate::ask::{Finding, VOCABULARY};
use crate::model::ConfigFields;
use crate::model::{BertKind, Esm};

/// Reads what is peculiar to it.
pub(crate) fn read(kind: BertKind, fields: &mut ConfigFields<'_>) -> Option<Esm> {
    if kind != BertKind::Esm {
        return None;
    }
    let position = fields.text("position_embedding_type").unwrap_or("absolute");
    if !matches!(position, "absolute" | "rotary") {
        let key = fields.key("position_embedding_type");
        fields.push(
            Finding::error(
                &key,
                format!(
                    "ESM is estimated with positions that are rotary or absolute, not {position}."
                ),
                format!("ESM 的位置编码只支持 rotary 或 absolute，不支持 {position}。"),
            )
            .with_fix(&key, "rotary"),
        );
    }
    if fields.flag("is_folding_model", false) {
        let key = fields.key("is_folding_model");
        fields.push(
            Finding::error(
                &key,
                "ESMFold, which predicts structures, is not estimated; ESM without it is.",
                "暂不支持估算预测结构的 ESMFold；支持不含它的 ESM。",
            )
            .with_fix(&key, false),
        );
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
