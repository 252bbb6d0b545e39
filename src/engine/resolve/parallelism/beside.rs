//! Settings beside which a kind of parallelism is not estimated.

use serde_json::Value;

/// A setting.
pub(super) struct Beside {
    /// Its key.
    pub(super) key: &'static str,
    /// Whether the scenario asks for it.
    pub(super) is_asked: bool,
    /// The value that goes with the parallelism.
    pub(super) fix: Value,
}

impl Beside {
    pub(super) fn new(key: &'static str, is_asked: bool, fix: Value) -> Self {
        Self { key, is_asked, fix }
    }
}
