//! What the modules of a layer are called, by which they are frozen, get adapters and are built.

use super::decoder::{DecoderConfig, Mixing};
use super::decoder_type::DecoderType;

/// The names of a layer's norms and of the parts of its MLP.
#[derive(Clone, Copy, Debug)]
pub struct LayerNames {
    /// Of the norms before and after attention, before and after the MLP.
    pub norms: [Option<&'static str>; 4],
    /// Of the MLP's layers.
    pub mlp: MlpNames,
    /// Of the layer that chooses experts.
    router: &'static str,
    /// Of the expert that all tokens go through, where it is a part of the mixture.
    pub shared: &'static str,
    /// Of the MLP, or of the mixture of experts in its place.
    block: &'static str,
    /// Whether the layers of its experts are numbered, and it is called otherwise, in transformers 4.
    numbered: bool,
    /// Of attention's first layers: of queries, keys and values, or one for all.
    pub projections: &'static [&'static str],
    /// Of attention's last layer.
    pub attention_output: &'static str,
    /// Of the norms of queries and keys.
    pub head_norms: [&'static str; 2],
    /// Of the norms before the last layers of attention and of the MLP.
    pub sub_norms: [Option<&'static str>; 2],
    /// Of what stands in attention's place in layers without it.
    pub mixer: &'static str,
    /// The parts of the layer in the order in which it builds them.
    pub order: [Piece; 4],
    /// Whether a layer is one part alone, with one norm before it.
    pub alone: bool,
    /// Of the norm after all layers.
    pub last_norm: &'static str,
}

/// The layers of an expert beside a mixture.
pub const BESIDE: [&str; 2] = ["input_linear", "output_linear"];

/// The layers of queries, keys and values.
const PROJECTIONS: [&str; 3] = ["q_proj", "k_proj", "v_proj"];

/// What Mixtral calls its mixture of experts.
const SPARSE: &str = "block_sparse_moe";

/// A part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What mixes tokens.
    Mixer,
    /// The MLP, or the mixture of experts in its place.
    Mlp,
    /// All norms.
    Norms,
    /// The expert beside a mixture.
    Beside,
}

/// The layers of an MLP.
#[derive(Clone, Copy, Debug)]
pub enum MlpNames {
    /// `gate_proj`, `up_proj` and `down_proj`.
    Gated,
    /// One layer for gate and inputs, and another.
    Fused {
        /// What they are called.
        names: [&'static str; 2],
        /// Whether the gate is the first factor of their product.
        gate_first: bool,
    },
    /// Two layers with a function between them.
    Plain([&'static str; 2]),
    /// Two layers with a trained function between them.
    Xielu([&'static str; 2]),
    /// As gated, with the gate and the result multiplied by numbers.
    Multiplied,
    /// `w1` for the gate, `w3` and `w2`.
    Numbered,
}

impl MlpNames {
    /// All names.
    pub(crate) fn all(&self) -> &[&'static str] {
        match self {
            Self::Gated | Self::Multiplied => &["gate_proj", "up_proj", "down_proj"],
            Self::Fused { names, .. } | Self::Plain(names) | Self::Xielu(names) => names,
            Self::Numbered => &["w1", "w3", "w2"],
        }
    }
}

impl LayerNames {
    /// Nemotron-H's, whose layers are one part each.
    const ALONE: Self = Self {
        norms: [Some("norm"), None, None, None],
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        router: "gate",
        shared: "shared_experts",
        block: "mixer",
        numbered: false,
        projections: &PROJECTIONS,
        attention_output: "o_proj",
        head_norms: ["q_norm", "k_norm"],
        sub_norms: [None; 2],
        mixer: "mixer",
        order: [Piece::Norms, Piece::Mixer, Piece::Mlp, Piece::Beside],
        alone: true,
        last_norm: "norm_f",
    };

    /// Of attention.
    pub fn attention(&self) -> &'static str {
        match self.mixer {
            mixer if self.alone => mixer,
            mixer @ "self_attention" => mixer,
            _ => "self_attn",
        }
    }

    /// Of the embedding.
    pub fn embedding(&self) -> &'static str {
        if self.alone {
            "embeddings"
        } else {
            "embed_tokens"
        }
    }

    /// Those of a layer that mixes its tokens so: of `OLMo` Hybrid layers that attend have their norms behind.
    pub fn of_layer(config: &DecoderConfig, mixing: Mixing) -> Self {
        let names = Self::of(config);
        if config.model_type != DecoderType::OlmoHybrid || mixing != Mixing::Attention {
            return names;
        }
        let after = [
            Some("post_attention_layernorm"),
            Some("post_feedforward_layernorm"),
        ];
        Self {
            norms: [None, after[0], None, after[1]],
            order: [Piece::Mixer, Piece::Mlp, Piece::Norms, Piece::Beside],
            ..names
        }
    }

    /// Those of the config's layers.
    pub fn of(config: &DecoderConfig) -> Self {
        if config.model_type == DecoderType::NemotronH {
            return Self::ALONE;
        }
        let (block, router) = match config.model_type {
            DecoderType::GptOss
            | DecoderType::PhiMoe
            | DecoderType::Afmoe
            | DecoderType::JetMoe => ("mlp", "router"),
            DecoderType::GraniteMoeHybrid if config.experts.is_none() => ("shared_mlp", "router"),
            DecoderType::GraniteMoe
            | DecoderType::GraniteMoeShared
            | DecoderType::GraniteMoeSwa
            | DecoderType::GraniteMoeHybrid => (SPARSE, "router"),
            DecoderType::Llama4 | DecoderType::Jamba => ("feed_forward", "router"),
            DecoderType::Bamba
            | DecoderType::Lfm2
            | DecoderType::Lfm2Moe
            | DecoderType::FalconH1 => ("feed_forward", "gate"),
            _ => ("mlp", "gate"),
        };
        let (attention_output, head_norms, mixer, last_norm) = match config.model_type {
            DecoderType::Lfm2 | DecoderType::Lfm2Moe => {
                let norms = ["q_layernorm", "k_layernorm"];
                ("out_proj", norms, "conv", "embedding_norm")
            }
            DecoderType::Bamba | DecoderType::FalconH1 | DecoderType::Jamba => {
                ("o_proj", ["q_norm", "k_norm"], "mamba", "final_layernorm")
            }
            DecoderType::StableLm => {
                let norms = ["q_layernorm", "k_layernorm"];
                ("o_proj", norms, "self_attn", "norm")
            }
            DecoderType::Persimmon => {
                let norms = ["q_layernorm", "k_layernorm"];
                ("dense", norms, "self_attn", "final_layernorm")
            }
            DecoderType::HunyuanDense | DecoderType::HunyuanMoe => {
                let norms = ["query_layernorm", "key_layernorm"];
                ("o_proj", norms, "self_attn", "norm")
            }
            _ if config.model_type.follows_delta_rule() => {
                ("o_proj", ["q_norm", "k_norm"], "linear_attn", "norm")
            }
            DecoderType::GraniteMoeHybrid => ("o_proj", ["q_norm", "k_norm"], "mamba", "norm"),
            DecoderType::JetMoe => ("o_proj", ["q_norm", "k_norm"], "self_attention", "norm"),
            _ => ("o_proj", ["q_norm", "k_norm"], "self_attn", "norm"),
        };
        let numbered = matches!(
            config.model_type,
            DecoderType::Mixtral | DecoderType::PhiMoe
        );
        let shared = match config.model_type {
            DecoderType::HunyuanMoe => "shared_mlp",
            DecoderType::Qwen2Moe
            | DecoderType::Qwen3Next
            | DecoderType::Qwen35Moe
            | DecoderType::Llama4 => "shared_expert",
            _ => "shared_experts",
        };
        let order = match config.model_type {
            DecoderType::FalconH1 => [Piece::Mlp, Piece::Mixer, Piece::Norms, Piece::Beside],
            DecoderType::Bamba | DecoderType::OlmoHybrid | DecoderType::JetMoe => {
                [Piece::Mlp, Piece::Norms, Piece::Mixer, Piece::Beside]
            }
            DecoderType::Afmoe | DecoderType::MiniMax => {
                [Piece::Mixer, Piece::Norms, Piece::Mlp, Piece::Beside]
            }
            DecoderType::Doge => [Piece::Norms, Piece::Mixer, Piece::Mlp, Piece::Beside],
            DecoderType::GraniteMoeHybrid => {
                [Piece::Norms, Piece::Mlp, Piece::Beside, Piece::Mixer]
            }
            _ => [Piece::Mixer, Piece::Mlp, Piece::Norms, Piece::Beside],
        };
        Self {
            norms: norms(config),
            mlp: mlp(config),
            router,
            shared,
            block,
            numbered,
            projections: match config.model_type {
                DecoderType::Persimmon => &["query_key_value"],
                _ => &PROJECTIONS,
            },
            attention_output,
            head_norms,
            sub_norms: match config.model_type {
                DecoderType::BitNet => [Some("attn_sub_norm"), Some("ffn_sub_norm")],
                _ => [None; 2],
            },
            mixer,
            order,
            alone: false,
            last_norm,
        }
    }

    /// Of the layer that chooses experts, in transformers `four` or 5.
    pub fn router(&self, four: bool) -> &'static str {
        if self.numbers_experts(four) {
            "gate"
        } else {
            self.router
        }
    }

    /// Whether the layers of an expert are numbered (`w1`), in transformers `four` or 5.
    pub fn numbers_experts(&self, four: bool) -> bool {
        four && self.numbered
    }

    /// Of the MLP, or of the mixture of experts in its place, in transformers `four` or 5.
    pub fn feed_forward(&self, four: bool) -> &'static str {
        if self.numbers_experts(four) {
            SPARSE
        } else {
            self.block
        }
    }
}

/// Of the norms before and after attention, before and after the MLP.
fn norms(config: &DecoderConfig) -> [Option<&'static str>; 4] {
    let (first, second) = (Some("input_layernorm"), Some("post_attention_layernorm"));
    let (before, after) = (
        Some("pre_feedforward_layernorm"),
        Some("post_feedforward_layernorm"),
    );
    match config.model_type {
        _ if config.parallel_residual => [first, None, None, None],
        DecoderType::Gemma2 | DecoderType::Gemma3 | DecoderType::Gemma3n | DecoderType::Gemma4 => {
            [first, second, before, after]
        }
        DecoderType::Olmo2 | DecoderType::Olmo3 | DecoderType::FlexOlmo | DecoderType::Exaone4 => {
            [None, second, None, after]
        }
        DecoderType::VaultGemma => [first, None, before, None],
        _ if config.post_norms => [first, Some("post_norm1"), second, Some("post_norm2")],
        DecoderType::Afmoe => [
            first,
            second,
            Some("pre_mlp_layernorm"),
            Some("post_mlp_layernorm"),
        ],
        DecoderType::Glm4 => [
            first,
            Some("post_self_attn_layernorm"),
            second,
            Some("post_mlp_layernorm"),
        ],
        DecoderType::Bamba | DecoderType::FalconH1 | DecoderType::Jamba => {
            [first, None, Some("pre_ff_layernorm"), None]
        }
        DecoderType::Lfm2 | DecoderType::Lfm2Moe => {
            [Some("operator_norm"), None, Some("ffn_norm"), None]
        }
        DecoderType::Apertus => {
            let after = Some("feedforward_layernorm");
            [Some("attention_layernorm"), None, after, None]
        }
        _ => [first, None, second, None],
    }
}

/// Of the MLP's layers.
fn mlp(config: &DecoderConfig) -> MlpNames {
    match config.model_type {
        DecoderType::Starcoder2 => MlpNames::Plain(["c_fc", "c_proj"]),
        DecoderType::Arcee | DecoderType::Nemotron | DecoderType::Jais2 => {
            MlpNames::Plain(["up_proj", "down_proj"])
        }
        DecoderType::Apertus => MlpNames::Xielu(["up_proj", "down_proj"]),
        DecoderType::Glm | DecoderType::Glm4 => MlpNames::Fused {
            names: ["gate_up_proj", "down_proj"],
            gate_first: false,
        },
        DecoderType::GraniteMoeHybrid if config.experts.is_none() => MlpNames::Fused {
            names: BESIDE,
            gate_first: true,
        },
        DecoderType::Lfm2 | DecoderType::Lfm2Moe => MlpNames::Numbered,
        DecoderType::Persimmon => MlpNames::Plain(["dense_h_to_4h", "dense_4h_to_h"]),
        DecoderType::NanoChat => MlpNames::Plain(["fc1", "fc2"]),
        DecoderType::FalconH1 => MlpNames::Multiplied,
        _ => MlpNames::Gated,
    }
}
