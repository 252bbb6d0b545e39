//! Why something takes what it takes, and why it is there: a tensor, a category, a phase.

use super::sentences::{capitalized, list};
use super::{
    ByteUnits, Language, Meaning, Scale, Term, amount, dtype_name, exact, meaning_of_category,
    meaning_of_phase, moment, phase_in_sentence, shape_text,
};
use crate::figure::TensorGroup;
use crate::report::{Detail, LastUse, LiveTensor, StepReport, Timeline};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::{Bytes, sort_short};

/// How many kinds of tensors of a category, or categories of a phase, are named.
const NAMED: usize = 3;

/// Sentences one after the other; empty ones are left out.
pub(super) fn joined(sentences: &[&str], language: Language) -> String {
    let said = sentences.iter().filter(|sentence| !sentence.is_empty());
    let said: Vec<&str> = said.copied().collect();
    said.join(language.of((" ", "")))
}

/// "mul in model.layers.3.mlp"; none where neither is known.
fn place(op: &str, module: &str, language: Language) -> Option<String> {
    match (op.is_empty(), module.is_empty()) {
        (true, true) => None,
        (true, false) => Some(module.to_owned()),
        (false, true) => Some(op.to_owned()),
        (false, false) => Some(match language {
            Language::English => format!("{op} in {module}"),
            Language::Chinese => format!("{module} 中的 {op}"),
        }),
    }
}

/// The general formula of something, and its source.
pub(super) fn sourced(meaning: &Meaning, language: Language) -> [String; 2] {
    let Meaning {
        formula, source, ..
    } = meaning;
    let rule = match language {
        _ if formula.is_empty() => String::new(),
        Language::English => format!("As a rule: {formula}."),
        Language::Chinese => format!("一般公式：{formula}。"),
    };
    let source = match language {
        Language::English => format!("Source: {source}."),
        Language::Chinese => format!("来源：{source}。"),
    };
    [rule, source]
}

/// Until when something lives, and what needs it last; `what` it is as a sentence begins with it.
fn ends(what: &str, freed: &str, last: Option<&LastUse>, language: Language) -> String {
    let last = last.and_then(|last| place(last.op, &last.module, language));
    match (last, language) {
        (Some(last), Language::English) => {
            format!("{what} lives until {freed}: after {last} nothing needs it.")
        }
        (Some(last), Language::Chinese) => format!("{what}存活至{freed}：{last} 之后不再需要。"),
        (None, Language::English) => format!("{what} outlives the run."),
        (None, Language::Chinese) => format!("{what}在运行结束后仍然保留。"),
    }
}

/// Why a tensor is as large as it is, and why it lives as long as it does: "[8, 256, 1536] of float32 are 8 × 256 ×
/// 1536 × 4 bytes: 12.0 MiB. ..."
pub fn tensor_explained(
    tensor: &LiveTensor,
    detail: &Detail,
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
    let made = place(tensor.op, &tensor.module, language);
    let [born, freed] = [tensor.born, tensor.freed].map(|event| moment(timeline, event, language));
    let made = match (made, english) {
        (Some(by), true) => format!("{by} makes it ({born})."),
        (Some(by), false) => format!("由 {by} 创建（{born}）。"),
        (None, true) => format!("It is made {born}."),
        (None, false) => format!("创建于：{born}。"),
    };
    let last = detail.last_use(tensor.freed);
    let ends = ends(language.of(("It", "")), &freed, last.as_ref(), language);
    let [_, source] = sourced(&meaning, language);
    let sentences = [&formula, meaning.text(language), &made, &ends, &source];
    joined(&sentences, language)
}

