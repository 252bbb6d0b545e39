//! The configs and modules of decoders that differ from Llama in few things
//! (`models/*/configuration_*.py` of transformers 5.23).

use crate::ask::{Framework, HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{expert_modules, experts, options, window};
use crate::model::{
    ConfigFields, DecoderConfig, DecoderType, Family, Flag, LAMBDAS, LayerNames, MlpNames, Module,
    Piece, biased_output, embedding, linear, norm, other, output,
};

/// Reads the config by the rules of its family, with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let names_heads = "num_attention_heads";
    let head_dim = options::head_dim(sizes.head_dim, [hidden_size, heads], names_heads, fields);
    let biased = options::biases(&rules.biases, fields);
    let windows = window::read(&family.window, layers, fields);
    let unturned = window::unturned(rules.rotary_layers, layers, &windows, fields);
    let intermediate_size = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    let unshared = sizes.null_is_unshared && fields.is_null("num_key_value_heads");
    let kv_heads = sizes.kv_heads.filter(|_| !unshared).unwrap_or(heads);
    let is = |flag: Flag, fields: &mut ConfigFields<'_>| options::holds(flag, fields);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size,
        experts: experts::read(family.experts.as_ref(), layers, intermediate_size, fields),
        num_key_value_heads: fields.shared_heads(heads, kv_heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        head_bias: if rules.head_bias == rules.biases.mlp {
            biased.mlp
        } else {
            is(rules.head_bias, fields)
        },
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: biased.output,
        qkv_bias: biased.qkv,
        mlp_bias: biased.mlp,
        activation: options::function(rules.function, fields),
        head_norms: is(rules.head_norms, fields),
        clips_heads: is(rules.clips_heads, fields),
        post_norms: is(rules.post_norms, fields),
        scales_queries: rules.scales_queries,
        scales_embedding: is(rules.scales_embedding, fields),
        final_softcap: is(rules.final_softcap, fields),
        root_norms: is(rules.root_norms, fields),
        unturned,
        parallel_residual: is(rules.parallel_residual, fields),
        sliding_window: windows.width,
        windowed: windows.layers,
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let names = LayerNames::of(config);
    let normalizes = |path: String| match config.model_type {
        DecoderType::Olmo | DecoderType::NanoChat => None,
        DecoderType::Starcoder2
        | DecoderType::StableLm
        | DecoderType::Nemotron
        | DecoderType::PhiMoe
        | DecoderType::Jais2
        | DecoderType::Persimmon => Some(norm(path)),
        _ => Some(other(path)),
    };
    let mut all = vec![embedding("model.embed_tokens")];
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        let qkv_bias = config.qkv_bias || config.attention_bias;
        let projections = names.projections.iter();
        all.extend(projections.map(|name| linear(at("self_attn.") + name, qkv_bias)));
        let output = at("self_attn.") + names.attention_output;
        all.push(linear(output, config.attention_bias));
        let [in_attention, in_mlp] = names.sub_norms;
        all.extend(in_attention.map(|name| other(at("self_attn.") + name)));
        // Llama 4's have no weights.
        if config.head_norms && config.model_type == DecoderType::StableLm {
            let heads = [config.num_attention_heads, config.num_key_value_heads];
            for (name, heads) in names.head_norms.into_iter().zip(heads) {
                let path = at("self_attn.") + name + ".norms";
                all.extend((0..heads).map(|head| other(format!("{path}.{head}"))));
            }
        } else if config.head_norms && config.model_type != DecoderType::Llama4 {
            let of = match config.model_type {
                DecoderType::Persimmon => norm,
                _ => other,
            };
            all.extend(names.head_norms.map(|name| of(at("self_attn.") + name)));
        }
        if config.model_type == DecoderType::Afmoe {
            all.push(linear(at("self_attn.gate_proj"), false));
        }
        if config.model_type == DecoderType::DiffLlama {
            all.push(Module {
                parameters: &LAMBDAS,
                ..other(at("self_attn"))
            });
        }
        if config.model_type == DecoderType::GptOss || config.model_type.is_granite_swa() {
            all.push(Module {
                parameters: &["sinks"],
                ..other(at("self_attn"))
            });
        }
        let norms = names.norms.into_iter().flatten();
        let norms = norms.filter_map(|name| normalizes(at(name)));
        let norms_first = names.order[1] == Piece::Norms;
        let place = all.len();
        let sparse = expert_modules::modules(config, layer, framework, at);
        if sparse.is_empty() {
            let block = at(names.feed_forward(false)) + ".";
            let mlp = names.mlp.all().iter();
            all.extend(mlp.map(|name| linear(block.clone() + name, config.mlp_bias)));
            all.extend(in_mlp.map(|name| other(block.clone() + name)));
            if let MlpNames::Xielu(_) = names.mlp {
                all.push(Module {
                    parameters: &["alpha_p", "alpha_n"],
                    ..other(block + "act_fn")
                });
            }
        }
        all.extend(sparse);
        let place = if norms_first { place } else { all.len() };
        all.splice(place..place, norms);
        all.extend(expert_modules::beside(config, at));
    }
    all.extend(normalizes(format!("model.{}", names.last_norm)));
    let head = if config.head_bias {
        biased_output
    } else {
        output
    };
    all.push(head("lm_head", config.tie_word_embeddings));
    all
}
