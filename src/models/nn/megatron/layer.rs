//! A layer, and layers that are computed again (`core/transformer/{transformer_layer,transformer_block}.py`).

use super::attention::Attention;
use super::config::TransformerConfig;
use super::mlp::Mlp;
use super::modules::{Modules, Norm};
use super::moe::Mixture;
use crate::ask::{RecomputeGranularity, RecomputeMethod};
use crate::tape::{Function, Tape, Tensor};
use smallvec::smallvec;
use std::rc::Rc;

/// The module after attention.
enum FeedForward {
    Mlp(Rc<Mlp>),
    Mixture(Rc<Mixture>),
}

/// `TransformerLayer`.
pub(super) struct Layer {
    scope: u32,
    input_layernorm: Norm,
    self_attention: Attention,
    pre_mlp_layernorm: Norm,
    mlp: FeedForward,
    recomputes_mlp: bool,
}

impl Layer {
    pub(super) fn new(m: &Modules) -> Self {
        let hidden = m.config.hidden_size;
        Self {
            scope: m.tape.scope(),
            input_layernorm: Norm::new(m, hidden),
            self_attention: Attention::new(m),
            pre_mlp_layernorm: Norm::new(m, hidden),
            mlp: match m.config.experts {
                Some(experts) => FeedForward::Mixture(Mixture::new(m, experts)),
                None => FeedForward::Mlp(Rc::new(Mlp::new(m))),
            },
            recomputes_mlp: m.config.recomputes("mlp"),
        }
    }

    /// `[S, B, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, angles: &Tensor) -> Tensor {
        t.in_scope(self.scope, || {
            let hidden = self.attended(t, x, angles);
            let normalized = self.pre_mlp_layernorm.forward(t, &hidden);
            let given = self.through_mlp(t, &normalized);
            let sum = t.add(&hidden, &given);
            drop(given);
            drop(normalized);
            sum
        })
    }

    /// `_forward_attention`.
    fn attended(&self, t: &Tape, x: &Tensor, angles: &Tensor) -> Tensor {
        let normalized = self.input_layernorm.forward(t, x);
        let given = self.self_attention.forward(t, &normalized, angles);
        let sum = t.add(x, &given);
        drop(normalized);
        drop(given);
        sum
    }

    fn through_mlp(&self, t: &Tape, x: &Tensor) -> Tensor {
        let mlp = match &self.mlp {
            FeedForward::Mixture(mixture) => return mixture.forward(t, x),
            FeedForward::Mlp(mlp) if !self.recomputes_mlp => return mlp.forward(t, x),
            FeedForward::Mlp(mlp) => Rc::clone(mlp),
        };
        let region: Function = Rc::new(move |t, inputs| match inputs {
            [x, ..] => smallvec![mlp.forward(t, x)],
            [] => smallvec![],
        });
        t.checkpoint_reentrant(&[x], region, Rc::new(())).remove(0)
    }
}

/// Runs layers, of which some are computed again as a whole (`_checkpointed_forward`).
pub(super) fn run(
    t: &Tape,
    config: &TransformerConfig,
    layers: &[Rc<Layer>],
    hidden: Tensor,
    angles: &Tensor,
) -> Tensor {
    let recompute = &config.recompute;
    let number = usize::try_from(recompute.num_layers.max(1)).unwrap_or(usize::MAX);
    let whole = recompute.granularity == RecomputeGranularity::Full;
    let again = match recompute.method {
        _ if !whole => 0,
        RecomputeMethod::Uniform => layers.len(),
        RecomputeMethod::Block => number.min(layers.len()),
    };
    let chunk = match recompute.method {
        RecomputeMethod::Uniform => number,
        RecomputeMethod::Block => 1,
    };
    let (again, once) = layers.split_at(again);
    let hidden = again.chunks(chunk).fold(hidden, |hidden, chunk| {
        let chunk = chunk.to_vec();
        let region: Function = Rc::new(move |t, inputs| match inputs {
            [hidden, angles, ..] => smallvec![in_turn(t, &chunk, hidden.clone(), angles)],
            _ => smallvec![],
        });
        t.checkpoint_reentrant(&[&hidden, angles], region, Rc::new(()))
            .remove(0)
    });
    in_turn(t, once, hidden, angles)
}

/// Runs layers one after the other.
fn in_turn(t: &Tape, layers: &[Rc<Layer>], hidden: Tensor, angles: &Tensor) -> Tensor {
    (layers.iter()).fold(hidden, |hidden, layer| layer.forward(t, &hidden, angles))
}
