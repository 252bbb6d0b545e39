//! The configs and modules of Gemma, Gemma 2, the text parts of Gemma 3, 3n and 4, and `VaultGemma`
//! (`models/{gemma,gemma2,gemma3,gemma3n,gemma4,vaultgemma}` of transformers 5.23).

use super::{gemma3n_reader as gemma3n, layers as gemma_layers};
use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Activation, DecoderConfig, DecoderType, Dropout, LayerNames, Module, embedding, linear, other,
    output,
};

/// Defaults by which the members differ: H, F, L, A, K, D, V.
fn defaults(model_type: DecoderType) -> [u64; 7] {
    match model_type {
        DecoderType::Gemma2 | DecoderType::VaultGemma => [2304, 9216, 26, 8, 4, 256, 256_000],
        DecoderType::Gemma3 => [2304, 9216, 26, 8, 4, 256, 262_208],
        DecoderType::Gemma4 => [2304, 9216, 30, 8, 4, 256, 262_144],
        DecoderType::Gemma3n => [2048, 16_384, 35, 8, 2, 256, 262_400],
        _ => [3072, 24_576, 28, 16, 16, 256, 256_000],
    }
}

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let [
        hidden,
        intermediate,
        layers,
        heads,
        kv_heads,
        head_dim,
        vocabulary,
    ] = defaults(model_type);
    let num_hidden_layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, heads);
    let head_dim = fields.optional("head_dim", &WIDTH, head_dim);
    let second = matches!(model_type, DecoderType::Gemma2 | DecoderType::VaultGemma);
    let fourth = model_type == DecoderType::Gemma4;
    let nano = model_type == DecoderType::Gemma3n;
    let window = match model_type {
        DecoderType::Gemma => None,
        _ if !(fourth || nano) && fields.is_null("sliding_window") => None,
        _ => {
            let default = if fourth || nano { 512 } else { 4096 };
            Some(fields.optional("sliding_window", &SEQ_LEN, default))
        }
    };
    // Every second layer of Gemma 2, every sixth of Gemma 3 and 4 and every fifth of 3n sees everything.
    let period = match model_type {
        DecoderType::Gemma2 | DecoderType::VaultGemma => 2,
        DecoderType::Gemma4 => 6,
        DecoderType::Gemma3n => 5,
        _ => fields.optional("sliding_window_pattern", &LAYERS, 6),
    };
    let mut windowed = if window.is_some() {
        fields.windowed_layers(num_hidden_layers, |layer| (layer + 1) % period != 0)
    } else {
        Vec::new()
    };
    if let (true, Some(last)) = (fourth, windowed.last_mut()) {
        // Whatever `layer_types` says.
        *last = false;
    }
    let kv_heads = fields.shared_heads(num_attention_heads, kv_heads);
    let heads = (num_attention_heads, kv_heads);
    DecoderConfig {
        experts: if fourth {
            gemma_layers::experts(num_hidden_layers, fields)
        } else {
            None
        },
        gemma_layers: match model_type {
            DecoderType::Gemma4 => Some(gemma_layers::read(heads, &windowed, fields)),
            DecoderType::Gemma3n => Some(gemma3n::layers((head_dim, kv_heads), &windowed, fields)),
            _ => None,
        },
        altup: nano.then(|| gemma3n::streams(windowed.len(), fields)),
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, intermediate),
        num_key_value_heads: kv_heads,
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        rotary_dim: head_dim,
        attention_bias: fields.flag("attention_bias", false),
        activation: Activation::Gelu,
        attention_softcap: second && !fields.is_null("attn_logit_softcapping"),
        final_softcap: match model_type {
            DecoderType::Gemma2 | DecoderType::Gemma3n | DecoderType::VaultGemma => {
                !fields.is_null("final_logit_softcapping")
            }
            DecoderType::Gemma4 => fields.get("final_logit_softcapping").is_some(),
            _ => false,
        },
        sliding_window: window,
        windowed,
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(
            family,
            fields.optional("hidden_size", &WIDTH, hidden),
            num_hidden_layers,
            num_attention_heads,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    for (index, layer) in (0..config.num_hidden_layers).enumerate() {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        if config.gemma_layers.is_some() {
            all.extend(gemma_layers::attention(config, index, at));
        } else {
            all.extend(
                ["q_proj", "k_proj", "v_proj", "o_proj"]
                    .map(|name| linear(at("self_attn.") + name, config.attention_bias)),
            );
        }
        if config.model_type == DecoderType::Gemma3 {
            all.extend([other(at("self_attn.q_norm")), other(at("self_attn.k_norm"))]);
        }
        all.extend(
            ["gate_proj", "up_proj", "down_proj"].map(|name| linear(at("mlp.") + name, false)),
        );
        let norms = LayerNames::of(config).norms;
        all.extend(norms.into_iter().flatten().map(|name| other(at(name))));
        all.extend(gemma_layers::beside(config, at));
    }
    all.push(other("model.norm"));
    all.extend(gemma_layers::inputs(config));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}
