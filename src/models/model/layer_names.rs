//! Names of the modules of a layer, by which they are frozen, get adapters and are built.

use super::decoder::{DecoderConfig, Mixing};

/// The names of a model's parts, of a layer's norms and of the parts of its MLP. A record says what differs
/// from Llama: `..LayerNames::LLAMA`.
#[derive(Clone, Copy, Debug)]
pub struct LayerNames {
    /// The name of the model without its head.
    pub model: &'static str,
    /// The name of the embedding.
    pub embedding: &'static str,
    /// The name of the norm after all layers.
    pub last_norm: &'static str,
    /// The name of the layer that gives the logits.
    pub head: &'static str,
    /// The name of that layer in transformers 4.
    pub head_in_4: &'static str,
    /// The names by which axolotl finds token embeddings and the output layer (`get_linear_embedding_layers`,
    /// `loaders/utils.py`, axolotl 0.19).
    pub cast_back: [&'static str; 2],
    /// The names of the norms before and after attention, before and after the MLP.
    pub norms: [Option<&'static str>; 4],
    /// The names of the MLP's layers.
    pub mlp: MlpNames,
    /// Whether DeepSpeed takes the class of its mixture of experts for one module
    /// (`DEFAULT_LEAF_MODULE_CLASSES`, `deepspeed/runtime/zero/leaf_module_config.py`, 0.19.8).
    pub mixture_is_leaf: bool,
    /// The name of the router, which chooses experts.
    pub router: &'static str,
    /// The name of the shared expert, if it is a part of the mixture.
    pub shared: &'static str,
    /// The name of the norm of the experts' summed results.
    pub after_experts: Option<&'static str>,
    /// The name of the MLP, or of the mixture of experts in its place.
    pub block: &'static str,
    /// The names of the MLP and of its layers if the config has no experts and they are called otherwise then.
    pub dense: Option<(&'static str, MlpNames)>,
    /// Whether the layers of its experts are numbered, and it is called otherwise, in transformers 4.
    pub numbered_in_4: bool,
    /// The name of attention.
    pub attention: &'static str,
    /// The names of attention's first layers: of queries, keys and values, or of one for all.
    pub projections: &'static [&'static str],
    /// The name of attention's last layer.
    pub attention_output: &'static str,
    /// The names of the norms of queries and keys.
    pub head_norms: [&'static str; 2],
    /// The names of the norms before the last layers of attention and of the MLP.
    pub sub_norms: [Option<&'static str>; 2],
    /// The name of the module in attention's place in layers without it.
    pub mixer: &'static str,
    /// The parts of the layer in the order in which they are built.
    pub order: [Piece; 4],
    /// The norms and the order of layers that attend, where others do not and differ in them.
    pub attending: Option<([Option<&'static str>; 4], [Piece; 4])>,
    /// Whether a layer is one part alone, with one norm before it.
    pub alone: bool,
}

/// The layers of an expert beside a mixture.
pub const BESIDE: [&str; 2] = ["input_linear", "output_linear"];

/// Mixtral's name of its mixture of experts.
pub const SPARSE: &str = "block_sparse_moe";

/// A part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The module that mixes tokens.
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
        /// Their names.
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

impl LayerNames {
    /// Llama's.
    pub const LLAMA: Self = Self {
        model: "model",
        embedding: "embed_tokens",
        last_norm: "norm",
        head: "lm_head",
        head_in_4: "lm_head",
        cast_back: ["embed_tokens", "lm_head"],
        norms: [
            Some("input_layernorm"),
            None,
            Some("post_attention_layernorm"),
            None,
        ],
        mlp: MlpNames::Gated,
        mixture_is_leaf: false,
        router: "gate",
        shared: "shared_experts",
        after_experts: None,
        block: "mlp",
        dense: None,
        numbered_in_4: false,
        attention: "self_attn",
        projections: &["q_proj", "k_proj", "v_proj"],
        attention_output: "o_proj",
        head_norms: ["q_norm", "k_norm"],
        sub_norms: [None; 2],
        mixer: "self_attn",
        order: [Piece::Mixer, Piece::Mlp, Piece::Norms, Piece::Beside],
        attending: None,
        alone: false,
    };

    /// The names of a layer that mixes its tokens so.
    pub fn of_layer(config: &DecoderConfig, mixing: Mixing) -> Self {
        let names = Self::of(config);
        match names.attending {
            Some((norms, order)) if mixing == Mixing::Attention => Self {
                norms,
                order,
                ..names
            },
            _ => names,
        }
    }

    /// The names of the config's layers.
    pub fn of(config: &DecoderConfig) -> Self {
        let mut names = config.family.names;
        let [before, _, before_mlp, _] = names.norms;
        if config.parallel_residual {
            names.norms = [before, None, None, None];
        } else if config.post_norms {
            names.norms = [before, Some("post_norm1"), before_mlp, Some("post_norm2")];
        }
        if let (None, Some((block, mlp))) = (&config.experts, names.dense) {
            (names.block, names.mlp) = (block, mlp);
        }
        names
    }

    /// The name of the router in transformers 4 if `four`, else in transformers 5.
    pub fn router(&self, four: bool) -> &'static str {
        if self.numbers_experts(four) {
            "gate"
        } else {
            self.router
        }
    }

    /// Whether the layers of an expert are numbered (`w1`), in transformers `four` or 5.
    pub fn numbers_experts(&self, four: bool) -> bool {
        four && self.numbered_in_4
    }

    /// The name of the MLP, or of the mixture of experts in its place, in transformers 4 if `four`, else in
    /// transformers 5.
    pub fn feed_forward(&self, four: bool) -> &'static str {
        if self.numbers_experts(four) {
            SPARSE
        } else {
            self.block
        }
    }
}
