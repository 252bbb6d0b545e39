//! All formats.

use super::format::Format;
use super::{
    accelerate, axolotl, deepspeed, launcher, llama_factory, megatron, peft, torchtitan, torchtune,
    trainer, trl,
};

/// All formats, those first that others rest on.
pub static FORMATS: &[Format] = &[
    trainer::FORMAT,
    trl::FORMAT,
    llama_factory::FORMAT,
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
