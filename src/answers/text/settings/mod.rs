//! Each setting's name, help, symbol in formulas and source.

mod find;
mod machine;
mod parallelism;
mod training;

use super::Language;

pub use find::{FoundSetting, find_settings};

/// The scenario key of a setting, and what it is called.
struct Name {
    key: &'static str,
    name: (&'static str, &'static str),
}

/// The help of a setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingHelp {
    key: &'static str,
    sentence: (&'static str, &'static str),
    /// Its symbol or size in formulas; may be empty.
    pub symbol: &'static str,
    /// Its name in the configurations in which people set it.
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
/// Every setting's help.
const HELP: [&[SettingHelp]; 3] = [training::HELP, parallelism::HELP, machine::HELP];

/// The name of the setting with a scenario key; the key itself when it has no name.
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

/// The help of the setting with a scenario key.
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
        /// Their help.
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
