//! Adapters beside and in the place of layers, as PEFT attaches them.

mod adapted;
mod dora;
mod factors;
pub(crate) mod lora;
mod wrapped;

pub(crate) use dora::BaseWeight;
pub(crate) use lora::{Adapter, Made, Slot, Target, Used, first_factor, running};
pub(crate) use wrapped::{Opened, Wrapped};
