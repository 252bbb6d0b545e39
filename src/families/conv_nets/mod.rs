//! `ConvNeXT` and `ResNet`.

mod convnext;
mod models;
pub(crate) mod reader;
mod resnet;

pub(crate) use convnext::ConvNext;
pub(crate) use resnet::ResNet;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{CONVNEXT, CONVNEXTV2, RESNET};
