//! Log-probabilities of tokens that a head gives tile by tile, without all logits, as TRL computes them.
//!
//! Source: trl 1.16.0, `kernels/chunked_logprob.py` (`ChunkedLogProbFunction`).

use crate::tape::graph::Grads;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::ops::Range;

/// Tokens of a tile (`TOKEN_CHUNK_SIZE`).
const TOKENS: u64 = 4096;
/// Columns of a tile (`_CHUNKED_LOGPROB_CHUNK_SIZE`, `trainer/utils.py`).
pub(super) const COLUMNS: u64 = 32_768;

/// The values that are computed for each token besides its log-probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenOutputs {
    /// The entropy of the distribution that it is drawn from, which has a gradient.
    pub entropy: bool,
    /// The mean logit.
    pub mean_logits: bool,
    /// Whether it is the most probable one.
    pub is_top1: bool,
}

impl Tape {
    /// Hidden states `[N, H]`, the head's weight `[V, H]` and bias `[V]`, and the tokens `[N]` that are scored to
    /// their log-probabilities `[N]` in float32, followed by the other requested outputs. Saves hidden states, weight,
    /// tokens, the logarithm of the softmax's sums and the entropy.
    pub fn chunked_log_probs(
        &self,
        x: &Tensor,
        (weight, bias): (&Tensor, Option<&Tensor>),
        targets: &Tensor,
        asked: TokenOutputs,
    ) -> Vec<Tensor> {
        let narrow = self.autocast_dtype().unwrap_or(x.dtype());
        let inputs: Vec<&Tensor> = [x, weight].into_iter().chain(bias).collect();
        let (outputs, log_z) =
            self.unrecorded(|| self.scored_forward(x, (weight, bias), narrow, asked));
        if !self.records(&inputs) {
            return outputs;
        }
        let needed: Vec<bool> = inputs.iter().map(|x| x.requires_grad()).collect();
        let entropy = outputs.get(1).filter(|_| asked.entropy);
        let last = entropy.unwrap_or(&log_z).detach();
        let saved: Vec<_> = inputs.iter().map(|x| self.save(x)).collect();
        let others = [targets, &log_z, &last].map(|x| self.save(x));
        drop((log_z, last));
        let backward = move |t: &Tape, g: &Grads| {
            let inputs: Vec<Tensor> = saved.iter().map(|saved| saved.unpack(t)).collect();
            let _others = others.each_ref().map(|saved| saved.unpack(t));
            if g.iter().all(Option::is_none) {
                return Grads::new();
            }
            t.scored_backward(&inputs, &needed, narrow)
        };
        let differentiable = 1 + usize::from(asked.entropy);
        let mut outputs = outputs.into_iter();
        let log_probs = outputs.next().expect("log-probabilities");
        let mut results = Vec::new();
        if differentiable == 1 {
            results.extend(self.function(&inputs, [log_probs], Box::new(backward)));
        } else {
            let entropy = outputs.next().expect("entropies");
            results.extend(self.function(&inputs, [log_probs, entropy], Box::new(backward)));
        }
        results.extend(outputs);
        results
    }

    /// The tokens of each tile's rows.
    pub(super) fn tiles(n: u64) -> impl Iterator<Item = Range<u64>> {
        (0..n.div_ceil(TOKENS)).map(move |i| i * TOKENS..n.min((i + 1) * TOKENS))
    }

    /// Logits in float32 of as many tokens as a tile has of n.
    pub(super) fn logits_tile(&self, n: u64) -> Tensor {
        self.empty(
            "empty",
            Shape::from([n.min(TOKENS), COLUMNS]),
            DType::Float32,
        )
    }

