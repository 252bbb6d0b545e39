//! What is said about each setting: its name, what it does, its symbol in formulas, its source.

mod machine;
mod parallelism;
mod training;

use super::Language;

/// The scenario key of a setting, and what it is called.
struct Name {
    key: &'static str,
    name: (&'static str, &'static str),
}

/// What is said about a setting to who asks.
#[derive(Clone, Copy, Debug)]
pub struct SettingHelp {
    key: &'static str,
    sentence: (&'static str, &'static str),
    /// Its symbol or size in formulas; may be empty.
    pub symbol: &'static str,
    /// What it is called where people set it.
    pub source: &'static str,
}

impl SettingHelp {
    /// One sentence on what it does.
    pub const fn sentence(&self, language: Language) -> &'static str {
        language.of(self.sentence)
    }
}

/// Every setting's name.
const NAMES: [&[Name]; 3] = [training::NAMES, parallelism::NAMES, machine::NAMES];
/// What is said about every setting.
const HELP: [&[SettingHelp]; 3] = [training::HELP, parallelism::HELP, machine::HELP];

/// What the setting with a scenario key is called; the key itself when nothing is said about it.
pub fn setting_name(key: &'static str, language: Language) -> &'static str {
    named(key, language).unwrap_or(key)
}

fn named(key: &str, language: Language) -> Option<&'static str> {
    let mut all = NAMES.into_iter().flatten();
    let known = all.find(|setting| setting.key == key)?;
    Some(language.of(known.name))
}

/// The name of a setting, or of a group of settings that has a kind.
pub(super) fn setting_label(key: &str, language: Language) -> Option<&'static str> {
    named(key, language).or_else(|| named(&format!("{key}.kind"), language))
}

/// What is said about the setting with a scenario key.
pub fn setting_help(key: &str) -> Option<&'static SettingHelp> {
    HELP.into_iter()
        .flatten()
        .find(|setting| setting.key == key)
}

/// The address, from the page, of a page of the guide that exists in every language.
pub fn guide_page(name: &str, language: Language) -> String {
    let of_language = match language {
        Language::English => "",
        Language::Chinese => ".zh",
    };
    format!("docs/{name}{of_language}.html")
}

/// Declares settings: the key with its name in both languages, what it does, its symbol or size in
/// formulas (may be empty) and what it is called where people set it.
macro_rules! settings {
    ($($key:literal: $english:literal, $chinese:literal; $help:literal, $help_zh:literal; $symbol:literal, $source:literal;)+) => {
        /// Their names.
        pub(super) static NAMES: &[Name] = &[$(Name { key: $key, name: ($english, $chinese) }),+];
        /// What is said about them.
        pub(super) static HELP: &[SettingHelp] = &[$(SettingHelp {
            key: $key,
            sentence: ($help, $help_zh),
            symbol: $symbol,
            source: $source,
        }),+];
    };
}
use settings;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_said_once_in_both_languages() {
        let all: Vec<_> = HELP.into_iter().flatten().collect();
        for (at, setting) in all.iter().enumerate() {
            let again = all[..at].iter().any(|other| other.key == setting.key);
            assert!(!again, "{} is there twice", setting.key);
            for &language in Language::ALL {
                let name = setting_name(setting.key, language);
                assert!(!name.is_empty(), "{} has no name", setting.key);
                assert!(setting.sentence(language).ends_with(['.', '。']), "{name}");
            }
            assert!(!setting.source.is_empty(), "{}", setting.key);
        }
    }
}
