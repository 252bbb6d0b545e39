//! BERT, `RoBERTa`, ELECTRA (`models/{bert,roberta,electra}/configuration_*.py` of transformers 5.23 and
//! 4.51), `Data2VecText`, ERNIE, `RoBERTa` with norms before, XLM-RoBERTa XL and Megatron's BERT (all of
//! 5.23), `DeBERTa`, `RemBERT` and `RoFormer` (5.23), ALBERT and `DeBERTa` V2 (both of 5.23, 4.51 and 4.48).

use super::{esm_reader as bert_esm, nomic_reader as nomic_bert};
use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::deberta::reader as deberta;
use crate::model::ConfigFields;
use crate::model::{Activation, BertConfig, BertKind, Dropout, Family};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: BertKind,
    fields: &mut ConfigFields<'_>,
) -> BertConfig {
    if kind == BertKind::Nomic {
        return nomic_bert::read(family, fields);
    }
    let hidden_size = fields.required("hidden_size", &WIDTH, 768);
    let heads = fields.required("num_attention_heads", &HEADS, 12);
    let albert = kind == BertKind::Albert;
    let drops = !albert && kind != BertKind::RemBert;
    let hidden = fields.drops("hidden_dropout_prob", drops);
    let activation = if albert {
        check_groups(fields);
        fields.activation("hidden_act", "gelu_new")
    } else if kind == BertKind::Esm {
        Activation::GeluErf
    } else {
        fields.check_activation("hidden_act", &["gelu", "gelu_pytorch_tanh"]);
        Activation::Gelu
    };
    let embedding_size = match kind {
        BertKind::Electra | BertKind::Albert => fields.optional("embedding_size", &WIDTH, 128),
        BertKind::RemBert => fields.optional("input_embedding_size", &WIDTH, 256),
        BertKind::RoFormer => fields.optional("embedding_size", &WIDTH, hidden_size),
        _ => hidden_size,
    };
    let head_dim = fields.divided(hidden_size, heads, "num_attention_heads");
    if kind == BertKind::RoFormer {
        check_pairs(heads, head_dim, fields);
    }
    BertConfig {
        family,
        kind,
        hidden_size,
        embedding_size,
        output_embedding_size: match kind {
            BertKind::RemBert => fields.optional("output_embedding_size", &WIDTH, 1664),
            _ => embedding_size,
        },
        rotary_value: kind == BertKind::RoFormer && fields.flag("rotary_value", false),
        intermediate_size: fields.required("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.required("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim,
        vocab_size: fields.required("vocab_size", &VOCABULARY, kind.usual_vocabulary()),
        max_position_embeddings: match kind {
            BertKind::XlmRobertaXl => fields.optional("max_position_embeddings", &VOCABULARY, 514),
            BertKind::Esm => bert_esm::positions(fields),
            BertKind::RoFormer => fields.optional("max_position_embeddings", &VOCABULARY, 1536),
            _ => fields.optional("max_position_embeddings", &VOCABULARY, 512),
        },
        type_vocab_size: match kind {
            BertKind::Mpnet | BertKind::Esm => 0,
            BertKind::DebertaV1 | BertKind::Deberta => {
                fields.optional("type_vocab_size", &(0..=*VOCABULARY.end()), 0)
            }
            BertKind::XlmRobertaXl => fields.optional("type_vocab_size", &VOCABULARY, 1),
            _ => fields.optional("type_vocab_size", &VOCABULARY, 2),
        },
        task_type_vocab_size: if kind == BertKind::Ernie && fields.flag("use_task_id", false) {
            fields.optional("task_type_vocab_size", &VOCABULARY, 3)
        } else {
            0
        },
        activation,
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", drops),
            residual: hidden,
        },
        classifier_dropout: match kind {
            BertKind::DebertaV1 | BertKind::Deberta => fields.drops("cls_dropout", hidden),
            BertKind::Albert | BertKind::RemBert => fields.drops("classifier_dropout_prob", true),
            BertKind::Mpnet
            | BertKind::Megatron
            | BertKind::Esm
            | BertKind::LayoutLm
            | BertKind::RoFormer => hidden,
            _ => fields.drops("classifier_dropout", hidden),
        },
        num_labels: fields.labels(2),
        page_positions: if kind == BertKind::LayoutLm {
            fields.optional("max_2d_position_embeddings", &VOCABULARY, 1024)
        } else {
            0
        },
        buckets: if kind == BertKind::Mpnet {
            fields.optional("relative_attention_num_buckets", &VOCABULARY, 32)
        } else {
            0
        },
        relative: deberta::read(kind, fields),
        esm: bert_esm::read(kind, fields),
    }
}

/// Refuses rotary positions over heads of an odd size: they rotate pairs of columns.
fn check_pairs(heads: u64, head_dim: u64, fields: &mut ConfigFields<'_>) {
    if !head_dim.is_multiple_of(2) {
        let key = fields.key("num_attention_heads");
        fields.push(Finding::error(
            &key,
            message!(bert::odd_heads, heads, head_dim),
        ));
    }
}

/// Refuses an ALBERT with several different layers.
fn check_groups(fields: &mut ConfigFields<'_>) {
    for field in ["num_hidden_groups", "inner_group_num"] {
        if fields.optional(field, &LAYERS, 1) != 1 {
            let key = fields.key(field);
            fields
                .push(Finding::error(&key, message!(bert::albert_groups, field)).with_fix(&key, 1));
        }
    }
}
