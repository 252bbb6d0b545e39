//! How a family's modules are divided among ranks that see the same data (`base_model_tp_plan` of
//! transformers' configs).

/// How a module's parameters are divided, as transformers' plans call it (`ALL_PARALLEL_STYLES`,
/// `distributed/tensor_parallel.py`, transformers 5.23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorStyle {
    /// A linear layer's outputs: each rank has some columns of the result.
    Colwise,
    /// The same, and the columns are gathered.
    ColwiseGatherOutput,
    /// A linear layer's inputs, of which each rank has some columns: the results are summed.
    Rowwise,
    /// A linear layer's inputs, of an input that all ranks have whole: the results are summed.
    RowwiseSplitInput,
    /// An embedding's rows.
    EmbeddingRowwise,
    /// Two linear layers in one parameter, each by its outputs.
    PackedColwise,
    /// Experts that are divided each, whose results are summed.
    MoeTpExperts,
    /// Experts of which each rank has some, whole.
    GroupedGemm,
}

impl TensorStyle {
    /// Its name in transformers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Colwise => "colwise",
            Self::ColwiseGatherOutput => "colwise_gather_output",
            Self::Rowwise => "rowwise",
            Self::RowwiseSplitInput => "rowwise_split_input",
            Self::EmbeddingRowwise => "embedding_rowwise",
            Self::PackedColwise => "packed_colwise",
            Self::MoeTpExperts => "moe_tp_experts",
            Self::GroupedGemm => "grouped_gemm",
        }
    }
}

/// Of modules, or of a module's parameters, below the model without its head, how they are divided: layers
/// are `*`.
pub type TensorPart = &'static [(&'static str, TensorStyle)];

/// A family's modules by parts of its layers; nothing where there is no plan.
pub type TensorPlan = &'static [TensorPart];

/// Attention by heads.
const ATTENTION: TensorPart = &[
    ("layers.*.self_attn.q_proj", TensorStyle::Colwise),
    ("layers.*.self_attn.k_proj", TensorStyle::Colwise),
    ("layers.*.self_attn.v_proj", TensorStyle::Colwise),
    ("layers.*.self_attn.o_proj", TensorStyle::Rowwise),
];

/// A gated MLP.
const GATED_MLP: TensorPart = &[
    ("layers.*.mlp.gate_proj", TensorStyle::Colwise),
    ("layers.*.mlp.up_proj", TensorStyle::Colwise),
    ("layers.*.mlp.down_proj", TensorStyle::Rowwise),
];

/// An MLP of two layers.
const PLAIN_MLP: TensorPart = &[
    ("layers.*.mlp.up_proj", TensorStyle::Colwise),
    ("layers.*.mlp.down_proj", TensorStyle::Rowwise),
];

/// A gated MLP whose first two layers are one.
const FUSED_MLP: TensorPart = &[
    (
        "layers.*.mlp.gate_up_proj",
        TensorStyle::ColwiseGatherOutput,
    ),
    ("layers.*.mlp.down_proj", TensorStyle::RowwiseSplitInput),
];

/// Attention whose queries and keys are normalized over all heads.
const GATHERED_ATTENTION: TensorPart = &[
    (
        "layers.*.self_attn.q_proj",
        TensorStyle::ColwiseGatherOutput,
    ),
    (
        "layers.*.self_attn.k_proj",
        TensorStyle::ColwiseGatherOutput,
    ),
    (
        "layers.*.self_attn.v_proj",
        TensorStyle::ColwiseGatherOutput,
    ),
    ("layers.*.self_attn.o_proj", TensorStyle::RowwiseSplitInput),
];

/// Experts.
const EXPERTS: TensorPart = &[
    ("layers.*.mlp.experts", TensorStyle::MoeTpExperts),
    (
        "layers.*.mlp.experts.gate_up_proj",
        TensorStyle::PackedColwise,
    ),
    ("layers.*.mlp.experts.down_proj", TensorStyle::Rowwise),
];

/// An MLP beside experts.
const SHARED_EXPERTS: TensorPart = &[
    (
        "layers.*.mlp.shared_experts.gate_proj",
        TensorStyle::Colwise,
    ),
    ("layers.*.mlp.shared_experts.up_proj", TensorStyle::Colwise),
    (
        "layers.*.mlp.shared_experts.down_proj",
        TensorStyle::Rowwise,
    ),
];

/// Llama's.
pub const LLAMA_PLAN: TensorPlan = &[ATTENTION, GATED_MLP];

/// The plan of decoders whose MLP has two layers.
pub const PLAIN_MLP_PLAN: TensorPlan = &[ATTENTION, PLAIN_MLP];

/// GLM's.
pub const FUSED_MLP_PLAN: TensorPlan = &[ATTENTION, FUSED_MLP];

/// `OLMo` 2's.
pub const GATHERED_PLAN: TensorPlan = &[GATHERED_ATTENTION, GATED_MLP];

/// Mixtral's.
pub const EXPERTS_PLAN: TensorPlan = &[ATTENTION, EXPERTS];

/// The plan of decoders some of whose layers have experts.
pub const MIXED_PLAN: TensorPlan = &[ATTENTION, GATED_MLP, EXPERTS];

/// The plan with an MLP beside experts.
pub const SHARED_EXPERTS_PLAN: TensorPlan = &[ATTENTION, GATED_MLP, EXPERTS, SHARED_EXPERTS];

/// `OLMoE`'s.
pub const GATHERED_EXPERTS_PLAN: TensorPlan = &[GATHERED_ATTENTION, EXPERTS];

/// How the module at a path below the model without its head, or its parameter, is divided.
pub fn style_of(plan: TensorPlan, path: &str) -> Option<TensorStyle> {
    let matches = |pattern: &str| {
        let mut parts = path.split('.');
        let same = pattern.split('.').all(|wanted| {
            parts.next().is_some_and(|part| {
                wanted == part || wanted == "*" && part.bytes().all(|b| b.is_ascii_digit())
            })
        });
        same && parts.next().is_none()
    };
    let mut all = plan.iter().copied().flatten();
    all.find(|(pattern, _)| matches(pattern))
        .map(|&(_, style)| style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_modules_of_every_layer_and_nothing_else() {
        let style = |path| style_of(LLAMA_PLAN, path);
        assert_eq!(
            style("layers.12.self_attn.q_proj"),
            Some(TensorStyle::Colwise)
        );
        assert_eq!(style("layers.0.mlp.down_proj"), Some(TensorStyle::Rowwise));
        assert_eq!(style("layers.0.mlp"), None);
        assert_eq!(style("layers.0.mlp.down_proj.weight"), None);
        assert_eq!(style("layers.norm.mlp.down_proj"), None);
    }
}
