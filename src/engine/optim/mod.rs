//! The optimizers: their states for each parameter and the temporaries of a step.
//!
//! Every optimizer is a program over the tape's parameters and gradients, written in the order in
//! which its PyTorch implementation allocates and frees. The room knows no model and no loss.
//!
//! Source: `torch/optim/*.py`, torch 2.15, and `transformers/optimization.py`, transformers 5.23.

mod adafactor;
mod adam;
mod adam_mini;
mod adaptive;
mod apollo;
mod bitsandbytes;
mod clip;
mod lion;
mod lomo;
mod master_weights;
mod megatron;
mod muon;
mod scaler;
mod schedule_free;
mod sgd;
mod state;
mod torchao;

pub use clip::clip_grad_norm;
pub use scaler::GradScaler;
pub use state::Optimizer;
