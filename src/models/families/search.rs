//! Finding a model by a few letters.

use super::models::catalog_models;
use super::names::find_model;
use crate::catalog::{Model, PublishedGraph, published_graphs};
use crate::units::sort_short;
use std::ops::RangeInclusive;

/// Whether a word begins at this place of a text; the digits behind a point do not.
fn begins(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return true;
    };
    let is_decimal = text[before] == b'.' && text[at].is_ascii_digit();
    !text[before].is_ascii_alphanumeric() && !is_decimal
}

/// How well one word of a query fits a model's texts: less is better; none when it does not.
fn fit(word: &str, text: &str) -> Option<usize> {
    // `llama3` for `llama-3.1`.
    let joined = joined(text);
    let begins_in = |text: &str| {
        let mut places = text.match_indices(word);
        places.any(|(at, _)| begins(text.as_bytes(), at))
    };
    if begins_in(text) || begins_in(&joined) {
        return Some(0);
    }
    if joined.contains(word) || text.contains(word) {
        return Some(2);
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
    if !begins(text.as_bytes(), first?) {
        return None;
    }
    let spread = last - first.unwrap_or(0) + 1 - word.chars().count().min(last + 1);
    // Letters that lie far apart are chance.
    (spread <= word.len()).then_some(4 + spread)
}

/// A text without hyphens and spaces between a letter and a digit.
fn joined(text: &str) -> String {
    let all = text.as_bytes();
    let divides = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        let (before, after) = (before.copied(), all.get(at + 1).copied());
        before.is_some_and(|c| c.is_ascii_alphabetic()) && after.is_some_and(|c| c.is_ascii_digit())
    };
    let letters = text.char_indices();
    let kept = letters.filter(|&(at, letter)| !(matches!(letter, '-' | ' ') && divides(at)));
    kept.map(|(_, letter)| letter).collect()
}

/// Published graphs that fit a query, the best first; all of them for an empty one. Each word of the query must fit the id,
/// the name, the library or the source.
pub fn search_graphs(query: &str) -> Vec<&'static PublishedGraph> {
    let query = query.to_ascii_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let rank = |graph: &PublishedGraph| {
        let texts = [&graph.id, &graph.name, &graph.library, &graph.source];
        let texts = texts.map(|text| text.to_ascii_lowercase());
        let best = |word: &&str| texts.iter().filter_map(|text| fit(word, text)).min();
        words.iter().map(best).sum::<Option<usize>>()
    };
    let all = published_graphs().iter();
    let mut found: Vec<(usize, &PublishedGraph)> = all
        .filter_map(|graph| Some((rank(graph)?, graph)))
        .collect();
    sort_short(&mut found, |(rank, _)| *rank);
    found.into_iter().map(|(_, graph)| graph).collect()
}

/// Models that fit a query, the best first and equally good ones in the catalog's order; all of
/// them for an empty one. Each word of the query must fit the id, the name or the repository; a model that
/// the query names as a whole, by whatever name, comes first.
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
    sort_short(&mut found, |(rank, _)| *rank);
    let named = find_model(query.trim()).map(|named| named.model);
    let others = found.into_iter().map(|(_, model)| model);
    let others = others.filter(|model| named.is_none_or(|named| named.id != model.id));
    named.into_iter().chain(others).collect()
}

/// The number of parameters that a query names: of `falcon-13b`, `13 B` and `13000000000` the same.
pub fn size_in(query: &str) -> Option<u64> {
    let query = query.to_ascii_lowercase();
    let mut words = query
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .peekable();
    while let Some(word) = words.next() {
        let digits = word.trim_end_matches(['b', 'm']);
        let unit = match &word[digits.len()..] {
            "" => words.peek().copied().unwrap_or_default(),
            unit => unit,
        };
        let one = match unit {
            "b" => 1_000_000_000,
            "m" => 1_000_000,
            _ => 1,
        };
        let size = multiple(digits, one).filter(|size| SIZES.contains(size));
        if size.is_some() {
            return size;
        }
    }
    None
}

/// A decimal number, as `1.5`, of units of this many.
fn multiple(digits: &str, one: u64) -> Option<u64> {
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let whole = whole.parse::<u64>().ok()?.checked_mul(one)?;
    let places = u32::try_from(part.len()).ok()?;
    let part = part.parse::<u64>().ok()?.checked_mul(one)? / 10_u64.checked_pow(places)?;
    whole.checked_add(part)
}

/// Numbers that are taken for a model's size.
const SIZES: RangeInclusive<u64> = 10_000_000..=4_000_000_000_000;

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
        assert_eq!(ids("7b")[0], "qwen2.5-7b");
        assert!(
            ids("llama3")[..3]
                .iter()
                .all(|id| id.starts_with("llama-3."))
        );
        assert_eq!(ids("gemma2 9b")[0], "gemma-2-9b");
        assert_eq!(ids("phi4")[0], "phi-4");
    }

    #[test]
    fn a_letter_may_be_missing() {
        assert!(ids("qwn3").contains(&"qwen3-8b"));
        assert!(ids("mistrl").contains(&"mistral-7b"));
        assert_eq!(ids("zzzz"), Vec::<&str>::new());
        // Not `codestral`.
        assert_eq!(ids("detr"), Vec::<&str>::new());
    }

    #[test]
    fn a_size_is_read_in_whatever_name() {
        for (query, size) in [
            ("falcon-13b", Some(13_000_000_000)),
            ("1.5B", Some(1_500_000_000)),
            ("someone/my_350m-chat", Some(350_000_000)),
            ("13 b", Some(13_000_000_000)),
            ("13000000000", Some(13_000_000_000)),
            ("my model 3", None),
            ("b", None),
            ("nan", None),
            ("999999999999999999999b", None),
        ] {
            assert_eq!(size_in(query), size, "{query}");
        }
    }

    #[test]
    fn names_that_people_type_find_what_is_meant_first() {
        for (query, id) in [
            ("Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("phi-4", "phi-4"),
            ("Phi-4", "phi-4"),
            ("llama 3.1 70b instruct", "llama-3.1-70b"),
            ("qwen2.5 7b instruct", "qwen2.5-7b"),
            ("gemma 2 9b it", "gemma-2-9b"),
            ("mistral 7b v0.3", "mistral-7b-v0.3"),
            ("unsloth/Meta-Llama-3.1-8B-bnb-4bit", "llama-3.1-8b"),
            ("Qwen2.5-14B-Instruct-GPTQ-Int4", "qwen2.5-14b"),
        ] {
            assert_eq!(ids(query).first().copied(), Some(id), "{query}");
        }
    }

    #[test]
    fn graphs_are_found_by_name_and_library() {
        let ids = |query: &str| -> Vec<&str> {
            let found = search_graphs(query).into_iter();
            found.map(|graph| graph.id.as_str()).collect()
        };
        assert_eq!(ids("").len(), published_graphs().len());
        assert_eq!(ids("resnet50")[0], "timm-resnet50");
        assert_eq!(ids("ultralytics 11x"), ["yolo11x"]);
        assert_eq!(ids("sdxl"), ["sdxl-unet"]);
        assert_eq!(ids("qwen2.5"), Vec::<&str>::new());
    }

    #[test]
    fn a_model_under_another_name_is_found() {
        assert_eq!(ids("Qwen/QwQ-32B"), ["qwen2.5-32b"]);
        assert_eq!(ids("Qwen2.5-7B-Instruct")[0], "qwen2.5-7b");
        assert_eq!(ids("meta-llama/Llama-3.1-8B-Instruct")[0], "llama-3.1-8b");
    }
}
