//! `highwater estimate`: scenarios in, reports out.

use crate::arguments::Form;
use crate::check::sentence;
use crate::table;
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS};
use highwater::ask::{Finding, Severity};
use highwater::codec::decode_json;
use highwater::report::{self, Estimate};
use highwater::text::{self, WrittenReport};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::num::NonZero;
use std::thread::{self, available_parallelism};

/// Estimates every scenario of a text and writes the answers; gives the exit code. When nobody
/// reads any more, the rest is left out.
pub fn run(text: &str, form: Form, out: &mut dyn Write) -> u8 {
    let scenarios = scenarios(text);
    if scenarios.is_empty() {
        let nothing = json!({"error": "There is no scenario in the input."});
        let _ = writeln!(out, "{nothing}");
        return BAD_INPUT;
    }
    let mut code = FITS;
    for window in scenarios.chunks(WINDOW) {
        let mut gone = false;
        for (own, line) in written(window, form) {
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
fn written(scenarios: &[&str], form: Form) -> Vec<(u8, Vec<u8>)> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let share = scenarios.len().div_ceil(threads).max(1);
    let one_thread = |part: &[&str]| part.iter().map(|text| one(text, form)).collect::<Vec<_>>();
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

/// One scenario's exit code and written answer.
fn one(text: &str, form: Form) -> (u8, Vec<u8>) {
    let answer = answer(text);
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = match (form, &answer) {
        (Form::Json, Ok(estimate)) => write_line(&WrittenReport::from(&estimate.report), &mut line),
        (Form::Json, Err(findings)) => {
            let (error, findings) = (sentence(findings), text::written(findings));
            write_line(&json!({"error": error, "findings": findings}), &mut line)
        }
        (Form::Table, Ok(estimate)) => table::write(&estimate.report, &mut line),
        (Form::Table, Err(findings)) => writeln!(line, "error: {}\n", sentence(findings)),
    };
    let code = match &answer {
        Err(_) => BAD_INPUT,
        Ok(estimate) if !estimate.report.verdict.fits => DOES_NOT_FIT,
        Ok(_) => FITS,
    };
    (code, line)
}

/// The texts of the scenarios: the whole text when it is one JSON value, else each line that is
/// not blank.
fn scenarios(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    if serde_json::from_str::<Value>(text).is_ok() {
        return vec![text];
    }
    lines.collect()
}

fn answer(text: &str) -> Result<Estimate, Vec<Finding>> {
    let (scenario, decoding) = decode_json(text);
    if decoding
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        return Err(decoding);
    }
    let mut estimate = report::estimate(&scenario)?;
    estimate.report.ranks = report::ranks(&scenario);
    estimate.report.findings.extend(decoding);
    Ok(estimate)
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

fn write_line(value: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_on(text: &str) -> (u8, Vec<Value>) {
        let mut out = Vec::new();
        let code = run(text, Form::Json, &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        (
            code,
            text.lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect(),
        )
    }

    #[test]
    fn one_scenario_over_many_lines_gives_one_report() {
        let (code, reports) = run_on("{\n  \"model\": \"qwen2.5-0.5b\",\n  \"seq_len\": 64\n}\n");
        assert_eq!(code, FITS);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0]["model"]["num_parameters"], 494_032_768);
    }

    #[test]
    fn each_line_has_its_answer_in_the_same_order() {
        let (code, reports) = run_on(
            "{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64}\n{\"model\":\"nothing\"}\nno json\n{\"model\":\"qwen3-0.6b\",\"seq_len\":64}\n",
        );
        assert_eq!(code, BAD_INPUT);
        assert_eq!(reports.len(), 4);
        assert_eq!(reports[0]["model"]["name"], "Qwen2.5 0.5B");
        assert!(
            reports[1]["error"]
                .as_str()
                .is_some_and(|error| error.starts_with("model: "))
        );
        assert!(reports[2]["error"].is_string());
        assert_eq!(reports[3]["model"]["name"], "Qwen3 0.6B");
    }

    #[test]
    fn a_run_too_large_for_its_gpu_has_its_own_code() {
        let (code, reports) =
            run_on("{\"model\":\"llama-3.1-8b\",\"hardware\":{\"gpu\":\"rtx-4090\"}}");
        assert_eq!(code, DOES_NOT_FIT);
        assert_eq!(reports[0]["verdict"]["fits"], false);
    }

    #[test]
    fn unknown_keys_are_told_in_the_report() {
        let (_, reports) = run_on("{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64,\"batch\":4}");
        assert_eq!(reports[0]["findings"][0]["key"], "batch");
    }

    #[test]
    fn no_input_is_bad_input() {
        assert_eq!(run_on("").0, BAD_INPUT);
        assert_eq!(run_on("\n \n").0, BAD_INPUT);
        assert_eq!(run_on("[]").0, BAD_INPUT);
    }

    #[test]
    fn a_reader_that_has_gone_away_is_no_panic() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        for form in [Form::Json, Form::Table] {
            run(
                "{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64}",
                form,
                &mut Gone,
            );
        }
    }
}
