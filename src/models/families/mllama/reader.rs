//! Llama 3.2 Vision: images that layers of their own attend to
//! (`models/mllama/configuration_mllama.py` of transformers 5.23).

use super::records::MLLAMA_TEXT;
use crate::ask::{Finding, HEADS, LAYERS, WIDTH, message};
use crate::families::image_text::part;
use crate::families::reading::decoder;
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{CrossedConfig, DecoderConfig, ImageConfig, TowerConfig};
use serde_json::{Map, Value};

/// Defaults of the config.
const TEXT: [(&str, u64); 6] = [
    ("vocab_size", 128_256),
    ("hidden_size", 4096),
    ("num_hidden_layers", 40),
    ("num_attention_heads", 32),
    ("num_key_value_heads", 8),
    ("intermediate_size", 14_336),
];

const CROSSING: [u64; 8] = [3, 8, 13, 18, 23, 28, 33, 38];

const READ: [u64; 5] = [3, 7, 15, 23, 30];

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let nothing = Map::new();
    let mut text: Map<String, Value> = TEXT
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect();
    text.extend(part(fields, "text_config", &nothing).clone());
    if let Some(dropout) = text.remove("dropout") {
        text.insert("attention_dropout".to_owned(), dropout);
    }
    let mut text = ConfigFields::new(&text, &nothing, "model.hf_config.text_config");
    let mut config = decoder::read(&MLLAMA_TEXT, &mut text);
    config.tie_word_embeddings = false;
    let seen = part(fields, "vision_config", &nothing);
    let mut seen = ConfigFields::new(seen, &nothing, "model.hf_config.vision_config");
    let crossing = numbers(&text, "cross_attention_layers", &CROSSING);
    let images = tower(&mut seen, crossing);
    for finding in text.into_findings().into_iter().chain(seen.into_findings()) {
        fields.push(finding);
    }
    config.images = Some(Box::new(ImageConfig::Crossed(images)));
    config
}

/// A list of layers.
fn numbers(fields: &ConfigFields<'_>, name: &str, default: &[u64]) -> Vec<u64> {
    match fields.get(name).and_then(Value::as_array) {
        Some(given) => given.iter().filter_map(Value::as_u64).collect(),
        None => default.to_vec(),
    }
}

fn tower(seen: &mut ConfigFields<'_>, crossing: Vec<u64>) -> CrossedConfig {
    let hidden_size = seen.optional("hidden_size", &WIDTH, 1280);
    let heads = seen.named(&["attention_heads", "num_attention_heads"], &HEADS, 16);
    let layers = seen.optional("num_hidden_layers", &LAYERS, 32);
    let tower = TowerConfig {
        hidden_size,
        intermediate_size: seen.optional("intermediate_size", &WIDTH, 5120),
        num_hidden_layers: layers,
        num_attention_heads: heads,
        head_dim: seen.divided(hidden_size, heads, "attention_heads"),
        activation: seen.activation("hidden_act", "gelu"),
        attention_dropout: false,
    };
    let image_size = seen.optional("image_size", &PIXELS, 448);
    let patch_size = seen.optional("patch_size", &PIXELS, 14);
    check_patches(seen, [image_size, patch_size]);
    let ratios = seen
        .get("supported_aspect_ratios")
        .and_then(Value::as_array);
    let ratios = ratios.map_or(8, |all| all.len() as u64);
    let config = CrossedConfig {
        tower,
        global_layers: seen.optional("num_global_layers", &LAYERS, 8),
        channels: seen.optional("num_channels", &CHANNELS, 3),
        image_size,
        patch_size,
        tiles: seen.optional("max_num_tiles", &(1..=1 << 6), 4),
        ratios,
        read: numbers(seen, "intermediate_layers_indices", &READ),
        crossing,
    };
    if let Some(layer) = config.read.iter().find(|&&layer| layer >= layers) {
        let key = seen.key("intermediate_layers_indices");
        let fit: Vec<u64> = config
            .read
            .iter()
            .copied()
            .filter(|&i| i < layers)
            .collect();
        seen.push(
            Finding::error(&key, message!(mllama::no_layer, layers, layer)).with_fix(&key, fit),
        );
    }
    let given = seen.optional("vision_output_dim", &WIDTH, 7680);
    if given != config.columns() {
        let key = seen.key("vision_output_dim");
        let columns = config.columns();
        seen.push(
            Finding::error(
                &key,
                message!(mllama::tower_columns, columns, hidden_size, given),
            )
            .with_fix(&key, columns),
        );
    }
    config
}
