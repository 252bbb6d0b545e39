//! Plans that were searched for, in words.

use super::{ByteUnits, Language, Term, amount, exact, message_text};
use crate::decide::{
    Adapters, Altered, Freedom, GpuModel, Gpus, Looked, LookedPart, NearMiss, Nearest, Plans,
    Rejection, Why,
};
use crate::report::Memory;
use crate::sim::Phase;

/// The name of a setting that a search may change.
pub const fn freedom_name(freedom: Freedom, language: Language) -> &'static str {
    language.of(match freedom {
        Freedom::Parallelism => ("parallelism", "并行方式"),
        Freedom::MicroBatchSize => ("micro-batch", "微批次"),
        Freedom::ActivationCheckpointing => ("checkpointing", "激活重计算"),
        Freedom::Precision => ("precision", "精度"),
        Freedom::Optimizer => ("optimizer", "优化器"),
        Freedom::Attention => ("attention", "注意力实现"),
        Freedom::Loss => ("loss", "损失"),
        Freedom::Offload => ("offload", "卸载到主机"),
    })
}

/// Adapters that a search may add.
pub const fn adapters_name(adapters: Adapters) -> &'static str {
    match adapters {
        Adapters::Lora => "LoRA",
        Adapters::Qlora => "QLoRA",
    }
}

/// On how many GPUs a plan can be.
pub fn gpus_choice(gpus: Gpus, now: u64, language: Language) -> String {
    match (gpus, language) {
        (Gpus::AsSaid, Language::English) => format!("as it is: {now}"),
        (Gpus::AsSaid, Language::Chinese) => format!("保持 {now} 块"),
        (Gpus::Any, Language::English) => "any number up to 64".to_owned(),
        (Gpus::Any, Language::Chinese) => "任意数量，至多 64 块".to_owned(),
    }
}

/// On which GPU a plan can be, where it is on this one now.
pub fn gpu_choice(gpu: GpuModel, now: &str, language: Language) -> String {
    match (gpu, language) {
        (GpuModel::AsSaid, Language::English) => format!("as it is: {now}"),
        (GpuModel::AsSaid, Language::Chinese) => format!("保持 {now}"),
        (GpuModel::Any, Language::English) => "the smallest of the catalog that fits".to_owned(),
        (GpuModel::Any, Language::Chinese) => "目录中放得下的最小型号".to_owned(),
    }
}

/// How far a search is, and what it has found.
pub fn search_summary(plans: &Plans, done: bool, headroom: u64, language: Language) -> String {
    let (found, looked) = (plans.plans.len(), exact(plans.looked_at()));
    let (candidates, estimated) = (exact(plans.candidates), exact(plans.estimated));
    match (language, done) {
        (Language::English, false) => {
            format!("Searching: {looked} of {candidates} settings looked at, {found} plans so far.")
        }
        (Language::Chinese, false) => {
            format!("正在搜索：已查看 {candidates} 种设置中的 {looked} 种，暂有 {found} 个方案。")
        }
        (Language::English, true) if found == 1 => format!(
            "One plan leaves {headroom} % of the GPU free and is dominated by no other, of {candidates} settings ({estimated} simulated, the others ruled out by those). Ratios are of counted operations and bytes, not of measured time."
        ),
        (Language::English, true) => format!(
            "{found} plans leave {headroom} % of the GPU free and are dominated by no other, of {candidates} settings ({estimated} simulated, the others ruled out by those). Ratios are of counted operations and bytes, not of measured time."
        ),
        (Language::Chinese, true) => format!(
            "{found} 个方案留出 {headroom} % 显存且不被其他方案全面超越；共 {candidates} 种设置（模拟了 {estimated} 种，其余由此排除）。比值按计数的运算量与字节数得出，并非实测时间。"
        ),
    }
}

/// Why candidates are no plans: "412 do not fit: backward needs 1.2 GiB too much at least".
pub fn rejection_sentence(group: &Rejection, units: ByteUnits, language: Language) -> String {
    let count = exact(group.count);
    let english = language == Language::English;
    match &group.why {
        Why::Short { memory, phase, by } => {
            let by = amount(*by, units);
            let place = match (phase, memory) {
                (Some(phase), _) => phase.term(language),
                (None, Memory::Host) => language.of(("host RAM", "主机内存")),
                (None, Memory::Device) => language.of(("GPU memory", "显存")),
            };
            if english {
                format!("{count} do not fit: {by} short at least ({place})")
            } else {
                format!("{count} 种放不下：至少差 {by}（{place}）")
            }
        }
        Why::Refused(finding) => {
            let why = message_text(&finding.message, language);
            if english {
                format!("{count} refused: {why}")
            } else {
                format!("{count} 种不支持：{why}")
            }
        }
        Why::Dominated if english => format!("{count} fit, but another is as good in everything"),
        Why::Dominated => format!("{count} 种放得下，但另有方案各方面都不逊色"),
    }
}

