//! The layer of most decoders: attention and an MLP with norms around them, put together as each
//! family does it.

use super::causal::Layer;
use super::layer_inputs::InputGate;
use super::put_together as families;
use super::shared::Shared;
use super::shell::WeighingBlock;
use super::style::Style;
use crate::model::{DecoderConfig, DecoderType, Latent, LayerNames, Mixing, Piece, RESIDUALS};
use crate::nn::attention::{
    AttentionOptions, DifferentialAttention, DynamicAttention, ExpertAttention, Gate, HeadNorm,
    LatentAttention, Rotary, RotaryAttention, SharingAttention, Sinks, Turn,
};
use crate::nn::build::{Builder, Facts, Norm};
use crate::nn::experts::GemmaExperts;
use crate::nn::mixers::{Form, GatedDelta, Lightning, Mamba2Mixer, ShortConv, mamba};
use crate::nn::mlp::FeedForward;
use crate::tape::{Tape, Tensor};
use crate::units::apart;

/// How a family puts its layers together.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    /// Where queries and keys are normalized.
    pub(crate) head_norm: HeadNorm,
    /// How positions turn queries and keys.
    pub(crate) turn: Turn,
    /// Whether the result of attention is dropped out like that of the MLP.
    pub(crate) drops_attended: bool,
    /// What of attention lives as long as the layer runs.
    pub(crate) holds: Holds,
    /// Whether a layer gives the weights of eager attention beside its result.
    pub(crate) gives_weights: bool,
    /// Whether a branch is added to what it read, both multiplied by numbers.
    pub(crate) adds_to_normalized: bool,
    /// Whether what is added to the residual stream is multiplied by a number.
    pub(crate) multiplied: bool,
    /// Whether attention is written out once more for sdpa, and makes its inputs contiguous for a mask
    /// only.
    pub(crate) contiguous_for_mask: bool,
    /// How attention has sinks.
    pub(crate) sinks: Option<Sinks>,
    /// Whether attention has rotary embeddings of its own, which nobody reads.
    pub(crate) unread_rotary: bool,
    /// Whether queries, keys and values are all projected before they are parted into heads.
    pub(crate) projects_first: bool,
    /// Whether keys are multiplied by a number.
    pub(crate) scales_keys: bool,
    /// What gates the result of attention.
    pub(crate) gate: Gate,
    /// Whether queries and keys are turned before heads come before tokens.
    pub(crate) turns_rows: bool,
    /// Whether the weights of eager attention keep the dtype of the scores.
    pub(crate) narrow_softmax: bool,
}

/// What of attention lives in local variables as long as a layer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Nothing.
    Nothing,
    /// What it reads and what it gives.
    Both,
    /// What positions turned and what they did not.
    Turned,
    /// What it gives, and its weights until a router's logits take their name.
    Result,
}

