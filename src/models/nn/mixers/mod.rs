//! Modules that mix tokens without attention: state spaces, convolutions, delta rules, linear attention.

mod causal_conv;
mod chunk_scan;
mod chunk_sums;
mod decay_rate;
mod gated_delta;
mod lightning;
pub(crate) mod mamba;
mod mamba2;
mod mamba2_before_5;
mod mamba_before_5;
mod mamba_scan;
mod short_conv;

pub(crate) use causal_conv::CausalConv;
pub(crate) use chunk_sums::{Rates, Scanned, scan};
pub(crate) use decay_rate::decay_rate;
pub(crate) use gated_delta::GatedDelta;
pub(crate) use lightning::Lightning;
pub(crate) use mamba::Mixer;
pub(crate) use mamba2::{Mamba2Mixer, before_inputs};
pub(crate) use short_conv::ShortConv;
