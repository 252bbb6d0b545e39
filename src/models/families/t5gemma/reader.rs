//! `T5Gemma` (`models/t5gemma/configuration_t5gemma.py` of transformers 5.23): an encoder and a decoder of
//! Gemma 2's layers.

use crate::families::gemma::GEMMA2;
use crate::families::gemma::reader as gemma;
use crate::model::ConfigFields;
use crate::model::{Family, T5GemmaConfig};
use serde_json::{Map, Value};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> T5GemmaConfig {
    let nothing = Map::new();
    let attention = fields.drops("attention_dropout", false);
    let mut stack = |name: &str, key| {
        let part = match fields.get(name) {
            Some(Value::Object(part)) => part,
            _ => &nothing,
        };
        let mut part = ConfigFields::new(part, &nothing, key);
        let mut config = gemma::read(&GEMMA2, &mut part);
        config.dropout.attention = attention;
        for finding in part.into_findings() {
            fields.push(finding);
        }
        config
    };
    T5GemmaConfig {
        family,
        encoder: stack("encoder", "model.hf_config.encoder"),
        decoder: stack("decoder", "model.hf_config.decoder"),
        dropout: fields.drops("dropout_rate", false),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
    }
}
