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

/// The controls of the widget: settings by their scenario keys, in the order in which they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WidgetControls(Vec<&'static str>);

impl Default for WidgetControls {
    /// The settings that people turn most.
    fn default() -> Self {
        Self(vec![
            "micro_batch_size",
            "seq_len",
            "hardware.gpu",
            "precision",
        ])
    }
}

impl WidgetControls {
    /// None of them.
    pub const NONE: Self = Self(Vec::new());

    /// The keys of the settings.
    pub fn keys(&self) -> &[&'static str] {
        &self.0
    }

    /// Whether it has one.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains(&key)
    }

    /// Adds one at the end, or takes one away.
    #[must_use]
    pub fn with(mut self, key: &'static str, has: bool) -> Self {
        self.0.retain(|other| *other != key);
        if has {
            self.0.push(key);
        }
        self
    }
}

names! {
    /// A panel of the widget, below its answer.
    Panel {
        /// GPU memory and host RAM against their capacities.
        Bars = "bars",
        /// The phases side by side.
        Phases = "phases",
        /// The peak by batch size.
        Crossover = "crossover",
    }
}

/// The panels of the widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WidgetPanels([bool; Panel::ALL.len()]);

impl Default for WidgetPanels {
    /// The bars and the phases.
    fn default() -> Self {
        Self::NONE.with(Panel::Bars, true).with(Panel::Phases, true)
    }
}

impl WidgetPanels {
    /// None of them.
    pub const NONE: Self = Self([false; Panel::ALL.len()]);

    /// Whether it has one.
    pub const fn has(self, panel: Panel) -> bool {
        self.0[panel as usize]
    }

    /// These panels with `panel` shown or hidden.
    #[must_use]
    pub const fn with(mut self, panel: Panel, has: bool) -> Self {
        self.0[panel as usize] = has;
        self
    }
}

/// The height that a widget needs at any width from 320 CSS pixels on, in CSS pixels: `tests/e2e/embed.test.mjs` holds
/// it against `style/layout.css`.
pub fn widget_height(panels: WidgetPanels, controls: &WidgetControls) -> u64 {
    /// The frame, the title, and the verdict.
    const ALWAYS: u64 = 164;
    /// Two controls side by side, with the gap above.
    const ROW: u64 = 58;
    /// Both bars, one above the other.
    const BARS: u64 = 210;
    /// A figure with its title and its sentence.
    const FIGURE: u64 = 232;
    let rows = controls.keys().len().div_ceil(2) as u64;
    let of = |panel: &Panel| match panel {
        Panel::Bars => BARS,
        Panel::Phases | Panel::Crossover => FIGURE,
    };
    let shown = Panel::ALL.iter().filter(|&&panel| panels.has(panel));
    ALWAYS + rows * ROW + shown.map(of).sum::<u64>()
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
    /// Panels of the compact page.
    pub panels: WidgetPanels,
    /// The configuration that the link's own is compared with.
    pub against: Option<Box<Scenario>>,
}