/// "28 × [8, 256, 8960] of float32, mul in model.layers.*.mlp: 1.91 GiB".
fn kind_of_tensors(group: &TensorGroup, scale: Scale, language: Language) -> String {
    let count = exact(group.members.len() as u64);
    let shape = group.shape.map(|(shape, dtype)| {
        let (sizes, name) = (shape_text(shape.dims()), dtype_name(dtype));
        match language {
            Language::English => format!("{sizes} of {name}"),
            Language::Chinese => format!("{sizes} {name}"),
        }
    });
    let shape = shape.unwrap_or_else(|| scale.amount(group.each));
    let size = scale.amount(group.total);
    let by = place(group.op, &group.module, language);
    match (by, language) {
        (Some(by), Language::English) => format!("{count} \u{d7} {shape}, {by}: {size}"),
        (Some(by), Language::Chinese) => format!("{count} \u{d7} {shape}（{by}）：{size}"),
        (None, Language::English) => format!("{count} \u{d7} {shape}: {size}"),
        (None, Language::Chinese) => format!("{count} \u{d7} {shape}：{size}"),
    }
}

/// The composition of a category at the highest point, and why its tensors are alive until then. `groups` are its
/// tensors, of the run in `detail`.
pub fn category_explained(
    category: Category,
    groups: &[TensorGroup],
    detail: &Detail,
    timeline: &Timeline,
    units: ByteUnits,
    language: Language,
) -> String {
    let total: Bytes = groups.iter().map(|group| group.total).sum();
    let scale = Scale::new(total, units);
    let count: usize = groups.iter().map(|group| group.members.len()).sum();
    let (whole, tensors) = (scale.amount(total), exact(count as u64));
    let named = groups.iter().take(NAMED);
    let mut kinds: Vec<String> = named
        .map(|group| kind_of_tensors(group, scale, language))
        .collect();
    let others = groups.get(NAMED..).unwrap_or_default();
    if !others.is_empty() {
        let rest = scale.amount(others.iter().map(|group| group.total).sum());
        let others = exact(others.len() as u64);
        kinds.push(match language {
            Language::English => format!("other kinds ({others}): {rest}"),
            Language::Chinese => format!("其他 {others} 种：{rest}"),
        });
    }
    let kinds = kinds.join(language.of(("; ", "；")));
    let term = capitalized(category.term(language));
    let sum = match language {
        Language::English => {
            format!("{term} at the highest point: {tensors} tensors, {whole}. They are {kinds}.")
        }
        Language::Chinese => {
            format!("最高点的{term}：{tensors} 个张量，合计 {whole}。其中 {kinds}。")
        }
    };
    let meaning = meaning_of_category(category);
    let [rule, source] = sourced(&meaning, language);
    let freed = groups.iter().map(TensorGroup::freed).max().unwrap_or(0);
    let last = detail.last_use(freed);
    let freed = moment(timeline, freed, language);
    let what = language.of(("The last of them", "其中最后一个"));
    let ends = ends(what, &freed, last.as_ref(), language);
    let sentences = [&sum, meaning.text(language), &rule, &ends, &source];
    joined(&sentences, language)
}

