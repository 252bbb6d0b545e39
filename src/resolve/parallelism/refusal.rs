//! What is said of a kind of parallelism that is not estimated.

use crate::ask::Finding;
use serde_json::Value;

/// An error about `key`, which `repair` repairs, saying that what has this English and this Chinese name is
/// not estimated yet.
pub(super) fn not_estimated(
    key: &str,
    english: &str,
    chinese: &str,
    repair: impl Into<Value>,
) -> Finding {
    Finding::error(
        key,
        format!("{english} is not estimated yet."),
        format!("暂不支持估算{chinese}。"),
    )
    .with_fix(key, repair)
}
