//! The peak's moves from one phase to another, along a setting.

use super::sentences::capitalized;
use super::{Language, Term, phase_in_sentence};
use crate::sim::Phase;

/// A move of the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakMove<'a> {
    /// The phase that bound before.
    pub from: Phase,
    /// The phase that binds now.
    pub to: Phase,
    /// The value of the setting at which it moved, as it is written.
    pub at: Option<&'a str>,
}

/// The move where there is little room: "peak moved: optimizer step → backward at 7".
pub fn peak_moved(PeakMove { from, to, at }: PeakMove, language: Language) -> String {
    let (from, to) = (from.term(language), to.term(language));
    match (language, at) {
        (Language::English, Some(at)) => format!("peak moved: {from} \u{2192} {to} at {at}"),
        (Language::English, None) => format!("peak moved: {from} \u{2192} {to}"),
        (Language::Chinese, Some(at)) => format!("峰值转移：{from} \u{2192} {to}（于 {at}）"),
        (Language::Chinese, None) => format!("峰值转移：{from} \u{2192} {to}"),
    }
}

/// The move as it is read aloud: "The peak moved from the optimizer step to backward at 7."
pub fn peak_moved_aloud(PeakMove { from, to, at }: PeakMove, language: Language) -> String {
    let [from, to] = [from, to].map(|phase| phase_in_sentence(phase, language));
    match (language, at) {
        (Language::English, Some(at)) => format!("The peak moved from {from} to {to} at {at}."),
        (Language::English, None) => format!("The peak moved from {from} to {to}."),
        (Language::Chinese, Some(at)) => format!("取值 {at} 时，峰值从{from}转移到{to}。"),
        (Language::Chinese, None) => format!("峰值从{from}转移到{to}。"),
    }
}

/// A change along a setting: "Sequence length: from 1024 on, backward binds".
pub fn change_along(setting: &str, value: &str, to: Phase, language: Language) -> String {
    let phase = phase_in_sentence(to, language);
    match language {
        Language::English => format!("{setting}: from {value} on, {phase} binds"),
        Language::Chinese => format!("{setting}：从 {value} 起，峰值转到{phase}阶段"),
    }
}

/// The binding phases along a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeakAlong {
    /// The phase that binds at the smallest value.
    pub first: Option<Phase>,
    /// The values from which on other phases bind, as they are written, each with its phase.
    pub changes: Vec<(String, Phase)>,
    /// The last value that fits.
    pub last_fitting: Option<String>,
}

/// The binding phases along a setting: "Sequence length: The optimizer step binds; from 1024 on, backward binds. The last
/// that fits is 8192."
pub fn peak_along(setting: &str, along: &PeakAlong, language: Language) -> String {
    let binds = |phase| {
        let phase = phase_in_sentence(phase, language);
        match language {
            Language::English => format!("{phase} binds"),
            Language::Chinese => format!("峰值在{phase}阶段"),
        }
    };
    let from = |(value, phase): &(String, Phase)| match language {
        Language::English => format!("from {value} on, {}", binds(*phase)),
        Language::Chinese => format!("从 {value} 起{}", binds(*phase)),
    };
    let clauses: Vec<String> = (along.first.map(binds).into_iter())
        .chain(along.changes.iter().map(from))
        .collect();
    match (language, &along.last_fitting) {
        (Language::English, last) => {
            let fits = last.as_ref().map_or_else(
                || "Nothing fits.".to_owned(),
                |last| format!("The last that fits is {last}."),
            );
            let clauses = capitalized(&clauses.join("; "));
            format!("{setting}: {clauses}. {fits}")
        }
        (Language::Chinese, last) => {
            let fits = last.as_ref().map_or_else(
                || "都放不下。".to_owned(),
                |last| format!("能放下的最后一个值是 {last}。"),
            );
            format!("{setting}：{}。{fits}", clauses.join("；"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_of_the_peak_names_both_phases_and_the_value() {
        let moved = PeakMove {
            from: Phase::OptimizerStep,
            to: Phase::Backward,
            at: Some("7"),
        };
        assert_eq!(
            peak_moved(moved, Language::English),
            "peak moved: optimizer step \u{2192} backward at 7"
        );
        assert_eq!(
            peak_moved_aloud(moved, Language::English),
            "The peak moved from the optimizer step to backward at 7."
        );
        let nowhere = PeakMove { at: None, ..moved };
        assert_eq!(
            peak_moved(nowhere, Language::Chinese),
            "峰值转移：优化器更新 \u{2192} 反向"
        );
    }

    #[test]
    fn what_binds_along_a_setting_is_a_sentence() {
        let along = PeakAlong {
            first: Some(Phase::OptimizerStep),
            changes: vec![("1024".to_owned(), Phase::Backward)],
            last_fitting: Some("8192".to_owned()),
        };
        assert_eq!(
            peak_along("Sequence length", &along, Language::English),
            "Sequence length: The optimizer step binds; from 1024 on, backward binds. The last that fits is 8192."
        );
        assert_eq!(
            peak_along("序列长度", &along, Language::Chinese),
            "序列长度：峰值在优化器更新阶段；从 1024 起峰值在反向阶段。能放下的最后一个值是 8192。"
        );
    }
}
