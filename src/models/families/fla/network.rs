//! Models of flash-linear-attention (`fla/models`, `fla/layers`, 0.6.0): layers that mix tokens by
//! a recurrence, computed chunk by chunk, each with a gated MLP.

use super::block::{FlaBlock, FlaShared};
use super::hgrn2;
use super::mamba2::Mamba2Block;
use super::norm::FlaNorm;
use crate::families::network::{CausalLm, Net};
use crate::model::{FlaConfig, FlaFused, ResolvedSpec};
use crate::nn::build::{Builder, Embedding, Facts, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::tape::{FlaVersion, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `GLAForCausalLM` and its kin.
pub(crate) struct Fla {
    lower_bounds: Option<Tensor>,
    embeddings: Embedding,
    layers: Vec<Rc<FlaLayer>>,
    norm: FlaNorm,
    lm_head: Linear,
    fused: FlaFused,
    /// The names of the decoder and of its last norm.
    names: [&'static str; 2],
    shell: Shell,
}

/// A layer.
enum FlaLayer {
    /// With an MLP.
    WithMlp(Box<FlaBlock>),
    /// A mixer alone.
    Alone(Mamba2Block),
}

impl FlaLayer {
    fn new(b: &Builder, c: &FlaConfig) -> Self {
        match &c.state_space {
            Some(sizes) => Self::Alone(Mamba2Block::new(b, c, sizes)),
            None => Self::WithMlp(Box::new(FlaBlock::new(b, c))),
        }
    }
}

impl Block for FlaLayer {
    type Shared = FlaShared;

    fn outliving(shared: &FlaShared, _: Facts) -> FlaShared {
        shared.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &FlaShared) -> Tensor {
        match self {
            Self::WithMlp(block) => block.forward(t, hidden, shared),
            Self::Alone(block) => block.forward(t, hidden, shared),
        }
    }
}

impl Fla {
    pub(crate) fn new(b: &Builder, c: &FlaConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let names = if c.state_space.is_some() {
            ["backbone", "norm_f"]
        } else {
            ["model", "norm"]
        };
        let model = b.at(names[0]);
        // A module's own parameters come before those of its parts.
        let bounds = [c.num_hidden_layers, c.hidden_size];
        let bounds = c
            .lower_bounds
            .then(|| model.parameter("lower_bounds", bounds));
        let embeddings = Embedding::of_input(&model.at("embeddings"), c.vocab_size, c.hidden_size);
        let layers = model.layers("layers", c.num_hidden_layers, |b| {
            Rc::new(FlaLayer::new(b, c))
        });
        let norm = FlaNorm::new(&model.at(names[1]), c.hidden_size, c.fused.norm, true);
        let tied = c.tie_word_embeddings.then_some(&embeddings.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.hidden_size, c.vocab_size, tied);
        Self {
            lower_bounds: bounds,
            embeddings,
            layers,
            norm,
            lm_head,
            fused: c.fused,
            names,
            shell: Shell::new(b, spec, facts),
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let embedded = t.scoped("embeddings", None, || self.embeddings.forward(t, input_ids));
        let bounds = self.lower_bounds.as_ref();
        let bounds = bounds.map(|parameter| hgrn2::lower_bounds(t, parameter));
        let hidden = embedded.clone();
        let hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            let shared = FlaShared {
                mask: self.shell.call().mask(),
                lower_bound: bounds.as_ref().map(|bounds| t.select(bounds, 0)),
            };
            self.shell.run(t, layer, hidden, &shared)
        });
        let normalized = t.scoped(self.names[1], None, || self.norm.forward(t, &hidden));
        drop((hidden, embedded));
        normalized
    }
}

impl CausalLm for Fla {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss. With a fused
    /// head there are no logits.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        // The last hidden state is a local variable until the loss is there.
        let hidden = t.scoped(self.names[0], None, || self.decode(t, input_ids));
        let fused_head = match t.backend().fla {
            FlaVersion::V060 => self.fused.linear_cross_entropy,
            FlaVersion::V022 => self.fused.cross_entropy && t.is_training(),
        };
        if let (true, Some(labels), Some(weight)) = (fused_head, labels, self.lm_head.weight()) {
            let loss = t.scoped("loss", None, || {
                let shifted = shifted(t, labels);
                let rows = hidden.numel() / hidden.dim(-1);
                let flat = t.reshape(&hidden, [rows, hidden.dim(-1)]);
                let target = t.reshape(&shifted, [rows]);
                t.fused_linear_cross_entropy(&flat, &target, weight)
            });
            return Output::of_loss(loss);
        }
        let logits = t.scoped("lm_head", None, || {
            // hidden_states[:, -logits_to_keep:]
            let kept = self.shell.kept_positions(t, &hidden);
            let kept = self.shell.facts.index_all(t, &kept, 2);
            self.lm_head.forward(t, &kept)
        });
        let loss = labels.map(|labels| {
            t.scoped("loss", None, || {
                let shifted = shifted(t, labels);
                let flat = t.reshape(&logits, [shifted.numel(), logits.dim(-1)]);
                let target = t.reshape(&shifted, [shifted.numel()]);
                if self.fused.cross_entropy {
                    t.fused_cross_entropy(&flat, &target)
                } else {
                    t.cross_entropy(&flat, &target)
                }
            })
        });
        Output::of(logits, loss)
    }
}

/// `torch.cat((labels[..., 1:], torch.full_like(labels[:, :1], ignore_index)), dim=1)`.
fn shifted(t: &Tape, labels: &Tensor) -> Tensor {
    let ignored = t.empty("full_like", Shape::from([labels.dim(0), 1]), DType::Int64);
    let shifted = t.empty("cat", *labels.shape(), DType::Int64);
    drop(ignored);
    shifted
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Fla::new(b, spec.config(), spec, facts))
}
