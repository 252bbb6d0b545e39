//! `torch.nn.functional.scaled_dot_product_attention` and its kernels.

use crate::tape::graph::{Edge, Grads};
use crate::tape::recorder::Storage;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// The kernel behind `scaled_dot_product_attention`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SdpaKernel {
    /// `_scaled_dot_product_flash_attention`: halves, no mask.
    Flash,
    /// `_scaled_dot_product_efficient_attention`.
    Efficient,
    /// `_scaled_dot_product_attention_math`.
    Math,
}

/// What `scaled_dot_product_attention` is called with besides tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdpa {
    /// The only kernel that is enabled.
    pub forced: Option<SdpaKernel>,
    /// Whether positions see no later ones; only without a mask.
    pub causal: bool,
    /// Whether `dropout_p` is above zero.
    pub dropout: bool,
    /// Whether keys and values of fewer heads than queries are announced (`enable_gqa`).
    pub grouped: bool,
}

/// The columns of a head are a multiple of so many in flash attention.
const FLASH_COLUMNS: u64 = 8;
/// Flash attention rounds head sizes up to this.
const FLASH_HEAD: u64 = 32;
/// The widest heads of flash attention.
const WIDEST_FLASH_HEAD: u64 = 256;
/// The widest heads whose results memory-efficient attention keeps in registers.
const WIDE_HEAD: u64 = 128;
/// Bytes of the seed and of the offset of the random number generator.
const PHILOX: u64 = 8;

impl Tape {
    /// `scaled_dot_product_attention(q, k, v, mask)`: q `[B, A, S, D]`, k and v `[B, K, S, D]`, to
    /// `[B, A, S, D]`. A mask `[B, 1, S, S]` is boolean or is added to the scores.
    pub fn sdpa(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        mask: Option<&Tensor>,
        options: Sdpa,
    ) -> Tensor {
        let options = Sdpa {
            dropout: options.dropout && self.training.get(),
            ..options
        };
        // C++ evaluates the casts from the last argument to the first.
        let mask = mask.map(|mask| self.cast_down(mask));
        let v = self.cast_down(v);
        let k = self.cast_down(k);
        let q = self.cast_down(q);
        self.without_autocast(|| {
            // Flash attention wants values as wide as queries and keys, and no wider than this
            // (`check_head_dim_size_flash`, `sdp_utils.cpp`).
            let narrow = q.dim(-1) == v.dim(-1) && q.dim(-1) <= WIDEST_FLASH_HEAD;
            let flash = q.dtype().is_half() && mask.is_none() && narrow;
            // torch 2.6 leaves heads that must be broadcast to the math kernel.
            let broadcast =
                !self.backend().sdpa_broadcasts_heads && !options.grouped && k.dim(1) != q.dim(1);
            // The fused kernels want masks whose last dimension is dense
            // (`check_last_dim_stride_equals_1_dense`), even where it holds one key.
            let sparse = mask.as_ref().is_some_and(|mask| {
                let strides = mask.strides();
                strides.dims().last() != Some(&1)
            });
            // The memory-efficient kernel reads 16 bytes at once (`check_head_dim_size_mem_efficient`);
            // FlashAttention is given padded heads.
            let aligned = |x: &Tensor| (x.dim(-1) * x.dtype().size()).is_multiple_of(16);
            match options.forced.unwrap_or(if broadcast || sparse {
                SdpaKernel::Math
            } else if flash {
                SdpaKernel::Flash
            } else if aligned(&q) && aligned(&v) {
                SdpaKernel::Efficient
            } else {
                SdpaKernel::Math
            }) {
                SdpaKernel::Flash if q.dim(-1).is_multiple_of(FLASH_COLUMNS) => {
                    self.flash_attention(&q, &k, &v, options.dropout)
                }
                SdpaKernel::Flash => self.padded_flash_attention([&q, &k, &v], options.dropout),
                SdpaKernel::Math => self.math_attention(&q, &k, &v, mask.as_ref(), options),
                SdpaKernel::Efficient => {
                    let bias = mask
                        .as_ref()
                        .map(|mask| self.additive_mask(mask, q.dtype()));
                    let bias = bias.map(|bias| self.preprocessed(bias, &q, &k));
                    self.efficient_attention(&q, &k, &v, bias.as_ref(), options.dropout)
                }
            }
        })
    }

    /// `convert_boolean_attn_mask`: zeros and minus infinities in `dtype`.
    pub(super) fn additive_mask(&self, mask: &Tensor, dtype: DType) -> Tensor {
        if mask.dtype() != DType::Bool {
            return mask.clone();
        }
        let scalar = || self.empty("scalar_tensor", Shape::new(&[]), dtype);
        let _scalars = (scalar(), scalar());
        self.cast_to("where", mask, dtype)
    }

