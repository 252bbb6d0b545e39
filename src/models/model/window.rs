//! When a decoder attends to a window only, and in which layers.

/// The sliding window of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// When there is one.
    pub on: WindowOn,
    /// Its width in a config that names none.
    pub width: u64,
    /// The layers that have it.
    pub layers: WindowLayers,
    /// Whether the width counts where no layer has the window: transformers 4.51 makes a mask for samples
    /// of that length nevertheless.
    pub idle: bool,
}

/// When a decoder has a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowOn {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Unless `sliding_window` is null.
    UnlessNull,
    /// Always: transformers fails where `sliding_window` is null.
    Needed,
    /// If `sliding_window` is there.
    Given,
    /// If `use_sliding_window` says so, unless `sliding_window` is null.
    Asked,
    /// If `use_sliding_window` says so and `sliding_window` is there.
    AskedAndGiven,
}

/// Layers that have the window. All but [`All`](Self::All) give way to `layer_types`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowLayers {
    /// All, whatever `layer_types` says.
    All,
    /// All.
    AllUnlessListed,
    /// None. Without any there is no window.
    NoneUnlessListed,
    /// Layers from `max_window_layers` on, with this default. Without any there is no window.
    From(u64),
    /// Every second below `max_window_layers`, with this default. A mask of a window is made in any case, of
    /// no width if there is none.
    EverySecondBelow(u64),
    /// All but the last of every `n` layers: as many as the field says, if there is one, with a default.
    BetweenEvery(Option<&'static str>, u64),
    /// All but the first of every `n` layers.
    AfterEvery(u64),
    /// Layers that positions do not rotate.
    Unturned,
}

impl Window {
    /// None.
    pub const NONE: Self = Self {
        on: WindowOn::Never,
        width: 4096,
        layers: WindowLayers::All,
        idle: false,
    };
}
