//! The modules of models of flash-linear-attention by name.

use crate::families::mamba::reader as mamba;
use crate::model::{
    FlaAttention, FlaConfig, FlaMixer, FlaStateSpace, Module, embedding, linear, other, output,
};

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &FlaConfig) -> Vec<Module> {
    if let Some(sizes) = &config.state_space {
        return state_space_modules(config, sizes);
    }
    let mut all = Vec::new();
    if config.lower_bounds {
        all.push(Module {
            parameters: &["lower_bounds"],
            ..other("model")
        });
    }
    all.push(embedding("model.embeddings"));
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        all.push(other(at("attn_norm")));
        all.extend(match (config.attention_of(layer), config.mixer) {
            (Some(attention), _) => attention_modules(attention, &at),
            (None, FlaMixer::Hgrn) => hgrn_modules(config, &at),
            (None, FlaMixer::Hgrn2) => hgrn2_modules(config, &at),
            (None, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet) => delta_modules(config, &at),
            (None, _) => gla_modules(config, &at),
        });
        all.push(other(at("mlp_norm")));
        all.extend(
            ["gate_proj", "up_proj", "down_proj"]
                .map(|name| linear(at(&format!("mlp.{name}")), false)),
        );
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

fn gla_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let mut all: Vec<Module> = ["attn.q_proj", "attn.k_proj", "attn.v_proj"]
        .map(|name| linear(at(name), false))
        .into();
    if config.output_gate {
        all.push(linear(at("attn.g_proj"), false));
    }
    if config.short_conv.is_some() {
        all.extend(["attn.q_conv1d", "attn.k_conv1d", "attn.v_conv1d"].map(|name| other(at(name))));
    }
    if config.mixer == FlaMixer::Gla {
        all.push(linear(at("attn.gk_proj.0"), false));
        all.push(linear(at("attn.gk_proj.1"), true));
    }
    all.push(linear(at("attn.o_proj"), false));
    if config.affine {
        let fused = config.fused.norm && config.output_gate;
        all.push(other(at(if fused {
            "attn.g_norm_swish_gate"
        } else {
            "attn.g_norm"
        })));
    }
    all
}

fn delta_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let gated = config.mixer == FlaMixer::GatedDeltaNet;
    let mut all = Vec::new();
    if gated {
        all.push(Module {
            parameters: &["A_log", "dt_bias"],
            ..other(at("attn"))
        });
    }
    all.extend(["attn.q_proj", "attn.k_proj", "attn.v_proj"].map(|name| linear(at(name), false)));
    if gated {
        all.push(linear(at("attn.a_proj"), false));
    }
    all.push(linear(at("attn.b_proj"), false));
    if config.short_conv.is_some() {
        all.extend(["attn.q_conv1d", "attn.k_conv1d", "attn.v_conv1d"].map(|name| other(at(name))));
    }
    if config.output_gate {
        all.push(linear(at("attn.g_proj"), false));
    }
    all.extend([other(at("attn.o_norm")), linear(at("attn.o_proj"), false)]);
    all
}

fn attention_modules(attention: &FlaAttention, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let mut all: Vec<Module> = ["attn.q_proj", "attn.k_proj", "attn.v_proj"]
        .map(|name| linear(at(name), attention.qkv_bias))
        .into();
    all.push(linear(at("attn.o_proj"), false));
    if attention.qk_norm {
        all.extend(["attn.q_norm", "attn.k_norm"].map(|name| other(at(name))));
    }
    all
}

fn hgrn2_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let mut all: Vec<Module> = ["attn.q_proj", "attn.f_proj", "attn.i_proj"]
        .map(|name| linear(at(name), false))
        .into();
    if config.short_conv.is_some() {
        all.extend(["attn.q_conv1d", "attn.f_conv1d", "attn.i_conv1d"].map(|name| other(at(name))));
    }
    if config.affine {
        all.push(other(at("attn.g_norm")));
    }
    all.push(linear(at("attn.o_proj"), false));
    all
}

fn state_space_modules(config: &FlaConfig, own: &FlaStateSpace) -> Vec<Module> {
    let layers = config.num_hidden_layers;
    mamba::all_modules(layers, &own.sizes, own.bias, config.tie_word_embeddings)
}

fn hgrn_modules(config: &FlaConfig, at: &dyn Fn(&str) -> String) -> Vec<Module> {
    let projections = ["attn.i_proj", "attn.f_proj", "attn.g_proj"];
    let mut all: Vec<Module> = projections.map(|name| linear(at(name), false)).into();
    if config.affine {
        all.push(other(at("attn.g_norm")));
    }
    all.push(linear(at("attn.o_proj"), false));
    all
}
