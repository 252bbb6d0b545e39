//! Blocks that models are built of, module by module, written the way the PyTorch modules they mirror read.
//!
//! Each folder is a door of its own: how modules are built under their names (`build`), adapters, attention and
//! its masks, multilayer perceptrons, mixtures of experts, what mixes tokens without attention (`mixers`), a
//! decoder around its layers, heads with their losses, and vision towers. A module is built with a
//! [`build::Builder`], which knows where in the model it stands: so parts can be frozen by name without any
//! module knowing of it.
//!
//! Not here: whole models (`families`), training loops and optimizers (`sim`, `optim`).
//! Source: transformers 5.23, `models/*/modeling_*.py`; what other versions do differently is asked of
//! [`build::Facts`].

pub(crate) mod adapters;
pub(crate) mod attention;
pub(crate) mod build;
pub(crate) mod decoder;
pub(crate) mod experts;
pub(crate) mod heads;
pub(crate) mod masks;
pub(crate) mod megatron;
pub(crate) mod mixers;
pub(crate) mod mlp;
pub(crate) mod vision;

pub use build::{Facts, Output, Request, Scored};
pub use heads::loss;
pub use masks::BatchShape;
pub use megatron::{GptModel, StageLayers, TransformerConfig};
pub use vision::ImageFeatures;
