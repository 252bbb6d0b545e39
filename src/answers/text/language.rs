//! The languages.

use crate::units::names;

names! {
    /// A language of the page.
    Language {
        /// English.
        English = "en",
        /// Chinese, simplified.
        Chinese = "zh",
    }
}

impl Language {
    /// The language for a BCP 47 tag such as `zh-Hans-CN`; none when it is neither.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        Self::from_name(&primary.to_ascii_lowercase())
    }

    /// The one of two texts, English and Chinese, that is in this language.
    pub const fn of<'a>(self, (english, chinese): (&'a str, &'a str)) -> &'a str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }

    /// The BCP 47 tag for the document.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// The language's own name.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_region_of_a_language_is_that_language() {
        assert_eq!(Language::from_tag("zh-Hans-CN"), Some(Language::Chinese));
        assert_eq!(Language::from_tag("en_GB"), Some(Language::English));
        assert_eq!(Language::from_tag("fr"), None);
    }
}
