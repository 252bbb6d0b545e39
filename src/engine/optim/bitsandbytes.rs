//! The optimizers of bitsandbytes: states in 8 bits with a scale a block, or in 32 bits, in the
//! GPU's memory or in pages that the driver moves between host and GPU.
//!
//! Source: `bitsandbytes/optim/optimizer.py`, bitsandbytes 0.45 and 0.50. No step has temporaries.

use super::state::{Optimizer, State, state_of};
use crate::ask::OptimizerName;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `min_8bit_size`: smaller tensors keep their states in float32.
const MIN_8BIT: u64 = 4_096;
/// Elements that share a scale.
const BLOCK: u64 = 256;
/// States of tensors with fewer elements are never paged.
const MIN_PAGED: u64 = 100_000;
/// Entries of the table that decodes 8 bits.
const TABLE: u64 = 256;

/// The layout of a bitsandbytes optimizer's state.
#[derive(Clone, Copy)]
struct Layout {
    /// States a parameter: two for Adam, one for Lion and SGD.
    states: usize,
    /// Whether large tensors' states have 8 bits.
    eight_bits: bool,
    /// Whether large tensors' states are managed memory, which PyTorch's allocator never sees.
    paged: bool,
    /// Whether each parameter has an optimizer of its own.
    alone: bool,
    /// Whether embeddings' states have 32 bits (`GlobalOptimManager` in `Trainer.create_optimizer`, transformers 5.23).
    wide_embeddings: bool,
}

impl Layout {
    fn of(options: &crate::ask::Optimizer) -> Self {
        use OptimizerName::{
            AdamW32bitBitsAndBytes, Lion8bit, PagedAdamW8bit, PagedAdamW32bit, Sgd8bit,
        };
        let name = options.name;
        Self {
            states: if matches!(name, Lion8bit | Sgd8bit) {
                1
            } else {
                2
            },
            eight_bits: !matches!(name, AdamW32bitBitsAndBytes | PagedAdamW32bit),
            paged: matches!(name, PagedAdamW8bit | PagedAdamW32bit),
            alone: options.in_backward,
            wide_embeddings: options.by_trainer,
        }
    }
}

impl Optimizer {
    /// One step; in the first the states are made.
    pub(super) fn bitsandbytes(&mut self, t: &Tape) {
        let layout = Layout::of(&self.options);
        let mut tables = std::mem::take(&mut self.shared);
        self.init(t, |parameter| states(t, parameter, layout, &mut tables));
        self.shared = tables;
    }
}

fn states(t: &Tape, parameter: &Tensor, layout: Layout, tables: &mut State) -> State {
    let numel = parameter.numel();
    let wide = layout.wide_embeddings && parameter.is_embedding();
    let eight_bits = layout.eight_bits && numel >= MIN_8BIT && !wide;
    if eight_bits && tables.is_empty() {
        tables
            .extend((0..layout.states).map(|_| state_of(t, "_to_copy", &[TABLE], DType::Float32)));
    }
    // Optimizers of one parameter each have tables of their own.
    let mut all = if layout.alone {
        std::mem::take(tables)
    } else {
        State::new()
    };
    if !(layout.paged && numel >= MIN_PAGED) {
        let dtype = if eight_bits {
            DType::UInt8
        } else {
            DType::Float32
        };
        let shape = parameter.shape().dims();
        all.extend((0..layout.states).map(|_| state_of(t, "zeros_like", shape, dtype)));
    }
    if eight_bits {
        let blocks = numel.div_ceil(BLOCK);
        all.extend((0..layout.states).map(|_| state_of(t, "zeros", &[blocks], DType::Float32)));
    }
    all
}
