//! All formats.

use super::format::Format;
use super::{
    accelerate, axolotl, deepspeed, examples, launcher, llama_factory, llama_factory_v1, megatron,
    openrlhf, peft, swift, torchtitan, torchtune, trainer, trl, verl,
};

/// All formats, those first that others rest on.
pub static FORMATS: &[Format] = &[
    trainer::FORMAT,
    trl::FORMAT,
    examples::FORMAT,
    llama_factory::FORMAT,
    llama_factory_v1::FORMAT,
    swift::FORMAT,
    openrlhf::FORMAT,
    verl::FORMAT,
    axolotl::FORMAT,
    torchtune::FORMAT,
    torchtitan::FORMAT,
    megatron::FORMAT,
    peft::FORMAT,
    accelerate::FORMAT,
    deepspeed::FORMAT,
    launcher::FORMAT,
];

/// The format with a name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Formats that are read and not written.
const READ_ONLY: &[&str] = &[
    "llama-factory-v1",
    "ms-swift",
    "openrlhf",
    "transformers-examples",
    "verl",
];

/// Whether scenarios are written in a format, too.
pub fn is_written(format: &Format) -> bool {
    !READ_ONLY.contains(&format.name)
}
