//! Small sentences and names that depend on the sentence around them.

use super::verdict::of;
use super::{ByteUnits, Language, Term};
use crate::ask::{Fix, Scenario};
use crate::host::HostPhase;
use crate::report::{PhaseReport, Report, Sweep, Switch};
use crate::sim::Phase;
use crate::units::Bytes;
use serde_json::Value;

/// Some of a list, and the number of the others: "A, B and 3 more".
pub fn and_more(named: &[String], more: usize, language: Language) -> String {
    match (more, language) {
        (0, Language::English) => named.join(", "),
        (0, Language::Chinese) => named.join("，"),
        (_, Language::English) => format!("{} and {more} more", named.join(", ")),
        (_, Language::Chinese) => format!("{}，另有 {more} 项", named.join("，")),
    }
}

/// Joins a list as a language does: `a, b and c`.
pub(super) fn list(items: &[String], language: Language) -> String {
    let (comma, and) = match language {
        Language::English => (", ", " and "),
        Language::Chinese => ("、", "和"),
    };
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{}{and}{last}", first.join(comma)),
    }
}

/// A phase in a sentence: `the optimizer step`.
pub fn phase_in_sentence(phase: Phase, language: Language) -> &'static str {
    match (language, phase) {
        (Language::Chinese, _) => phase.term(language),
        (_, Phase::Loading) => "loading",
        (_, Phase::Data) => "copying the batch",
        (_, Phase::Generation) => "generation",
        (_, Phase::Forward) => "forward",
        (_, Phase::ReferenceForward) => "the reference's forward pass",
        (_, Phase::Backward) => "backward",
        (_, Phase::Clip) => "gradient clipping",
        (_, Phase::OptimizerStep) => "the optimizer step",
        (_, Phase::ZeroGrad) => "zero_grad",
        (_, Phase::Evaluation) => "evaluation",
        (_, Phase::Saving) => "saving a checkpoint",
    }
}

/// A phase where there is little room: `optim.`.
pub fn phase_short(phase: Phase, language: Language) -> &'static str {
    match (language, phase) {
        (Language::English, Phase::Loading) => "load",
        (Language::English, Phase::Generation) => "gen.",
        (Language::English, Phase::Forward) => "fwd",
        (Language::English, Phase::ReferenceForward) => "ref.",
        (Language::English, Phase::Backward) => "bwd",
        (Language::English, Phase::OptimizerStep) => "optim.",
        (Language::English, Phase::ZeroGrad) => "zero",
        (Language::English, Phase::Evaluation) => "eval",
        (Language::English, Phase::Saving) => "save",
        (Language::Chinese, Phase::Data) => "数据",
        (Language::Chinese, Phase::Clip) => "裁剪",
        (Language::Chinese, Phase::OptimizerStep) => "优化器",
        (Language::Chinese, Phase::ZeroGrad) => "清零",
        (_, phase) => phase.term(language),
    }
}

/// The largest batch size that fits, in a figure: "12 fits".
pub fn fits_up_to(micro_batch_size: u64, language: Language) -> String {
    match language {
        Language::English => format!("{micro_batch_size} fits"),
        Language::Chinese => format!("{micro_batch_size} 放得下"),
    }
}

/// A change of the binding phase: "from micro-batch 6 on, backward binds".
pub fn switch_sentence(switch: &Switch, language: Language) -> String {
    let phase = phase_in_sentence(switch.to, language);
    let size = switch.micro_batch_size;
    match language {
        Language::English => format!("from micro-batch {size} on, {phase} binds"),
        Language::Chinese => format!("从微批次 {size} 起，峰值转到{phase}阶段"),
    }
}

/// The largest batch size that fits, of those looked at.
pub fn largest_fitting(sweep: &Sweep, language: Language) -> String {
    let all = sweep.points.iter().all(|point| point.fits);
    match (sweep.largest_fitting, language) {
        (Some(size), Language::English) if all => format!("All up to {size} fit."),
        (Some(size), Language::Chinese) if all => format!("到 {size} 为止都放得下。"),
        (Some(size), Language::English) => format!("The largest that fits is {size}."),
        (Some(size), Language::Chinese) => format!("能放下的最大值是 {size}。"),
        (None, Language::English) => "None fits.".to_owned(),
        (None, Language::Chinese) => "都放不下。".to_owned(),
    }
}

