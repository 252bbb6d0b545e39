//! The fused functions of flash-linear-attention, each defined once.
//!
//! Triton kernels allocate nothing by themselves: every tensor is made by the Python around them.
//! Source: `fla/modules` and `fla/ops` of flash-linear-attention 0.6.0 and 0.2.2.

mod chunk;
mod conv;
mod delta;
mod gated_delta;
mod gla;
mod glu;
mod hgrn;
mod kda;
mod loss;
mod norm;
mod norm_linear;
mod packing;
mod padding;
mod recurrent;
mod retention;
mod shared_delta;

pub(in crate::tape) use packing::Packing;

/// The versions of flash-linear-attention whose functions are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlaVersion {
    /// 0.2.2, with torch 2.6.
    V022,
    /// 0.6.0, with torch 2.15.
    #[default]
    V060,
}
