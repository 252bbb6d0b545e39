//! `ConvNeXT` and `ResNet`.

mod convnext;
mod models;
pub(crate) mod reader;
mod resnet;

pub(crate) use convnext::build_convnext;
pub(crate) use resnet::build_resnet;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{CONVNEXT, CONVNEXTV2, RESNET};
