//! A failure against an estimate, in sentences.

use super::{ByteUnits, Language, Term, amount};
use crate::figure::Explained;
use crate::report::Memory;
use crate::units::Bytes;

/// Whether the estimate of the job agrees with its failure, and how near the two are.
pub fn explained_sentences(of: &Explained, units: ByteUnits, language: Language) -> Vec<String> {
    let mut all = vec![agreement(of, units, language)];
    all.extend(nearness(of, units, language));
    all
}

fn agreement(of: &Explained, units: ByteUnits, language: Language) -> String {
    let size = |bytes| amount(bytes, units);
    let (needed, capacity) = (size(of.estimate.needed), size(of.estimate.capacity));
    let phase = of.phase.term(language);
    match (language, of.memory, of.agrees()) {
        (Language::English, Memory::Device, true) => format!(
            "The estimate of this job says the same: it needs {needed} of {capacity} GPU memory, most at {phase}."
        ),
        (Language::English, Memory::Device, false) => format!(
            "By the estimate this job fits: it needs {needed} of {capacity} GPU memory, most at {phase}. Other settings ran, or others hold memory of this GPU."
        ),
        (Language::English, Memory::Host, true) => format!(
            "The estimate of this job says the same: it needs {needed} of {capacity} host RAM."
        ),
        (Language::English, Memory::Host, false) => format!(
            "By the estimate this job fits: it needs {needed} of {capacity} host RAM. The limit of the job or container may be less, the data set or its workers larger."
        ),
        (Language::Chinese, Memory::Device, true) => {
            format!("对该任务的估算与此一致：需要 {needed} 显存，共 {capacity}，峰值在{phase}。")
        }
        (Language::Chinese, Memory::Device, false) => format!(
            "按估算该任务放得下：需要 {needed} 显存，共 {capacity}，峰值在{phase}。实际设置可能不同，或该 GPU 被其他进程占用。"
        ),
        (Language::Chinese, Memory::Host, true) => {
            format!("对该任务的估算与此一致：需要 {needed} 主机内存，共 {capacity}。")
        }
        (Language::Chinese, Memory::Host, false) => format!(
            "按估算该任务放得下：需要 {needed} 主机内存，共 {capacity}。作业或容器的限额可能更小，或数据集、工作进程更大。"
        ),
    }
}

fn nearness(of: &Explained, units: ByteUnits, language: Language) -> Option<String> {
    let size = |bytes| amount(bytes, units);
    let (wanted, tensors) = (size(of.wanted?), size(of.tensors));
    let missed = of.misses();
    let (english, chinese) = if missed > Bytes::ZERO {
        let missed = size(missed);
        (
            format!(
                "With the request that failed tensors held {wanted}; by the estimate they hold {tensors} at most: {missed} at least are missing from it, or other settings ran."
            ),
            format!(
                "加上失败的请求，张量共占 {wanted}；估算的峰值为 {tensors}：至少少算 {missed}，或实际设置不同。"
            ),
        )
    } else {
        (
            format!(
                "With the request that failed tensors held {wanted}, on the way to {tensors}, which is the most by the estimate."
            ),
            format!("加上失败的请求，张量共占 {wanted}，而估算的峰值为 {tensors}。"),
        )
    };
    Some(match language {
        Language::English => english,
        Language::Chinese => chinese,
    })
}
