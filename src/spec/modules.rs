//! The modules of an architecture by name, as `named_modules` gives them: what frozen parts and
//! adapters are matched against.

use super::{
    Architecture, Framework, Task, bart, beit, bert_modules, conv_nets, decoder, distilbert, dual,
    eurobert, fla_modules, image_text, modernbert, speech, swin, t5, t5gemma, vit,
};

/// What a module with parameters is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// A linear layer.
    Linear,
    /// The linear layer that gives the logits.
    Output,
    /// An embedding.
    Embedding,
    /// It has matrices of its own, of experts or a router.
    Matrices,
    /// A norm.
    Other,
}

impl ModuleKind {
    /// Whether it is a linear layer.
    pub const fn is_linear(self) -> bool {
        matches!(self, Self::Linear | Self::Output)
    }
}

/// A module with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its path, as in `model.layers.3.mlp.up_proj`; empty for the model itself.
    pub path: String,
    /// What it is.
    pub kind: ModuleKind,
    /// The names of its own parameters.
    pub parameters: &'static [&'static str],
}

impl Module {
    /// The paths of its parameters.
    pub fn parameter_paths(&self) -> impl Iterator<Item = String> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = move |name| format!("{}{dot}{name}", self.path);
        self.parameters.iter().map(path)
    }

    /// Whether `name` is the whole path or its end, as PEFT matches targets.
    pub fn is_called(&self, name: &str) -> bool {
        is_called(&self.path, name)
    }
}

/// The same of any path.
pub(super) fn is_called(path: &str, name: &str) -> bool {
    let rest = path.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

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

pub(super) fn linear(path: impl Into<String>, bias: bool) -> Module {
    Module {
        path: path.into(),
        kind: ModuleKind::Linear,
        parameters: if bias {
            &["weight", "bias"]
        } else {
            &["weight"]
        },
    }
}

/// A norm without bias.
pub(super) fn other(path: impl Into<String>) -> Module {
    Module {
        path: path.into(),
        kind: ModuleKind::Other,
        parameters: &["weight"],
    }
}

/// `torch.nn.Embedding`.
pub(super) fn embedding(path: impl Into<String>) -> Module {
    Module {
        kind: ModuleKind::Embedding,
        ..other(path)
    }
}

/// `torch.nn.LayerNorm`.
pub(super) fn norm(path: impl Into<String>) -> Module {
    Module {
        parameters: &["weight", "bias"],
        ..other(path)
    }
}

/// The linear layer without bias that gives the logits.
pub(super) fn output(path: &str, tied: bool) -> Module {
    Module {
        path: path.into(),
        kind: ModuleKind::Output,
        parameters: if tied { &[] } else { &["weight"] },
    }
}

/// The same with a bias, which is never tied.
pub(super) fn biased_output(path: &str, tied: bool) -> Module {
    Module {
        parameters: if tied { &["bias"] } else { &["weight", "bias"] },
        ..output(path, tied)
    }
}
