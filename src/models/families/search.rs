//! Finding a model by a few letters.

use super::models::catalog_models;
use super::names::find_model;
use crate::catalog::Model;
use crate::units::sort_short;

/// How well one word of a query fits a model's texts: less is better; none when it does not.
fn fit(word: &str, text: &str) -> Option<usize> {
    if let Some(at) = text.find(word) {
        let begins = at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
        return Some(if begins { 0 } else { 2 });
    }
    // Letters in this order with others between: `qwn` for `qwen`.
    let mut letters = text.char_indices();
    let mut first = None;
    let mut last = 0;
    for wanted in word.chars() {
        let (at, _) = letters.find(|&(_, letter)| letter == wanted)?;
        first.get_or_insert(at);
        last = at;
    }
    let spread = last - first.unwrap_or(0) + 1 - word.chars().count().min(last + 1);
    // Letters that lie far apart are chance.
    (spread <= word.len()).then_some(4 + spread)
}

/// Models that fit a query, the best first and equally good ones in the catalog's order; all of
/// them for an empty one. Each word of the query must fit the id, the name or the repository; where none
/// fits, the model that the query names otherwise is found.
pub fn search_models(query: &str) -> Vec<&'static Model> {
    let query = query.to_ascii_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let rank = |model: &Model| {
        let texts = [
            model.id.to_owned(),
            model.name.to_ascii_lowercase(),
            model.source.to_ascii_lowercase(),
        ];
        let best = |word: &&str| texts.iter().filter_map(|text| fit(word, text)).min();
        words.iter().map(best).sum::<Option<usize>>()
    };
    let mut found: Vec<(usize, &Model)> = catalog_models()
        .filter_map(|model| Some((rank(model)?, model)))
        .collect();
    if found.is_empty() {
        return find_model(&query)
            .into_iter()
            .map(|named| named.model)
            .collect();
    }
    sort_short(&mut found, |(rank, _)| *rank);
    found.into_iter().map(|(_, model)| model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(query: &str) -> Vec<&'static str> {
        search_models(query).iter().map(|model| model.id).collect()
    }

    #[test]
    fn nothing_asked_finds_everything_in_order() {
        assert_eq!(search_models("").len(), catalog_models().count());
        assert_eq!(
            search_models("  ").first().copied(),
            catalog_models().next()
        );
    }

    #[test]
    fn family_and_size_find_the_model() {
        assert_eq!(ids("qwen2.5 1.5b")[0], "qwen2.5-1.5b");
        assert_eq!(ids("llama 8b")[..2], ["llama-3.1-8b", "llama-3-8b"]);
        assert_eq!(ids("meta-llama/Llama-2-7b")[0], "llama-2-7b");
        let says_seven =
            |model: &&Model| [model.id, model.name, model.source].concat().contains('7');
        assert!(search_models("7b").iter().all(says_seven));
    }

    #[test]
    fn a_letter_may_be_missing() {
        assert!(ids("qwn3").contains(&"qwen3-8b"));
        assert!(ids("mistrl").contains(&"mistral-7b"));
        assert_eq!(ids("zzzz"), Vec::<&str>::new());
    }

    #[test]
    fn a_model_under_another_name_is_found() {
        assert_eq!(ids("Qwen/QwQ-32B"), ["qwen2.5-32b"]);
    }
}
