//! Families of models: how each reads its config, the modules that only it has, and how it is put together.
//!
//! A folder holds a family or close relatives: `reader` makes the data of `model` from a `config.json`,
//! `network` and the files beside it read like the family's PyTorch modules. `reading` holds what readers
//! share and the registry of types; `network` any model on the tape, with what goes in and out of it.
//!
//! Not here: checks that are the same for all models (`resolve`), blocks that several families use (`nn`).
//! Invariants: a reader never fails, it returns findings; a family names no other room's internals.

#[cfg(test)]
mod added;
pub(crate) mod bart;
pub(crate) mod beit;
pub(crate) mod bert;
pub(crate) mod bloom;
pub(crate) mod clip;
pub(crate) mod cohere;
pub(crate) mod conv_nets;
pub(crate) mod deberta;
pub(crate) mod deepseek;
pub(crate) mod distilbert;
pub(crate) mod doge;
pub(crate) mod ernie;
pub(crate) mod eurobert;
pub(crate) mod exaone;
pub(crate) mod exported;
pub(crate) mod falcon;
#[cfg(test)]
mod fictitious;
pub(crate) mod fla;
pub(crate) mod gemma;
pub(crate) mod glm;
pub(crate) mod gpt2;
pub(crate) mod gpt_neox;
pub(crate) mod granite;
pub(crate) mod hunyuan;
pub(crate) mod hybrid;
pub(crate) mod image_text;
pub(crate) mod internvl;
pub(crate) mod jetmoe;
pub(crate) mod kimi_linear;
#[cfg(test)]
mod laws;
pub(crate) mod linear;
pub(crate) mod llama;
pub(crate) mod mamba;
pub(crate) mod minimax;
pub(crate) mod mistral;
pub(crate) mod mistral3;
pub(crate) mod mllama;
mod models;
pub(crate) mod modernbert;
pub(crate) mod mpt;
mod names;
pub(crate) mod network;
pub(crate) mod olmo;
pub(crate) mod opt;
pub(crate) mod phi;
pub(crate) mod qwen;
pub(crate) mod qwen_vl;
pub(crate) mod reading;
pub(crate) mod registry;
mod search;
pub(crate) mod swin;
pub(crate) mod t5;
pub(crate) mod t5gemma;
pub(crate) mod torchtitan;
pub(crate) mod torchtune;
pub(crate) mod vit;
pub(crate) mod wav2vec2;

pub use exported::{
    AdaptedModule, Gap, OpenSize, adapted_modules, layer_classes, layer_paths, open_sizes,
    unknown_operations,
};
pub use models::{catalog_model, catalog_models};
pub use names::{Named, Packing, find_model, nearest_model, packing_of_config};
pub use network::{
    Batch, Calling, DividedBatch, GenerateVersion, Model, has_stages, mask_beforehand, modules,
};
pub use reading::{ReadModel, essential_config, read, why_unbalanced};
#[cfg(not(target_arch = "wasm32"))]
pub use registry::{all, fixtures};
pub use registry::{has_known_ends, is_of_blocks, model_types};
pub use search::{search_graphs, search_models, size_in};
pub use torchtune::has_modules as torchtune_has_modules;