    /// Log-probabilities and the other requested outputs, and the logarithm of the sums.
    fn scored_forward(
        &self,
        x: &Tensor,
        (weight, bias): (&Tensor, Option<&Tensor>),
        narrow: DType,
        asked: TokenOutputs,
    ) -> (Vec<Tensor>, Tensor) {
        let (n, hidden, vocab) = (x.dim(0), x.dim(1), weight.dim(0));
        let numbers = |op| self.empty(op, Shape::from([n]), DType::Float32);
        let flags = |op| self.empty(op, Shape::from([n]), DType::Bool);
        // Maxima, four sums, the greatest logit before the token's and its own.
        let statistics = ["full", "zeros", "zeros", "zeros", "zeros", "full", "zeros"].map(numbers);
        let tile = self.empty("empty", Shape::from([n.min(TOKENS), COLUMNS]), narrow);
        let mut rows = None;
        for Range { start, end } in Self::tiles(n) {
            rows = Some(self.to(&self.slice(x, 0, start, end), narrow));
            for at in 0..vocab.div_ceil(COLUMNS) {
                let (first, last) = (at * COLUMNS, vocab.min((at + 1) * COLUMNS));
                let columns = self.to(&self.slice(weight, 0, first, last), narrow);
                if weight.dtype() != narrow {
                    columns.set_category(Category::AutocastWeights);
                }
                self.computes(&[end - start, hidden, last - first]);
                self.gemm_workspace("mm");
                drop(columns);
                if let Some(bias) = bias {
                    drop(self.to(&self.slice(bias, 0, first, last), narrow));
                }
            }
        }
        let log_z = {
            let _log = numbers("log");
            numbers("add")
        };
        let mut outputs = vec![numbers("sub")];
        if asked.entropy {
            let _mean = numbers("div");
            outputs.push(numbers("sub"));
        }
        if asked.mean_logits {
            outputs.push(numbers("div"));
        }
        if asked.is_top1 {
            let _compared = (flags("ge"), flags("gt"));
            outputs.push(flags("bitwise_and"));
        }
        drop((statistics, tile, rows));
        (outputs, log_z)
    }

    /// The gradients of hidden states, weight and bias, which are summed in float32.
    fn scored_backward(&self, inputs: &[Tensor], needed: &[bool], narrow: DType) -> Grads {
        let [x, weight, bias @ ..] = inputs else {
            return Grads::new();
        };
        let (n, hidden, vocab) = (x.dim(0), x.dim(1), weight.dim(0));
        let sums: Vec<Option<Tensor>> = (inputs.iter().zip(needed))
            .map(|(x, needed)| needed.then(|| self.empty("zeros", *x.shape(), DType::Float32)))
            .collect();
        let tile = self.empty("empty", Shape::from([n.min(TOKENS), COLUMNS]), narrow);
        let products = sums.iter().take(2).flatten().count();
        let (mut rows, mut columns) = (None, None);
        for Range { start, end } in Self::tiles(n) {
            let new = self.to(&self.slice(x, 0, start, end), narrow);
            rows.replace(new);
            for at in 0..vocab.div_ceil(COLUMNS) {
                let (first, last) = (at * COLUMNS, vocab.min((at + 1) * COLUMNS));
                let new = self.to(&self.slice(weight, 0, first, last), narrow);
                columns.replace(new);
                self.computes(&[end - start, hidden, last - first]);
                self.gemm_workspace("mm");
                if let Some(bias) = bias.first() {
                    drop(self.to(&self.slice(bias, 0, first, last), narrow));
                }
                for _ in 0..products {
                    self.computes(&[end - start, hidden, last - first]);
                    self.gemm_workspace("addmm");
                }
                if sums.get(2).is_some_and(Option::is_some) {
                    let part = self.slice(&tile, 0, 0, end - start);
                    let part = self.slice(&part, 1, 0, last - first);
                    let shape = Shape::from([1, last - first]);
                    drop(self.reduce("sum", &part, shape, DType::Float32));
                }
            }
        }
        let cast =
            |(sum, x): (&Option<Tensor>, &Tensor)| sum.as_ref().map(|sum| self.to(sum, x.dtype()));
        let gradients: Grads = sums.iter().zip(inputs).map(cast).collect();
        drop((sums, tile, rows, columns));
        gradients
    }

