//! Defaults of earlier versions of the format: what a link means by what it leaves out.
//!
//! A default that changes raises `SCENARIO_VERSION`; what it was before becomes a line of [`FORMER`]. A scenario that
//! names an earlier version starts from the defaults of that version, and is written with the present one, which then
//! says what differs. A scenario that names no version starts from the present defaults.

use serde_json::Value;

/// A key's default as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Former {
    /// The last version that had it.
    pub until: u32,
    /// The key.
    pub path: &'static str,
    /// The value, as JSON.
    pub value: &'static str,
}

/// All of them, the earliest first. Append, never change or remove one.
pub(super) const FORMER: &[Former] = &[];

/// The keys and values of a version's defaults that are others now. Of several that a key had since, the one of this
/// version comes last.
pub(super) fn former_defaults(
    version: u32,
    former: &[Former],
) -> impl Iterator<Item = (&'static str, Value)> {
    let of_version = former.iter().rev().filter(move |of| of.until >= version);
    of_version.map(|of| (of.path, serde_json::from_str(of.value).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn a_version_has_the_defaults_that_it_had() {
        let former = |until, path, value| Former { until, path, value };
        let all = [
            former(1, "seq_len", "256"),
            former(1, "hardware.gpu", r#""t4""#),
            former(3, "seq_len", "512"),
        ];
        let now = BTreeMap::from([("seq_len", json!(1024)), ("hardware.gpu", json!("b200"))]);
        let of = |version| {
            let mut then = now.clone();
            then.extend(former_defaults(version, &all));
            (then["seq_len"].clone(), then["hardware.gpu"].clone())
        };
        assert_eq!(of(1), (json!(256), json!("t4")));
        assert_eq!(of(2), (json!(512), json!("b200")));
        assert_eq!(of(3), (json!(512), json!("b200")));
        assert_eq!(of(4), (json!(1024), json!("b200")));
    }
}
