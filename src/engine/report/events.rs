//! The trace as text, one event a line, to be compared with a recorded one line by line.

use super::rank_run::of_binding_rank;
use crate::ask::{Finding, Scenario};
use crate::sim::{Event, Trace, simulate_in_detail};
use crate::units::Wait;
use std::fmt::Write;

/// A scenario's events: `A storage bytes operation category scope` for an allocation, `F storage` for a
/// free, `M step:micro_batch:phase` where a phase begins, `E` where the cache is emptied, `S` where the
/// host waits for the device. On side streams it is `A1` to `A7`.
///
/// # Errors
/// The findings about the scenario, most serious first.
pub fn events(scenario: &Scenario) -> Result<String, Vec<Finding>> {
    let resolution = crate::resolve::resolve(scenario);
    let spec = resolution.spec.ok_or(resolution.findings)?;
    Ok(write(&simulate_in_detail(&of_binding_rank(spec))))
}

fn write(trace: &Trace) -> String {
    let mut text = String::new();
    // A storage of a later step is written as one of its own.
    let mut numbers = vec![0; trace.record.storage_count()];
    let mut next = 0_u32;
    for event in trace.events() {
        let line = match event {
            Event::Alloc(id) => {
                let Some(storage) = trace.record.storage(id) else {
                    continue;
                };
                let number = next;
                numbers[id as usize] = number;
                next += 1;
                let scope = trace.module(&storage);
                let stream = match storage.stream.number() {
                    0 => String::new(),
                    side => side.to_string(),
                };
                format!(
                    "A{stream} {number} {} {} {} {scope}",
                    storage.bytes,
                    trace.op(id),
                    storage.category.name()
                )
            }
            Event::Free(id) => format!("F {}", numbers[id as usize]),
            Event::Mark(mark) => {
                let mark = trace.marks[mark as usize];
                let phase = mark.phase.name();
                format!("M {}:{}:{phase}", mark.step, mark.micro_batch)
            }
            Event::EmptyCache => "E".to_owned(),
            Event::Wait(awaited) => match awaited.wait() {
                Wait::Device => "S".to_owned(),
                wait => format!("W {wait:?}"),
            },
        };
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