    /// `pad_bias`: rows that start at multiples of 8 elements, where they do not yet.
    fn aligned_bias(&self, bias: Tensor) -> Tensor {
        const ALIGNMENT: u64 = 8;
        let mut shape = *bias.shape();
        let last = shape.rank() - 1;
        let strides = bias.strides();
        let strides = strides.dims();
        if strides[last] == 1 && strides[..last].iter().all(|n| n.is_multiple_of(ALIGNMENT)) {
            return bias;
        }
        shape.dims_mut()[last] += ALIGNMENT - shape.dims()[last] % ALIGNMENT;
        let padded = self.empty("constant_pad_nd", shape, bias.dtype());
        if !self.records(&[&bias]) {
            return padded;
        }
        let unpadded = *bias.shape();
        self.attach(
            &[&bias],
            padded,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                smallvec![Some(t.empty("constant_pad_nd", unpadded, g.dtype()))]
            }),
        )
    }

    /// `preprocess_mask`: the additive mask aligned and seen as one for each sample and head.
    fn preprocessed(&self, bias: Tensor, q: &Tensor, k: &Tensor) -> Tensor {
        let keys = bias.dim(-1);
        let aligned = self.aligned_bias(bias);
        if !aligned.requires_grad() {
            return aligned;
        }
        let sliced = if aligned.dim(-1) == keys {
            aligned
        } else {
            self.slice(&aligned, -1, 0, keys)
        };
        self.expand(&sliced, [q.dim(0), q.dim(1), q.dim(2), k.dim(2)])
    }

    /// [`Self::flash_attention`] of heads that are padded to a multiple of 8 columns (`pad_last_dim`,
    /// `aten/src/ATen/native/transformers/attention.cpp`, torch 2.15).
    fn padded_flash_attention(&self, all: [&Tensor; 3], dropout: bool) -> Tensor {
        let columns = all[0].dim(-1);
        let aligned = columns.next_multiple_of(FLASH_COLUMNS);
        let [q, k, v] = all.map(|x| {
            let mut shape = *x.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = aligned;
            self.pad(x, shape)
        });
        let out = self.flash_attention(&q, &k, &v, dropout);
        self.slice(&out, -1, 0, columns)
    }

    /// Flash attention (`aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp`, torch
    /// 2.15). Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    fn flash_attention(&self, q: &Tensor, k: &Tensor, v: &Tensor, dropout: bool) -> Tensor {
        const OP: &str = "_scaled_dot_product_flash_attention";
        let records = self.records(&[q, k, v]);
        let saved = records.then(|| [self.save(k), self.save(q), self.save(v)]);
        let out = self.like(OP, q);
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        let lse = self.empty(OP, Shape::from([b, a, s]), DType::Float32);
        // The queries of a single token that share keys become positions.
        let groups = if s == 1 { a / k.dim(1) } else { 1 };
        let partials = (!dropout)
            .then(|| self.flash_partial_results(OP, b * a / groups, s * groups, k.dim(2), d));
        let mut generator = [
            self.generator_state(OP, 2 * PHILOX),
            self.generator_state(OP, PHILOX),
        ];
        if dropout {
            generator[0] = self.generator_state(OP, 2 * PHILOX);
        }
        drop(partials);
        let Some(saved) = saved else { return out };
        let result = [&lse, &out.detach(), &generator[0], &generator[1]].map(|t| self.save(t));
        let node = self.node(
            &[q, k, v],
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [k, q, v] = saved.each_ref().map(|s| s.unpack(t));
                let [_lse, out, ..] = &result.each_ref().map(|s| s.unpack(t));
                t.flash_attention_backward(g, &q, &k, &v, out)
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    /// A part of the random generator's state: nothing where the version keeps it on the host.
    fn generator_state(&self, op: &'static str, bytes: u64) -> Tensor {
        let bytes = if self.backend().sdpa_keeps_generator {
            bytes
        } else {
            0
        };
        self.empty(op, Shape::from([bytes]), DType::UInt8)
    }

    /// The partial results of a forward pass that is split over the keys (`set_params_splitkv`).
    pub(super) fn flash_partial_results(
        &self,
        op: &'static str,
        heads: u64,
        queries: u64,
        keys: u64,
        head_dim: u64,
    ) -> Option<[Storage; 2]> {
        let key_block = match head_dim {
            0..=64 => 256,
            65..=128 => 128,
            _ => 64,
        };
        let blocks = heads * queries.div_ceil(64);
        let sms = self.backend().multiprocessors;
        let splits = flash_splits(blocks, sms, keys.div_ceil(key_block));
        (splits > 1).then(|| {
            let rows = splits * heads * queries * DType::Float32.size();
            let lse = self.scratch(op, rows);
            [
                lse,
                self.scratch(op, rows * head_dim.next_multiple_of(FLASH_HEAD)),
            ]
        })
    }

    /// `mha_bwd` of `flash_api.cpp`.
    fn flash_attention_backward(
        &self,
        g: &Tensor,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        out: &Tensor,
    ) -> Grads {
        const OP: &str = "_scaled_dot_product_flash_attention_backward";
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        let s_keys = k.dim(2);
        // The kernel reads [B, S, A, D]: gradient and result are copied where they lie otherwise.
        let _copies = [g, out].map(|x| self.contiguous(&self.transpose(x, 1, 2)));
        let rounded = s.next_multiple_of(128);
        let dq = self.like(OP, q);
        let dk = self.like(OP, k);
        let dv = self.like(OP, v);
        let softmax_d = self.empty(OP, Shape::from([b, a, rounded]), DType::Float32);
        let d_rounded = d.next_multiple_of(FLASH_HEAD);
        let dq_accumulated =
            self.empty(OP, Shape::from([b, rounded, a, d_rounded]), DType::Float32);
        let expanded = (k.dim(1) != a).then(|| {
            let shape = Shape::from([b, s_keys, a, d]);
            (
                self.empty(OP, shape, k.dtype()),
                self.empty(OP, shape, k.dtype()),
            )
        });
        drop(expanded);
        drop(dq_accumulated);
        drop(softmax_d);
        smallvec![Some(dq), Some(dk), Some(dv)]
    }

    /// Memory-efficient attention (`aten/src/ATen/native/transformers/cuda/attention.cu`, torch
    /// 2.15). Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    fn efficient_attention(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        bias: Option<&Tensor>,
        dropout: bool,
    ) -> Tensor {
        const OP: &str = "_scaled_dot_product_efficient_attention";
        let records = self.records(&[q, k, v, bias.unwrap_or(q)]);
        // Let go of in the order of their names.
        let saved = records.then(|| {
            let bias = bias.map(|bias| self.save(bias));
            (bias, [self.save(k), self.save(q), self.save(v)])
        });
        // With dropout its state stays on the host.
        let state = if dropout { 0 } else { PHILOX };
        let generator = [
            self.generator_state(OP, state),
            self.generator_state(OP, state),
        ];
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), v.dim(3));
        // The kernel works on [B, S, A, D]; the caller sees it transposed.
        let strides = Shape::from([s * a * d, d, a * d, 1]);
        let out = self.empty_strided(OP, Shape::from([b, a, s, d]), strides, q.dtype());
        let keeps = if records { s.next_multiple_of(32) } else { 0 };
        let lse = self.empty(OP, Shape::from([b, a, keeps]), DType::Float32);
        // Wide heads do not fit into registers: halves are accumulated in float32.
        let wide = q.dim(3).max(d) > WIDE_HEAD && q.dtype().is_half();
        drop(wide.then(|| self.scratch(OP, DType::Float32.size() * out.numel())));
        let Some(saved) = saved else { return out };
        let result = [&lse, &out.detach(), &generator[0], &generator[1]].map(|t| self.save(t));
        let trained = bias.filter(|bias| bias.requires_grad());
        let inputs: SmallVec<[&Tensor; 4]> = [q, k, v].into_iter().chain(trained).collect();
        let bias_shape = trained.map(|bias| *bias.shape());
        let node = self.node(
            &inputs,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let (bias, inputs) = &saved;
                let _bias = bias.as_ref().map(|s| s.unpack(t));
                let [k, q, v] = inputs.each_ref().map(|s| s.unpack(t));
                let result = result.each_ref().map(|s| s.unpack(t));
                t.efficient_attention_backward(g, &q, &k, &v, &result[1], bias_shape)
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    fn efficient_attention_backward(
        &self,
        g: &Tensor,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        out: &Tensor,
        bias: Option<Shape>,
    ) -> Grads {
        const OP: &str = "_scaled_dot_product_efficient_attention_backward";
        /// The gradient of a bias has rows of a multiple of this many elements.
        const BIAS_ALIGNMENT: u64 = 16;
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        let grouped = k.dim(1) != a;
        // Gradients lie as [B, S, A, D], however q, k and v do.
        let placed = |x: &Tensor| {
            let (heads, s, d) = (x.dim(1), x.dim(2), x.dim(3));
            let strides = Shape::from([s * heads * d, d, heads * d, 1]);
            self.empty_strided(OP, *x.shape(), strides, x.dtype())
        };
        let (dq, dk, dv) = (placed(q), placed(k), placed(v));
        let expanded = grouped.then(|| {
            let shape = Shape::from([b, k.dim(2), a, d]);
            (
                self.empty(OP, shape, k.dtype()),
                self.empty(OP, shape, k.dtype()),
            )
        });
        let d_bias = bias.map(|shape| {
            let mut aligned = shape;
            let last = shape.rank() - 1;
            aligned.dims_mut()[last] = shape.dims()[last].next_multiple_of(BIAS_ALIGNMENT);
            let full = self.empty(OP, aligned, q.dtype());
            if aligned == shape {
                full
            } else {
                full.view_with(shape, full.strides(), None)
            }
        });
        // Halves: the kernel computes delta itself. Float32:
        // delta = (grad.float() * out.float()).sum(-1).transpose(1, 2).contiguous()
        let half = q.dtype().is_half();
        let product = (!half).then(|| self.elementwise(OP, &[g, out], DType::Float32));
        let sum = (!half).then(|| self.empty(OP, Shape::from([b, s, a]), DType::Float32));
        let delta = self.empty(OP, Shape::from([b, a, s]), DType::Float32);
        drop(sum);
        drop(product);
        let workspace = self.scratch(
            OP,
            efficient_workspace(b * a, s, k.dim(2), [d, v.dim(3)], half),
        );
        drop(delta);
        drop(workspace);
        drop(expanded);
        let mut grads: Grads = smallvec![Some(dq), Some(dk), Some(dv)];
        grads.extend(d_bias.map(Some));
        grads
    }
}

