//! The last choice of settings that people set together.

use crate::app::Store;
use crate::codec::Difference;

/// A choice, and the settings that it has set.
pub(super) struct Chosen {
    /// Its name.
    pub name: String,
    /// The settings, as they were before and after.
    pub changes: Vec<Difference>,
}

impl Chosen {
    /// The settings that still are what the choice made of them; tells whoever runs now when one of them changes.
    pub fn holding(&self, store: Store) -> impl Iterator<Item = &Difference> {
        let holds = move |change: &&Difference| store.values.get(change.key.path) == change.b;
        self.changes.iter().filter(holds)
    }

    /// Whether the choice has set the setting with this key, which still is so.
    pub fn has_set(&self, key: &str, store: Store) -> bool {
        self.holding(store).any(|change| change.key.path == key)
    }
}
