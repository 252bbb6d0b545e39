//! How a link wants the page to look. It says nothing about the run.

use crate::ask::Scenario;
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

names! {
    /// Controls of the widget.
    WidgetControl {
        /// The micro-batch size.
        MicroBatchSize = "mb",
        /// The sequence length.
        SeqLen = "seq",
        /// The GPU.
        Gpu = "gpu",
    }
}

/// Which controls the widget has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WidgetControls([bool; WidgetControl::ALL.len()]);

impl Default for WidgetControls {
    /// All of them.
    fn default() -> Self {
        Self([true; WidgetControl::ALL.len()])
    }
}

impl WidgetControls {
    /// None of them.
    pub const NONE: Self = Self([false; WidgetControl::ALL.len()]);

    /// Whether it has one.
    pub const fn has(self, control: WidgetControl) -> bool {
        self.0[control as usize]
    }

    /// The same with one more, or one less.
    #[must_use]
    pub const fn with(mut self, control: WidgetControl, has: bool) -> Self {
        self.0[control as usize] = has;
        self
    }
}

/// How a link wants the page to look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// The compact page for an iframe.
    pub embed: bool,
    /// Colours; the browser's choice when absent.
    pub theme: Option<Theme>,
    /// Language; the browser's choice when absent.
    pub lang: Option<Language>,
    /// Controls of the compact page.
    pub controls: WidgetControls,
    /// The configuration that the link's own is compared with.
    pub against: Option<Box<Scenario>>,
}
