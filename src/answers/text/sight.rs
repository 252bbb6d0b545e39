//! Words that stay in sight while one scrolls: the verdict in two words, and the handle of the settings.

use super::verdict::is_at_risk;
use super::{ByteUnits, Language, Scale};
use crate::report::Verdict;
use crate::units::Bytes;

/// The verdict without its numbers: "Fits tightly".
pub fn verdict_short(verdict: &Verdict, language: Language) -> &'static str {
    let killed = verdict.host.shortfall() > verdict.swapped;
    let tight = verdict.device.is_tight() || verdict.host.is_tight();
    let words = match (verdict.device.fits, verdict.host.fits) {
        (true, true) if is_at_risk(&verdict.device) => ("At risk", "有风险"),
        (true, true) if tight => ("Fits tightly", "勉强放得下"),
        (true, true) => ("Fits", "放得下"),
        (true, false) if killed => ("Host RAM runs out", "主机内存不足"),
        (true, false) => ("Swaps", "使用交换空间"),
        (false, _) => ("Does not fit", "放不下"),
    };
    language.of(words)
}

/// A need against a capacity: "33.2 / 79.1 GiB".
pub fn used_of(needed: Bytes, capacity: Bytes, units: ByteUnits) -> String {
    let scale = Scale::new(capacity, units);
    format!("{} / {}", scale.number(needed), scale.amount(capacity))
}

/// Name of the handle of the settings: "Settings (3 changed)".
pub fn settings_changed(changed: usize, language: Language) -> String {
    match (changed, language) {
        (0, Language::English) => "Settings".to_owned(),
        (0, Language::Chinese) => "设置".to_owned(),
        (_, Language::English) => format!("Settings ({changed} changed)"),
        (_, Language::Chinese) => format!("设置（已改 {changed} 项）"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Fit;
    use crate::sim::Phase;
    use crate::units::Bytes;

    fn short(device: [u64; 2], host: [u64; 2], swapped: u64) -> &'static str {
        let fit = |[needed, capacity]: [u64; 2]| Fit::new(Bytes::gib(needed), Bytes::gib(capacity));
        let verdict = Verdict {
            fits: true,
            binding_phase: Phase::Backward,
            device: fit(device),
            host: fit(host),
            swapped: Bytes::gib(swapped),
        };
        verdict_short(&verdict, Language::English)
    }

    #[test]
    fn the_short_verdict_is_that_of_the_sentence() {
        assert_eq!(short([40, 79], [9, 128], 0), "Fits");
        assert_eq!(short([78, 79], [9, 128], 0), "Fits tightly");
        assert_eq!(short([40, 79], [127, 128], 0), "Fits tightly");
        assert_eq!(short([79, 79], [9, 128], 0), "At risk");
        assert_eq!(short([90, 79], [9, 128], 0), "Does not fit");
        assert_eq!(short([40, 79], [130, 128], 0), "Host RAM runs out");
        assert_eq!(short([40, 79], [130, 128], 2), "Swaps");
    }

    #[test]
    fn the_handle_counts_what_was_changed() {
        assert_eq!(settings_changed(0, Language::English), "Settings");
        assert_eq!(
            settings_changed(3, Language::English),
            "Settings (3 changed)"
        );
        assert_eq!(settings_changed(1, Language::Chinese), "设置（已改 1 项）");
    }
}
