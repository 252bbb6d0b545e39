//! A report as a table for people.

use crate::estimate::More;
use highwater::ask::Severity;
use highwater::decide::Near;
use highwater::report::{PhaseReport, Report, StepReport};
use highwater::text::{
    ByteUnits, Language, Scale, batch_lengths, english, exact, lagging_sentence, method_name,
    method_source, near_sentences, other_figures, other_reasons, rank_place, ranks_alike,
    ranks_summary, segments_sentence, too_long_batches, verdict_answer, verdict_detail,
};
use highwater::units::Bytes;
use std::io::{self, Write};

/// Writes a report, and how many measured cases are near it.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report, more: &More, near: &Near, out: &mut dyn Write) -> io::Result<()> {
    let (units, language) = (ByteUnits::Binary, Language::English);
    let parameters = exact(report.model.num_parameters);
    writeln!(
        out,
        "{} ({parameters} parameters) on {}",
        report.model.name, report.device.name
    )?;
    let answer = verdict_answer(&report.verdict, units, language);
    let detail = verdict_detail(&report.verdict, units, language);
    writeln!(out, "{}\n{}", plain(&detail), plain(&answer))?;
    for sentence in near_sentences(near, language) {
        writeln!(out, "{}", plain(&sentence))?;
    }
    writeln!(out)?;
    let scale = Scale::new(report.device.total, units);
    let unit = scale.unit;
    writeln!(
        out,
        "{:<22}{:>12}{:>12}{:>12}",
        format!("GPU memory, {unit}"),
        "tensors",
        "allocated",
        "reserved"
    )?;
    if let Some(before) = &report.device.run.before {
        writeln!(out, "before the first step")?;
        write_phase(before, false, scale, out)?;
    }
    for (name, step) in [
        ("first step", &report.device.first_step),
        ("steady step", &report.device.steady_step),
    ] {
        write_step(name, step, scale, out)?;
    }
    writeln!(
        out,
        "{:<22}{:>36}",
        "+ CUDA context",
        scale.number(report.device.context)
    )?;
    writeln!(
        out,
        "{:<22}{:>36}",
        "= as nvidia-smi shows",
        scale.number(report.device.total)
    )?;
    if let Some(lagging) = &more.lagging {
        let sentence = lagging_sentence(lagging, units, language);
        writeln!(out, "{}", plain(&sentence))?;
    }
    let peak = &report.device.steady_step.peak;
    writeln!(out, "\nAt the steady step's peak ({})", peak.phase.name())?;
    for (category, bytes) in peak.composition.parts() {
        write_part(category.name(), bytes, scale, out)?;
    }
    if !report.ranks.is_empty() {
        writeln!(
            out,
            "\n{}",
            plain(&ranks_summary(&report.ranks, units, language))
        )?;
    }
    for of in &report.ranks {
        let (name, place) = (
            ranks_alike(of, language),
            rank_place(of, &report.ranks, language),
        );
        writeln!(out, "  {name:<28}{place:<22}{:>12}", scale.number(of.total))?;
    }
    if let Some(lengths) = &more.lengths.batches {
        writeln!(
            out,
            "\n{}\n{}",
            batch_lengths(lengths, language),
            plain(&too_long_batches(lengths, language))
        )?;
    }
    for run in more.lengths.steps.iter().flat_map(|steps| &steps.runs) {
        writeln!(out, "{}", plain(&segments_sentence(run, units, language)))?;
    }
    write_others(report, units, language, out)?;
    write_host(report, units, out)?;
    for finding in &report.findings {
        let severity = match finding.severity {
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        writeln!(out, "{severity}: {}", english(&finding.message))?;
    }
    writeln!(out)
}

/// Other tools' estimates, with the reasons for the differences and the sources.
fn write_others(
    report: &Report,
    units: ByteUnits,
    language: Language,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !report.others.is_empty() {
        writeln!(out, "\nWhat others would say")?;
    }
    for other in &report.others {
        let name = method_name(other.method, language);
        let figures = other_figures(other, units, language);
        writeln!(out, "  {name:<36}{}", plain(&figures))?;
        writeln!(out, "    {}", other_reasons(other, language))?;
        writeln!(out, "    {}", method_source(other.method).address)?;
    }
    Ok(())
}

fn write_host(report: &Report, units: ByteUnits, out: &mut dyn Write) -> io::Result<()> {
    let peak = &report.host.peak;
    let (phase, host) = (peak.phase.name(), Scale::new(peak.total, units));
    writeln!(out, "\nHost RAM at its peak ({phase}), {}", host.unit)?;
    for &(part, bytes) in &peak.composition {
        write_part(part.name(), bytes, host, out)?;
    }
    Ok(())
}

fn write_step(name: &str, step: &StepReport, scale: Scale, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{name}")?;
    let mut phases = step.phases.iter();
    phases.try_for_each(|phase| write_phase(phase, phase.phase == step.peak.phase, scale, out))
}

fn write_phase(
    phase: &PhaseReport,
    binds: bool,
    scale: Scale,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "  {:<20}{:>12}{:>12}{:>12}{}",
        phase.phase.name(),
        scale.number(phase.peak_tensor),
        scale.number(phase.peak_allocated),
        scale.number(phase.peak_reserved),
        if binds { " *" } else { "" },
    )
}

fn write_part(name: &str, bytes: Bytes, scale: Scale, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {name:<20}{:>12}", scale.number(bytes))
}

/// Sentences for terminals, which show no-break spaces oddly.
fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}
