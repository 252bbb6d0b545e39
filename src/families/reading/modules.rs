//! The modules of an architecture by name, as `named_modules` gives them: what frozen parts and
//! adapters are matched against.

use super::decoder;
use crate::ask::{Framework, Task};
use crate::families::bart::reader as bart;
use crate::families::beit::reader as beit;
use crate::families::bert::modules as bert_modules;
use crate::families::clip::reader as dual;
use crate::families::conv_nets::reader as conv_nets;
use crate::families::distilbert::reader as distilbert;
use crate::families::eurobert::reader as eurobert;
use crate::families::fla::modules as fla_modules;
use crate::families::image_text::reader as image_text;
use crate::families::modernbert::reader as modernbert;
use crate::families::swin::reader as swin;
use crate::families::t5::reader as t5;
use crate::families::t5gemma::reader as t5gemma;
use crate::families::vit::reader as vit;
use crate::families::wav2vec2::reader as speech;
use crate::model::{Architecture, Module, linear, output};

/// All modules with parameters, in the order in which they are built.
pub fn modules(architecture: &Architecture, task: Task, framework: Framework) -> Vec<Module> {
    match architecture {
        Architecture::Linear(config) => vec![linear("", config.bias)],
        Architecture::Decoder(config) => {
            let mut all = decoder::modules(config, framework);
            if let (Task::SequenceClassification, Some(head)) = (task, all.last_mut()) {
                *head = output("score", false);
            }
            if let Some(images) = &config.images {
                all = image_text::modules(images, all);
            }
            all
        }
        Architecture::Fla(config) => fla_modules::modules(config),
        Architecture::T5(config) => t5::modules(config),
        Architecture::T5Gemma(config) => t5gemma::modules(config),
        Architecture::Bart(config) => bart::modules(config, framework),
        Architecture::DistilBert(config) => distilbert::modules(config, task),
        Architecture::ModernBert(config) => modernbert::modules(config, task),
        Architecture::EuroBert(config) => eurobert::modules(config, task),
        Architecture::Dual(config) => dual::modules(config),
        Architecture::Speech(config) => speech::modules(config, task),
        Architecture::ConvNet(config) => conv_nets::modules(config),
        Architecture::Beit(config) => beit::modules(config),
        Architecture::Swin(config) => swin::modules(config),
        Architecture::Vit(config) => vit::modules(config, framework),
        Architecture::Bert(config) => bert_modules::modules(config, task),
    }
}
