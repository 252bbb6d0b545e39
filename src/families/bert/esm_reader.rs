//! ESM, which reads proteins (`models/esm/{configuration,modeling}_esm.py` of transformers 5.23).

use super::modules::LAYER_LINEARS;
use crate::ask::{Finding, Task, VOCABULARY, message};
use crate::model::ConfigFields;
use crate::model::{
    BertConfig, BertKind, Esm, Module, ModuleKind, embedding, linear, norm, output,
};

/// Reads what is peculiar to it.
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

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &BertConfig, esm: Esm, task: Task) -> Vec<Module> {
    let mut all = vec![embedding("esm.embeddings.word_embeddings")];
    all.extend(esm.normed.then(|| norm("esm.embeddings.layer_norm")));
    all.extend((!esm.rotary).then(|| embedding("esm.embeddings.position_embeddings")));
    for i in 0..c.num_hidden_layers {
        let at = |name: &str| format!("esm.encoder.layer.{i}.{name}");
        all.extend(LAYER_LINEARS.map(|name| linear(at(name), true)));
        all.extend(["attention.LayerNorm", "LayerNorm"].map(|name| norm(at(name))));
    }
    all.push(norm("esm.encoder.emb_layer_norm_after"));
    all.push(linear("esm.contact_head.regression", true));
    match task {
        Task::SequenceClassification => {
            all.extend(["classifier.dense", "classifier.out_proj"].map(|at| linear(at, true)));
        }
        Task::TokenClassification => all.push(linear("classifier", true)),
        _ => {
            all.push(Module {
                path: "lm_head".to_owned(),
                kind: ModuleKind::Other,
                parameters: &["bias"],
            });
            all.push(linear("lm_head.dense", true));
            all.push(norm("lm_head.layer_norm"));
            all.push(output("lm_head.decoder", esm.tied));
        }
    }
    all
}
