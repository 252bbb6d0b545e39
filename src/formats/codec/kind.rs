//! Values of the kinds of keys, and messages about other values.

use super::keys::Kind;
use super::tree::is_model;
use crate::ask::{Message, SampleLengths, message};
use serde::Deserialize;

/// The largest number that JSON readers of every kind keep exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Kind {
    /// `value` if this kind holds it; a whole number written as `8.0` is one.
    pub(super) fn accept(self, value: &serde_json::Value) -> Option<serde_json::Value> {
        let fits = match self {
            Self::Model => is_model(value),
            Self::Count | Self::Tokens | Self::Bytes => return whole(value),
            Self::Real => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::Name(all) => value.as_str().is_some_and(|name| all().contains(&name)),
            Self::Text => value.is_string(),
            Self::List => value
                .as_array()
                .is_some_and(|items| items.iter().all(serde_json::Value::is_string)),
            Self::Fields => value.is_object(),
            Self::Divisions => {
                let list = value.as_str().filter(|text| text.starts_with('['));
                return list.map_or_else(|| whole(value), |_| Some(value.clone()));
            }
            Self::Lengths => return lengths(value),
            Self::Sides => {
                let number = whole(value).map(|number| number.to_string().into());
                return number.or_else(|| value.is_string().then(|| value.clone()));
            }
        };
        fits.then(|| value.clone())
    }

    /// The message that says which values are allowed: a count is `least` or more.
    pub(super) fn expected(self, least: u64) -> Message {
        match self {
            Self::Model => message!(codec::a_model),
            Self::Count | Self::Tokens => message!(codec::a_count, least),
            Self::Bytes => message!(codec::bytes),
            Self::Real => message!(codec::a_number),
            Self::Flag => message!(codec::a_flag),
            Self::Name(all) => message!(codec::one_of, all = all().join(", ")),
            Self::Text => message!(codec::a_text),
            Self::List => message!(codec::a_list),
            Self::Fields => message!(codec::fields),
            Self::Divisions => message!(codec::divisions),
            Self::Sides => message!(codec::sides),
            Self::Lengths => message!(codec::lengths),
        }
    }
}

/// Lengths as a scenario keeps them, of what JSON has or of a text.
fn lengths(value: &serde_json::Value) -> Option<serde_json::Value> {
    let read = match value.as_str() {
        Some(text) => SampleLengths::parse(text),
        None => SampleLengths::deserialize(value).ok()?.tidied(),
    };
    serde_json::to_value(read?).ok()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number that a float holds exactly"
)]
fn whole(value: &serde_json::Value) -> Option<serde_json::Value> {
    if value.is_u64() {
        return Some(value.clone());
    }
    let number = value.as_f64()?;
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then(|| (number as u64).into())
}