/// When the host's peak comes: "peak while loading".
pub fn host_peak(phase: HostPhase, language: Language) -> String {
    let name = phase.term(language);
    match language {
        Language::English => format!("peak while {name}"),
        Language::Chinese => format!("峰值在{name}时"),
    }
}

/// The widget's title: "GPU memory of Qwen2.5 1.5B, AdamW". A run without steps names no optimizer.
pub fn widget_title(report: &Report, scenario: &Scenario, language: Language) -> String {
    let steps = |of: &PhaseReport| of.phase == Phase::OptimizerStep;
    let optimizer = report.device.steady_step.phases.iter().any(steps);
    let optimizer = optimizer.then(|| scenario.optimizer.name.term(language));
    let model = &report.model.name;
    match (language, optimizer) {
        (Language::English, Some(optimizer)) => format!("GPU memory of {model}, {optimizer}"),
        (Language::English, None) => format!("GPU memory of {model}"),
        (Language::Chinese, Some(optimizer)) => format!("{model}（{optimizer}）的显存"),
        (Language::Chinese, None) => format!("{model} 的显存"),
    }
}

/// HTML that embeds the widget at an address: a plain iframe of a title and a height in CSS pixels.
/// `script`, when given, lets it follow its content.
pub fn embed_snippet(address: &str, title: &str, height: u64, script: Option<&str>) -> String {
    let quoted = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;");
    let title = quoted(title);
    let frame = format!(
        "<iframe src=\"{}\" title=\"{title}\" width=\"100%\" height=\"{height}\" \
         style=\"border:0\" loading=\"lazy\"></iframe>",
        quoted(address)
    );
    script.map_or_else(
        || frame.clone(),
        |script| {
            format!(
                "{frame}\n<script src=\"{}\" defer></script>",
                quoted(script)
            )
        },
    )
}

/// The label of a repair's button: "Use 256".
pub fn fix_label(fix: &Fix, language: Language) -> String {
    /// Longer values are not shown.
    const LONGEST: usize = 24;
    let value = match &fix.value {
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.is_empty() => {
            let name = |item: &Value| {
                item.as_str()
                    .map_or_else(|| item.to_string(), str::to_owned)
            };
            items.iter().map(name).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    match (language, value.as_str()) {
        (Language::English, "null") => "Remove it".to_owned(),
        (Language::Chinese, "null") => "删除".to_owned(),
        (Language::English, long) if long.len() > LONGEST => "Repair".to_owned(),
        (Language::Chinese, long) if long.len() > LONGEST => "修复".to_owned(),
        (Language::English, value) => format!("Use {value}"),
        (Language::Chinese, value) => format!("改为 {value}"),
    }
}

/// How a bar is read aloud, each of its parts a label with a number.
pub fn bar_name(
    what: &str,
    parts: &[String],
    total: Bytes,
    capacity: Bytes,
    units: ByteUnits,
    language: Language,
) -> String {
    let of = of(total, capacity, units, language);
    match language {
        Language::English => format!("{what}: {of}. {}.", list(parts, language)),
        Language::Chinese => format!("{what}：{of}。{}。", list(parts, language)),
    }
}

/// A sentence's beginning.
pub(super) fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences_do() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(list(&items, Language::English), "a, b and c");
        assert_eq!(list(&items, Language::Chinese), "a、b和c");
    }

    #[test]
    fn a_repair_names_the_value_as_people_type_it() {
        let label = |value: Value| {
            let key = "lora.target_modules".to_owned();
            fix_label(&Fix { key, value }, Language::English)
        };
        assert_eq!(
            label(Value::from(vec!["q_proj", "v_proj"])),
            "Use q_proj, v_proj"
        );
        assert_eq!(label(Value::from(256)), "Use 256");
        assert_eq!(label(Value::Null), "Remove it");
    }
}
