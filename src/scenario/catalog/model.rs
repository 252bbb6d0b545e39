//! A published model by name.

/// A published model. Two are equal when their ids are.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Stable id, as in links.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// The repository on the Hugging Face Hub whose `config.json` it has; `resolve::tests::published` names the configs
    /// that were read elsewhere.
    pub source: &'static str,
    /// Year and month of publication.
    pub published: &'static str,
    /// Gives the fields of that `config.json` that decide sizes. A function for each model, so that a program in parts
    /// has each config where its family is.
    pub config: fn() -> &'static str,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Model {}

impl Model {
    /// The fields of its `config.json` that decide sizes.
    pub fn config(&self) -> &'static str {
        (self.config)()
    }

    /// Whether this is its id or its repository on the hub, however the letters are cased.
    pub fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.id) || name.eq_ignore_ascii_case(self.source)
    }
}
