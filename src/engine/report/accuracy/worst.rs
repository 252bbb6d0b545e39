//! The worst cases, phase by phase: the first ones to examine for missing memory.

use super::case::Case;
use super::groups::summary;
use super::measure::{Comparison, PhaseComparison};
use super::pair::Pair;
use std::fmt::{self, Write};

/// How far off a case is: live storages weigh most, then what the allocator adds.
fn badness(comparison: &Comparison) -> f64 {
    let phases = comparison.phases.iter().chain(&comparison.first_phases);
    let off = |peak: &PhaseComparison| {
        let of = |pair: Option<Pair>| pair.map_or(0.0, Pair::error);
        of(peak.tensor) + peak.composition_error.unwrap_or(0.0) + 0.01 * of(peak.reserved)
    };
    off(&comparison.peak) + 0.01 * phases.map(off).fold(0.0, f64::max)
}

pub(super) fn write(text: &mut String, cases: &[(Case, Comparison)], count: usize) -> fmt::Result {
    let mut order: Vec<&(Case, Comparison)> = cases.iter().collect();
    order.sort_by(|a, b| badness(&b.1).total_cmp(&badness(&a.1)));
    for (case, comparison) in order.into_iter().take(count) {
        writeln!(text, "\n{}  {}", case.id, summary(&case.written))?;
        for (what, pair) in [
            ("num_parameters", comparison.num_parameters),
            ("num_trainable", comparison.num_trainable),
        ] {
            if let Some(Pair { found, measured }) = pair
                && found != measured
            {
                writeln!(text, "  {what}: {found}, measured {measured}")?;
            }
        }
        if let Some(measured) = &comparison.peak.expected_phase
            && *measured != comparison.peak.phase
        {
            let found = &comparison.peak.phase;
            writeln!(text, "  peak in {found}, measured in {measured}")?;
        }
        for phase in &comparison.first_phases {
            write_phase(text, "first ", phase)?;
        }
        for phase in &comparison.phases {
            write_phase(text, "steady", phase)?;
        }
        if comparison.phases.is_empty() {
            write_phase(text, "peak  ", &comparison.peak)?;
        }
    }
    Ok(())
}

fn write_phase(text: &mut String, step: &str, phase: &PhaseComparison) -> fmt::Result {
    let mut write = |what: &str, pair: Option<Pair>| match pair {
        Some(pair @ Pair { found, measured }) if !pair.is_equal() => writeln!(
            text,
            "  {step} {:<14} {what:<9} {found:>14} measured {measured:>14} {:>+14} ({:.4} %)",
            phase.phase,
            i128::from(found) - i128::from(measured),
            100.0 * pair.error(),
        ),
        _ => Ok(()),
    };
    write("tensor", phase.tensor)?;
    write("allocated", phase.allocated)?;
    write("reserved", phase.reserved)?;
    for (category, found, measured) in &phase.parts {
        writeln!(
            text,
            "         {:<14}   {category:<18} {found:>14} measured {measured:>14} {:>+14}",
            "",
            i128::from(*found) - i128::from(*measured),
        )?;
    }
    Ok(())
}
