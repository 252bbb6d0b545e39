//! The numbers of parameters of encoders and encoder-decoders of texts, from their configs.

use super::decoders::decoder_parameters;
use crate::model::{
    BartConfig, BartKind, BartStack, BertConfig, BertKind, DistilBertConfig, EuroBertConfig,
    ModernBertConfig, T5Config, T5GemmaConfig, T5Kind,
};

/// All weights of BERT that predicts masked tokens.
pub(crate) fn bert_parameters(c: &BertConfig) -> u64 {
    let h = c.hidden_size;
    if c.kind == BertKind::Nomic {
        let layer = 4 * h * h + 3 * h * c.intermediate_size + 4 * h;
        let tables = (c.vocab_size + c.type_vocab_size) * h + 2 * h;
        return tables + c.num_hidden_layers * layer + h * h + h + 2 * h + c.vocab_size;
    }
    let types = c.type_vocab_size + c.task_type_vocab_size;
    let types = types + 4 * c.page_positions;
    let tables = c.vocab_size + c.max_position_embeddings + types;
    let layer = 4 * (h * h + h) + 2 * h * c.intermediate_size + c.intermediate_size + h + 4 * h;
    let e = c.embedding_size;
    let projection = if e == h { 0 } else { e * h + h };
    let o = c.output_embedding_size;
    let head = h * o + o + 2 * o + c.vocab_size;
    // Of RemBERT: a table of outputs of its own. Of RoFormer: positions as wide as a head.
    let head = head
        + match c.kind {
            BertKind::RemBert => c.vocab_size * o,
            BertKind::RoFormer => c.max_position_embeddings * c.head_dim,
            _ => 0,
        };
    let distances = c.relative.map_or(0, |relative| {
        (relative.rows + 2 * u64::from(relative.normalized)) * h
    });
    // Of the first DeBERTa: two projections of distances, and no bias of keys.
    let of_distances = u64::from(c.kind == BertKind::DebertaV1) * 2 * h * h;
    let layer = layer + of_distances;
    let tables = tables - u64::from(c.kind == BertKind::RoFormer) * c.max_position_embeddings;
    let tables = tables - c.relative.map_or(0, |_| c.max_position_embeddings);
    let distances = distances + c.buckets * c.num_attention_heads;
    let layers = match c.kind {
        BertKind::Albert => 1,
        _ => c.num_hidden_layers,
    };
    // Of ESM: positions that are no parameters, and what predicts contacts, unused.
    let esm = c
        .esm
        .map_or(0, |_| c.num_hidden_layers * c.num_attention_heads + 1);
    let tables = tables - c.esm.map_or(0, |_| c.max_position_embeddings);
    // Of LayoutLM: what pools, whatever the task is.
    let esm = esm + if c.page_positions > 0 { h * h + h } else { 0 };
    esm + tables * e + 2 * e + distances + projection + layers * layer + head
}

/// All weights of T5 as transformers 5 builds it, with one table of tokens.
pub(crate) fn t5_parameters(c: &T5Config) -> u64 {
    let attention = 4 * c.d_model * c.num_heads * c.d_kv + c.d_model;
    let factors = if c.gated { 3 } else { 2 };
    let dense = factors * c.d_model * c.d_ff + c.d_model;
    let tables = match c.kind {
        T5Kind::Umt5 => c.num_layers + c.num_decoder_layers,
        _ => 2,
    };
    let positions = tables * c.relative_attention_num_buckets * c.num_heads;
    c.vocab_size * c.d_model
        + c.num_layers * (attention + dense)
        + c.num_decoder_layers * (2 * attention + dense)
        + positions
        + 2 * c.d_model
}

pub(crate) fn bart_parameters(c: &BartConfig) -> u64 {
    let h = c.d_model;
    let norm = 2 * h;
    // Keys of Whisper have no bias.
    let biases = if c.recordings.is_some() { 3 } else { 4 };
    let attention = 4 * h * h + biases * h + norm;
    let stack = |s: BartStack, attentions: u64| {
        let feed_forward = 2 * h * s.ffn_dim + s.ffn_dim + h + norm;
        let rows = if c.kind == BartKind::M2m100 {
            0
        } else {
            c.position_rows
        };
        let norms = u64::from(c.kind.normalizes_embedding()) + u64::from(c.kind.norms_first());
        rows * h + norms * norm + s.layers * (attentions * attention + feed_forward)
    };
    let heard = c.recordings.map_or(0, |heard| {
        let convolutions = 3 * h * (heard.num_mel_bins + h) + 2 * h;
        convolutions + (heard.max_source_positions - c.position_rows) * h
    });
    c.vocab_size * h + heard + stack(c.encoder, 1) + stack(c.decoder, 2)
}

/// All weights of `EuroBERT` with a head of its own that predicts tokens.
pub(crate) fn eurobert_parameters(c: &EuroBertConfig) -> u64 {
    let h = c.hidden_size;
    let attention = 2 * h * c.head_dim * (c.num_attention_heads + c.num_key_value_heads);
    let layer = attention + 3 * h * c.intermediate_size + 2 * h;
    2 * c.vocab_size * h + c.num_hidden_layers * layer + h
}

/// The same of `DistilBERT`.
pub(crate) fn distilbert_parameters(c: &DistilBertConfig) -> u64 {
    let h = c.dim;
    let layer = 4 * (h * h + h) + 2 * h * c.hidden_dim + c.hidden_dim + h + 4 * h;
    let embeddings = (c.vocab_size + c.max_position_embeddings) * h + 2 * h;
    let head = h * h + h + 2 * h + c.vocab_size;
    embeddings + c.n_layers * layer + head
}

/// All weights of `ModernBERT` that predicts masked tokens, as it is published: without biases but
/// for that of the tokens.
pub(crate) fn modernbert_parameters(c: &ModernBertConfig) -> u64 {
    let h = c.hidden_size;
    let layer = 4 * h * h + 3 * h * c.intermediate_size + 2 * h;
    let ends = h + h + h * h + h + c.vocab_size - h;
    c.vocab_size * h + c.windowed.len() as u64 * layer + ends
}

/// The same of `T5Gemma`: two decoders of Gemma 2, of which the second attends to the first.
pub(crate) fn t5gemma_parameters(c: &T5GemmaConfig) -> u64 {
    let (from, to) = (&c.encoder, &c.decoder);
    let heads = |count: u64| count * to.head_dim;
    let crossing = 2 * to.hidden_size * heads(to.num_attention_heads)
        + 2 * from.hidden_size * heads(to.num_key_value_heads)
        + 2 * to.hidden_size;
    decoder_parameters(from) + decoder_parameters(to) + to.num_hidden_layers * crossing
}