/// The lock that is in the way, where nothing fits.
pub fn nearest_sentence(nearest: &Nearest, language: Language) -> String {
    let locks = nearest.without.iter();
    let locks: Vec<&str> = locks.map(|&lock| freedom_name(lock, language)).collect();
    match language {
        Language::English => format!(
            "Nothing fits while {} may not change. Without that lock this does:",
            locks.join(", ")
        ),
        Language::Chinese => format!("锁定{}时都放不下。解除后可行的方案：", locks.join("、")),
    }
}

/// The changes and the phase that all plans share, once: "All plans: Micro-batch: 1; peak in backward."; nothing where they share nothing.
pub fn shared_sentence(
    changes: &[String],
    phase: Option<Phase>,
    language: Language,
) -> Option<String> {
    let phase = phase.map(|phase| peak_in(phase, language));
    let all: Vec<&str> = changes.iter().chain(&phase).map(String::as_str).collect();
    (!all.is_empty()).then(|| match language {
        Language::English => format!("All plans: {}.", all.join("; ")),
        Language::Chinese => format!("所有方案：{}。", all.join("；")),
    })
}

/// The phase in which a plan needs most: "peak in backward".
pub fn peak_in(phase: Phase, language: Language) -> String {
    let phase = phase.term(language);
    match language {
        Language::English => format!("peak in {phase}"),
        Language::Chinese => format!("峰值在{phase}"),
    }
}

const fn altered_name(altered: Altered, language: Language) -> &'static str {
    language.of(match altered {
        Altered::Precision => ("precision", "精度"),
        Altered::Optimizer => ("optimizer", "优化器"),
        Altered::Lora => ("LoRA", "LoRA"),
        Altered::Quantization => ("quantized base", "量化基座"),
    })
}

/// The parts of training that a plan alters: "changes training: precision, LoRA"; nothing where it alters nothing.
pub fn altered_sentence(altered: &[Altered], language: Language) -> Option<String> {
    let names = altered.iter().map(|&one| altered_name(one, language));
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| match language {
        Language::English => format!("changes training: {}", names.join(", ")),
        Language::Chinese => format!("改变训练：{}", names.join("、")),
    })
}

/// Candidates of one outcome: "412 too large for the GPU".
pub fn looked_text(part: LookedPart, language: Language) -> String {
    let count = exact(part.count);
    let what = language.of(match part.what {
        Looked::Plans if part.count == 1 => ("plan", "个方案"),
        Looked::Plans => ("plans", "个方案"),
        Looked::Dominated => ("fit, another is as good", "种放得下，另有方案不逊色"),
        Looked::DeviceShort => ("too large for the GPU", "种显存放不下"),
        Looked::HostShort => ("too large for host RAM", "种主机内存放不下"),
        Looked::Refused => ("refused", "种不支持"),
    });
    format!("{count} {what}")
}

/// Missing memory of a candidate: "1.20 GiB of GPU memory missing; needs 17.0 GiB, and 31.2 GiB of host RAM".
pub fn miss_sentence(miss: &NearMiss, units: ByteUnits, language: Language) -> String {
    let by = amount(miss.by, units);
    let (device, host) = (
        amount(miss.plan.device, units),
        amount(miss.plan.host, units),
    );
    match (miss.memory, language) {
        (Memory::Device, Language::English) => {
            format!("{by} of GPU memory missing; needs {device}, and {host} of host RAM")
        }
        (Memory::Host, Language::English) => {
            format!("{by} of host RAM missing; needs {host}, and {device} of GPU memory")
        }
        (Memory::Device, Language::Chinese) => {
            format!("显存差 {by}；需要显存 {device}，主机内存 {host}")
        }
        (Memory::Host, Language::Chinese) => {
            format!("主机内存差 {by}；需要主机内存 {host}，显存 {device}")
        }
    }
}

/// A share as style sheets read it: "0.333".
pub fn share_of(part: u64, whole: u64) -> String {
    format!("{:.3}", part as f64 / whole.max(1) as f64)
}

/// A ratio: "1.33\u{d7}".
pub fn ratio(own: u64, least: u64) -> String {
    format!("{:.2}\u{d7}", own as f64 / least.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_plans_share_is_one_sentence_or_none() {
        let changes = ["Micro-batch: 1".to_owned()];
        let say = |changes, phase| shared_sentence(changes, phase, Language::English);
        assert_eq!(say(&[], None), None);
        let said = say(&changes, Some(Phase::Backward));
        assert_eq!(
            said.as_deref(),
            Some("All plans: Micro-batch: 1; peak in backward.")
        );
    }

    #[test]
    fn what_a_plan_alters_and_what_became_of_candidates_is_said_in_both_languages() {
        for &language in Language::ALL {
            assert_eq!(altered_sentence(&[], language), None);
            let all = altered_sentence(Altered::ALL, language).expect("a sentence");
            assert_eq!(all.is_ascii(), language == Language::English, "{all}");
            for &what in Looked::ALL {
                let said = looked_text(LookedPart { what, count: 1200 }, language);
                assert!(said.starts_with("1,200 "), "{said}");
            }
        }
    }
}
