//! What figures say, in a sentence.

use super::sentences::{capitalized, phase_in_sentence, switch_sentence};
use super::{ByteUnits, Language, Scale, Term, amount, largest_fitting};
use crate::report::{StepReport, Sweep, Timeline};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::{Bytes, sort_short};

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
            "{} binds with {total} of live tensors; {} follows with {} less.",
            capitalized(name),
            phase_in_sentence(next.phase, language),
            scale.between(next.peak_tensor, peak.peak_tensor),
        ),
        (Some(next), Language::Chinese) => format!(
            "{name}阶段以 {total} 存活张量决定峰值；其次是{}阶段，少 {}。",
            phase_in_sentence(next.phase, language),
            scale.between(next.peak_tensor, peak.peak_tensor),
        ),
    }
}

/// What one phase says, or one part of it: its size, and its share of the phase.
pub fn phase_part(
    step: &StepReport,
    phase: Phase,
    category: Option<Category>,
    units: ByteUnits,
    language: Language,
) -> String {
    let Some(of) = step.phases.iter().find(|of| of.phase == phase) else {
        return String::new();
    };
    let total = of.composition.total();
    let scale = Scale::new(total, units);
    let whole = scale.amount(total);
    let name = phase_in_sentence(phase, language);
    let Some(category) = category else {
        return match language {
            Language::English => format!("{}: {whole} of live tensors.", capitalized(name)),
            Language::Chinese => format!("{name}阶段：存活张量 {whole}。"),
        };
    };
    let part = of.composition.get(category);
    let size = scale.finer_amount(part);
    let share = share(part, total);
    let category = category.term(language);
    match language {
        Language::English => {
            format!(
                "{}: {category} {size}, {share} of {whole}.",
                capitalized(name)
            )
        }
        Language::Chinese => format!("{name}阶段：{category} {size}，占 {whole} 的 {share}。"),
    }
}

/// A part of a whole: `37%`.
fn share(part: Bytes, whole: Bytes) -> String {
    let share = part.get() as f64 / whole.get().max(1) as f64 * 100.0;
    if share > 0.0 && share < 1.0 {
        return "<1%".to_owned();
    }
    format!("{share:.0}%")
}

/// What the timeline says: where the peak is.
pub fn timeline_summary(timeline: &Timeline, units: ByteUnits, language: Language) -> String {
    let Some(point) = timeline.points.get(timeline.peak) else {
        return String::new();
    };
    let span = timeline
        .spans
        .iter()
        .find(|span| (span.start..span.end).contains(&point.event));
    let size = amount(point.composition.total(), units);
    let Some(span) = span else {
        return size;
    };
    let (step, phase) = (span.step + 1, phase_in_sentence(span.phase, language));
    match language {
        Language::English => {
            format!("The highest point, {size} of live tensors, is in step {step}: {phase}.")
        }
        Language::Chinese => format!("最高点为 {size} 存活张量，在第 {step} 步的{phase}阶段。"),
    }
}

/// What one point of the timeline says.
pub fn timeline_point(
    timeline: &Timeline,
    at: usize,
    units: ByteUnits,
    language: Language,
) -> String {
    let Some(point) = timeline.points.get(at) else {
        return String::new();
    };
    let scale = Scale::new(point.reserved, units);
    let mut parts: Vec<_> = point.composition.parts().collect();
    sort_short(&mut parts, |(_, bytes)| std::cmp::Reverse(*bytes));
    let parts: Vec<String> = parts
        .iter()
        .take(4)
        .map(|(category, bytes)| format!("{} {}", category.term(language), scale.finer(*bytes)))
        .collect();
    let total = scale.finer_amount(point.composition.total());
    let reserved = scale.finer_amount(point.reserved);
    match language {
        Language::English => {
            format!("{total} live ({}), {reserved} reserved", parts.join(", "))
        }
        Language::Chinese => format!("存活 {total}（{}），已保留 {reserved}", parts.join("，")),
    }
}

/// What the picture over batch sizes says: where the binding phase changes and what fits.
pub fn crossover_summary(sweep: &Sweep, language: Language) -> String {
    let mut clauses: Vec<String> = sweep
        .switches
        .iter()
        .map(|switch| switch_sentence(switch, language))
        .collect();
    if clauses.is_empty() {
        let binding = sweep.points.first().map(|point| point.binding);
        clauses.extend(binding.map(|phase| {
            let phase = phase_in_sentence(phase, language);
            match language {
                Language::English => format!("{phase} binds at every size shown"),
                Language::Chinese => format!("图中所有大小都由{phase}阶段决定峰值"),
            }
        }));
    }
    let (joint, end) = match language {
        Language::English => ("; ", ". "),
        Language::Chinese => ("；", "。"),
    };
    let clauses = capitalized(&clauses.join(joint));
    format!("{clauses}{end}{}", largest_fitting(sweep, language))
}

/// What one batch size of that picture says.
pub fn sweep_point(sweep: &Sweep, size: u64, units: ByteUnits, language: Language) -> String {
    let Some(point) = sweep
        .points
        .iter()
        .find(|point| point.micro_batch_size == size)
    else {
        return crossover_summary(sweep, language);
    };
    let phase = phase_in_sentence(point.binding, language);
    let total = amount(point.total, units);
    match (language, point.fits) {
        (Language::English, true) => {
            format!("Micro-batch {size}: {phase} binds, {total} in all; fits.")
        }
        (Language::English, false) => {
            format!("Micro-batch {size}: {phase} binds, {total} in all; does not fit.")
        }
        (Language::Chinese, true) => {
            format!("微批次 {size}：{phase}阶段决定峰值，合计 {total}，放得下。")
        }
        (Language::Chinese, false) => {
            format!("微批次 {size}：{phase}阶段决定峰值，合计 {total}，放不下。")
        }
    }
}
