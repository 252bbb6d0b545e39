//! Findings about a kind of parallelism that is not estimated.

use crate::ask::{Finding, Message, message};
use serde_json::Value;

/// An error about `key`, which `repair` repairs, saying that `what` is not estimated yet.
pub(super) fn not_estimated(key: &str, what: &Message, repair: impl Into<Value>) -> Finding {
    Finding::error(key, message!(parallelism::not_estimated, what)).with_fix(key, repair)
}
