//! Decoders: their sizes and options.

use super::layer_lists;
use crate::model::{ConfigFields, DecoderConfig, Family, Reader};

/// The token that texts begin with.
const START: &str = "bos_token_id";

/// Reads the config of a decoder. Errors are pushed to `fields`.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let Reader::Decoder(read) = family.read else {
        return DecoderConfig::plain(family, 1, 1, 1);
    };
    let mut config = read(family, fields);
    let (named, null) = (fields.get(START).is_some(), fields.is_null(START));
    config.starts = (named || null).then_some(named);
    if !family.options.layers_listed {
        layer_lists::check(config.num_hidden_layers, fields);
    }
    config
}