/// The composition of a phase of a step, its peak against those of the other phases, and the module that makes its
/// highest point: `last` is the tensor that was allocated there.
pub fn phase_explained(
    step: &StepReport,
    phase: Phase,
    last: Option<&LastUse>,
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let of = step.phases.iter().find(|of| of.phase == phase)?;
    let scale = Scale::new(of.peak_tensor, units);
    let whole = scale.amount(of.peak_tensor);
    let name = phase_in_sentence(phase, language);
    let by = last.and_then(|last| place(last.op, &last.module, language));
    let needs = match (by, language) {
        (Some(by), Language::English) => format!(
            "{} needs {whole} of live tensors at its highest point: what {by} makes is the last of them.",
            capitalized(name)
        ),
        (None, Language::English) => format!(
            "{} needs {whole} of live tensors at its highest point.",
            capitalized(name)
        ),
        (Some(by), Language::Chinese) => {
            format!("{name}阶段最高点的存活张量为 {whole}，最后一个由 {by} 创建。")
        }
        (None, Language::Chinese) => format!("{name}阶段最高点的存活张量为 {whole}。"),
    };
    let mut parts: Vec<(Category, Bytes)> = of.composition.parts().collect();
    sort_short(&mut parts, |(_, bytes)| std::cmp::Reverse(*bytes));
    let named = parts.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|(category, bytes)| format!("{} {}", category.term(language), scale.amount(*bytes)))
        .collect();
    let named = list(&named, language);
    let holds = match language {
        Language::English => format!("Most of it: {named}."),
        Language::Chinese => format!("主要是{named}。"),
    };
    let others = step.phases.iter().filter(|other| other.phase != phase);
    let against = others.max_by_key(|other| other.peak_tensor);
    let stands = against.map_or_else(String::new, |other| {
        let name = phase_in_sentence(other.phase, language);
        let binds = step.peak.phase == phase;
        let apart = if binds {
            of.peak_tensor - other.peak_tensor
        } else {
            step.peak.peak_tensor - of.peak_tensor
        };
        let apart = amount(apart, units);
        let bound = phase_in_sentence(step.peak.phase, language);
        match (binds, language) {
            (true, Language::English) => {
                format!("It binds: {name}, the next, needs {apart} less.")
            }
            (true, Language::Chinese) => format!("峰值由它决定：其次的{name}少 {apart}。"),
            (false, Language::English) => {
                format!("{} binds: it needs {apart} more.", capitalized(bound))
            }
            (false, Language::Chinese) => format!("峰值由{bound}决定：多 {apart}。"),
        }
    });
    let meaning = meaning_of_phase(phase);
    let [_, source] = sourced(&meaning, language);
    let sentences = [&needs, &holds, &stands, meaning.text(language), &source];
    Some(joined(&sentences, language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::figure::{binding_step, tensor_groups};
    use crate::report::estimate;

    #[test]
    fn a_category_is_the_sum_of_its_kinds_and_lives_until_something_needs_it_last() {
        let scenario = Scenario {
            micro_batch_size: 16,
            ..Scenario::default()
        };
        let timeline = estimate(&scenario).expect("an answer").timeline;
        let peak = timeline.points[timeline.peak];
        let detail = Detail::of(&scenario).expect("an answer");
        let tensors = detail.tensors_at(peak.event);
        let said = |category, language| {
            let groups = tensor_groups(&tensors, Some(category));
            let units = ByteUnits::Binary;
            category_explained(category, &groups, &detail, &timeline, units, language)
        };
        let activations = said(Category::Activations, Language::English);
        let whole = amount(
            peak.composition.get(Category::Activations),
            ByteUnits::Binary,
        );
        for part in [
            &whole,
            "28 \u{d7} [16, 256, 8960] of ",
            " in model.layers.*.mlp",
            "other kinds (",
            "The last of them lives until step 2, backward: after ",
        ] {
            assert!(activations.contains(part), "{part}: {activations}");
        }
        let parameters = said(Category::Parameters, Language::English);
        assert!(
            parameters.contains("The last of them outlives the run."),
            "{parameters}"
        );
        let chinese = said(Category::Parameters, Language::Chinese);
        assert!(
            chinese.contains("其中最后一个在运行结束后仍然保留。"),
            "{chinese}"
        );
    }

    #[test]
    fn a_phase_says_what_makes_its_highest_point_and_how_it_stands_to_the_others() {
        let scenario = Scenario {
            micro_batch_size: 16,
            ..Scenario::default()
        };
        let answer = estimate(&scenario).expect("an answer");
        let detail = Detail::of(&scenario).expect("an answer");
        let step = binding_step(&answer.report.device);
        let said = |phase| {
            let of = step.phases.iter().find(|of| of.phase == phase);
            let event = answer.timeline.reaches(phase, of?.peak_tensor)?;
            let last = detail.last_made(event);
            phase_explained(
                step,
                phase,
                last.as_ref(),
                ByteUnits::Binary,
                Language::English,
            )
        };
        let binds = said(step.peak.phase).expect("a phase");
        assert!(binds.contains(" makes is the last of them. "), "{binds}");
        assert!(binds.contains("It binds: "), "{binds}");
        let most = step.phases.iter().map(|of| of.peak_tensor).max();
        for of in &step.phases {
            let said = said(of.phase).unwrap_or_else(|| panic!("{:?}", of.phase));
            assert_eq!(
                said.contains("It binds: "),
                Some(of.peak_tensor) == most,
                "{said}"
            );
            assert!(said.contains("Source: "), "{said}");
        }
    }
}
