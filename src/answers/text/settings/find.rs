//! Settings by the typed text: the page's own names, the scenario's keys, and the keys of trainers and launchers.

use super::{HELP, NAMES};
use crate::configs::FORMATS;
use crate::text::Language;

/// A setting that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSetting {
    /// Its key.
    pub key: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The name by which it was found, where that is another one: the scenario's key, or a framework's.
    pub called: String,
}

/// How well a name answers, the better the smaller: whether the words stand in it as typed, whose name it is, whether it
/// begins with them, its length.
type Rank = (bool, u8, bool, usize);

/// Lower case, with spaces in the place of what divides words of keys.
fn plain(text: &str) -> String {
    let plain = |letter: char| match letter {
        '_' | '-' | '.' | '(' | ')' | ',' => ' ',
        letter => letter.to_ascii_lowercase(),
    };
    text.chars().map(plain).collect()
}

/// The rank of a name of a `kind` in which all `words` are, each at the beginning of one of its own; Chinese has no spaces.
fn rank(name: &str, kind: u8, words: &[&str]) -> Option<Rank> {
    let name = plain(name);
    let has = |word: &&str| {
        let mut at = name.match_indices(*word);
        at.any(|(at, _)| !word.is_ascii() || at == 0 || name[..at].ends_with(' '))
    };
    let first = words.first()?;
    words.iter().all(has).then(|| {
        let typed = name.contains(&words.join(" "));
        (!typed, kind, !name.starts_with(first), name.len())
    })
}

/// The settings with a name in which all words of `query` are, the likeliest first; none for an empty one.
pub fn find_settings(query: &str, language: Language) -> Vec<FoundSetting> {
    let query = plain(query);
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found: Vec<(Rank, FoundSetting)> = Vec::new();
    for setting in NAMES.into_iter().flatten() {
        let key = setting.key;
        let own = language.of(setting.name);
        let (english, chinese) = setting.name;
        let help = HELP.into_iter().flatten().find(|help| help.key == key);
        let sources = help.map_or("", |help| help.source).split(", ");
        let mut best: Option<(Rank, String)> = None;
        let mut weigh = |name: &str, kind: u8, called: &dyn Fn() -> String| {
            let ranked = rank(name, kind, &words);
            if let Some(rank) =
                ranked.filter(|rank| best.as_ref().is_none_or(|(now, _)| rank < now))
            {
                best = Some((rank, called()));
            }
        };
        weigh(own, 0, &String::new);
        let last = key.rsplit('.').next().unwrap_or(key);
        for name in [last, key] {
            weigh(name, 1, &|| key.to_owned());
        }
        for name in [english, chinese] {
            weigh(name, 1, &|| name.to_owned());
        }
        for name in sources {
            weigh(name, 2, &|| name.to_owned());
        }
        for format in FORMATS {
            for name in format.keys_of(key) {
                weigh(name, 3, &|| format!("{name} ({})", format.name));
            }
        }
        found.extend(best.map(|(rank, called)| {
            let name = own;
            (rank, FoundSetting { key, name, called })
        }));
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, found)| found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str, language: Language) -> Option<(&'static str, String)> {
        let found = find_settings(query, language).into_iter().next();
        found.map(|found| (found.key, found.called))
    }

    #[test]
    fn a_setting_is_found_by_the_names_that_anybody_gives_it() {
        for (query, key) in [
            ("micro-batch", "micro_batch_size"),
            ("per_device_train_batch_size", "micro_batch_size"),
            ("batch size", "micro_batch_size"),
            ("gradient_checkpointing", "activation_checkpointing"),
            ("sequence_len", "seq_len"),
            ("max_grad_norm", "clip_grad_norm"),
            ("expandable", "allocator.expandable_segments"),
            ("lora rank", "lora.r"),
            ("offload_optimizer", "parallelism.dp.offload_optimizer"),
            ("tensor-model-parallel-size", "parallelism.tp.size"),
            ("load_in_4bit", "quantization.type"),
        ] {
            let found = first(query, Language::English).unwrap_or_else(|| panic!("{query}"));
            assert_eq!(found.0, key, "{query}: {found:?}");
        }
        let by_key = first("per_device_train_batch_size", Language::English).expect("a setting");
        assert!(
            by_key.1.ends_with("per_device_train_batch_size"),
            "{by_key:?}"
        );
        let own = first("序列", Language::Chinese).expect("a setting");
        assert_eq!(own, ("seq_len", String::new()));
    }

    #[test]
    fn nothing_is_found_by_no_word_or_by_one_that_nobody_uses() {
        assert!(find_settings("", Language::English).is_empty());
        assert!(find_settings(" . ", Language::English).is_empty());
        assert!(find_settings("zebra crossing", Language::English).is_empty());
    }
}
