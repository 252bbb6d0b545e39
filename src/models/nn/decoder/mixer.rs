//! The module that mixes the tokens of a layer: a kind of attention, or another module in its place.

use super::shared::Shared;
use crate::model::{AttentionKind, DecoderConfig, Latent, LayerNames, Mixing, Parts};
use crate::nn::attention::{
    AttentionOptions, DifferentialAttention, DynamicAttention, ExpertAttention, LatentAttention,
    RotaryAttention, SharingAttention,
};
use crate::nn::build::Builder;
use crate::nn::mixers::{GatedDelta, Lightning, Mamba2Mixer, ShortConv, mamba};
use crate::tape::{Called, Tape, Tensor};

/// A module that mixes tokens.
pub(super) trait Mixes {
    /// `[B, S, H]` to the same, and what the layer holds besides: eager attention's weights.
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>);
}

/// The mixer of a layer.
pub(super) struct Mixer {
    /// The module that it is, unless it is several beside each other.
    name: Option<&'static str>,
    mixes: Box<dyn Mixes>,
}

impl Mixer {
    fn called(name: &'static str, mixes: impl Mixes + 'static) -> Self {
        Self {
            name: Some(name),
            mixes: Box::new(mixes),
        }
    }

    /// The mixer of the tokens of the layer at `layer`, of the kind `mixing`.
    pub(super) fn new(
        layer: &Builder,
        c: &DecoderConfig,
        (mixing, options): (Mixing, AttentionOptions),
        parts: Parts,
    ) -> Self {
        let names = LayerNames::of(c);
        let sizes = &c.state_space.unwrap_or_default();
        let name = names.mixer;
        let at = layer.at(name);
        match (mixing, sizes.heads) {
            (Mixing::StateSpace, Some(heads)) => {
                let mixer = Mamba2Mixer::new(&at, c.hidden_size, sizes, heads, false);
                Self::called(name, mixer)
            }
            (Mixing::StateSpace, None) => {
                let mixer = mamba::Mixer::new(&at, c.hidden_size, *sizes, false);
                Self::called(name, mixer)
            }
            (Mixing::GatedDelta, Some(heads)) => {
                let mixer = GatedDelta::new(&at, c.hidden_size, sizes, heads, parts.delta_rule);
                Self::called(name, mixer)
            }
            (Mixing::ShortConv, _) => Self::called(name, ShortConv::new(&at, c, sizes)),
            (Mixing::Lightning, Some(heads)) => {
                Self::called(name, Lightning::new(&at, c.hidden_size, heads))
            }
            (Mixing::Both, Some(heads)) => {
                let mixer = Mamba2Mixer::new(&at, c.hidden_size, sizes, heads, false);
                let at = layer.at(names.attention);
                let attention = RotaryAttention::new(&at, c, options, parts, true);
                Self {
                    name: None,
                    mixes: Box::new(Both {
                        mixer: (name, mixer),
                        attention: (names.attention, attention),
                    }),
                }
            }
            _ => Self::attention(layer, c, options, parts),
        }
    }

    /// Attention of the layer at `layer`.
    fn attention(
        layer: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        parts: Parts,
    ) -> Self {
        let name = LayerNames::of(c).attention;
        let at = layer.at(name);
        if let Some(sizes) = c.latent {
            let some = c.indexed.contains(&false);
            let indexed = c.has_indexer(if some { layer.index() } else { 0 });
            let sizes = Latent {
                indexer: sizes.indexer.filter(|_| indexed),
                ..sizes
            };
            return Self::called(name, LatentAttention::new(&at, c, sizes, options));
        }
        if c.gemma_layers.is_some() {
            let attention = SharingAttention::new(&at, c, options, layer.index());
            return Self::called(name, attention);
        }
        match (parts.attention, &c.experts) {
            (AttentionKind::Experts, Some(experts)) => {
                Self::called(name, ExpertAttention::new(&at, c, experts, options))
            }
            (AttentionKind::Differential, _) => {
                Self::called(name, DifferentialAttention::new(&at, c, options))
            }
            (AttentionKind::Dynamic, _) => {
                Self::called(name, DynamicAttention::new(&at, c, options))
            }
            (AttentionKind::Rotary | AttentionKind::Experts, _) => {
                let unturned = |c: &DecoderConfig| c.unturned.get(layer.index()).copied();
                let always = c.unturned.is_empty();
                let rotated = c.rotary_dim > 0 && (always || !unturned(c).unwrap_or(false));
                Self::called(name, RotaryAttention::new(&at, c, options, parts, rotated))
            }
        }
    }

