//! Plans that were searched for, in words.

use super::{ByteUnits, Language, Term, amount, exact, message_text};
use crate::decide::{Adapters, Freedom, GpuModel, Gpus, Nearest, Plans, Rejection, Why};
use crate::report::Memory;

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

/// A share as style sheets read it: "0.333".
pub fn share_of(part: u64, whole: u64) -> String {
    format!("{:.3}", part as f64 / whole.max(1) as f64)
}

/// A ratio: "1.33\u{d7}".
pub fn ratio(own: u64, least: u64) -> String {
    format!("{:.2}\u{d7}", own as f64 / least.max(1) as f64)
}
