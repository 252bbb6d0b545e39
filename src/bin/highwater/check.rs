//! `highwater check` and `highwater trace`: estimates against measurements.

use crate::lines::{read, sentence};
use crate::{FITS, MISSES};
use highwater::ask::{Finding, Scenario};
use highwater::codec::decode_json;
use highwater::report::{Accuracy, Selection, events, read_cases};
use highwater::text::english;
use serde_json::Value;
use std::io::Write;

/// Compares the estimates of measured cases and writes the table of errors; gives the exit code.
///
/// # Errors
/// What is wrong with the cases.
pub fn check(text: &str, selection: &Selection, out: &mut dyn Write) -> Result<u8, String> {
    let mut cases = read_cases(text)?;
    for case in &mut cases {
        case.scenario = decode(&case.written);
    }
    let accuracy = Accuracy::of(&cases, selection, english);
    if accuracy.compared() == 0 && accuracy.not_supported().is_empty() {
        return Err("there is no case in the input.".to_owned());
    }
    let met = accuracy.goals().iter().all(|goal| goal.met);
    // A reader that has gone away is no error of ours.
    let _ = write!(out, "{accuracy}");
    Ok(if met { FITS } else { MISSES })
}

/// A case's scenario, if all of it is understood: the errors of another run say nothing.
fn decode(written: &Value) -> Result<Scenario, String> {
    let (scenario, findings) = decode_json(&written.to_string());
    match findings.first() {
        None => Ok(scenario),
        Some(finding) => Err(format!("{}: {}", finding.key, english(&finding.message))),
    }
}

/// Writes the allocations and frees of a scenario, one event a line; gives the exit code.
///
/// # Errors
/// What is wrong with the scenario.
pub fn trace(text: &str, out: &mut dyn Write) -> Result<u8, String> {
    let refused = |findings: Vec<Finding>| sentence(&findings);
    let (scenario, _) = read(text).map_err(refused)?;
    let text = events(&scenario).map_err(refused)?;
    let _ = out.write_all(text.as_bytes());
    Ok(FITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_case_is_named() {
        let problem = check("{}\n", &Selection::default(), &mut Vec::new());
        assert!(problem.is_err_and(|problem| problem.contains("line 1")));
    }

    #[test]
    fn no_case_at_all_is_bad_input() {
        assert!(check("\n", &Selection::default(), &mut Vec::new()).is_err());
    }

    #[test]
    fn a_missed_goal_has_its_own_code() {
        let case = r#"{"scenario":{"model":"qwen2.5-0.5b","seq_len":64},"expect":{"num_parameters":1,"steady_step":{"peak":{"phase":"forward","peak_tensor":1,"peak_allocated":1,"peak_reserved":1}}}}"#;
        let code = check(case, &Selection::default(), &mut Vec::new());
        assert_eq!(code, Ok(MISSES));
    }

    #[test]
    fn a_case_that_asks_for_more_than_is_known_is_not_compared() {
        let case = r#"{"scenario":{"model":"qwen2.5-0.5b","parallelism":{"dp":{"kind":"ddp","size":8}}},"expect":{"num_parameters":1}}"#;
        let mut out = Vec::new();
        let _ = check(case, &Selection::default(), &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("parallelism"), "{text}");
    }

    #[test]
    fn a_trace_is_written_event_by_event() {
        let mut out = Vec::new();
        let code = trace(r#"{"model":"qwen2.5-0.5b","seq_len":64}"#, &mut out);
        assert_eq!(code, Ok(FITS));
        assert!(out.starts_with(b"A 0 "));
    }
}
