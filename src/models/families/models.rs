//! Published models by name. Each family has its own in `models.rs` of its folder, with their configs beside it.

use super::registry;
use crate::catalog::Model;

/// Every model, by family and size. Lists are read one after the other, so that lists that nobody reaches need not be
/// loaded.
pub fn catalog_models() -> impl Iterator<Item = &'static Model> {
    registry::MODELS.iter().flat_map(|list| list())
}

/// The model with this id, or with this repository on the hub, however its letters are cased.
pub fn catalog_model(name: &str) -> Option<&'static Model> {
    catalog_models().find(|model| model.is_called(name))
}

/// The models of a folder, each with its id, its name, its repository on the hub, and year and month of publication;
/// its config is in `models/ID.json`.
macro_rules! published_models {
    ($($id:literal, $name:literal, $source:literal, $published:literal;)+) => {
        /// The models.
        pub(crate) static MODELS: &[crate::catalog::Model] = &[$(crate::catalog::Model {
            id: $id,
            name: $name,
            source: $source,
            published: $published,
            config: || include_str!(concat!("models/", $id, ".json")),
        }),+];
    };
}

pub(crate) use published_models;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_links() {
        let mut ids: Vec<_> = catalog_models().map(|model| model.id).collect();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        assert!(ids.iter().all(|id| id.chars().all(plain)));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), catalog_models().count());
    }

    #[test]
    fn a_repository_on_the_hub_names_its_model() {
        assert_eq!(
            catalog_model("qwen/qwen2.5-1.5b"),
            catalog_model("qwen2.5-1.5b")
        );
        assert!(catalog_model("Qwen/Qwen2.5-1.5B").is_some());
        assert!(catalog_model("somebody/qwen2.5-1.5b").is_none());
    }

    #[test]
    fn there_is_a_choice() {
        assert!(catalog_models().count() >= 50);
    }
}
