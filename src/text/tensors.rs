//! Tensors: their shapes, their types and the moments of their lives.

use super::{ByteUnits, Language, Term, amount, exact, meaning_of_category};
use crate::report::{LastUse, LiveTensor, Timeline};
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

/// Why a tensor is as large as it is, and why it lives as long as it does: "[8, 256, 1536] of float32 are 8 × 256 ×
/// 1536 × 4 bytes: 12.0 MiB. ..."
pub fn tensor_explained(
    tensor: &LiveTensor,
    last: Option<&LastUse>,
    timeline: &Timeline,
    units: ByteUnits,
    language: Language,
) -> String {
    let english = language == Language::English;
    let size = amount(tensor.bytes, units);
    let formula = tensor.shape.map(|(shape, dtype)| {
        let sizes: Vec<String> = shape.dims().iter().map(|&size| exact(size)).collect();
        let (sizes, each) = (sizes.join(" \u{d7} "), dtype.size());
        let name = dtype_name(dtype);
        if english {
            format!("{sizes} \u{d7} {each} bytes of {name}, in blocks of 512: {size}.")
        } else {
            format!("{sizes} \u{d7} {each} 字节（{name}），按 512 字节取整：{size}。")
        }
    });
    let formula = formula.unwrap_or_else(|| format!("{size}."));
    let meaning = meaning_of_category(tensor.category);
    let place = |op: &str, module: &str| match (op.is_empty(), module.is_empty()) {
        (true, true) => None,
        (true, false) => Some(module.to_owned()),
        (false, true) => Some(op.to_owned()),
        (false, false) if english => Some(format!("{op} in {module}")),
        (false, false) => Some(format!("{module} 中的 {op}")),
    };
    let made = place(tensor.op, &tensor.module);
    let [born, freed] = [tensor.born, tensor.freed].map(|event| moment(timeline, event, language));
    let made = match (made, english) {
        (Some(by), true) => format!("{by} makes it ({born})."),
        (Some(by), false) => format!("由 {by} 创建（{born}）。"),
        (None, true) => format!("It is made {born}."),
        (None, false) => format!("创建于：{born}。"),
    };
    let last = last.and_then(|last| place(last.op, &last.module));
    let ends = match (last, english) {
        (Some(last), true) => format!("It lives until {freed}: after {last} nothing needs it."),
        (Some(last), false) => format!("存活至{freed}：{last} 之后不再需要。"),
        (None, true) => "It outlives the run.".to_owned(),
        (None, false) => "运行结束后仍然保留。".to_owned(),
    };
    let source = if english {
        format!("Source: {}.", meaning.source)
    } else {
        format!("来源：{}。", meaning.source)
    };
    let gap = if english { " " } else { "" };
    [&formula, meaning.text(language), &made, &ends, &source].join(gap)
}

/// "Show 31 more"
pub fn show_more(count: usize, language: Language) -> String {
    match language {
        Language::English => format!("Show {count} more"),
        Language::Chinese => format!("再显示 {count} 项"),
    }
}
