//! How a link wants the page to look. It says nothing about the run.

use crate::units::names;

names! {
    /// Colours.
    Theme {
        /// Light.
        Light = "light",
        /// Dark.
        Dark = "dark",
    }
}

names! {
    /// Languages.
    Language {
        /// English.
        English = "en",
        /// Chinese.
        Chinese = "zh",
    }
}

/// How a link wants the page to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewOptions {
    /// The compact page for an iframe.
    pub embed: bool,
    /// Colours; the browser's choice when absent.
    pub theme: Option<Theme>,
    /// Language; the browser's choice when absent.
    pub lang: Option<Language>,
}
