//! The operations, each defined once: result, saved tensors, temporaries and gradient.
//!
//! Names and formulas are ATen's (`tools/autograd/derivatives.yaml`, torch 2.15). Where a formula
//! has several results, they are computed in the alphabetical order of their names, as autograd's
//! generated code does.

mod activation;
mod assignment;
mod attention;
mod attention_math;
mod cast;
mod clamp;
mod conv_groups;
mod convolution;
mod ctc;
mod depthwise;
mod efficient_attention;
mod embedding;
mod fla;
mod flagged_rows;
mod flash_package;
mod function;
mod general;
mod group_norm;
mod index;
mod liger;
mod liger_experts;
mod logarithm;
mod lora;
mod losses;
mod matmul;
mod norm;
mod pixels;
mod pointwise;
mod quantized;
mod ranks;
mod reduce;
mod routing;
mod samples;
mod sampling;
mod scan;
mod shape;
mod slices;
mod softmax;
mod split;
mod streams;
mod topk;
mod weight_norm;

pub use attention::{Sdpa, SdpaKernel};
pub use convolution::Window;
pub use ctc::Transcripts;
pub use fla::FlaVersion;
pub(super) use fla::Packing;
pub use flash_package::Packed;
pub use general::{Kept, Recurrence, RecurrentCell, RecurrentLayer, Reduction, Steps, Windows};
pub use liger::LigerRelease;
pub use lora::{LoraInput, LoraLayer, LoraWeight};
pub use losses::{Divergence, Headed, TokenOutputs};
pub use quantized::{EightBit, FourBit, Nf4};
pub use ranks::{Gathered, Ring};
