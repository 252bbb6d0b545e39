//! A causal language model around its layers, and a layer of residual streams around its parts.

mod altup;
mod bends;
mod causal;
mod layer;
mod layer_inputs;
mod mixer;
mod outputs;
mod parts;
mod running;
mod shared;
mod shell;
mod stage;

pub(crate) use altup::Alternating;
pub(crate) use causal::{Causal, Layer};
pub(crate) use layer::DecoderLayer;
pub(crate) use layer_inputs::InputGate;
pub(crate) use shared::{Crossing, KeptStates, Shared};
pub(crate) use shell::{Block, Shell, WeighingBlock};
