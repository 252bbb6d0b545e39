//! Finding the catalog's model by a name that people write.
//!
//! A name may be the one in the catalog, a repository of the Hugging Face Hub or a copy of one, a local
//! folder, or a folder of the Hub's cache. The parts of a name that say how weights are stored
//! (`packed`), how they were tuned, and when they were published do not decide sizes; models that were
//! renamed are listed (`renamed`). Not here: reading folders, the Hub itself.
//! Invariant: each number in the name is one of the found model's, or is known to decide no size.

mod marks;
mod packed;
mod path;
mod renamed;
#[cfg(test)]
mod tests;
mod words;

use super::models::{catalog_model, catalog_models};
use crate::ask::closest;
use crate::catalog::Model;
use crate::units::sort_short;
use marks::{DECIDING, Level, strip};
pub use packed::{Packing, packing_of_config};
use words::Words;

/// A catalog model found by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The model.
    pub model: &'static Model,
    /// Whether the name is the model's id or repository, so that nothing was concluded.
    pub called: bool,
    /// `vocab_size` where it differs from the model's.
    pub vocabulary: Option<u64>,
    /// How the name says that weights are stored.
    pub packing: Option<Packing>,
}

/// The catalog model that `name` means; none where the name fits no model or several.
pub fn find_model(name: &str) -> Option<Named> {
    if let Some(model) = catalog_model(name) {
        let packing = packed::of_repository(name, model);
        return Some(Named {
            model,
            called: true,
            vocabulary: None,
            packing,
        });
    }
    let found = path::candidates(name).find_map(|part| {
        let words = Words::of(part);
        let found = match by_level(&words).as_slice() {
            [] => within(&words)?,
            [one] => *one,
            _ => return None,
        };
        Some((found, words))
    });
    let ((model, vocabulary), words) = found?;
    let packing = packed::of_words(&words).or_else(|| packed::as_published(&words, model));
    Some(Named {
        model,
        called: false,
        vocabulary,
        packing,
    })
}

/// A model and `vocab_size` where it differs from the model's.
type Found = (&'static Model, Option<u64>);

/// The names under which sizes are known: of each model its id and its repository, then the renamed ones.
fn known() -> impl Iterator<Item = (&'static str, Found)> {
    let own = catalog_models().flat_map(|model| {
        let repository = model.source.rsplit('/').next().unwrap_or(model.source);
        [model.id, repository].map(|name| (name, (model, None)))
    });
    let renamed = renamed::RENAMED.iter().filter_map(|renamed| {
        let model = catalog_model(renamed.id)?;
        Some((renamed.name, (model, renamed.vocabulary)))
    });
    own.chain(renamed)
}

/// Models whose name equals this one, less what decides no size; as little as possible is left out.
/// All of them where several models' names do; none where no name does.
fn by_level(words: &Words) -> Vec<Found> {
    let at_level = |level| {
        let wanted = strip(words, level).joined();
        let mut found: Vec<Found> = Vec::new();
        for (name, own) in known() {
            let same = strip(&Words::of(name), level).joined() == wanted;
            if same && !found.contains(&own) {
                found.push(own);
            }
        }
        found
    };
    let mut levels = Level::ALL.into_iter().map(at_level);
    levels.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The model whose name is contained in this one, if the rest of this name has no number and no word that decides
/// sizes.
fn within(words: &Words) -> Option<Found> {
    let words = strip(words, Level::Dates);
    let mut found: Vec<(usize, Found)> = Vec::new();
    for (name, own) in known() {
        let inner = strip(&Words::of(name), Level::Dates);
        if !inner.has_size() {
            continue;
        }
        let Some(rest) = words.without(&inner) else {
            continue;
        };
        let plain = |word: &String| {
            !word.contains(|c: char| c.is_ascii_digit()) && !DECIDING.contains(&word.as_str())
        };
        if rest.iter().all(plain) && !found.iter().any(|(_, other)| *other == own) {
            found.push((inner.len(), own));
        }
    }
    let longest = found.iter().map(|(length, _)| *length).max()?;
    found.retain(|(length, _)| *length == longest);
    let [(_, one)] = found.as_slice() else {
        return None;
    };
    (!has_versions(one.0)).then_some(*one)
}

/// Whether there are other versions of a model under its name, so that a longer name leaves open which.
fn has_versions(model: &Model) -> bool {
    let own = Words::of(model.id);
    catalog_models().any(|other| {
        let rest = Words::of(other.id).without(&own);
        let version = |word: &String| word.starts_with('v') && word.len() > 1;
        rest.is_some_and(|rest| rest.len() == 1 && rest.iter().all(version))
    })
}

/// A model of the same family with a name near to one that is not known.
pub fn nearest_model(name: &str) -> Option<&'static Model> {
    let part = path::candidates(name).next()?;
    let words = strip(&Words::of(part), Level::Dates);
    let first = words.first()?;
    let family = |model: &Model| Words::of(model.id).first().map(str::to_owned);
    let is_own = |model: &&Model| family(model).as_deref() == Some(first);
    let mut own: Vec<&Model> = catalog_models().filter(is_own).collect();
    if own.is_empty() {
        let families: Vec<String> = catalog_models().filter_map(family).collect();
        let long = families.iter().map(String::as_str);
        let typed = closest(
            first,
            long.filter(|name| name.len().abs_diff(first.len()) <= 1),
        );
        let typed = typed.filter(|typed| typed.len() > 3)?;
        own.extend(catalog_models().filter(|model| family(model).as_deref() == Some(typed)));
    }
    let wanted = words.joined();
    sort_short(&mut own, |model| {
        let words = strip(&Words::of(model.id), Level::Dates);
        strsim::levenshtein(&wanted, &words.joined())
    });
    own.first().copied()
}
