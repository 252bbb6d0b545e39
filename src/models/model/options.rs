//! Fields of a config that decide the parts of a decoder, and the parts where they are absent.

use super::activation::Activation;

/// A rule that decides whether a model has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// No config.
    Never,
    /// Every config.
    Always,
    /// This field says so, by default as given.
    Said(&'static str, bool),
    /// One of these fields says so, by default neither.
    Either([&'static str; 2]),
    /// This field is there, and not null.
    Given(&'static str),
    /// This field does not say null.
    UnlessNull(&'static str),
}

impl Flag {
    /// `attention_bias`, which is false by default.
    pub const ATTENTION_BIAS: Self = Self::Said("attention_bias", false);
    /// `mlp_bias`, which is false by default.
    pub const MLP_BIAS: Self = Self::Said("mlp_bias", false);
}

/// The layers that have biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Biases {
    /// Biases of queries, keys and values.
    pub qkv: Flag,
    /// The bias of the output of attention.
    pub output: Flag,
    /// Biases of the MLP.
    pub mlp: Flag,
}

impl Biases {
    /// None has.
    pub const NONE: Self = Self::all(Flag::Never);
    /// Biases of attention where `attention_bias` says so.
    pub const ATTENTION: Self = Self::attention(Flag::ATTENTION_BIAS);
    /// The same, and those of the MLP where `mlp_bias` says so.
    pub const ATTENTION_AND_MLP: Self = Self {
        mlp: Flag::MLP_BIAS,
        ..Self::ATTENTION
    };
    /// Biases of queries, keys and values where `attention_bias` says so.
    pub const QKV: Self = Self::qkv(Flag::ATTENTION_BIAS);

    /// All by the same.
    pub const fn all(flag: Flag) -> Self {
        Self {
            qkv: flag,
            output: flag,
            mlp: flag,
        }
    }

    /// Biases of attention.
    pub const fn attention(flag: Flag) -> Self {
        Self {
            mlp: Flag::Never,
            ..Self::all(flag)
        }
    }

    /// Biases of queries, keys and values.
    pub const fn qkv(flag: Flag) -> Self {
        Self {
            qkv: flag,
            ..Self::NONE
        }
    }
}

/// The function in the MLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MlpFunction {
    /// The function that the field names, with its default.
    Named(&'static str, &'static str),
    /// This function; names other than the listed ones are estimated like it.
    Fixed(&'static str, &'static [&'static str], Activation),
}

impl MlpFunction {
    /// `silu`, by whichever name.
    pub const SILU: Self = Self::Fixed("hidden_act", &["silu", "swish"], Activation::Silu);
}

/// Places at which dropout has a probability above zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropout {
    /// On the embeddings.
    pub embedding: bool,
    /// On attention probabilities.
    pub attention: bool,
    /// On the branches' outputs before they are added to the residual stream.
    pub residual: bool,
}

impl Dropout {
    /// Nowhere.
    pub const NONE: Self = Self {
        embedding: false,
        attention: false,
        residual: false,
    };
    /// Everywhere.
    pub const ALL: Self = Self {
        embedding: true,
        attention: true,
        residual: true,
    };
    /// On attention probabilities.
    pub const ATTENTION: Self = Self {
        attention: true,
        ..Self::NONE
    };
    /// Everywhere else.
    pub const BESIDE_ATTENTION: Self = Self {
        attention: false,
        ..Self::ALL
    };

    /// Its places that `other` does not have.
    pub const fn without(self, other: Self) -> Self {
        Self {
            embedding: self.embedding && !other.embedding,
            attention: self.attention && !other.attention,
            residual: self.residual && !other.residual,
        }
    }
}

/// The fields of probabilities of dropout, and whether they are above zero by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropoutFields {
    /// On the embeddings.
    pub embedding: Option<(&'static str, bool)>,
    /// On attention probabilities.
    pub attention: Option<(&'static str, bool)>,
    /// On the branches' outputs before they are added to the residual stream.
    pub residual: Option<(&'static str, bool)>,
    /// Places of modules (`torch.nn.Dropout`), which trainers can switch off; the others are functions.
    pub modules: Dropout,
}

impl DropoutFields {
    /// No dropout.
    pub const NONE: Self = Self {
        embedding: None,
        attention: None,
        residual: None,
        modules: Dropout::NONE,
    };
    /// On attention probabilities alone.
    pub const ATTENTION: Self = Self {
        attention: Some(("attention_dropout", false)),
        ..Self::NONE
    };
}

/// Columns of a head that rotary embeddings rotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryColumns {
    /// None.
    None,
    /// All.
    All,
    /// Half of them.
    Half,
    /// The share that the field says, with a default in thousandths.
    Share(&'static str, u32),
    /// As many as the field says, with a default that no head exceeds.
    Count(&'static str, u64),
}

/// Layers whose queries and keys rotary embeddings rotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryLayers {
    /// All.
    All,
    /// Layers for which `no_rope_layers` has a 1, else all but each `no_rope_layer_interval`th.
    Listed,
    /// Layers with a window, or all where none has one.
    WindowedOrAll,
    /// Layers with a window.
    Windowed,
}

/// The rules of a decoder's options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the head shares the embedding's weight in a config that does not say.
    pub tied: bool,
    /// Whether a list of layers says how many there are.
    pub layers_listed: bool,
    /// Biases.
    pub biases: Biases,
    /// A bias of the head.
    pub head_bias: Flag,
    /// Norms of queries and keys.
    pub head_norms: Flag,
    /// Norms of what attention and MLP give.
    pub post_norms: Flag,
    /// Norms that divide by the root mean square alone.
    pub root_norms: Flag,
    /// Queries, keys and values that are cut to a range.
    pub clips_heads: Flag,
    /// Queries that are scaled by their positions.
    pub scales_queries: bool,
    /// Embeddings that are multiplied by a number.
    pub scales_embedding: Flag,
    /// Attention scores that are capped.
    pub attention_softcap: Flag,
    /// Logits that are capped.
    pub final_softcap: Flag,
    /// Attention and MLP that read the same hidden states.
    pub parallel_residual: Flag,
    /// The columns of a head that rotary embeddings rotate.
    pub rotary_columns: RotaryColumns,
    /// The layers that they rotate.
    pub rotary_layers: RotaryLayers,
    /// The function in the MLP.
    pub function: MlpFunction,
    /// Dropout.
    pub dropout: DropoutFields,
}

impl Options {
    /// The options of a decoder with nothing out of the ordinary.
    pub const PLAIN: Self = Self {
        tied: false,
        layers_listed: false,
        biases: Biases::ATTENTION,
        head_bias: Flag::Never,
        head_norms: Flag::Never,
        post_norms: Flag::Never,
        root_norms: Flag::Never,
        clips_heads: Flag::Never,
        scales_queries: false,
        scales_embedding: Flag::Never,
        attention_softcap: Flag::Never,
        final_softcap: Flag::Never,
        parallel_residual: Flag::Never,
        rotary_columns: RotaryColumns::All,
        rotary_layers: RotaryLayers::All,
        function: MlpFunction::SILU,
        dropout: DropoutFields::ATTENTION,
    };
}
