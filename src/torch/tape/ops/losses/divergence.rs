//! How far the distribution that a model gives each token is from that of another one, tile by tile, without the
//! logits of either, as TRL computes it.
//!
//! Source: trl 1.16.0, `kernels/chunked_divergence.py` (`ChunkedDivergenceFunction`).

use super::scored::COLUMNS;
use crate::tape::graph::Grads;
use crate::tape::{Category, OwnHooks, Tape, Tensor};
use crate::units::{DType, Shape};
use std::ops::Range;

/// Hidden states `[N, H]` of a model with its head's weight `[V, H]` and bias `[V]`.
pub struct Headed {
    /// Hidden states.
    pub hidden: Tensor,
    /// The weight.
    pub weight: Tensor,
    /// The bias.
    pub bias: Option<Tensor>,
}

impl Headed {
    fn tensors(&self) -> Vec<&Tensor> {
        let always = [&self.hidden, &self.weight];
        always.into_iter().chain(&self.bias).collect()
    }
}

/// The divergence of two distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// The divergence of one distribution from the other.
    KullbackLeibler,
    /// The divergence of both from a mixture of them.
    JensenShannon,
}

/// A model's hidden states and head, from which the function computes logits.
struct Projected {
    of: Headed,
    /// The dtype that the logits are computed in.
    narrow: DType,
    /// The hidden states of the tile's tokens.
    rows: Option<Tensor>,
}

impl Projected {
    fn reads(&mut self, t: &Tape, at: &Range<u64>) {
        let part = t.slice(&self.of.hidden, 0, at.start, at.end);
        self.rows.replace(t.to(&part, self.narrow));
    }

    /// Columns of the weight in the dtype that it is computed in.
    fn columns(&self, t: &Tape, at: &Range<u64>) -> Tensor {
        let columns = t.to(&t.slice(&self.of.weight, 0, at.start, at.end), self.narrow);
        if self.of.weight.dtype() != self.narrow {
            columns.set_category(Category::AutocastWeights);
        }
        columns
    }

    /// `_project`: logits of a tile, in float32 whatever they are computed of.
    fn projects(&self, t: &Tape, tokens: u64, at: &Range<u64>) {
        let columns = self.columns(t, at);
        t.computes(&[tokens, self.of.hidden.dim(1), at.end - at.start]);
        t.gemm_workspace("mm");
        if let Some(bias) = &self.of.bias {
            drop(t.to(&t.slice(bias, 0, at.start, at.end), DType::Float32));
        }
        drop(columns);
    }
}

/// The columns of each tile.
fn columns(vocab: u64) -> impl Iterator<Item = Range<u64>> {
    (0..vocab.div_ceil(COLUMNS)).map(move |i| i * COLUMNS..vocab.min((i + 1) * COLUMNS))
}

impl Tape {
    /// A student and a teacher of the same vocabulary, whose H may differ, to the divergence of each token and the
    /// entropy of the student's distribution, `[N]` each in float32. Saves the inputs of both, the logarithms of
    /// their softmaxes' sums, and numbers that the gradient takes.
    /// The teacher's head is whole for as long as it is read, in both directions (`maybe_gather_lm_head_ctx`): its parameters
    /// are those of `hooks`.
    pub fn chunked_divergence(
        &self,
        models: [Headed; 2],
        kind: Divergence,
        hooks: &OwnHooks,
    ) -> [Tensor; 2] {
        let [student, teacher] = models;
        let inputs: Vec<Tensor> = student.tensors().into_iter().cloned().collect();
        let taught: Vec<Tensor> = teacher.tensors().into_iter().cloned().collect();
        let narrow = |hidden: &Tensor| self.autocast_dtype().unwrap_or(hidden.dtype());
        let projected = |of: Headed| Projected {
            narrow: narrow(&of.hidden),
            of,
            rows: None,
        };
        let models = [student, teacher].map(projected);
        let dtypes = models.each_ref().map(|model| model.narrow);
        let ([divergence, entropy], kept) = hooks.holding(self, &taught, || {
            self.unrecorded(|| self.diverges(models, kind))
        });
        let own: Vec<&Tensor> = inputs.iter().collect();
        if !self.records(&own) {
            return [divergence, entropy];
        }
        let needed: Vec<bool> = inputs.iter().map(Tensor::requires_grad).collect();
        let all = inputs.iter().chain(&taught).chain(&kept);
        let mut saved: Vec<_> = all.map(|x| self.save(x)).collect();
        if kind == Divergence::KullbackLeibler {
            saved.push(self.save(&divergence.detach()));
        }
        drop((kept, taught));
        let parameters = inputs.len();
        let hooks = hooks.clone();
        let backward = move |t: &Tape, g: &Grads| {
            let saved: Vec<Tensor> = saved.iter().map(|saved| saved.unpack(t)).collect();
            if g.first().is_none_or(Option::is_none) {
                return Grads::new();
            }
            let model = |at: usize, biased: bool| Headed {
                hidden: saved[at].clone(),
                weight: saved[at + 1].clone(),
                bias: biased.then(|| saved[at + 2].clone()),
            };
            let teacher_biased = saved.len() - parameters > 5;
            let models = [model(0, parameters > 2), model(parameters, teacher_biased)];
            let mut narrow = dtypes.into_iter();
            let projected = models.map(|of| Projected {
                narrow: narrow.next().unwrap_or(of.hidden.dtype()),
                of,
                rows: None,
            });
            hooks.holding(t, &saved[parameters..], || {
                t.divergence_backward(projected, &needed)
            })
        };
        let [divergence] = self.function(&own, [divergence], Box::new(backward));
        [divergence, entropy]
    }

