//! Why the peak is what it is.

use super::sentences::list;
use super::{ByteUnits, Language, Scale, Term, amount, count, exact, phase_in_sentence};
use crate::report::{Lagging, Report, explain};

/// "Qwen2.5 1.5B has 1.54B parameters; an optimizer step sees 2 samples."
fn what_is_trained(report: &Report, language: Language) -> String {
    let model = &report.model;
    let (name, all, trained) = (
        &model.name,
        count(model.num_parameters),
        count(model.num_trainable),
    );
    let batch = exact(report.global_batch_size);
    let whole = model.num_parameters == model.num_trainable;
    match (language, whole) {
        (Language::English, true) => {
            format!("{name} has {all} parameters, all trained; the global batch size is {batch}.")
        }
        (Language::English, false) => format!(
            "{name} has {all} parameters, {trained} of them trained; the global batch size is {batch}."
        ),
        (Language::Chinese, true) => {
            format!("{name} 有 {all} 个参数，全部参与训练；全局批次大小为 {batch}。")
        }
        (Language::Chinese, false) => {
            format!("{name} 有 {all} 个参数，其中 {trained} 个参与训练；全局批次大小为 {batch}。")
        }
    }
}

/// The sentence about a steady step where the device lags behind the host.
pub fn lagging_sentence(lagging: &Lagging, units: ByteUnits, language: Language) -> String {
    let scale = Scale::new(lagging.peak_reserved, units);
    let [active, reserved] =
        [lagging.peak_active, lagging.peak_reserved].map(|bytes| scale.amount(bytes));
    match language {
        Language::English => format!(
            "If the GPU lags behind the host as far as it can, up to {active} are active and {reserved} reserved in a steady step: what one stream frees comes back when the others are done with it."
        ),
        Language::Chinese => format!(
            "如果 GPU 尽可能落后于主机，稳定步骤中最多有 {active} 处于活跃状态、{reserved} 被保留：一个流释放的内存要等其他流用完才会归还。"
        ),
    }
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
            let size = scale.amount(part.bytes);
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
    sentences.insert(0, what_is_trained(report, language));
    let (first, steady) = (
        device.first_step.peak.peak_tensor,
        device.steady_step.peak.peak_tensor,
    );
    if let Some(usual) = &device.usual_step {
        let usual = usual.peak.peak_tensor;
        let (of, less) = (scale.amount(usual), scale.amount(steady - usual));
        sentences.push(match language {
            Language::English => format!(
                "Batches of usual length need {of}, {less} less than the longest, which decides whether the run fits."
            ),
            Language::Chinese => {
                format!("常见长度的批次需要 {of}，比最长的批次少 {less}；能否放下取决于最长的批次。")
            }
        });
    } else if first < steady {
        let less = scale.amount(steady - first);
        sentences.push(match language {
            Language::English => {
                format!("The first step needs {less} less: optimizer states appear at its end.")
            }
            Language::Chinese => format!("第一步少 {less}：优化器状态在它结束时才出现。"),
        });
    }
    sentences
}
