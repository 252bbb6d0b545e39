//! `highwater solve`: scenarios in, what only just fits out.

use crate::arguments::Form;
use crate::lines::{self, Written, read, refusal, sentence, write_line};
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS};
use highwater::ask::Finding;
use highwater::decide::{self, Axis, Solution};
use highwater::text::{english, written};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Solves every scenario of a text for an axis and writes the answers; gives the exit code.
pub fn run(text: &str, axis: &Axis, form: Form, out: &mut dyn Write) -> u8 {
    lines::each(text, out, |text| one(text, axis, form))
}

/// One scenario's exit code and written answer.
fn one(text: &str, axis: &Axis, form: Form) -> Written {
    let answer = answer(text, axis);
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = match (form, &answer) {
        (Form::Json, Ok(solution)) => write_line(&Line(axis, solution), &mut line),
        (Form::Json, Err(findings)) => write_line(&refusal(findings), &mut line),
        (Form::Table, Ok(solution)) => write_sentences(axis, solution, &mut line),
        (Form::Table, Err(findings)) => writeln!(line, "error: {}", sentence(findings)),
    };
    let code = match answer {
        Err(_) => BAD_INPUT,
        Ok(solution) if solution.scenario.is_none() => DOES_NOT_FIT,
        Ok(_) => FITS,
    };
    (code, line)
}

fn answer(text: &str, axis: &Axis) -> Result<Solution, Vec<Finding>> {
    let (scenario, decoding) = read(text)?;
    let mut solution = decide::solve(&scenario, axis)?;
    solution.findings.extend(decoding);
    Ok(solution)
}

/// The value under the axis's name, then findings where there are some.
struct Line<'a>(&'a Axis, &'a Solution);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(axis, solution) = self;
        let findings = written(&solution.findings);
        let findings = (!findings.is_empty()).then(|| ("findings", json!(findings)));
        serializer.collect_map(
            [(axis.name(), solution.value.clone())]
                .into_iter()
                .chain(findings),
        )
    }
}

fn write_sentences(axis: &Axis, solution: &Solution, out: &mut dyn Write) -> io::Result<()> {
    let name = axis.name();
    match (&solution.scenario, &solution.value) {
        (None, _) => writeln!(out, "{name}: nothing fits")?,
        (Some(_), Value::String(named)) => writeln!(out, "{name}: {named}")?,
        (Some(_), value) => writeln!(out, "{name}: {value}")?,
    }
    for finding in &solution.findings {
        writeln!(out, "  {}", english(&finding.message))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(name: &str, text: &str, form: Form) -> (u8, String) {
        let axis = Axis::named(name).expect("an axis");
        let mut out = Vec::new();
        let code = run(text, &axis, form, &mut out);
        (code, String::from_utf8(out).expect("UTF-8"))
    }

    const SMALL: &str = r#"{"model":"qwen2.5-0.5b","seq_len":64,"micro_batch_size":4,"model_overrides":{"num_hidden_layers":2}}"#;
    const LARGE: &str = r#"{"model":"llama-3.1-8b","hardware":{"gpu":"rtx-4090"}}"#;

    #[test]
    fn each_line_has_its_answer_in_the_same_order() {
        let text = format!("{SMALL}\n{LARGE}\n{{\"model\":\"nothing\"}}\nno json\n");
        let (code, out) = solved("micro_batch_size", &text, Form::Json);
        assert_eq!(code, BAD_INPUT);
        let answers: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(answers.len(), 4);
        assert!(answers[0]["micro_batch_size"].as_u64() > Some(100), "{out}");
        assert_eq!(answers[1], json!({"micro_batch_size": 0}));
        let problem = answers[2]["error"].as_str().expect("an error");
        assert!(problem.starts_with("model: "), "{problem}");
        assert_eq!(answers[2]["findings"][0]["key"], "model");
        assert!(answers[3]["error"].is_string());
    }

    #[test]
    fn the_code_says_whether_something_fits() {
        assert_eq!(solved("micro_batch_size", SMALL, Form::Json).0, FITS);
        let (code, out) = solved("seq_len", LARGE, Form::Json);
        assert_eq!((code, out.as_str()), (DOES_NOT_FIT, "{\"seq_len\":0}\n"));
        let tight = r#"{"model":"llama-3.1-8b","hardware":{"host_ram":1073741824}}"#;
        let (code, out) = solved("gpu", tight, Form::Json);
        assert_eq!((code, out.as_str()), (DOES_NOT_FIT, "{\"gpu\":null}\n"));
        assert_eq!(solved("seq_len", "", Form::Json).0, BAD_INPUT);
    }

    #[test]
    fn unknown_keys_are_told_beside_the_answer() {
        let text = SMALL.replace("\"micro_batch_size\"", "\"batch\"");
        let (_, out) = solved("gpu", &text, Form::Json);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["findings"][0]["key"], "batch");
    }

    #[test]
    fn people_read_a_line() {
        let (_, out) = solved("gpu", SMALL, Form::Table);
        assert_eq!(out, "gpu: rtx-4060\n");
        let (_, out) = solved("seq_len", LARGE, Form::Table);
        assert_eq!(out, "seq_len: nothing fits\n");
        let (_, out) = solved("lora.r", SMALL, Form::Table);
        assert!(out.starts_with("error: lora.r has no effect"), "{out}");
    }
}
