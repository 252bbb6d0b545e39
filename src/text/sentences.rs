//! Sentences about a report.

use super::{ByteUnits, Language, Scale, Term, amount};
use crate::host::HostPhase;
use crate::report::{Report, Sweep, Switch, Verdict, explain};
use crate::sim::Phase;
use crate::spec::Fix;
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

/// A sentence's beginning.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Why the peak is what it is, one sentence an item.
pub fn explanation(report: &Report, units: ByteUnits, language: Language) -> Vec<String> {
    /// Categories that are named.
    const NAMED: usize = 4;
    let why = explain(report);
    let device = &report.device;
    let peak = device.binding();
    let scale = Scale::new(peak.peak_tensor, units);
    let parts: Vec<String> = why
        .parts
        .iter()
        .take(NAMED)
        .map(|part| {
            let size = scale.finer_amount(part.bytes);
            format!("{} {size}", part.category.term(language))
        })
        .collect();
    let parts = list(&parts, language);
    let phase = phase_in_sentence(why.binding, language);
    let total = scale.amount(peak.peak_tensor);
    let beyond = amount(why.unsplit + why.cached, units);
    let context = amount(why.context, units);
    let shown = amount(device.total, units);
    let mut sentences = match language {
        Language::English => vec![
            format!("At {phase} most of the {total} of live tensors are {parts}."),
            format!(
                "The caching allocator holds {beyond} beyond them and the CUDA context takes {context}: nvidia-smi shows {shown}."
            ),
        ],
        Language::Chinese => vec![
            format!("在{phase}阶段，{total} 的存活张量中主要是{parts}。"),
            format!(
                "缓存分配器另外持有 {beyond}，CUDA 上下文占 {context}，因此 nvidia-smi 显示 {shown}。"
            ),
        ],
    };
    let (first, steady) = (
        device.first_step.peak.peak_tensor,
        device.steady_step.peak.peak_tensor,
    );
    if first < steady {
        let less = scale.between(first, steady);
        sentences.push(match language {
            Language::English => {
                format!("The first step needs {less} less: optimizer states appear at its end.")
            }
            Language::Chinese => format!("第一步少 {less}：优化器状态在它结束时才出现。"),
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
