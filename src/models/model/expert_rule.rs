//! How a family's configs tell of their mixture of experts, and what it is where they say nothing.

use super::experts::{ExpertForm, SharedForm, StoredExperts};
use super::options::Flag;
use super::routing::Routing;

/// Facts of a family's mixture of experts before its config is read.
#[derive(Clone, Copy, Debug)]
pub struct ExpertRule {
    /// The fields of the number of experts, and its default.
    pub count: (&'static [&'static str], u64),
    /// The number of experts, in the first of those fields, that means none.
    pub none: Option<u64>,
    /// Experts that each token goes through by default.
    pub per_token: u64,
    /// The default of `moe_intermediate_size`; if there is none, an expert has `intermediate_size` columns.
    pub width: Option<u64>,
    /// The width of the shared expert, which all tokens go through.
    pub shared: SharedWidth,
    /// How the shared expert is combined with the others.
    pub shared_form: SharedForm,
    /// Whether the weights of the chosen experts are made to add up to one.
    pub normalized: Flag,
    /// How the experts compute.
    pub form: ExpertForm,
    /// How a checkpoint has their weights.
    pub stored: StoredExperts,
    /// How they are chosen; groups are those of a config that names none.
    pub routing: Routing,
    /// Whether sigmoids are corrected.
    pub corrected: Flag,
    /// Whether what corrects scores is in float32, whatever the weights are.
    pub wide_correction: bool,
    /// Whether the experts are built before their router.
    pub built_first: bool,
    /// Whether a loss balances them.
    pub balanced: Flag,
    /// The layers that have them.
    pub layers: SparseLayers,
}

/// The width of an expert that all tokens go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedWidth {
    /// There is none.
    None,
    /// The field's value, with its default.
    Field(&'static str, u64),
    /// The field's value, with its default; no shared expert where it is 0.
    FieldOrNone(&'static str, u64),
    /// The width of as many experts as one of the fields says, at least one.
    Times(&'static [&'static str], u64),
    /// The width of as many experts as the field says, with its default; no shared expert where it is 0.
    TimesOrNone(&'static str, u64),
    /// The width of one expert.
    Same,
}

/// Layers whose MLP is a mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseLayers {
    /// All.
    All,
    /// Every `decoder_sparse_step`th, but not those listed in `mlp_only_layers`.
    Stepped,
    /// The layers of `moe_layers`, else every `interleave_moe_layer_step`th.
    Interleaved,
    /// One of as many as the first field says, counted from where the second says, with their defaults.
    Periodic([&'static str; 2], [u64; 2]),
    /// Every `moe_layer_interval`th from `moe_layer_start_index` to `moe_layer_end_index`.
    Between,
    /// The layers that `mlp_layer_types` calls sparse, else all.
    Listed,
    /// The layers that `mlp_layer_types` calls sparse, else all after the first `first_k_dense_replace` or
    /// `num_dense_layers`, with their default.
    After(u64),
}

impl ExpertRule {
    /// Eight experts in each layer, two for a token, weighted by probabilities that add up to one.
    pub const PLAIN: Self = Self {
        count: (&["num_local_experts", "num_experts"], 8),
        none: None,
        per_token: 2,
        width: None,
        shared: SharedWidth::None,
        shared_form: SharedForm::Gated,
        normalized: Flag::Always,
        form: ExpertForm::Gated,
        stored: StoredExperts::Apart,
        routing: Routing::Softmax,
        corrected: Flag::Always,
        wide_correction: false,
        built_first: false,
        balanced: Flag::Said("output_router_logits", false),
        layers: SparseLayers::All,
    };

    /// The field that says how wide an expert is.
    pub fn width_field(&self) -> &'static str {
        match self.width {
            Some(_) => "moe_intermediate_size",
            None => "intermediate_size",
        }
    }
}
