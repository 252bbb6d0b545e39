//! The layer of most decoders: attention and an MLP with norms around them, put together as each
//! family does it.

use super::causal::Layer;
use super::layer_inputs::InputGate;
use super::mixer::Mixer;
use super::shared::Shared;
use super::shell::WeighingBlock;
use crate::model::{
    DecoderConfig, Holds, LayerNames, Mixing, Parts, Piece, RESIDUALS, Transformers,
};
use crate::nn::attention::{AttentionOptions, Rotary};
use crate::nn::build::{BetweenLayers, Builder, Facts, Norm};
use crate::nn::experts::GemmaExperts;
use crate::nn::mlp::FeedForward;
use crate::tape::{Tape, Tensor};

/// `LlamaDecoderLayer` and its like.
pub(crate) struct DecoderLayer {
    /// The module that mixes tokens; `None` where the layer is an MLP alone.
    mixer: Option<Mixer>,
    _unread: Option<Rotary>,
    mlp: Option<FeedForward>,
    /// Before and after attention, before and after the MLP.
    norms: [Option<(&'static str, Norm)>; 4],
    /// Experts beside the MLP.
    experts: Option<Box<GemmaExperts>>,
    /// The gate that adds the layer's own input.
    input: Option<InputGate>,
    /// A number on the device that the result is multiplied by.
    scalar: Option<Tensor>,
    /// Factors of the residual stream, `[H]`, around attention and around the MLP.
    residuals: Option<[Tensor; 2]>,
    /// Whether attention and MLP read the same.
    parallel: bool,
    parts: Parts,
    /// How hidden states between layers are divided among ranks.
    between: BetweenLayers,
}

impl Layer for DecoderLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        if !c.family.layers.trained_residuals {
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

    fn passed(shared: &mut Shared) -> Vec<&mut Tensor> {
        shared.passed()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let [before_attention, after_attention, before_mlp, after_mlp] =
            self.norms.each_ref().map(Option::as_ref);
        let (shared, outside) = shared.narrowed(t);
        let (residual, mut weights, held) = match &self.mixer {
            None => (hidden.clone(), Vec::new(), [None, None]),
            Some(mixer) => {
                let x = self.normalized(t, before_attention, hidden.clone());
                let (attended, weights) = mixer.forward(t, &self.between.gathered(t, &x), &shared);
                if self.parallel {
                    return (self.beside(t, hidden, &x, &attended), None);
                }
                let held = match self.parts.holds {
                    Holds::Nothing | Holds::Rotated => [None, None],
                    Holds::Both => [Some(x.clone()), Some(attended.clone())],
                    Holds::Result => [None, Some(attended.clone())],
                };
                if self.parts.adds_to_normalized {
                    let sum = self.add(t, 0, &x, &attended);
                    drop(attended);
                    (self.normalized(t, before_mlp, sum), weights, held)
                } else {
                    // The sum takes its name.
                    let _x = Some(x).filter(|_| self.parts.holds == Holds::Result);
                    let attended = self.normalized(t, after_attention, attended);
                    (self.add(t, 0, hidden, &attended), weights, held)
                }
            }
        };
        let before_mlp = before_mlp.filter(|_| !self.parts.adds_to_normalized);
        let (out, logits) = match &self.mlp {
            None => (residual, Vec::new()),
            Some(mlp) => {
                let (changed, logits) = {
                    let x = self.normalized(t, before_mlp, residual.clone());
                    mlp.forward(t, &self.between.gathered(t, &x))
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
                let changed = self.normalized(t, after_mlp, changed);
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
        let facts = options.facts;
        let (style, parts) = c.put_together(facts.transformers);
        let four = facts.transformers != Transformers::V5;
        let options = AttentionOptions {
            contiguous_for_mask: parts.contiguous_for_mask_in_4 && four,
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
                    let at = b.at(names.attention);
                    let rotary = || Rotary::new(&at.at("rotary_emb"), c.rotary_dim, facts);
                    unread = (parts.unread_rotary_in_4 && four).then(rotary);
                }
                Piece::Mlp => mlp = Some(FeedForward::new(b, c, &names)),
                Piece::Norms => {
                    let norm =
                        |name| Norm::new(&b.at(name).along_sequence(), style.norm, c.hidden_size);
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
            between: b.between_layers(),
        }
    }

    /// x, which nobody else holds, after the norm if there is one.
    fn normalized(&self, t: &Tape, norm: Option<&(&'static str, Norm)>, x: Tensor) -> Tensor {
        match norm {
            Some((name, norm)) => t.scoped(name, None, || {
                self.between.around_norm(t, &x, |x| norm.forward(t, x))
            }),
            None => x,
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

/// The kind of the layer at `b`.
fn mixing(b: &Builder, c: &DecoderConfig) -> Mixing {
    match c.mixers.first() {
        None => Mixing::Attention,
        Some(first) if c.mixers.iter().all(|mixing| mixing == first) => *first,
        Some(first) => *c.mixers.get(b.index()).unwrap_or(first),
    }
}
