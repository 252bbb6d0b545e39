//! Values that fit, and the need of a rank on more GPUs, in words.

use super::sentences::list;
use super::{ByteUnits, Language, Term, amount};
use crate::decide::{GpusCurve, Sharding};
use crate::units::{Bytes, sort_short};

/// Parts that a sentence names.
const NAMED: usize = 3;

/// The name of an axis that is asked for often: "Largest micro-batch".
pub fn axis_name(axis: &str, language: Language) -> &str {
    language.of(match axis {
        "micro_batch_size" => ("Largest micro-batch", "最大微批次"),
        "seq_len" => ("Longest sequence", "最长序列"),
        "max_pixels" => ("Most pixels of an image", "图像的最大像素数"),
        "lora.r" => ("Largest LoRA rank", "最大 LoRA 秩"),
        "model" => ("Largest model of this type", "同类型中最大的模型"),
        "gpus" => ("Fewest GPUs", "最少 GPU 数"),
        "hardware.gpu" => ("Smallest GPU", "最小的 GPU"),
        other => (other, other),
    })
}

/// Who divides the training state: "FSDP2".
pub const fn sharding_name(sharding: Sharding) -> &'static str {
    match sharding {
        Sharding::Ddp => "DDP",
        Sharding::Zero1 => "ZeRO-1",
        Sharding::Zero2 => "ZeRO-2",
        Sharding::Zero3 => "ZeRO-3",
        Sharding::Fsdp2 => "FSDP2",
    }
}

/// The bytes that more GPUs do not divide, before a line: "5.1 GiB stay".
pub fn floor_name(bytes: Bytes, units: ByteUnits, language: Language) -> String {
    let bytes = amount(bytes, units);
    match language {
        Language::English => format!("{bytes} stay"),
        Language::Chinese => format!("{bytes} 不变"),
    }
}

/// A curve in a sentence: how far the need falls, and what stays.
pub fn curve_summary(curve: &GpusCurve, units: ByteUnits, language: Language) -> String {
    let ([first, ..], [.., last]) = (curve.points.as_slice(), curve.points.as_slice()) else {
        return String::new();
    };
    let mut parts: Vec<_> = curve.floor.parts().collect();
    sort_short(&mut parts, |&(_, bytes)| std::cmp::Reverse(bytes));
    let parts = parts.iter().take(NAMED).map(|&(category, bytes)| {
        let name = category.term(language);
        format!("{name} {}", amount(bytes, units))
    });
    let parts = list(&parts.collect::<Vec<_>>(), language);
    let name = sharding_name(curve.sharding);
    let [from, to] = [first, last].map(|point| amount(point.device.needed, units));
    let (one, many, floor) = (first.gpus, last.gpus, amount(curve.floor.total(), units));
    match language {
        Language::English => format!(
            "{name}: a rank needs {from} on {one} and {to} on {many} GPUs. {floor} of tensors do not shrink, mostly {parts}."
        ),
        Language::Chinese => format!(
            "{name}：{one} 块 GPU 时每个进程需要 {from}，{many} 块时 {to}。其中 {floor} 张量不会减少，主要是{parts}。"
        ),
    }
}

/// The need of ranks on a number of GPUs under each sharding: "8 GPUs: DDP 24.1 GiB, FSDP2 7.2 GiB."
pub fn gpus_sentence(
    curves: &[GpusCurve],
    gpus: u64,
    units: ByteUnits,
    language: Language,
) -> String {
    let points = curves.iter().filter_map(|curve| {
        let point = curve.points.iter().find(|point| point.gpus == gpus)?;
        let name = sharding_name(curve.sharding);
        Some(format!("{name} {}", amount(point.device.needed, units)))
    });
    let points: Vec<String> = points.collect();
    match language {
        Language::English => format!("{gpus} GPUs: {}.", points.join(", ")),
        Language::Chinese => format!("{gpus} 块 GPU：{}。", points.join("，")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Axis;

    #[test]
    fn every_axis_that_is_asked_for_often_has_a_name() {
        for axis in Axis::usual() {
            for &language in Language::ALL {
                assert_ne!(axis_name(axis.name(), language), axis.name());
            }
        }
    }
}
