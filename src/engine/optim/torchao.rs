//! torchao's Adam with states in 8 or 4 bits or in float8, whose step is compiled for each parameter.
//!
//! Source: `torchao/optim/{adam,subclass_8bit,subclass_4bit,subclass_fp8}.py`, torchao 0.18, and the allocations of
//! what inductor of torch 2.15 makes of them.

use super::state::{Optimizer, State, for_each_gradient, state_of};
use crate::ask::OptimizerName;
use crate::tape::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};

/// Smaller tensors keep their states as they are.
const SMALLEST: u64 = 4096;

/// How states are held.
#[derive(Clone, Copy)]
struct Layout {
    /// Elements that share a scale.
    block: u64,
    /// Elements of a byte.
    packed: u64,
    /// Entries of the table that decodes them.
    table: Option<u64>,
    name: OptimizerName,
    /// Whether weights in bfloat16 are rounded at random, from a seed on the device.
    stochastic: bool,
}

impl Layout {
    fn of(options: &crate::ask::Optimizer) -> Self {
        let name = options.name;
        let (block, packed, table) = match name {
            // `block_size` of `_get_torchao_optimizer` (`trainer_optimizer.py`, transformers 5.23).
            OptimizerName::TorchAo4bit if options.by_trainer => (256, 2, Some(16)),
            OptimizerName::TorchAo4bit => (128, 2, Some(16)),
            OptimizerName::TorchAoFp8 => (256, 1, None),
            _ => (256, 1, Some(256)),
        };
        Self {
            block,
            packed,
            table,
            name,
            stochastic: options.bf16_stochastic_round,
        }
    }

    fn quantizes(self, n: u64) -> bool {
        n >= SMALLEST && n.is_multiple_of(self.block)
    }

    /// The state of one moment.
    fn moment(self, t: &Tape, parameter: &Tensor) -> State {
        let n = parameter.numel();
        if !self.quantizes(n) {
            let shape = parameter.shape().dims();
            return vec![state_of(t, "zeros_like", shape, parameter.dtype())];
        }
        let mut kept = vec![
            state_of(t, "zeros", &[n / self.packed], DType::UInt8),
            state_of(t, "zeros", &[n / self.block], DType::Float32),
        ];
        let table = self
            .table
            .map(|n| state_of(t, "tensor", &[n], DType::Float32));
        kept.extend(table);
        kept
    }

    /// Temporaries of the compiled step of a parameter: none where a row is whole blocks or a block whole rows, so that
    /// moments, their scales and their codes are made at once (of 8 bits), else moments in float32 and codes beside
    /// them.
    fn takes(self, t: &Tape, parameter: &Tensor) {
        const OP: &str = "compiled";
        let n = parameter.numel();
        let rounds = self.stochastic && parameter.dtype() == DType::BFloat16;
        let seed =
            || rounds.then(|| t.hold(OP, &Shape::from([1]), DType::Int64, Category::Temporaries));
        if !self.quantizes(n) {
            drop(seed());
            return;
        }
        let columns = parameter.dim(-1).max(1);
        let fits = columns.is_multiple_of(self.block) || self.block.is_multiple_of(columns);
        let numbers =
            |n, dtype| -> Storage { t.hold(OP, &Shape::from([n]), dtype, Category::Temporaries) };
        let pair = |n, dtype| [numbers(n, dtype), numbers(n, dtype)];
        let scales = || pair(n / self.block, DType::Float32);
        match self.name {
            OptimizerName::TorchAoFp8 => {
                let scales = (!fits).then(scales);
                let [first, second] = pair(n, DType::Float32);
                drop(seed());
                drop(scales);
                let codes = [first, second].map(|moment| {
                    drop(numbers(n, DType::UInt8));
                    let codes = numbers(n, DType::UInt8);
                    drop(moment);
                    codes
                });
                drop(codes);
            }
            OptimizerName::TorchAo4bit => {
                let scales = scales();
                let moments = pair(n, DType::Float32);
                let codes = pair(n, DType::Int64);
                drop(seed());
                drop((moments, codes, scales));
            }
            _ if fits => drop(seed()),
            _ => {
                let scales = scales();
                let moments = pair(n, DType::Float32);
                let seed = seed();
                drop((moments, seed, scales));
            }
        }
    }
}

impl Optimizer {
    /// State: both moments; the counter is on the host.
    pub(super) fn torchao(&mut self, t: &Tape) {
        let layout = Layout::of(&self.options);
        let states = &mut self.states;
        for_each_gradient(t, |i, parameter, _| {
            let state = super::state::state_at(states, i);
            if state.is_empty() {
                let moments = (0..2).map(|_| layout.moment(t, parameter));
                state.extend(moments.flatten());
            }
            layout.takes(t, parameter);
        });
    }
}
