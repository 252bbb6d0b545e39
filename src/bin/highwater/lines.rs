//! Scenarios in, a line for each out.

use crate::{BAD_INPUT, DOES_NOT_FIT, FITS, models};
use highwater::ask::{Finding, Scenario, Severity};
use highwater::codec::{decode_json, parse_json};
use highwater::text::{self, english};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::num::NonZero;
use std::thread::{self, available_parallelism};

/// A scenario's exit code and its written answer.
pub type Written = (u8, Vec<u8>);

/// Answers every scenario of a text and writes the answers; gives the exit code. When nobody
/// reads any more, the rest is left out.
pub fn each(text: &str, out: &mut dyn Write, one: impl Fn(&str) -> Written + Sync) -> u8 {
    let scenarios = scenarios(text);
    if scenarios.is_empty() {
        let nothing = json!({"error": "There is no scenario in the input."});
        let _ = writeln!(out, "{nothing}");
        return BAD_INPUT;
    }
    let mut code = FITS;
    for window in scenarios.chunks(WINDOW) {
        let mut gone = false;
        for (own, line) in written(window, &one) {
            code = worse(code, own);
            gone = gone || out.write_all(&line).is_err();
        }
        if gone {
            break;
        }
    }
    let _ = out.flush();
    code
}

/// Scenarios whose answers are held at a time, to be written in order.
const WINDOW: usize = 256;

/// The exit code and the written answer of each scenario, in order, worked out by as many threads
/// as there are processors.
fn written(scenarios: &[&str], one: &(impl Fn(&str) -> Written + Sync)) -> Vec<Written> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let share = scenarios.len().div_ceil(threads).max(1);
    let one_thread = |part: &[&str]| part.iter().map(|text| one(text)).collect::<Vec<_>>();
    if share == scenarios.len() {
        return one_thread(scenarios);
    }
    thread::scope(|scope| {
        let parts = scenarios.chunks(share);
        let workers: Vec<_> = parts
            .map(|part| scope.spawn(move || one_thread(part)))
            .collect();
        let done = workers.into_iter().map(|worker| match worker.join() {
            Ok(answers) => answers,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}

/// The texts of the scenarios: the whole text when it is one JSON value, else each line that is
/// not blank.
pub fn scenarios(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    if parse_json(text).is_ok() {
        return vec![text];
    }
    lines.collect()
}

/// A scenario that is understood, with the findings about it.
///
/// # Errors
/// What is said where something is wrong with it.
pub fn read(text: &str) -> Result<(Scenario, Vec<Finding>), Vec<Finding>> {
    let (mut scenario, mut findings) = decode_json(text);
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    if findings.iter().any(is_error) {
        return Err(findings);
    }
    let found = models::complete(&mut scenario).map_err(|why| vec![why])?;
    findings.extend(found);
    Ok((scenario, findings))
}

/// The errors in one line, each after its key unless it begins with that.
pub fn sentence(findings: &[Finding]) -> String {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let said = errors.map(|finding| {
        let (key, said) = (&finding.key, english(&finding.message));
        if said.starts_with(key) {
            said
        } else {
            format!("{key}: {said}")
        }
    });
    said.collect::<Vec<_>>().join(" ")
}

/// The line of a scenario that has no answer.
pub fn refusal(findings: &[Finding]) -> Value {
    json!({"error": sentence(findings), "findings": text::written(findings)})
}

/// Bad input outranks what does not fit, which outranks what fits.
fn worse(code: u8, other: u8) -> u8 {
    let rank = |code| {
        [FITS, DOES_NOT_FIT, BAD_INPUT]
            .iter()
            .position(|&c| c == code)
    };
    if rank(other) > rank(code) {
        other
    } else {
        code
    }
}

/// Writes JSON and ends the line.
pub fn write_line(value: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)
}
