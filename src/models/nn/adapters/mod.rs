//! Adapters beside and in the place of layers, as PEFT attaches them.

mod adapted;
mod dora;
mod factors;
mod kernels;
pub(crate) mod lora;
mod wrapped;

pub(crate) use dora::BaseWeight;
pub(crate) use kernels::{gated_mlp, projections};
pub(crate) use lora::{Adapter, Made, Slot, Target, Used, first_factor, running};
pub(crate) use wrapped::{Opened, Wrapped};
