//! Operations as ATen has them, over any dimensions, as exported graphs use them.
//!
//! Source: `tools/autograd/derivatives.yaml` and `aten/src/ATen/native`, torch 2.15, where cuDNN is off.

mod binary;
mod convolution;
mod depthwise;
mod grids;
mod in_place;
mod indexing;
mod losses;
mod normalization;
mod pooling;
mod products;
mod recurrent;
mod reduction;
mod transposed;
mod unary;
mod unknown;
mod views;
mod windows;

pub use losses::Reduction;
pub use recurrent::{Recurrence, RecurrentCell, RecurrentLayer};
pub use unary::Kept;
pub use views::Steps;
pub use windows::Windows;
