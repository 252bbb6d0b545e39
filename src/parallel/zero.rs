//! DeepSpeed's `ZeRO`: stages 1 and 2 divide optimizer states and gradients, stage 3 parameters, too.
//!
//! Source: `deepspeed/runtime/zero/{stage_1_and_2,stage3}.py` and `deepspeed/runtime/engine.py`,
//! DeepSpeed 0.19.8; methods name the function they mirror. One group of parameters, as `torch.optim` is
//! given `model.parameters()`.

mod buckets;
mod norm;
mod stage_1_and_2;

pub(super) use stage_1_and_2::Stage1And2;
