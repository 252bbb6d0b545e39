//! The optimizers around the inner one (`core/optimizer/{optimizer,distrib_optimizer,clip_grads}.py`).

use super::data_parallel::MegatronDataParallel;
use crate::model::ResolvedSpec;
use crate::parallel::wrapper::OnRank;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Weights that the inner optimizer steps over.
struct Main {
    /// A weight in float32 or this rank's shard of one.
    weight: Tensor,
    /// Its part of a gradient buffer.
    gradient: Tensor,
    /// Whether its norm counts.
    counts: bool,
}

/// An optimizer over parameters that all ranks train together, or over experts that ranks divide: weights that decay
/// and weights that do not.
struct Part {
    groups: [Vec<Main>; 2],
    _numbers: Vec<Tensor>,
}

/// `ChainedOptimizer`.
pub struct MegatronOptimizer {
    parts: Vec<Part>,
    scale: Option<Tensor>,
    clips: bool,
    /// Whether the norm is one of all parts.
    norms_together: bool,
}

impl MegatronOptimizer {
    /// Makes the weights in float32.
    pub fn new(t: &Tape, spec: &ResolvedSpec, wrapped: &MegatronDataParallel) -> Self {
        let asked = &spec.parallelism.dp.megatron;
        let mut scale = None;
        let parts = [0, 1].into_iter().filter_map(|kind| {
            let has_some = wrapped.chunks.iter().any(|chunk| chunk[kind].is_some());
            let own = has_some.then(|| Part::new(t, spec, wrapped, kind))?;
            scale.get_or_insert(own.1);
            Some(own.0)
        });
        let parts = parts.collect();
        Self {
            parts,
            scale,
            clips: spec.clip_grad_norm,
            norms_together: asked.distributed_optimizer,
        }
    }

    /// `scale_loss`, by one.
    pub fn scaled(&self, t: &Tape, loss: &Tensor) -> Tensor {
        match &self.scale {
            Some(scale) => t.mul(scale, loss),
            None => loss.clone(),
        }
    }

    /// `step`, in which `run` is the inner optimizer's over all weights, once for each of its groups. Gradients
    /// that were made in float32 for it are given back: they live until `zero_grad`.
    pub fn step(&self, t: &Tape, run: OnRank) -> Vec<Tensor> {
        let gradient = |main: &Main| {
            if main.gradient.dtype() == DType::Float32 {
                return main.gradient.clone();
            }
            let shape = *main.gradient.shape();
            t.allocate("_to_copy", shape, DType::Float32, Category::Gradients)
        };
        let gradients: Vec<Vec<Tensor>> = (self.parts.iter())
            .map(|part| part.groups.iter().flatten().map(gradient).collect())
            .collect();
        if self.clips {
            self.norms(t, &gradients);
        }
        let weights = self
            .parts
            .iter()
            .flat_map(|part| part.groups.iter().flatten());
        let all: Vec<(&Tensor, Tensor)> = (weights.map(|main| &main.weight))
            .zip(gradients.iter().flatten().cloned())
            .collect();
        let mut start = 0;
        for group in self.parts.iter().flat_map(|part| &part.groups) {
            let own = start..start + group.len();
            start = own.end;
            if own.is_empty() {
                continue;
            }
            let stepped = all.iter().enumerate().map(|(at, (weight, gradient))| {
                let gradient = own.contains(&at).then(|| gradient.clone());
                ((*weight).clone(), gradient)
            });
            t.with_parameters(&stepped.collect::<Vec<_>>(), |t| run(t));
        }
        let made = gradients.into_iter().flatten();
        made.collect()
    }

    /// `get_grad_norm`: of all gradients, or of each optimizer's.
    fn norms(&self, t: &Tape, gradients: &[Vec<Tensor>]) {
        let counted = |(part, gradients): (&Part, &Vec<Tensor>)| {
            let all = part.groups.iter().flatten().zip(gradients);
            let counted = all.filter(|(main, _)| main.counts);
            counted.map(|(_, gradient)| gradient.clone()).collect()
        };
        let each: Vec<Vec<Tensor>> = self.parts.iter().zip(gradients).map(counted).collect();
        if self.norms_together {
            norm(t, &each.concat());
        } else {
            for gradients in &each {
                norm(t, gradients);
            }
        }
    }
}

/// `get_grad_norm_fp32`, which adds up norms on the host.
fn norm(t: &Tape, gradients: &[Tensor]) {
    let number = |op, dtype| t.empty(op, Shape::from([1]), dtype);
    let _flag = number("zeros", DType::Int32);
    let norms = gradients.iter().map(|gradient| {
        t.reduce(
            "linalg_vector_norm",
            gradient,
            Shape::new(&[]),
            DType::Float32,
        )
    });
    let mut norms: Vec<Tensor> = norms.collect();
    let _norm = number("tensor", DType::Float32);
    while norms.pop().is_some() {}
    drop(number("pow", DType::Float32));
}

impl Part {
    /// The optimizer of a kind of buffers, and the number that losses are scaled by.
    fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        wrapped: &MegatronDataParallel,
        kind: usize,
    ) -> (Self, Tensor) {
        let asked = &spec.parallelism.dp.megatron;
        let number = |dtype| t.allocate("tensor", Shape::from([1]), dtype, Category::Buffers);
        let mixes = spec.weights != DType::Float32 || asked.distributed_optimizer;
        let mut numbers = Vec::new();
        if mixes && spec.weights == DType::Float32 {
            // `_dummy_overflow_buf`.
            numbers.push(number(DType::Int32));
        }
        let scale = number(DType::Float32);
        numbers.push(scale.clone());
        let buffers = || {
            wrapped
                .chunks
                .iter()
                .filter_map(|chunk| chunk[kind].as_ref())
        };
        let ranks = wrapped.ranks[kind];
        // Ranks that have different experts are neighbours.
        let place = spec.mesh.rank.dp / (spec.mesh.dp / ranks.max(1)).max(1);
        let decays = |rank: usize| rank > 1;
        let groups = [true, false].map(|wanted| {
            let mut group = Vec::new();
            for buffer in buffers() {
                let placed: Vec<_> = if asked.distributed_optimizer {
                    buffer.shards(place, ranks)
                } else {
                    let whole = buffer.parameters.iter().rev();
                    whole
                        .map(|placed| (placed, placed.tensor.numel()))
                        .collect()
                };
                let own = placed.into_iter();
                let own = own.filter(|(p, _)| decays(p.tensor.shape().rank()) == wanted);
                group.extend(own.map(|(placed, elements)| {
                    let shape = if asked.distributed_optimizer {
                        Shape::from([elements])
                    } else {
                        *placed.tensor.shape()
                    };
                    Main {
                        weight: main_weight(t, &placed.tensor, shape),
                        gradient: buffer.gradients.part(shape),
                        counts: !placed.marks.is_copy,
                    }
                }));
            }
            group
        });
        let part = Self {
            groups,
            _numbers: numbers,
        };
        (part, scale)
    }
}

/// `param.clone().float()` of a weight in half precision; one in float32 is stepped over as it is.
fn main_weight(t: &Tape, weight: &Tensor, shape: Shape) -> Tensor {
    if weight.dtype() == DType::Float32 {
        return weight.part(shape);
    }
    let _clone = t.empty("clone", shape, weight.dtype());
    t.allocate("_to_copy", shape, DType::Float32, Category::MasterWeights)
}
