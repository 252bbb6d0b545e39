//! A slider that has a ribbon.

use crate::codec::Kind;
use leptos::prelude::*;
use serde_json::Value;

/// A slider that has a ribbon.
#[derive(Clone, Copy)]
pub(in crate::views) struct Slider {
    /// The key of its setting.
    pub key: &'static str,
    /// How its values are written.
    pub kind: Kind,
    /// The numbers that it steps through.
    pub steps: &'static [u64],
    /// The values of its stops: these, after none where a scenario need not say it.
    pub stops: StoredValue<Vec<Value>>,
    /// The value that holds.
    pub value: Memo<Value>,
    /// The stop that it is at.
    pub step: Memo<usize>,
    /// Moves it to a stop.
    pub go: Callback<usize>,
    /// Takes a value that may lie between stops.
    pub put: Callback<Value>,
}

impl Slider {
    /// Number of its stops.
    pub fn count(self) -> usize {
        self.stops.with_value(Vec::len)
    }

    /// A value as it is written.
    pub fn written(self, value: &Value) -> String {
        self.kind.write(value)
    }
}
