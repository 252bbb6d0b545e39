//! Tensors: their shapes, their types and the moments of their lives.

use super::{ByteUnits, Language, Term, amount, exact};
use crate::report::Timeline;
use crate::units::{Bytes, DType};

/// `[8, 256, 1536]`
pub fn shape_text(dims: &[u64]) -> String {
    format!("{dims:?}")
}

/// A type as PyTorch writes it, without `torch.`.
pub const fn dtype_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Float64 => "float64",
        DType::Float32 => "float32",
        DType::BFloat16 => "bfloat16",
        DType::Float16 => "float16",
        DType::Int64 => "int64",
        DType::Int32 => "int32",
        DType::UInt8 => "uint8",
        DType::Bool => "bool",
    }
}

/// When an event is: "step 2, forward".
pub fn moment(timeline: &Timeline, event: u32, language: Language) -> String {
    let (Some(first), Some(last)) = (timeline.spans.first(), timeline.spans.last()) else {
        return String::new();
    };
    let span = timeline
        .spans
        .iter()
        .find(|span| span.start <= event && event < span.end);
    match (span, language) {
        (Some(span), Language::English) => {
            format!("step {}, {}", span.step + 1, span.phase.term(language))
        }
        (Some(span), Language::Chinese) => {
            format!("第 {} 步，{}", span.step + 1, span.phase.term(language))
        }
        (None, Language::English) if event < first.start => "with the model".to_owned(),
        (None, Language::Chinese) if event < first.start => "随模型创建".to_owned(),
        (None, Language::English) if event >= last.end => "stays".to_owned(),
        (None, Language::Chinese) if event >= last.end => "一直保留".to_owned(),
        (None, _) => String::new(),
    }
}

/// "1,234 tensors, 31.2 GiB."
pub fn tensors_summary(count: usize, total: Bytes, units: ByteUnits, language: Language) -> String {
    let number = exact(count as u64);
    let total = amount(total, units);
    match language {
        Language::English => {
            format!(
                "{number} tensors are alive at the highest point, {total} together. Point at one to see its life in the timeline."
            )
        }
        Language::Chinese => {
            format!(
                "最高点共有 {number} 个存活张量，合计 {total}。指向其中一个即可在时间线上看到它的生命周期。"
            )
        }
    }
}

/// "Show 31 more"
pub fn show_more(count: usize, language: Language) -> String {
    match language {
        Language::English => format!("Show {count} more"),
        Language::Chinese => format!("再显示 {count} 项"),
    }
}
