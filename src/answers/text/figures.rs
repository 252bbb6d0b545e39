//! Figures in a sentence.

use super::sentences::{capitalized, phase_in_sentence, switch_sentence};
use super::{ByteUnits, Language, Scale, Term, amount, largest_fitting};
use crate::report::{Measure, PhaseReport, StepReport, Sweep, Timeline, TimelinePoint};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::{Bytes, sort_short};

/// The words for a measure, after an amount: "of live tensors".
const fn counted(measure: Measure, language: Language) -> &'static str {
    language.of(match measure {
        Measure::Live => ("of live tensors", "存活张量"),
        Measure::Allocated => ("allocated", "已分配显存"),
        Measure::Reserved => ("reserved", "已保留显存"),
    })
}

fn of_phase(phase: &PhaseReport, measure: Measure) -> Bytes {
    let live = phase.peak_tensor;
    measure.of(live, phase.peak_allocated, phase.peak_reserved)
}

/// The phase figure's sentence: the phase that binds, and by how much, in the bytes that count as used.
pub fn phases_summary(
    step: &StepReport,
    measure: Measure,
    units: ByteUnits,
    language: Language,
) -> String {
    // Of phases that need as much the one in which live tensors need most comes first.
    let order = |phase: &&PhaseReport| {
        let binds = phase.phase == step.peak.phase;
        (of_phase(phase, measure), binds, phase.peak_tensor)
    };
    let Some(peak) = step.phases.iter().max_by_key(order) else {
        return String::new();
    };
    let others = step.phases.iter().filter(|of| of.phase != peak.phase);
    let needs = of_phase(peak, measure);
    let scale = Scale::new(needs, units);
    let name = phase_in_sentence(peak.phase, language);
    let (total, counted) = (scale.amount(needs), counted(measure, language));
    let Some(next) = others.max_by_key(order) else {
        return match language {
            Language::English => format!("{} needs {total} {counted}.", capitalized(name)),
            Language::Chinese => format!("{name}阶段需要 {total} {counted}。"),
        };
    };
    let follows = phase_in_sentence(next.phase, language);
    let less = needs - of_phase(next, measure);
    let by = scale.amount(less);
    match (less, language) {
        (Bytes::ZERO, Language::English) => format!(
            "{} binds with {total} {counted}; {follows} holds as much.",
            capitalized(name)
        ),
        (Bytes::ZERO, Language::Chinese) => {
            format!("{name}阶段以 {total} {counted}决定峰值；{follows}阶段同样多。")
        }
        (_, Language::English) => format!(
            "{} binds with {total} {counted}; {follows} follows with {by} less.",
            capitalized(name)
        ),
        (_, Language::Chinese) => {
            format!("{name}阶段以 {total} {counted}决定峰值；其次是{follows}阶段，少 {by}。")
        }
    }
}

/// The sentence about one phase, or one part of it: its size, and its share of the phase.
pub fn phase_part(
    step: &StepReport,
    (phase, category): (Phase, Option<Category>),
    measure: Measure,
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
        let live = counted(Measure::Live, language);
        let all = amount(of_phase(of, measure), units);
        let counted = counted(measure, language);
        return match (measure, language) {
            (Measure::Live, Language::English) => {
                format!("{}: {whole} {live}.", capitalized(name))
            }
            (Measure::Live, Language::Chinese) => format!("{name}阶段：{live} {whole}。"),
            (_, Language::English) => {
                format!("{}: {all} {counted}, {whole} {live}.", capitalized(name))
            }
            (_, Language::Chinese) => format!("{name}阶段：{counted} {all}，{live} {whole}。"),
        };
    };
    let part = of.composition.get(category);
    let size = scale.amount(part);
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

/// The timeline in a sentence: where the peak is.
pub fn timeline_summary(
    timeline: &Timeline,
    measure: Measure,
    units: ByteUnits,
    language: Language,
) -> String {
    let of = |point: &TimelinePoint| {
        measure.of(point.composition.total(), point.allocated, point.reserved)
    };
    let highest = timeline.points.iter().map(of).max();
    let at_peak = timeline.points.get(timeline.peak);
    // Where several points are as high, the one at which live tensors need most, else the first.
    let at_peak = at_peak.filter(|point| Some(of(point)) == highest);
    let first = || {
        timeline
            .points
            .iter()
            .find(|point| Some(of(point)) == highest)
    };
    let Some(point) = at_peak.or_else(first) else {
        return String::new();
    };
    let span = timeline
        .spans
        .iter()
        .find(|span| (span.start..span.end).contains(&point.event));
    let size = amount(of(point), units);
    let Some(span) = span else {
        return size;
    };
    let counted = counted(measure, language);
    let (step, phase) = (span.step + 1, phase_in_sentence(span.phase, language));
    match language {
        Language::English => {
            format!("The highest point, {size} {counted}, is in step {step}: {phase}.")
        }
        Language::Chinese => format!("最高点为 {size} {counted}，在第 {step} 步的{phase}阶段。"),
    }
}

/// One point of the timeline in a sentence.
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
        .map(|(category, bytes)| format!("{} {}", category.term(language), scale.number(*bytes)))
        .collect();
    let total = scale.amount(point.composition.total());
    let reserved = scale.amount(point.reserved);
    match language {
        Language::English => {
            format!("{total} live ({}), {reserved} reserved", parts.join(", "))
        }
        Language::Chinese => format!("存活 {total}（{}），已保留 {reserved}", parts.join("，")),
    }
}

/// The picture over batch sizes in a sentence: where the binding phase changes and what fits.
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

/// One batch size of that picture in a sentence.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::figure::binding_step;
    use crate::report::estimate;

    #[test]
    fn sentences_speak_of_what_is_counted() {
        let answer = estimate(&Scenario::default()).expect("an estimate");
        let (step, timeline) = (binding_step(&answer.report.device), &answer.timeline);
        for &language in Language::ALL {
            let word = |measure| counted(measure, language);
            for &measure in Measure::ALL {
                let most = step.phases.iter().map(|of| of_phase(of, measure)).max();
                let most = amount(most.expect("a phase"), ByteUnits::Binary);
                let units = ByteUnits::Binary;
                let phases = phases_summary(step, measure, units, language);
                assert!(phases.contains(&most), "{phases}: {most}");
                let of_timeline = timeline_summary(timeline, measure, units, language);
                for said in [phases, of_timeline] {
                    for &other in Measure::ALL {
                        let names = said.contains(word(other));
                        assert_eq!(names, other == measure, "{measure:?}: {said}");
                    }
                }
                let whole = phase_part(step, (step.peak.phase, None), measure, units, language);
                assert!(whole.contains(word(measure)), "{whole}");
            }
        }
    }
}
