//! Mistral 3: images of any size, whose patches Pixtral's tower joins to one sequence
//! (`models/{mistral3,pixtral}/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, WIDTH, message};
use crate::families::vit::{CHANNELS, PIXELS};
use crate::model::ConfigFields;
use crate::model::{JoinedConfig, TowerConfig};

/// Reads the tower and the projector between it and the decoder.
pub(crate) fn read(fields: &mut ConfigFields<'_>, mut seen: ConfigFields<'_>) -> JoinedConfig {
    let hidden_size = seen.optional("hidden_size", &WIDTH, 1024);
    let heads = seen.optional("num_attention_heads", &HEADS, 16);
    let head_dim = seen.divided(hidden_size, heads, "num_attention_heads");
    if !head_dim.is_multiple_of(4) {
        let key = seen.key("num_attention_heads");
        seen.push(Finding::error(
            &key,
            message!(image_text::tower_heads, head_dim),
        ));
    }
    seen.check_activation("hidden_act", &["gelu", "silu"]);
    let tower = TowerConfig {
        hidden_size,
        intermediate_size: seen.optional("intermediate_size", &WIDTH, 4096),
        num_hidden_layers: seen.optional("num_hidden_layers", &LAYERS, 24),
        num_attention_heads: heads,
        head_dim,
        activation: seen.activation("hidden_act", "gelu"),
        attention_dropout: seen.drops("attention_dropout", false),
    };
    let (channels, patch_size) = (
        seen.optional("num_channels", &CHANNELS, 3),
        seen.optional("patch_size", &PIXELS, 16),
    );
    for finding in seen.into_findings() {
        fields.push(finding);
    }
    check_last(fields);
    JoinedConfig {
        tower,
        channels,
        patch_size,
        merge: fields.optional("spatial_merge_size", &(1..=1 << 6), 2),
        projector_bias: fields.flag("multimodal_projector_bias", false),
        activation: fields.activation("projector_hidden_act", "gelu"),
    }
}

/// Refuses other hidden states than the last.
fn check_last(fields: &mut ConfigFields<'_>) {
    let given = fields.get("vision_feature_layer");
    if given.is_none_or(|layer| layer.as_i64() == Some(-1)) {
        return;
    }
    let key = fields.key("vision_feature_layer");
    fields.push(Finding::error(&key, message!(mistral3::feature_layer)).with_fix(&key, -1));
}
