//! Liger's experts: grouped products whose weights are stacked, with gate and activation in one kernel.
//!
//! Source: liger-kernel 0.8.5, `ops/fused_moe.py`.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Rows of a tile (`BLOCK_M_TOKEN`).
const TILE: u64 = 64;

/// Pairs of tokens and experts that a block of the router's kernels reads.
const PAIRS: u64 = 1024;

impl Tape {
    /// `LigerFusedMoEFunction`: tokens `[N, H]` through the experts `[N, K]` that were chosen for them, whose weights
    /// are `[E, 2I, H]` and `[E, H, I]`, weighted by `[N, K]`. Saves the activation's input and the indices of where
    /// tokens go; gradients of both weights are computed whether they are needed or not.
    pub fn liger_experts(
        &self,
        x: &Tensor,
        [up, down]: [&Tensor; 2],
        [chosen, weights]: [&Tensor; 2],
    ) -> Tensor {
        let (n, k, hidden) = (chosen.dim(0), chosen.dim(1), x.dim(1));
        let intermediate = down.dim(2);
        let rows = |columns, dtype| self.empty("experts", Shape::from([n * k, columns]), dtype);
        let records = self.records(&[x, up, down, weights]);
        let (out, active, routes) = self.unrecorded(|| {
            self.computes(&[n * k, hidden, 3 * intermediate]);
            let (_counts, routes) = self.routed([n, k], up.dim(0));
            let active = rows(2 * intermediate, x.dtype());
            let _product = rows(intermediate, x.dtype());
            let _expanded = rows(hidden, x.dtype());
            let out = self.empty("experts", Shape::from([n, hidden]), x.dtype());
            (out, active, routes)
        });
        if !records {
            return out;
        }
        let saved = [x, up, down, &active, weights].map(|x| self.save(&x.detach()));
        let saved_routes = routes.each_ref().map(|route| self.save(route));
        drop((active, routes));
        let narrow = weights.dtype();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let g = t.contiguous(g);
            let [x, up, down, _active, _weights] = saved.each_ref().map(|saved| saved.unpack(t));
            let _routes = saved_routes.each_ref().map(|saved| saved.unpack(t));
            let rows = |columns| {
                let shape = Shape::from([n * k, columns]);
                t.empty("experts_backward", shape, g.dtype())
            };
            t.computes(&[n * k, hidden, 6 * intermediate]);
            let (active, product) = (rows(2 * intermediate), rows(intermediate));
            let scores = t.empty("zeros", Shape::from([n * k]), g.dtype());
            let d_down = t.like("zeros_like", &down);
            let expanded = rows(hidden);
            let dx = t.empty("zeros", *x.shape(), g.dtype());
            let d_up = t.like("zeros_like", &up);
            drop((active, product, expanded));
            let scores = t.view(&scores, [n, k]);
            let scores = t.to(&scores, narrow);
            smallvec![Some(dx), Some(d_up), Some(d_down), Some(scores)]
        };
        let [out] = self.function(&[x, up, down, weights], [out], Box::new(backward));
        out
    }

    /// `compute_routing_metadata`: how many tokens each of the experts gets, which stays a local variable, and the
    /// saved indices of their destinations. Tokens are spread as evenly as can be.
    fn routed(&self, [n, k]: [u64; 2], experts: u64) -> (Tensor, [Tensor; 6]) {
        let ints = |length| self.empty("route", Shape::from([length]), DType::Int32);
        let blocks = n.div_ceil((PAIRS / k.next_power_of_two()).max(1));
        let partial = self.empty("route", Shape::from([experts, blocks]), DType::Int32);
        let counts = self.reduce("sum", &partial, Shape::from([experts]), DType::Int32);
        let (starts, _offsets) = (ints(experts + 1), ints(experts + 1));
        let (each, more) = ((n * k) / experts, (n * k) % experts);
        let tiles = more * (each + 1).div_ceil(TILE) + (experts - more) * each.div_ceil(TILE);
        let of_tiles = [ints(tiles), ints(tiles)];
        let [scatter, back, gather] = [(); 3].map(|()| ints(n * k));
        let [first, expert] = of_tiles;
        (counts, [starts, gather, scatter, back, first, expert])
    }
}