    /// Divergence and entropy, and the other tensors kept for the gradient: the logarithms of the sums of both
    /// softmaxes, and of the divergence from a mixture its part of the student.
    fn diverges(&self, mut models: [Projected; 2], kind: Divergence) -> ([Tensor; 2], Vec<Tensor>) {
        let (n, vocab) = (models[0].of.hidden.dim(0), models[0].of.weight.dim(0));
        let mixes = kind == Divergence::JensenShannon;
        let numbers = |op| self.empty(op, Shape::from([n]), DType::Float32);
        let maxima = [(); 2].map(|()| {
            let _zeros = numbers("zeros");
            numbers("sub")
        });
        let sums = [(); 5].map(|()| numbers("zeros"));
        let [from_mixture, of_student] = [(); 2].map(|()| numbers("zeros"));
        let buffers = [(); 2].map(|()| self.logits_tile(n));
        let mut logs = [None, None];
        for rows in Self::tiles(n) {
            let tokens = rows.end - rows.start;
            for model in &mut models {
                model.reads(self, &rows);
            }
            let projects = || {
                for at in columns(vocab) {
                    for model in &models {
                        model.projects(self, tokens, &at);
                    }
                }
            };
            projects();
            for log in &mut logs {
                let part = |op| self.empty(op, Shape::from([tokens]), DType::Float32);
                let _log = part("log");
                log.replace(part("add"));
            }
            if mixes {
                projects();
            }
        }
        for log in &mut logs {
            let _log = numbers("log");
            log.replace(numbers("add"));
        }
        let entropy = {
            let _mean = numbers("div");
            numbers("sub")
        };
        let mut kept: Vec<Tensor> = logs.into_iter().flatten().collect();
        let divergence = if mixes {
            kept.push(of_student);
            from_mixture
        } else {
            let mean = numbers("div");
            let less = numbers("sub");
            drop(mean);
            let divergence = numbers("add");
            drop((less, of_student, from_mixture));
            divergence
        };
        drop((maxima, sums, buffers, models));
        ([divergence, entropy], kept)
    }

    /// The gradients of the student's hidden states, weight and bias, which are summed in float32.
    fn divergence_backward(&self, mut models: [Projected; 2], needed: &[bool]) -> Grads {
        let (n, vocab) = (models[0].of.hidden.dim(0), models[0].of.weight.dim(0));
        let hidden = models[0].of.hidden.dim(1);
        // The gradient of a sum, one number for all tokens, is written out for each.
        let given = (n > 1).then(|| self.empty("contiguous", Shape::from([n]), DType::Float32));
        let zeros = |x: &Tensor| self.empty("zeros", *x.shape(), DType::Float32);
        let sums: Vec<Option<Tensor>> = (models[0].of.tensors().into_iter().zip(needed))
            .map(|(x, needed)| needed.then(|| zeros(x)))
            .collect();
        let buffers = [(); 2].map(|()| self.logits_tile(n));
        let mut gradient = None;
        for rows in Self::tiles(n) {
            let tokens = rows.end - rows.start;
            for model in &mut models {
                model.reads(self, &rows);
            }
            for at in columns(vocab) {
                for model in &models {
                    model.projects(self, tokens, &at);
                }
                let student = &models[0];
                let tile = self.slice(
                    &self.slice(&buffers[0], 0, 0, tokens),
                    1,
                    0,
                    at.end - at.start,
                );
                gradient.replace(self.to(&tile, student.narrow));
                for (of, _) in sums
                    .iter()
                    .take(2)
                    .enumerate()
                    .filter(|(_, sum)| sum.is_some())
                {
                    let columns = (of == 0).then(|| student.columns(self, &at));
                    self.computes(&[tokens, hidden, at.end - at.start]);
                    self.gemm_workspace("addmm");
                    drop(columns);
                }
                if sums.get(2).is_some_and(Option::is_some) {
                    let shape = Shape::from([at.end - at.start]);
                    drop(self.reduce("sum", &tile, shape, DType::Float32));
                }
            }
        }
        let own = models[0].of.tensors();
        let gradients = (sums.iter().zip(own))
            .map(|(sum, x)| sum.as_ref().map(|sum| self.to(sum, x.dtype())))
            .collect();
        drop((given, sums, buffers, gradient));
        gradients
    }
}
