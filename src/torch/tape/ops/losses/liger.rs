//! Liger's losses, which compute their gradients in forward.
//!
//! Source: liger-kernel 0.8.5, 0.8.1 and 0.5.10, `ops/{cross_entropy,fused_linear_cross_entropy}.py`.

use super::Pieces;
use crate::tape::graph::Grads;
use crate::tape::{LigerRelease, Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// The shape of one number.
const SCALAR: [u64; 0] = [];

/// The results of the fused loss's forward pass.
struct LinearLoss {
    loss: Tensor,
    /// The gradient of the hidden states.
    dx: Tensor,
    /// The gradient of the weight, where it needs one.
    dw: Option<Tensor>,
}

impl Tape {
    /// `LigerCrossEntropyFunction`: logits `[N, V]` and labels `[N]` to the mean loss. The gradient
    /// of the logits takes their place.
    pub fn liger_cross_entropy(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let loss = self.unrecorded(|| {
            let losses = self.empty("zeros", *target.shape(), logits.dtype());
            let _counted = self.counted_targets(target);
            self.sum_all(&losses)
        });
        if !self.records(&[logits]) {
            return loss;
        }
        let saved = self.save(&logits.detach());
        let backward = move |t: &Tape, g: &Grads| {
            if g[0].is_none() {
                return Grads::new();
            }
            let logits = saved.unpack(t);
            t.compared_with_one();
            smallvec![Some(logits.view_with(
                *logits.shape(),
                logits.strides(),
                None
            ))]
        };
        let [loss] = self.function(&[logits], [loss], Box::new(backward));
        loss
    }

    /// `(target != ignore_index).sum().item()`; returns the mask of targets that count, which stays a local variable.
    fn counted_targets(&self, target: &Tensor) -> Tensor {
        let counted = self.empty("ne", *target.shape(), DType::Bool);
        let _total = self.empty("sum", Shape::new(&SCALAR), DType::Int64);
        drop(self.empty("sum", *target.shape(), DType::Int64));
        counted
    }

    /// `torch.equal(grad_output, torch.tensor(1.0))`.
    fn compared_with_one(&self) {
        let scalar = |op, dtype| self.empty(op, Shape::new(&SCALAR), dtype);
        let _one = scalar("tensor", DType::Float32);
        let _equal = scalar("eq", DType::Bool);
        let _all = scalar("all", DType::Bool);
    }

    /// `LigerFusedLinearCrossEntropyFunction`: hidden states `[N, H]`, weight `[V, H]` and labels `[N]` to the mean
    /// loss. The gradients of both are computed in forward, piece by piece, and are all that is saved. The logits of a
    /// piece take about `budget` (`chunk_mem_const`) times the bytes of all hidden states.
    pub fn liger_linear_cross_entropy(
        &self,
        x: &Tensor,
        weight: &Tensor,
        target: &Tensor,
        budget: u64,
    ) -> Tensor {
        let needed = weight.requires_grad();
        let graded = self.records(&[x, weight]);
        let LinearLoss { loss, dx, dw } = self.unrecorded(|| {
            let counted = self.counted_pieces(x, weight, budget);
            match self.backend().liger {
                LigerRelease::V0510 => self.pieces_0510(x, weight, target, counted),
                LigerRelease::V081 => self.pieces_081(x, weight, target, counted),
                LigerRelease::V085 => self.pieces_085([x, weight, target], counted, graded),
            }
        });
        if !self.records(&[x, weight]) {
            return loss;
        }
        let saved_x = self.save(&dx.detach());
        let saved_w = dw.as_ref().map(|dw| self.save(&dw.detach()));
        drop((dx, dw));
        let backward = move |t: &Tape, g: &Grads| {
            if g[0].is_none() {
                return Grads::new();
            }
            let dx = saved_x.unpack(t);
            let dw = saved_w.as_ref().map(|saved| saved.unpack(t));
            t.compared_with_one();
            smallvec![Some(dx), dw.filter(|_| needed)]
        };
        let [loss] = self.function(&[x, weight], [loss], Box::new(backward));
        loss
    }

    /// Rows of a piece and how many pieces there are: as many as V is wider than `budget` times H.
    fn counted_pieces(&self, x: &Tensor, weight: &Tensor, budget: u64) -> Pieces {
        let (n, hidden, vocab) = (x.dim(0), x.dim(1), weight.dim(0));
        let wider = vocab.div_ceil((budget * hidden).max(1)).max(1);
        let mut rows = n.div_ceil(wider).next_power_of_two();
        if self.backend().liger == LigerRelease::V085 {
            rows = rows.min(n);
        }
        let rows = rows.max(1);
        Pieces {
            rows,
            pieces: n.div_ceil(rows),
        }
    }

    /// `fused_linear_cross_entropy_forward` of 0.8.5: products are written into one buffer where
    /// dtypes agree. Nothing but the place of the hidden states' gradient is made where none is asked for.
    fn pieces_085(
        &self,
        [x, weight, target]: [&Tensor; 3],
        Pieces { rows, pieces }: Pieces,
        graded: bool,
    ) -> LinearLoss {
        let (n, hidden, vocab) = (x.dim(0), x.dim(1), weight.dim(0));
        let dx = self.empty("zeros_like", *x.shape(), x.dtype());
        let dw = (graded && weight.requires_grad())
            .then(|| self.empty("zeros_like", *weight.shape(), weight.dtype()));
        let losses = self.empty("zeros", Shape::from([n]), DType::Float32);
        let counted = self.counted_targets(target);
        let autocast = self.autocast_dtype();
        let direct = x.dtype() == weight.dtype() && autocast.is_none_or(|dtype| dtype == x.dtype());
        let buffer = direct.then(|| self.empty("logits", Shape::from([rows, vocab]), x.dtype()));
        for i in 0..pieces {
            let part = self.slice(x, 0, i * rows, n.min((i + 1) * rows));
            let scores = if let Some(buffer) = &buffer {
                let products = ["scores", "their gradient with the weight"];
                for _ in &products[..=usize::from(graded)] {
                    self.computes(&[part.dim(0), hidden, vocab]);
                    self.gemm_workspace("mm");
                }
                buffer.detach()
            } else {
                let scores = self.linear(&part, &self.t(&self.t(weight)), None);
                if graded {
                    drop(self.scored(&scores, weight));
                }
                scores
            };
            if dw.is_some() {
                if scores.dtype().is_half() {
                    let _part = self.cast_or_same(&part, scores.dtype());
                    self.computes(&[part.dim(0), hidden, vocab]);
                    self.gemm_workspace("addmm");
                } else {
                    let sizes = (*weight.shape(), part.dim(0));
                    drop(self.product("mm", sizes, scores.dtype()));
                }
            }
        }
        drop(buffer);
        let loss = self.sum_all(&losses);
        drop((counted, losses));
        LinearLoss { loss, dx, dw }
    }

    /// `fused_linear_cross_entropy_forward` of 0.8.1: the weight's gradient takes each piece's in float32, which is added at
    /// once where the weight is in float32 itself.
    fn pieces_081(
        &self,
        x: &Tensor,
        weight: &Tensor,
        target: &Tensor,
        pieces: Pieces,
    ) -> LinearLoss {
        let dx = self.empty("zeros_like", *x.shape(), x.dtype());
        let dw = weight
            .requires_grad()
            .then(|| self.empty("zeros_like", *weight.shape(), weight.dtype()));
        self.kept_pieces([x, weight, target], pieces, (dx, dw), |part, scores| {
            if weight.dtype() == DType::Float32 && scores.dtype().is_half() {
                let _part = self.cast_or_same(part, scores.dtype());
                self.computes(&[part.dim(0), x.dim(1), weight.dim(0)]);
                self.gemm_workspace("addmm");
            } else {
                let sizes = (*weight.shape(), part.dim(0));
                let product = self.product("mm", sizes, scores.dtype());
                drop(self.cast_or_same(&product, DType::Float32));
            }
        })
    }

    /// `fused_linear_cross_entropy_forward` of 0.5.10.
    fn pieces_0510(
        &self,
        x: &Tensor,
        weight: &Tensor,
        target: &Tensor,
        pieces: Pieces,
    ) -> LinearLoss {
        let dw = weight
            .requires_grad()
            .then(|| self.empty("zeros_like", *weight.shape(), weight.dtype()));
        let dx = self.empty("zeros_like", *x.shape(), x.dtype());
        self.kept_pieces([x, weight, target], pieces, (dx, dw), |part, scores| {
            let _wide = self.cast_or_same(&self.t(scores), x.dtype());
            self.computes(&[part.dim(0), x.dim(1), weight.dim(0)]);
            self.gemm_workspace("addmm");
        })
    }

    /// The loop over pieces before 0.8.5, which keeps the logits of one until those of the next are there: gradients `dx`
    /// and `dw`, and the product of a piece of hidden states and its logits for the latter, where there is one.
    fn kept_pieces(
        &self,
        [x, weight, target]: [&Tensor; 3],
        Pieces { rows, pieces }: Pieces,
        (dx, dw): (Tensor, Option<Tensor>),
        of_weight: impl Fn(&Tensor, &Tensor),
    ) -> LinearLoss {
        let n = x.dim(0);
        let losses = self.empty("zeros", Shape::from([n]), DType::Float32);
        let counted = self.counted_targets(target);
        let mut kept = None;
        for i in 0..pieces {
            let part = self.slice(x, 0, i * rows, n.min((i + 1) * rows));
            let scores = self.linear(&part, &self.t(&self.t(weight)), None);
            kept.replace(scores.clone());
            drop(self.scored(&scores, weight));
            if dw.is_some() {
                of_weight(&part, &scores);
            }
        }
        let loss = self.sum_all(&losses);
        drop((counted, losses, kept));
        LinearLoss { loss, dx, dw }
    }

    /// `scores @ weight`, for which autocast casts the weight and keeps the copy.
    fn scored(&self, scores: &Tensor, weight: &Tensor) -> Tensor {
        let weight = self.cast_down(weight);
        let shape = Shape::from([scores.dim(0), weight.dim(1)]);
        self.product("mm", (shape, weight.dim(0)), scores.dtype())
    }
}
