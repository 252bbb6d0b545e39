//! Sentences about a report.

use super::{ByteUnits, Language, Scale, Term, amount};
use crate::host::HostPhase;
use crate::report::{PhaseReport, Report, StepReport, Switch, Verdict};
use crate::sim::Phase;
use crate::spec::Fix;
use crate::tape::Category;
use crate::units::Bytes;
use serde_json::Value;

/// Joins a list as a language does: `a, b and c`.
fn list(items: &[String], language: Language) -> String {
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
        (_, Phase::Data) => "copying the batch",
        (_, Phase::Forward) => "forward",
        (_, Phase::Backward) => "backward",
        (_, Phase::Clip) => "gradient clipping",
        (_, Phase::OptimizerStep) => "the optimizer step",
        (_, Phase::ZeroGrad) => "zero_grad",
        (_, Phase::Evaluation) => "evaluation",
    }
}

/// A phase where there is little room: `optim.`.
pub fn phase_short(phase: Phase, language: Language) -> &'static str {
    match (language, phase) {
        (Language::English, Phase::Forward) => "fwd",
        (Language::English, Phase::Backward) => "bwd",
        (Language::English, Phase::OptimizerStep) => "optim.",
        (Language::English, Phase::ZeroGrad) => "zero",
        (Language::English, Phase::Evaluation) => "eval",
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

/// `71.3 of 79.2 GiB`.
fn of(needed: Bytes, capacity: Bytes, units: ByteUnits, language: Language) -> String {
    let scale = Scale::new(capacity, units);
    let needed = scale.finer(needed);
    match language {
        Language::English => format!("{needed} of {}", scale.amount(capacity)),
        Language::Chinese => format!("{needed} / {}", scale.amount(capacity)),
    }
}

/// The answer in a few words: "Fits, 7.9 GiB to spare."
pub fn verdict_answer(verdict: &Verdict, units: ByteUnits, language: Language) -> String {
    let device = Scale::new(verdict.device.capacity, units);
    let host = Scale::new(verdict.host.capacity, units);
    let killed = verdict.host.shortfall() > verdict.swapped;
    match (verdict.device.fits, verdict.host.fits, language) {
        (true, true, Language::English) => format!(
            "Fits, {} to spare.",
            device.between(verdict.device.needed, verdict.device.capacity)
        ),
        (true, true, Language::Chinese) => format!(
            "放得下，显存还余 {}。",
            device.between(verdict.device.needed, verdict.device.capacity)
        ),
        (false, true, Language::English) => format!(
            "Does not fit: {} of GPU memory missing.",
            device.between(verdict.device.capacity, verdict.device.needed)
        ),
        (false, true, Language::Chinese) => format!(
            "放不下：显存还差 {}。",
            device.between(verdict.device.capacity, verdict.device.needed)
        ),
        (true, false, Language::English) if killed => format!(
            "Host RAM runs out: {} missing; the job is killed.",
            host.between(verdict.host.capacity, verdict.host.needed)
        ),
        (true, false, Language::Chinese) if killed => format!(
            "主机内存不足：还差 {}，任务会被终止。",
            host.between(verdict.host.capacity, verdict.host.needed)
        ),
        (true, false, Language::English) => format!(
            "Swaps {} of host RAM: many times slower.",
            host.finer_amount(verdict.swapped)
        ),
        (true, false, Language::Chinese) => format!(
            "有 {} 主机内存被换出到交换空间，会慢很多倍。",
            host.finer_amount(verdict.swapped)
        ),
        (false, false, Language::English) => format!(
            "Does not fit: {} of GPU memory and {} of host RAM missing.",
            device.between(verdict.device.capacity, verdict.device.needed),
            host.between(verdict.host.capacity, verdict.host.needed)
        ),
        (false, false, Language::Chinese) => format!(
            "放不下：显存还差 {}，主机内存还差 {}。",
            device.between(verdict.device.capacity, verdict.device.needed),
            host.between(verdict.host.capacity, verdict.host.needed)
        ),
    }
}

/// The numbers of the answer: "Needs 71.3 of 79.2 GiB VRAM at the optimizer step; host RAM 38.0
/// of 128 GiB."
pub fn verdict_detail(verdict: &Verdict, units: ByteUnits, language: Language) -> String {
    let device = of(
        verdict.device.needed,
        verdict.device.capacity,
        units,
        language,
    );
    let host = of(verdict.host.needed, verdict.host.capacity, units, language);
    let phase = phase_in_sentence(verdict.binding_phase, language);
    match language {
        Language::English => {
            format!("Needs {device} VRAM at {phase}; host RAM {host}.")
        }
        Language::Chinese => {
            format!("显存需要 {device}，峰值在{phase}阶段；主机内存 {host}。")
        }
    }
}

/// Where the binding phase changes: "from micro-batch 6 on, backward binds".
pub fn switch_sentence(switch: &Switch, language: Language) -> String {
    let phase = phase_in_sentence(switch.to, language);
    let size = switch.micro_batch_size;
    match language {
        Language::English => format!("from micro-batch {size} on, {phase} binds"),
        Language::Chinese => format!("从微批次 {size} 起，峰值转到{phase}阶段"),
    }
}

/// The largest batch size that fits.
pub fn largest_fitting(size: Option<u64>, language: Language) -> String {
    match (size, language) {
        (Some(size), Language::English) => format!("The largest micro-batch that fits is {size}."),
        (Some(size), Language::Chinese) => format!("能放下的最大微批次是 {size}。"),
        (None, Language::English) => "No micro-batch fits.".to_owned(),
        (None, Language::Chinese) => "任何微批次都放不下。".to_owned(),
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

/// The HTML that embeds an address in a page.
pub fn embed_snippet(address: &str) -> String {
    let address = address.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe src=\"{address}\" title=\"Highwater\" width=\"100%\" height=\"420\" \
         style=\"border:0\" loading=\"lazy\"></iframe>"
    )
}

/// What the button of a repair says: "Use 256".
pub fn fix_label(fix: &Fix, language: Language) -> String {
    /// Longer values are not shown.
    const LONGEST: usize = 24;
    let value = match &fix.value {
        Value::String(text) => text.clone(),
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

/// How a bar is read aloud.
pub fn bar_name(
    what: &str,
    parts: &[(String, String)],
    total: Bytes,
    capacity: Bytes,
    units: ByteUnits,
    language: Language,
) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|(label, n)| format!("{label} {n}"))
        .collect();
    let of = of(total, capacity, units, language);
    match language {
        Language::English => format!("{what}: {of}. {}.", list(&parts, language)),
        Language::Chinese => format!("{what}：{of}。{}。", list(&parts, language)),
    }
}

fn largest(phase: &PhaseReport, how_many: usize) -> Vec<(Category, Bytes)> {
    let mut parts: Vec<(Category, Bytes)> = phase.composition.parts().collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    parts.truncate(how_many);
    parts
}

/// What the phase figure says: which phase binds, and by how much.
pub fn phases_summary(step: &StepReport, units: ByteUnits, language: Language) -> String {
    let peak = &step.peak;
    let scale = Scale::new(peak.peak_tensor, units);
    let second = step
        .phases
        .iter()
        .filter(|phase| phase.phase != peak.phase)
        .max_by_key(|phase| phase.peak_tensor);
    let name = phase_in_sentence(peak.phase, language);
    let total = scale.amount(peak.peak_tensor);
    match (second, language) {
        (None, Language::English) => format!("{} needs {total}.", capitalized(name)),
        (None, Language::Chinese) => format!("{name}阶段需要 {total}。"),
        (Some(next), Language::English) => format!(
            "{} binds with {total}; {} follows with {} less.",
            capitalized(name),
            phase_in_sentence(next.phase, language),
            scale.finer_amount(peak.peak_tensor - next.peak_tensor),
        ),
        (Some(next), Language::Chinese) => format!(
            "{name}阶段以 {total} 决定峰值；其次是{}阶段，少 {}。",
            phase_in_sentence(next.phase, language),
            scale.finer_amount(peak.peak_tensor - next.peak_tensor),
        ),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Why the peak is what it is, one sentence an item.
pub fn explanation(report: &Report, units: ByteUnits, language: Language) -> Vec<String> {
    let steady = &report.device.steady_step;
    let first = &report.device.first_step;
    let (step, other) = if first.peak.peak_tensor > steady.peak.peak_tensor {
        (first, steady)
    } else {
        (steady, first)
    };
    let peak = &step.peak;
    let scale = Scale::new(peak.peak_tensor, units);
    let parts: Vec<String> = largest(peak, 4)
        .into_iter()
        .map(|(category, bytes)| {
            format!("{} {}", category.term(language), scale.finer_amount(bytes))
        })
        .collect();
    let parts = list(&parts, language);
    let phase = phase_in_sentence(peak.phase, language);
    let allocator = report.device.run.peak_reserved - peak.peak_tensor;
    let first_less = step.peak.peak_tensor - other.peak.peak_tensor;
    let mut sentences = vec![match language {
        Language::English => format!(
            "At {phase} most of the {} of live tensors are {parts}.",
            scale.amount(peak.peak_tensor)
        ),
        Language::Chinese => format!(
            "在{phase}阶段，{} 的存活张量中主要是{parts}。",
            scale.amount(peak.peak_tensor)
        ),
    }];
    sentences.push(match language {
        Language::English => format!(
            "The caching allocator holds {} beyond them, and the CUDA context takes {}: nvidia-smi shows {}.",
            amount(allocator, units),
            amount(report.device.context, units),
            amount(report.device.total, units),
        ),
        Language::Chinese => format!(
            "缓存分配器另外持有 {}，CUDA 上下文占 {}，因此 nvidia-smi 显示 {}。",
            amount(allocator, units),
            amount(report.device.context, units),
            amount(report.device.total, units),
        ),
    });
    if first_less.get() > 0 && std::ptr::eq(step, steady) {
        sentences.push(match language {
            Language::English => format!(
                "The first step needs {} less: optimizer states appear only at its end.",
                amount(first_less, units)
            ),
            Language::Chinese => format!(
                "第一步少 {}：优化器状态在它结束时才出现。",
                amount(first_less, units)
            ),
        });
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Fit;

    fn verdict(device: (u64, u64), host: (u64, u64)) -> Verdict {
        let fit = |(needed, capacity)| Fit::new(Bytes::gib(needed), Bytes::gib(capacity));
        let host = fit(host);
        Verdict {
            fits: true,
            binding_phase: Phase::OptimizerStep,
            device: fit(device),
            host,
            swapped: Bytes::ZERO,
        }
    }

    #[test]
    fn what_fits_says_how_much_is_left() {
        let verdict = verdict((71, 79), (38, 128));
        let say = |language| verdict_answer(&verdict, ByteUnits::Binary, language);
        assert_eq!(say(Language::English), "Fits, 8.0\u{a0}GiB to spare.");
        assert_eq!(say(Language::Chinese), "放得下，显存还余 8.0\u{a0}GiB。");
        assert_eq!(
            verdict_detail(&verdict, ByteUnits::Binary, Language::English),
            "Needs 71.0 of 79.0\u{a0}GiB VRAM at the optimizer step; host RAM 38.0 of 128\u{a0}GiB."
        );
    }

    #[test]
    fn what_does_not_fit_says_how_much_is_missing() {
        let verdict = verdict((95, 79), (38, 128));
        assert_eq!(
            verdict_answer(&verdict, ByteUnits::Binary, Language::English),
            "Does not fit: 16.0\u{a0}GiB of GPU memory missing."
        );
    }

    #[test]
    fn lists_read_as_sentences_do() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(list(&items, Language::English), "a, b and c");
        assert_eq!(list(&items, Language::Chinese), "a、b和c");
    }
}
