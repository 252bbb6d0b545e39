//! How the layers of a causal language model are put together, as data.

use super::decoder::DecoderConfig;
use super::images::ImageKind;
use super::style::{NormKind, Style};
use super::versions::Transformers;

/// Changes by a config or by transformers 4 in how a family is put together.
pub type PutTogether = fn(&DecoderConfig, Transformers, &mut Style, &mut Parts);

/// How a family puts its layers together. A record says what differs from Llama: `..Parts::LLAMA`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// How tokens attend to each other.
    pub attention: AttentionKind,
    /// The layers that the gated delta rule reads hidden states by.
    pub delta_rule: DeltaRule,
    /// The norm of queries and keys.
    pub head_norm: HeadNorm,
    /// How positions rotate queries and keys.
    pub rotary_kind: RotaryKind,
    /// Whether the result of attention is dropped out like that of the MLP.
    pub drops_attended: bool,
    /// Tensors of attention that live as long as the layer runs.
    pub holds: Holds,
    /// Whether a layer gives the weights of eager attention beside its result.
    pub gives_weights: bool,
    /// Whether attention of transformers 4 returns no weights (`attn_weights = None`).
    pub forgets_weights_in_4: bool,
    /// Whether a branch is added to what it read, both multiplied by numbers.
    pub adds_to_normalized: bool,
    /// Whether a branch's output is multiplied by a number before it is added to the residual stream.
    pub multiplied: bool,
    /// Whether the residual stream is multiplied by parameters, around attention and around the MLP.
    pub trained_residuals: bool,
    /// Whether attention of transformers 4 is written out once more for sdpa, and makes its inputs
    /// contiguous for a mask only.
    pub contiguous_for_mask_in_4: bool,
    /// Whether transformers 4 sums what experts give in the dtype of their weights.
    pub sums_by_weights_in_4: bool,
    /// How attention has sinks.
    pub sinks: Option<Sinks>,
    /// Whether attention of transformers 4 has rotary embeddings of its own, which nobody reads.
    pub unread_rotary_in_4: bool,
    /// Whether queries, keys and values are all projected before they are parted into heads.
    pub projects_first: bool,
    /// Whether keys are multiplied by a number.
    pub scales_keys: bool,
    /// The gate of attention's result.
    pub gate: Gate,
    /// Whether queries and keys are rotated before heads come before tokens.
    pub turns_rows: bool,
    /// Whether the weights of eager attention keep the dtype of the scores.
    pub narrow_softmax: bool,
}

impl Parts {
    /// Llama's.
    pub const LLAMA: Self = Self {
        attention: AttentionKind::Rotary,
        delta_rule: DeltaRule::Apart,
        head_norm: HeadNorm::None,
        rotary_kind: RotaryKind::Halves,
        drops_attended: false,
        holds: Holds::Nothing,
        gives_weights: false,
        forgets_weights_in_4: false,
        adds_to_normalized: false,
        multiplied: false,
        trained_residuals: false,
        contiguous_for_mask_in_4: false,
        sums_by_weights_in_4: false,
        sinks: None,
        unread_rotary_in_4: false,
        projects_first: false,
        scales_keys: false,
        gate: Gate::None,
        turns_rows: false,
        narrow_softmax: false,
    };
}

/// How tokens attend to each other, where no sizes of the config say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKind {
    /// Queries and keys that positions rotate.
    Rotary,
    /// Rotated queries and keys by experts, each of which has queries and an output of its own.
    Experts,
    /// Two attentions, of which one is taken from the other.
    Differential,
    /// With a mask that is made of values.
    Dynamic,
}

/// The linear layers that give the gated delta rule its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaRule {
    /// One for queries, keys, values and the gate, and one for rates, in groups of heads (Qwen3-Next).
    Grouped,
    /// One for queries, keys and values, one for the gate and two for rates (Qwen3.5).
    Apart,
    /// One for each of queries, keys and values, two for rates and one for the gate (`OLMo` Hybrid).
    Each,
}

/// Tensors of attention in local variables, which live as long as a layer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing.
    Nothing,
    /// Its input and its result.
    Both,
    /// The parts that positions rotated and the parts that they did not.
    Rotated,
    /// Its result, and its weights until a router's logits take their name.
    Result,
}

/// The norm of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadNorm {
    /// Nowhere.
    None,
    /// Each head, after the heads are parted.
    Heads(NormKind),
    /// Each head, after the heads are parted and before they are transposed.
    Rows(NormKind),
    /// The same, after all three projections.
    Together(NormKind),
    /// The same, and each head has weights of its own.
    Each,
    /// Each head by a norm of its own, after the heads are parted.
    Apart,
    /// All heads at once, before they are parted.
    Whole(NormKind),
    /// Each head, after positions rotated it.
    AfterRotary(NormKind),
}

impl HeadNorm {
    /// It, if there is one.
    #[must_use]
    pub fn when(self, exists: bool) -> Self {
        if exists { self } else { Self::None }
    }
}

/// The gate of attention's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    None,
    /// Columns beside queries.
    BesideQueries,
    /// The output of a layer of its own, `gate_proj`.
    Own,
}

/// How positions rotate queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryKind {
    /// The halves of a head's columns with each other.
    Halves,
    /// The halves of a head's columns with each other, in the opposite direction.
    Backwards,
    /// The halves of a head's columns with each other in float32, cast back.
    WideHalves,
    /// The halves of a head's first columns with each other; the rest stays as it is.
    Part,
    /// As `Part`, where only the concatenated result is held.
    FirstColumns,
    /// Both halves, parted, by cosines of their pairs.
    Parts,
    /// Neighbouring columns with each other.
    Pairs,
    /// Neighbouring columns among the first columns of a head with each other; the rest stays as it is.
    PartPairs,
    /// Neighbouring columns with each other in float32, cast back.
    WidePairs,
    /// Neighbouring columns with each other in float32, cast back, by cosines of their pairs that are spread in
    /// float32.
    WideNeighbours,
}

/// Angles of a token's places in time, height and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grids {
    /// A token has one place.
    None,
    /// Columns of the three take turns, in place (`Qwen3_5TextRotaryEmbedding`).
    InTurn,
    /// Sections of columns are put together (`Qwen2VLRotaryEmbedding`).
    Sections,
}

/// How sinks take part in attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sinks {
    /// As one more score.
    Score,
    /// As a factor on the result: the share of attention that is left for the tokens.
    Scale,
}

impl DecoderConfig {
    /// How it is put together in a version of transformers.
    pub fn put_together(&self, version: Transformers) -> (Style, Parts) {
        let (mut style, mut parts) = (self.family.style, self.family.layers);
        (self.family.put_together)(self, version, &mut style, &mut parts);
        let images = self.images.as_ref();
        // Llama 3.2 Vision's layers part heads when all are projected.
        if images.is_some_and(|images| images.kind() == ImageKind::Mllama) {
            parts.projects_first = true;
        }
        // Tokens have places in images.
        if let Some(packed) = images.and_then(|images| images.packed()) {
            style.grids = match packed.deep {
                Some(_) => Grids::InTurn,
                None => Grids::Sections,
            };
            parts.projects_first = packed.deep.is_none();
        }
        (style, parts)
    }
}
