//! The answer as a document or as data, to be saved and sent.

use super::{
    ByteUnits, Language, Scale, Term, Word, amount, exact, setting_name, verdict_answer,
    verdict_detail,
};
use crate::ask::{ModelRef, Scenario};
use crate::report::{Report, StepReport};
use crate::tape::Category;
use crate::units::Bytes;
use std::fmt::Write;

/// The configuration in a line: "Qwen2.5 1.5B, 2 x 256 tokens, fp32, AdamW (foreach), A100 80GB". A graph knows no tokens.
pub fn configuration(scenario: &Scenario, report: &Report, language: Language) -> String {
    let tokens = match language {
        Language::English => "tokens",
        Language::Chinese => "词元",
    };
    let batch = exact(scenario.micro_batch_size);
    let batch = if let ModelRef::Exported(_) = scenario.model {
        let name = setting_name("micro_batch_size", language).to_lowercase();
        format!("{name} {batch}")
    } else {
        format!("{batch} \u{d7} {} {tokens}", exact(scenario.seq_len))
    };
    format!(
        "{}, {batch}, {}, {} ({}), {}",
        report.model.name,
        scenario.precision.term(language),
        scenario.optimizer.name.term(language),
        scenario.optimizer.implementation.term(language),
        report.device.name,
    )
}

/// Lines of `memory,phase,part,bytes`: every part of every phase of both steps and of the host.
pub fn csv(report: &Report) -> String {
    let mut text = String::from("memory,phase,part,bytes\n");
    let mut line = |memory: &str, phase: &str, part: &str, bytes: Bytes| {
        let _ = writeln!(text, "{memory},{phase},{part},{}", bytes.get());
    };
    let steps = [
        ("device.first_step", &report.device.first_step),
        ("device.steady_step", &report.device.steady_step),
    ];
    for (memory, step) in steps {
        for phase in &step.phases {
            let name = phase.phase.name();
            for &category in Category::ALL {
                let bytes = phase.composition.get(category);
                if bytes > Bytes::ZERO {
                    line(memory, name, category.name(), bytes);
                }
            }
            line(memory, name, "peak_tensor", phase.peak_tensor);
            line(memory, name, "peak_allocated", phase.peak_allocated);
            line(memory, name, "peak_reserved", phase.peak_reserved);
        }
    }
    for phase in &report.host.phases {
        for &(part, bytes) in &phase.composition {
            line("host", phase.phase.name(), part.name(), bytes);
        }
        line("host", phase.phase.name(), "total", phase.total);
    }
    text
}

/// A document in Markdown: the answer, the configuration with its link, the tables.
pub fn markdown(
    scenario: &Scenario,
    report: &Report,
    link: &str,
    units: ByteUnits,
    language: Language,
) -> String {
    let verdict = &report.verdict;
    let mut text = format!(
        "# {}\n\n**{}** {}\n\n[{}]({link})\n\n",
        Word::Title.text(language),
        verdict_answer(verdict, units, language),
        verdict_detail(verdict, units, language),
        configuration(scenario, report, language),
    );
    let peak = report.device.binding().phase;
    let steady = report.device.steady_step.peak.phase == peak;
    let step = if steady {
        &report.device.steady_step
    } else {
        &report.device.first_step
    };
    text.push_str(&device_table(step, units, language));
    text.push_str(&host_table(report, units, language));
    text
}

/// One row of a table.
fn row(head: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {head} | {} |\n", cells.join(" | "))
}

fn rule(columns: usize) -> String {
    format!("|---|{}\n", "---:|".repeat(columns))
}

fn device_table(step: &StepReport, units: ByteUnits, language: Language) -> String {
    let phases = &step.phases;
    let largest = phases.iter().map(|phase| phase.peak_reserved).max();
    let scale = Scale::new(largest.unwrap_or_default(), units);
    let mut text = format!(
        "## {}, {}\n\n",
        Word::BreakdownDevice.text(language),
        scale.unit
    );
    let names = phases
        .iter()
        .map(|phase| phase.phase.term(language).to_owned());
    text.push_str(&row(Word::Category.text(language), names));
    text.push_str(&rule(phases.len()));
    for &category in Category::ALL {
        let bytes = phases.iter().map(|phase| phase.composition.get(category));
        if bytes.clone().any(|bytes| bytes > Bytes::ZERO) {
            text.push_str(&row(
                category.term(language),
                bytes.map(|b| scale.number(b)),
            ));
        }
    }
    for (word, pick) in [
        (
            Word::LiveTensors,
            (|phase| phase.peak_tensor) as fn(&crate::report::PhaseReport) -> Bytes,
        ),
        (Word::Allocated, |phase| phase.peak_allocated),
        (Word::Reserved, |phase| phase.peak_reserved),
    ] {
        let numbers = phases.iter().map(|phase| scale.number(pick(phase)));
        text.push_str(&row(word.text(language), numbers));
    }
    text.push('\n');
    text
}

fn host_table(report: &Report, units: ByteUnits, language: Language) -> String {
    let peak = &report.host.peak;
    let mut text = format!(
        "## {} ({})\n\n",
        Word::BreakdownHost.text(language),
        peak.phase.term(language)
    );
    text.push_str(&row(
        Word::Part.text(language),
        std::iter::once(String::new()),
    ));
    text.push_str(&rule(1));
    for &(part, bytes) in &peak.composition {
        text.push_str(&row(
            part.term(language),
            std::iter::once(amount(bytes, units)),
        ));
    }
    let total = std::iter::once(amount(peak.total, units));
    text.push_str(&row(Word::Total.text(language), total));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::estimate;

    fn report() -> (Scenario, Report) {
        let scenario = Scenario {
            model_overrides: [("num_hidden_layers".to_owned(), 2.into())]
                .into_iter()
                .collect(),
            ..Scenario::default()
        };
        let report = estimate(&scenario).expect("an estimate").report;
        (scenario, report)
    }

    #[test]
    fn the_csv_holds_every_byte_of_the_peak() {
        let (_, report) = report();
        let text = csv(&report);
        let peak = &report.device.steady_step.peak;
        let phase = peak.phase.name();
        let sum: u64 = Category::ALL
            .iter()
            .filter_map(|category| {
                let head = format!("device.steady_step,{phase},{},", category.name());
                let line = text.lines().find_map(|line| line.strip_prefix(&head))?;
                line.parse::<u64>().ok()
            })
            .sum();
        assert_eq!(sum, peak.peak_tensor.get());
        assert!(text.contains(&format!("host,save,total,{}", report.host.peak.total.get())));
        assert!(text.lines().all(|line| line.split(',').count() == 4));
    }

    #[test]
    fn the_document_says_answer_configuration_and_link_in_both_languages() {
        let (scenario, report) = report();
        for (language, phase) in [
            (Language::English, "optimizer step"),
            (Language::Chinese, "优化器更新"),
        ] {
            let link = "https://example.org/?v=1";
            let text = markdown(&scenario, &report, link, ByteUnits::Binary, language);
            assert!(text.contains(phase), "{text}");
            assert!(text.contains("](https://example.org/?v=1)"), "{text}");
            assert!(text.contains("Qwen2.5 1.5B"), "{text}");
            let widths = text.lines().filter(|line| line.starts_with('|'));
            assert!(widths.clone().count() > 12);
        }
    }
}
