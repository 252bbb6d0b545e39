//! `torch.nn.functional.scaled_dot_product_attention` and its kernels.

use super::ranks::Ring;
use crate::tape::graph::{Edge, Grads};
use crate::tape::kept_operations::Operation;
use crate::tape::recorder::Storage;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

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

/// Arguments of `scaled_dot_product_attention` besides tensors.
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
    /// The ring, where queries, keys and values are those of a part of the sequence.
    pub ring: Option<Ring>,
}

/// The results of a fused kernel: the output, the log of the softmax's sums and the generator's state.
pub(super) struct Attended {
    pub(super) out: Tensor,
    pub(super) lse: Tensor,
    pub(super) generator: [Tensor; 2],
}

/// The columns of a head are a multiple of this in flash attention.
const FLASH_COLUMNS: u64 = 8;
/// Flash attention rounds head sizes up to this.
const FLASH_HEAD: u64 = 32;
/// The widest heads of flash attention.
const WIDEST_FLASH_HEAD: u64 = 256;
/// Bytes of the seed and of the offset of the random number generator.
pub(super) const PHILOX: u64 = 8;

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
            // torch 2.6 and 2.11 leave heads that must be broadcast to the math kernel, but where
            // FlashAttention is told (`check_batch_size_and_num_heads_dense`, `sdp_utils_cpp.h`).
            let broadcast = !self.backend().sdpa_broadcasts_heads
                && k.dim(1) != q.dim(1)
                && !(options.grouped && flash);
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
                    self.flash_attention(&q, &k, &v, options)
                }
                SdpaKernel::Flash => self.padded_flash_attention([&q, &k, &v], options),
                SdpaKernel::Math => self.math_attention(&q, &k, &v, mask.as_ref(), options),
                SdpaKernel::Efficient => {
                    let bias = mask
                        .as_ref()
                        .map(|mask| self.additive_mask(mask, q.dtype()));
                    let bias = bias.map(|bias| self.preprocessed(bias, &q, &k));
                    self.efficient_attention(&q, &k, &v, bias.as_ref(), options)
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
    fn padded_flash_attention(&self, all: [&Tensor; 3], options: Sdpa) -> Tensor {
        let columns = all[0].dim(-1);
        let aligned = columns.next_multiple_of(FLASH_COLUMNS);
        let [q, k, v] = all.map(|x| {
            let mut shape = *x.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = aligned;
            self.pad(x, shape)
        });
        let out = self.flash_attention(&q, &k, &v, options);
        self.slice(&out, -1, 0, columns)
    }

    /// Flash attention (`aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp`, torch
    /// 2.15). Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    fn flash_attention(&self, q: &Tensor, k: &Tensor, v: &Tensor, options: Sdpa) -> Tensor {
        let Sdpa { dropout, ring, .. } = options;
        let records = self.records(&[q, k, v]);
        let saved = records.then(|| [self.save(k), self.save(q), self.save(v)]);
        let Attended {
            out,
            lse,
            generator,
        } = match ring {
            Some(ring) => self.ring_attention(ring, SdpaKernel::Flash, [q, k, v], dropout),
            None => self.kept_attention(|| self.flash_kernel(q, k, dropout)),
        };
        let Some(saved) = saved else { return out };
        let result = [&lse, &out.detach(), &generator[0], &generator[1]].map(|t| self.save(t));
        if ring.is_some() {
            drop(lse);
        }
        let node = self.node(
            &[q, k, v],
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [k, q, v] = saved.each_ref().map(|s| s.unpack(t));
                let result = result.each_ref().map(|s| s.unpack(t));
                match ring {
                    Some(ring) => {
                        let all = [&q, &k, &v];
                        t.ring_attention_backward(ring, SdpaKernel::Flash, g, all, result)
                    }
                    None => t.flash_attention_backward(g, &q, &k, &v, &result[1]),
                }
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    /// Runs a fused kernel, or returns the results that it gave when it ran first.
    pub(super) fn kept_attention(&self, run: impl FnOnce() -> Attended) -> Attended {
        let [out, lse, seed, offset] = self.kept_operation(Operation::Attention, || {
            let Attended {
                out,
                lse,
                generator: [seed, offset],
            } = run();
            [out, lse, seed, offset]
        });
        let generator = [seed, offset];
        Attended {
            out,
            lse,
            generator,
        }
    }

    /// The forward kernel.
    pub(super) fn flash_kernel(&self, q: &Tensor, k: &Tensor, dropout: bool) -> Attended {
        const OP: &str = "_scaled_dot_product_flash_attention";
        let out = self.like(OP, q);
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        self.attends([b * a, s, k.dim(2)], [d, d]);
        let lse = self.empty(OP, Shape::from([b, a, s]), DType::Float32);
        // The queries of a single token that share keys become positions.
        let groups = if s == 1 { a / k.dim(1) } else { 1 };
        let partials = (!dropout)
            .then(|| self.flash_partial_results(OP, b * a / groups, s * groups, k.dim(2), d));
        let stays = self.backend().flash_keeps_generator;
        let mut generator = [
            self.generator_state(OP, 2 * PHILOX, stays),
            self.generator_state(OP, PHILOX, stays),
        ];
        if dropout {
            generator[0] = self.generator_state(OP, 2 * PHILOX, stays);
        }
        drop(partials);
        Attended {
            out,
            lse,
            generator,
        }
    }

    /// A part of the random generator's state: nothing where the version keeps it on the host.
    pub(super) fn generator_state(&self, op: &'static str, bytes: u64, stays: bool) -> Tensor {
        let bytes = if stays { bytes } else { 0 };
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
    pub(super) fn flash_attention_backward(
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
        self.attends_backward([b * a, s, s_keys], [d, v.dim(3)]);
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