    /// `selective_log_softmax` by TRL's kernel: logits `[B, S, V]`, which may be a slice, and tokens `[B, S]` to their
    /// log-probabilities in float32. Saves both, the logarithm of the softmax's sums and the mean logit
    /// (`kernels/logprob_entropy.py`).
    pub fn selected_log_probs(&self, logits: &Tensor, targets: &Tensor) -> Tensor {
        let numbers = |op| self.empty(op, *targets.shape(), DType::Float32);
        let (log_probs, kept) = self.unrecorded(|| {
            let log_probs = numbers("empty");
            let _entropy = numbers("empty_like");
            let log_z = numbers("empty_like");
            (log_probs, vec![log_z, numbers("empty_like")])
        });
        self.selected(logits, targets, log_probs, kept)
    }

    /// `selective_log_softmax` by axolotl's kernel, of contiguous logits, without the mean logit (`monkeypatch/trainer/utils.py`).
    pub fn selected_log_probs_alone(&self, logits: &Tensor, targets: &Tensor) -> Tensor {
        let numbers = |op| self.empty(op, *targets.shape(), DType::Float32);
        let (log_probs, log_z) = self.unrecorded(|| (numbers("empty"), numbers("empty")));
        self.selected(logits, targets, log_probs, vec![log_z])
    }

    /// The node of a kernel that has computed log-probabilities of logits and keeps numbers of each token beside.
    fn selected(
        &self,
        logits: &Tensor,
        targets: &Tensor,
        log_probs: Tensor,
        kept: Vec<Tensor>,
    ) -> Tensor {
        if !self.records(&[logits]) {
            return log_probs;
        }
        let saved = [logits, targets].map(|x| self.save(x));
        let beside: Vec<_> = kept.iter().map(|x| self.save(x)).collect();
        drop(kept);
        let backward = move |t: &Tape, g: &Grads| {
            if g[0].is_none() {
                return Grads::new();
            }
            let [logits, _targets] = saved.each_ref().map(|saved| saved.unpack(t));
            let _beside: Vec<Tensor> = beside.iter().map(|saved| saved.unpack(t)).collect();
            smallvec![Some(t.empty("empty_like", *logits.shape(), logits.dtype()))]
        };
        let [log_probs] = self.function(&[logits], [log_probs], Box::new(backward));
        log_probs
    }

    /// `x[mask]` of `[B, S]` whole numbers and flags of the same shape, which hold for n of them: `[n]`.
    pub fn flagged_numbers(&self, x: &Tensor, mask: &Tensor, n: u64) -> Tensor {
        let _found = self.nonzero(mask.numel(), Shape::from([2, n]));
        self.empty("index", Shape::from([n]), x.dtype())
    }

    /// `x[mask]` of numbers `[B, S]` and flags of the same shape, which hold for n of them: `[n]`. Saves the mask, in
    /// which they are looked for once more when the gradient is added to zeros.
    pub fn flagged_values(&self, x: &Tensor, mask: &Tensor, n: u64) -> Tensor {
        let rows = self.flagged_rows(&self.unsqueeze(x, 2), mask, n);
        self.view(&rows, [n])
    }

    /// `x.new_zeros(mask.shape).masked_scatter(mask, x)`: numbers `[n]` in the places of a mask `[B, S]` that
    /// holds for so many. Saves the mask
    /// (`aten/src/ATen/native/cuda/IndexKernel.cpp`, torch 2.15).
    pub fn scattered_numbers(&self, x: &Tensor, mask: &Tensor) -> Tensor {
        const OP: &str = "masked_scatter";
        let zeros = self.empty("new_zeros", *mask.shape(), x.dtype());
        let saved = self.records(&[x]).then(|| self.save(mask));
        let out = self.empty(OP, *mask.shape(), x.dtype());
        {
            let places = self.empty(OP, *mask.shape(), DType::Int64);
            drop(self.scratch(OP, self.sums_storage(mask.numel())));
            drop(places);
        }
        drop(zeros);
        let Some(saved) = saved else { return out };
        let n = x.numel();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _mask = saved.unpack(t);
                let found = t.nonzero(g.numel(), Shape::from([n, 2]));
                let picked = t.empty("masked_select", Shape::from([n]), g.dtype());
                drop(found);
                smallvec![Some(picked)]
            }),
        )
    }
}
