//! Modules with parameters, by name.

/// The kind of a module with parameters.
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

/// A parameter of a module's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the module.
    pub name: &'static str,
    /// Its shape.
    pub shape: crate::units::Shape,
}

/// A module with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its path, as in `model.layers.3.mlp.up_proj`; empty for the model itself.
    pub path: String,
    /// Its kind.
    pub kind: ModuleKind,
    /// Its own parameters, which modules that repeat share.
    pub parameters: std::rc::Rc<[Parameter]>,
}

impl Module {
    /// The paths of its parameters.
    pub fn parameter_paths(&self) -> impl Iterator<Item = String> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = move |own: &Parameter| format!("{}{dot}{}", self.path, own.name);
        self.parameters.iter().map(path)
    }

    /// Whether `name` is the whole path or its end, as PEFT matches targets.
    pub fn is_called(&self, name: &str) -> bool {
        crate::ask::is_called(&self.path, name)
    }

    /// A module that is nowhere yet.
    pub(crate) fn of(kind: ModuleKind, parameters: Vec<Parameter>) -> Self {
        Self {
            path: String::new(),
            kind,
            parameters: parameters.into(),
        }
    }

    /// The module at `path`.
    pub fn at(&self, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..self.clone()
        }
    }
}
