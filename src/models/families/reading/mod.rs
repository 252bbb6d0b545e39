//! Reading configs: their fields, the registry of types, and what readers share.

#[cfg(test)]
mod config_fields;
pub(crate) mod decoder;
mod essential;
pub(crate) mod experts;
mod guess;
pub(crate) mod layer_lists;
mod model;
pub(crate) mod options;
mod size_only;
pub(crate) mod window;

pub use essential::essential_config;
pub use experts::why_unbalanced;
pub use model::{ReadModel, read};