    /// `[B, S, H]` to the same, and what the layer holds besides.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        // Layers give it what it reads by name.
        let module = Called::bare("mixer");
        t.enter(&module, &mut []);
        let (mut out, held) = match self.name {
            Some(name) => t.scoped(name, None, || self.mixes.mix(t, x, shared)),
            None => self.mixes.mix(t, x, shared),
        };
        t.leave(&module, &mut [&mut out]);
        (out, held)
    }
}

/// The results of attention, and its weights where it gives them.
fn held((out, weights): (Tensor, Option<Tensor>)) -> (Tensor, Vec<Tensor>) {
    (out, weights.into_iter().collect())
}

impl Mixes for RotaryAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        held(self.forward(t, x, shared))
    }
}

impl Mixes for LatentAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        self.forward(t, x, shared)
    }
}

impl Mixes for SharingAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        held(self.forward(t, x, shared))
    }
}

impl Mixes for ExpertAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        held(self.forward(t, x, shared))
    }
}

impl Mixes for DynamicAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        held(self.forward(t, x, shared))
    }
}

impl Mixes for DifferentialAttention {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        held(self.forward(t, x, shared))
    }
}

impl Mixes for Mamba2Mixer {
    fn mix(&self, t: &Tape, x: &Tensor, _: &Shared) -> (Tensor, Vec<Tensor>) {
        (self.forward(t, x), Vec::new())
    }
}

impl Mixes for mamba::Mixer {
    fn mix(&self, t: &Tape, x: &Tensor, _: &Shared) -> (Tensor, Vec<Tensor>) {
        (self.forward(t, x), Vec::new())
    }
}

impl Mixes for GatedDelta {
    fn mix(&self, t: &Tape, x: &Tensor, _: &Shared) -> (Tensor, Vec<Tensor>) {
        (self.forward(t, x), Vec::new())
    }
}

impl Mixes for ShortConv {
    fn mix(&self, t: &Tape, x: &Tensor, _: &Shared) -> (Tensor, Vec<Tensor>) {
        (self.forward(t, x), Vec::new())
    }
}

impl Mixes for Lightning {
    fn mix(&self, t: &Tape, x: &Tensor, _: &Shared) -> (Tensor, Vec<Tensor>) {
        let (out, known) = self.forward(t, x);
        (out, vec![known])
    }
}

/// Attention beside a state space, each multiplied by a number (`FalconH1DecoderLayer`).
struct Both {
    mixer: (&'static str, Mamba2Mixer),
    attention: (&'static str, RotaryAttention),
}

impl Mixes for Both {
    fn mix(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        let mixed = {
            let (name, mixer) = &self.mixer;
            let mixed = t.scoped(name, None, || mixer.forward(t, x));
            t.mul_scalar(&mixed)
        };
        let (attended, weights) = {
            let (name, attention) = &self.attention;
            let x = t.mul_scalar(x);
            t.scoped(name, None, || attention.forward(t, &x, shared))
        };
        let scaled = t.mul_scalar(&attended);
        drop(attended);
        let sum = t.add(&mixed, &scaled);
        let held = [mixed, scaled].into_iter().chain(weights);
        (sum, held.collect())
    }
}
