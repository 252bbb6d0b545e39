//! A published model by name.

/// A published model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Stable id, as in links.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// The repository on the Hugging Face Hub whose `config.json` it has; `resolve::tests::published` names those
    /// that were read elsewhere.
    pub source: &'static str,
    /// Year and month of publication.
    pub published: &'static str,
    /// The fields of that `config.json` that decide sizes.
    pub config: &'static str,
}

impl Model {
    /// Whether this is its id or its repository on the hub, however the letters are cased.
    pub fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.id) || name.eq_ignore_ascii_case(self.source)
    }
}