/// Bytes of the accumulators of the backward kernel, for `heads` = B x A
/// (`AttentionBackwardKernel::Params::workspace_size`, `mem_eff_attention/kernel_backward.h`,
/// torch 2.15): the query's gradient in float32 by tiles, each with a lock; halves with wide heads
/// also accumulate those of keys and values, a block for each part that the keys are split into
/// (`_efficient_attention_backward`, `attention_backward.cu`).
fn efficient_workspace(
    heads: u64,
    queries: u64,
    keys: u64,
    [head_dim, value_dim]: [u64; 2],
    half: bool,
) -> u64 {
    /// Elements of a tile's lock and counter.
    const LOCK: u64 = 4;
    /// Keys of a block of the kernel for wide heads.
    const KEY_BLOCK: u64 = 64;
    /// Parts of the keys over all heads, at most.
    const MOST_PARTS: u64 = 200;
    let (rows, columns) = match (head_dim.max(value_dim), half) {
        (0..=64, _) => (64, 64),
        (65..=128, true) => (128, 128),
        _ => (128, 64),
    };
    let tiles = queries.div_ceil(rows) * head_dim.div_ceil(columns);
    let mut elements = tiles * (rows * columns + LOCK);
    if half && head_dim.max(value_dim) > 128 {
        let columns = head_dim.next_multiple_of(128) + value_dim.next_multiple_of(128);
        let parts = keys.div_ceil(KEY_BLOCK).min(MOST_PARTS / heads).max(1);
        elements += parts * KEY_BLOCK * columns;
    }
    heads * elements * 4
}

/// `num_splits_heuristic` of `flash_api.cpp`: over how many blocks of keys flash attention splits
/// a forward pass that would leave multiprocessors idle. Efficiencies are compared as fractions.
fn flash_splits(blocks: u64, multiprocessors: u64, key_blocks: u64) -> u64 {
    let available = multiprocessors * 2;
    if 10 * blocks >= 8 * available {
        return 1;
    }
    let most = available.min(key_blocks).min(128);
    let eligible = |n: u64| n == 1 || key_blocks.div_ceil(n) != key_blocks.div_ceil(n - 1);
    // Efficiency of n splits: (blocks n / available) / ceil(blocks n / available).
    let efficiency = |n: u64| (blocks * n, (blocks * n).div_ceil(available).max(1));
    let mut best = (0, 1);
    for n in (1..=most).filter(|&n| eligible(n)) {
        let (work, waves) = efficiency(n);
        if work * best.1 > best.0 * waves {
            best = (work, waves);
        }
    }
    (1..=most)
        .filter(|&n| eligible(n))
        .find(|&n| {
            let (work, waves) = efficiency(n);
            100 * work * best.1 >= 85 * best.0 * waves
        })
        .unwrap_or(1)
}