/// `LlamaDecoderLayer` and its like.
pub(crate) struct DecoderLayer {
    /// What mixes tokens, and its name; nothing where the layer is an MLP alone.
    mixer: Option<(&'static str, Mixer)>,
    _unread: Option<Rotary>,
    mlp: Option<FeedForward>,
    /// Before and after attention, before and after the MLP.
    norms: [Option<(&'static str, Norm)>; 4],
    /// Experts beside the MLP.
    experts: Option<Box<GemmaExperts>>,
    /// What adds the layer's own input.
    input: Option<InputGate>,
    /// A number on the device that the result is multiplied by.
    scalar: Option<Tensor>,
    /// What the residual stream is multiplied by, `[H]`, around attention and around the MLP.
    residuals: Option<[Tensor; 2]>,
    /// Whether attention and MLP read the same.
    parallel: bool,
    parts: Parts,
}

/// What mixes the tokens of a layer.
enum Mixer {
    Rotary(Box<RotaryAttention>),
    Latent(Box<LatentAttention>),
    StateSpace(Box<Mamba2Mixer>),
    Selective(Box<mamba::Mixer>),
    GatedDelta(Box<GatedDelta>),
    ShortConv(Box<ShortConv>),
    Lightning(Box<Lightning>),
    Sharing(Box<SharingAttention>),
    Experts(Box<ExpertAttention>),
    Differential(Box<DifferentialAttention>),
    Dynamic(Box<DynamicAttention>),
    Both(Box<(Mamba2Mixer, RotaryAttention)>),
}

impl Layer for DecoderLayer {
    fn style(c: &DecoderConfig, facts: Facts) -> Style {
        families::of(c, facts).0
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        if c.model_type != DecoderType::Doge {
            return Self::built(b, c, options);
        }
        // Among the parameters they come before those of its modules.
        let [first, second] = RESIDUALS;
        let size = [c.hidden_size];
        let (first, (second, layer)) = b.parameter_after(first, size, || {
            b.parameter_after(second, size, || Self::built(b, c, options))
        });
        Self {
            residuals: Some([first, second]),
            ..layer
        }
    }
}

impl WeighingBlock for DecoderLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn trained(shared: &mut Shared) -> Option<&mut Tensor> {
        shared.input.as_mut()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let [before_attention, after_attention, before_mlp, after_mlp] =
            self.norms.each_ref().map(Option::as_ref);
        let (shared, outside) = shared.narrowed(t);
        let (residual, mut weights, held) = match &self.mixer {
            None => (hidden.clone(), Vec::new(), [None, None]),
            Some((name, mixer)) => {
                let x = normalized(t, before_attention, hidden.clone());
                let (attended, weights) = mixer.forward(t, name, &x, &shared);
                if self.parallel {
                    return (self.beside(t, hidden, &x, &attended), None);
                }
                let held = match self.parts.holds {
                    Holds::Nothing | Holds::Turned => [None, None],
                    Holds::Both => [Some(x.clone()), Some(attended.clone())],
                    Holds::Result => [None, Some(attended.clone())],
                };
                if self.parts.adds_to_normalized {
                    let sum = self.add(t, 0, &x, &attended);
                    drop(attended);
                    (normalized(t, before_mlp, sum), weights, held)
                } else {
                    // The sum takes its name.
                    let _x = Some(x).filter(|_| self.parts.holds == Holds::Result);
                    let attended = normalized(t, after_attention, attended);
                    (self.add(t, 0, hidden, &attended), weights, held)
                }
            }
        };
        let before_mlp = before_mlp.filter(|_| !self.parts.adds_to_normalized);
        let (out, logits) = match &self.mlp {
            None => (residual, Vec::new()),
            Some(mlp) => {
                let (changed, logits) = {
                    let x = normalized(t, before_mlp, residual.clone());
                    mlp.forward(t, &x)
                };
                if self.parts.holds == Holds::Result && !logits.is_empty() {
                    weights.clear();
                }
                let changed = match &self.experts {
                    Some(experts) => {
                        weights.clear();
                        let (sum, made) = experts.forward(t, &residual, changed);
                        weights = made;
                        sum
                    }
                    None => changed,
                };
                let changed = normalized(t, after_mlp, changed);
                let sum = self.add(t, 1, &residual, &changed);
                // The sum takes its name where the layer's own input is added to it.
                let _residual = Some(residual).filter(|_| self.input.is_none());
                (sum, logits)
            }
        };
        let out = match (&self.input, &shared.input) {
            (Some(gate), Some(input)) => gate.forward(t, &out, input),
            _ => out,
        };
        let out = match &self.scalar {
            Some(scalar) => t.mul_in_place(out, scalar),
            None => out,
        };
        let weights = weights.pop().filter(|_| self.parts.gives_weights);
        drop((logits, held, shared, outside));
        (out, weights)
    }
}

impl DecoderLayer {
    /// All but what the residual stream is multiplied by.
    fn built(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (style, parts) = families::of(c, options.facts);
        let facts = options.facts;
        let options = AttentionOptions {
            contiguous_for_mask: parts.contiguous_for_mask,
            narrow_softmax: parts.narrow_softmax,
            ..options
        };
        let mixing = mixing(b, c);
        let names = LayerNames::of_layer(c, mixing);
        let own = c.gemma_layers.map(|_| c.of_layer(b.index()));
        let c = own.as_deref().unwrap_or(c);
        let mut mixer = None;
        let mut unread = None;
        let mut mlp = None;
        let mut norms = [const { None }; 4];
        for piece in names.order {
            match piece {
                Piece::Mixer if mixing == Mixing::Nothing => {}
                Piece::Mlp if names.alone && mixing != Mixing::Nothing => {}
                Piece::Mixer => {
                    mixer = Some(Mixer::new(b, c, (mixing, options), parts));
                    let at = b.at("self_attn");
                    let rotary = || Rotary::new(&at.at("rotary_emb"), c.rotary_dim, facts);
                    unread = parts.unread_rotary.then(rotary);
                }
                Piece::Mlp => mlp = Some(FeedForward::new(b, c, &names)),
                Piece::Norms => {
                    let norm = |name| Norm::new(&b.at(name), style.norm, c.hidden_size);
                    norms = names.norms.map(|name| name.map(|name| (name, norm(name))));
                }
                Piece::Beside => {
                    if let Some(mlp) = &mut mlp {
                        mlp.add_expert_beside(b, c);
                    }
                }
            }
        }
        if mixing == Mixing::Nothing {
            norms.swap(0, 2);
        }
        let scalar = c
            .gemma_layers
            .map(|_| b.buffer("layer_scalar", [1], b.loaded_dtype()));
        let input = c
            .gemma_layers
            .filter(|layers| layers.input_columns > 0)
            .map(|layers| InputGate::new(b, c, layers));
        let experts = c.experts.as_ref().filter(|_| c.gemma_layers.is_some());
        let experts = experts.map(|experts| Box::new(GemmaExperts::new(b, c, experts)));
        Self {
            mixer,
            _unread: unread,
            mlp,
            norms,
            experts,
            input,
            scalar,
            residuals: None,
            parallel: c.parallel_residual,
            parts,
        }
    }

    /// The layer's result where the MLP reads the same x as attention did.
    fn beside(&self, t: &Tape, hidden: &Tensor, x: &Tensor, attended: &Tensor) -> Tensor {
        let changed = self.mlp.as_ref().map(|mlp| mlp.forward(t, x));
        let sum = t.add(hidden, attended);
        match &changed {
            Some((changed, _logits)) => t.add(&sum, changed),
            None => sum,
        }
    }

    /// The residual stream with `branch` added to it, after attention or after the MLP.
    fn add(&self, t: &Tape, place: usize, residual: &Tensor, branch: &Tensor) -> Tensor {
        if let Some(factors) = &self.residuals {
            let scaled = t.mul(&factors[place], residual);
            return t.add(&scaled, branch);
        }
        if self.parts.adds_to_normalized {
            let residual = t.mul_scalar(residual);
            return t.add(&residual, &t.mul_scalar(branch));
        }
        if self.parts.multiplied {
            let scaled = t.mul_scalar(branch);
            t.add(residual, &scaled)
        } else {
            t.add(residual, branch)
        }
    }
}

/// x, which nobody else holds, after the norm if there is one.
fn normalized(t: &Tape, norm: Option<&(&'static str, Norm)>, x: Tensor) -> Tensor {
    match norm {
        Some((name, norm)) => t.scoped(name, None, || norm.forward(t, &x)),
        None => x,
    }
}

/// What mixes the tokens of the layer at `b`.
fn mixing(b: &Builder, c: &DecoderConfig) -> Mixing {
    match c.mixers.first() {
        None => Mixing::Attention,
        Some(first) if c.mixers.iter().all(|mixing| mixing == first) => *first,
        Some(first) => *c.mixers.get(b.index()).unwrap_or(first),
    }
}

impl Mixer {
    /// The mixer of a layer, and what it is called.
    fn new(
        layer: &Builder,
        c: &DecoderConfig,
        (mixing, options): (Mixing, AttentionOptions),
        parts: Parts,
    ) -> (&'static str, Self) {
        let names = LayerNames::of(c);
        let sizes = &c.state_space.unwrap_or_default();
        let at = layer.at(if mixing == Mixing::Attention {
            names.attention()
        } else {
            names.mixer
        });
        if let (DecoderType::JetMoe, Some(experts)) = (c.model_type, &c.experts) {
            let attention = ExpertAttention::new(&at, c, experts, options);
            return (names.attention(), Self::Experts(Box::new(attention)));
        }
        match (mixing, sizes.heads, c.latent) {
            (Mixing::StateSpace, Some(heads), _) => {
                let mixer = Mamba2Mixer::new(&at, c.hidden_size, sizes, heads, false);
                (names.mixer, Self::StateSpace(Box::new(mixer)))
            }
            (Mixing::GatedDelta, Some(heads), _) => {
                let form = match c.model_type {
                    DecoderType::Qwen3Next => Form::Grouped,
                    DecoderType::OlmoHybrid => Form::Each,
                    _ => Form::Apart,
                };
                let mixer = GatedDelta::new(&at, c.hidden_size, sizes, heads, form);
                (names.mixer, Self::GatedDelta(Box::new(mixer)))
            }
            (Mixing::StateSpace, None, _) => {
                let mixer = mamba::Mixer::new(&at, c.hidden_size, *sizes, false);
                (names.mixer, Self::Selective(Box::new(mixer)))
            }
            (Mixing::Both, Some(heads), _) => {
                let mixer = Mamba2Mixer::new(&at, c.hidden_size, sizes, heads, false);
                let at = layer.at("self_attn");
                let attention = RotaryAttention::new(&at, c, options, parts, true);
                (names.mixer, Self::Both(Box::new((mixer, attention))))
            }
            (Mixing::ShortConv, ..) => {
                let mixer = ShortConv::new(&at, c, sizes);
                (names.mixer, Self::ShortConv(Box::new(mixer)))
            }
            (Mixing::Lightning, Some(heads), _) => {
                let mixer = Lightning::new(&at, c.hidden_size, heads);
                (names.mixer, Self::Lightning(Box::new(mixer)))
            }
            (_, _, Some(sizes)) => {
                let some = c.indexed.contains(&false);
                let indexed = c.has_indexer(if some { layer.index() } else { 0 });
                let sizes = Latent {
                    indexer: sizes.indexer.filter(|_| indexed),
                    ..sizes
                };
                let attention = LatentAttention::new(&at, c, sizes, options);
                ("self_attn", Self::Latent(Box::new(attention)))
            }
            _ if c.model_type == DecoderType::DiffLlama => {
                let attention = DifferentialAttention::new(&at, c, options);
                ("self_attn", Self::Differential(Box::new(attention)))
            }
            _ if c.model_type == DecoderType::Doge => {
                let attention = DynamicAttention::new(&at, c, options);
                ("self_attn", Self::Dynamic(Box::new(attention)))
            }
            _ if c.gemma_layers.is_some() => {
                let attention = SharingAttention::new(&at, c, options, layer.index());
                ("self_attn", Self::Sharing(Box::new(attention)))
            }
            _ => {
                let unturned = |c: &DecoderConfig| c.unturned.get(layer.index()).copied();
                let always = c.unturned.is_empty();
                let turned = c.rotary_dim > 0 && (always || !unturned(c).unwrap_or(false));
                let attention = RotaryAttention::new(&at, c, options, parts, turned);
                (names.attention(), Self::Rotary(Box::new(attention)))
            }
        }
    }

    /// `[B, S, H]` to the same, and what the layer holds besides: eager attention's weights.
    fn forward(
        &self,
        t: &Tape,
        name: &'static str,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Vec<Tensor>) {
        match self {
            Self::Both(parts) => both(t, parts, x, shared),
            _ => t.scoped(name, None, || self.alone(t, x, shared)),
        }
    }

    /// What is alone in its layer; the first answer does without all but the first.
    fn alone(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        match self {
            Self::Rotary(attention) => held(attention.forward(t, x, shared)),
            Self::Latent(attention) => apart(|| attention.forward(t, x, shared)),
            Self::Sharing(attention) => apart(|| held(attention.forward(t, x, shared))),
            Self::Experts(attention) => apart(|| held(attention.forward(t, x, shared))),
            Self::Dynamic(attention) => apart(|| held(attention.forward(t, x, shared))),
            Self::Differential(attention) => apart(|| held(attention.forward(t, x, shared))),
            Self::StateSpace(mixer) => apart(|| (mixer.forward(t, x), Vec::new())),
            Self::Selective(mixer) => apart(|| (mixer.forward(t, x), Vec::new())),
            Self::GatedDelta(mixer) => apart(|| (mixer.forward(t, x), Vec::new())),
            Self::ShortConv(mixer) => apart(|| (mixer.forward(t, x), Vec::new())),
            Self::Lightning(mixer) => apart(|| {
                let (out, known) = mixer.forward(t, x);
                (out, vec![known])
            }),
            Self::Both(parts) => both(t, parts, x, shared),
        }
    }
}

/// What attention gives, and its weights where it gives them.
fn held((out, weights): (Tensor, Option<Tensor>)) -> (Tensor, Vec<Tensor>) {
    (out, weights.into_iter().collect())
}

/// Attention beside a state space, each multiplied by a number (`FalconH1DecoderLayer`).
fn both(
    t: &Tape,
    (mixer, attention): &(Mamba2Mixer, RotaryAttention),
    x: &Tensor,
    shared: &Shared,
) -> (Tensor, Vec<Tensor>) {
    let mixed = {
        let mixed = t.scoped("mamba", None, || mixer.forward(t, x));
        t.mul_scalar(&mixed)
    };
    let (attended, weights) = {
        let x = t.mul_scalar(x);
        t.scoped("self_attn", None, || attention.forward(t, &x, shared))
    };
    let scaled = t.mul_scalar(&attended);
    drop(attended);
    let sum = t.add(&mixed, &scaled);
    let held = [mixed, scaled].into_iter().chain(weights);
    (sum, held.collect())
}
