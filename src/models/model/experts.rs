//! A mixture of experts.

use super::activation::Activation;
use super::routing::Routing;
use std::ops::RangeInclusive;

/// The layers of experts without gates.
pub const PLAIN: [&str; 2] = ["up_proj", "down_proj"];

/// The layers before and after experts that see fewer columns.
pub const LATENT: [&str; 2] = ["fc1_latent_proj", "fc2_latent_proj"];

/// The norm over what a mixture gives (A.X K1).
pub const AFTER_EXPERTS: &str = "post_mlp_layernorm";

/// Experts of a layer.
pub(crate) const EXPERTS: RangeInclusive<u64> = 1..=1 << 16;

/// The experts of a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Experts of a layer, E.
    pub count: u64,
    /// Experts that each token goes through, K.
    pub per_token: u64,
    /// Columns of one expert.
    pub intermediate_size: u64,
    /// Columns of the expert that all tokens go through, if there is one.
    pub shared_intermediate_size: Option<u64>,
    /// Whether the weights of the chosen experts are made to add up to one.
    pub normalized: bool,
    /// Columns that the chosen experts see, if fewer than there are.
    pub latent_size: Option<u64>,
    /// Whether what corrects scores is in float32, whatever the weights are.
    pub wide_correction: bool,
    /// How the shared expert, which all tokens go through, is combined with the others.
    pub shared: SharedForm,
    /// How the experts compute.
    pub form: ExpertForm,
    /// How a checkpoint has their weights.
    pub stored: StoredExperts,
    /// How they are chosen.
    pub routing: Routing,
    /// Whether the experts are built before their router.
    pub built_first: bool,
    /// Whether a loss balances how much each expert is used (`output_router_logits`).
    pub balanced: bool,
    /// Whether the config asks for routers' logits by itself, of which that loss is computed.
    pub asked: bool,
    /// For each layer, whether its MLP is a mixture of experts.
    pub sparse: Vec<bool>,
}

/// How the shared expert, which all tokens go through, is combined with the chosen ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedForm {
    /// Weighted by a gate of its own.
    Gated,
    /// Added as it is.
    Plain,
    /// Added as it is, computed before the router chooses.
    First,
    /// Added as it is, computed when the router has chosen and before the experts run.
    Between,
    /// Added as it is, in float32 if this says so, behind a router that sees tokens without batches.
    Last {
        /// Whether the sum is taken in float32.
        wide: bool,
    },
    /// As `Last`, and the sum is halved.
    Averaged,
    /// Added as it is, by the layer and not by the mixture (`shared_mlp`).
    Beside,
}

/// How the chosen experts compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertForm {
    /// As gated MLPs without biases.
    Gated,
    /// As gated MLPs with biases, whose gates and inputs are cut to a range (`GptOssExperts`).
    Clamped,
    /// As gated MLPs without biases, with this function in the place of `silu`.
    GatedBy(Activation),
    /// As two layers with a function between them (`NemotronHExperts`).
    Plain(Activation),
}

/// How a checkpoint has the weights of experts (`conversion_mapping.py`, transformers 5.23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredExperts {
    /// Each expert's apart: `gate_proj`, `up_proj` and `down_proj`.
    Apart,
    /// The same, as `w1`, `w3` and `w2`, of a `block_sparse_moe` where the model has an `mlp`.
    Numbered,
    /// All of a layer as one tensor, as the model has them.
    Stacked,
    /// The same, as the layers `input_linear` and `output_linear` of the mixture.
    Linear,
}

impl StoredExperts {
    /// Whether the weights of all experts are put together when they are loaded, and taken apart when they are saved.
    pub fn are_apart(self) -> bool {
        matches!(self, Self::Apart | Self::Numbered)
    }
}

impl Experts {
    /// Whether experts are built before their router: `DeepSeek`'s always, Qwen's not in transformers 4, Granite's in
    /// transformers 4 alone.
    pub fn are_built_first(&self, four: bool) -> bool {
        match self.routing {
            Routing::Softmax => self.built_first && !four,
            Routing::Largest { biased: false } => four,
            _ => self.built_first,
        }
    }

    /// Whether experts run one after the other over tokens sorted by expert: Granite's in transformers 4.
    pub fn run_in_turn(&self, four: bool) -> bool {
        let sorts = four && self.routing == (Routing::Largest { biased: false });
        sorts || self.routing == Routing::Sorted
    }

    /// Whether an expert that all tokens go through is a part of the layer, not of its mixture.
    pub fn has_one_beside(&self) -> bool {
        self.shared == SharedForm::Beside && self.shared_intermediate_size.is_some()
    }

    /// Whether the MLP of layer `index` is a mixture of experts.
    pub fn is_sparse(&self, index: usize) -> bool {
        self.sparse.get(index).copied().unwrap_or(false)
    }
}
