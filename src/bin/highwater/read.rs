//! `highwater read`: texts and files in, what they were taken for out.

use crate::lines::{sentence, write_line};
use crate::{BAD_INPUT, FITS, bytes};
use highwater::ask::{Finding, ModelRef};
use highwater::codec::{Pasted, read_pasted};
use highwater::inputs::{self, Failure, Input};
use highwater::text::{self, ByteUnits, Language, cause_sentence};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Reads files, or standard input without one, and writes a line for each; gives the exit code.
pub fn run(files: &[PathBuf], out: &mut dyn Write) -> u8 {
    let mut code = FITS;
    let each: Vec<_> = match files {
        [] => vec![None],
        files => files.iter().map(Some).collect(),
    };
    for file in each {
        let read = bytes(file).and_then(|content| answer(&content));
        let mut line = match read {
            Ok(line) => line,
            Err(problem) => {
                code = BAD_INPUT;
                json!({ "error": problem })
            }
        };
        if let (true, Some(file), Value::Object(line)) = (files.len() > 1, file, &mut line) {
            let name = file.display().to_string();
            line.insert("file".to_owned(), name.into());
        }
        if write_line(&line, &mut *out).is_err() {
            break;
        }
    }
    code
}

/// What the content of a file was taken for.
fn answer(content: &[u8]) -> Result<Value, String> {
    let text = inputs::decode(content);
    if text.trim().is_empty() {
        return Err("There is nothing in the input.".to_owned());
    }
    if let (Some(pasted), findings) = read_pasted(&text) {
        return Ok(pasted_line(&text, pasted, &findings));
    }
    match inputs::read(&text) {
        Input::Failure(failure) => Ok(failure_line(&failure)),
        Input::Foreign(owner) => Err(format!(
            "This is of {owner}, not of PyTorch: nothing here answers it."
        )),
        Input::Unknown => Err("This is no failure of PyTorch's, no table or snapshot of its memory, no scenario, no link and no config.json. Paste the text from \"CUDA out of memory\" on, or the whole log.".to_owned()),
    }
}

/// A failure: its wording, its numbers, what it was and why.
fn failure_line(failure: &Failure) -> Value {
    let (units, language) = (ByteUnits::Binary, Language::English);
    let mut line = Map::new();
    let mut put = |key: &str, value: Value| line.insert(key.to_owned(), value);
    put("kind", failure.kind.name().into());
    put("facts", json!(failure.facts));
    put("cause", failure.cause.name().into());
    let reason = cause_sentence(&failure.cause, units, language);
    put("reason", reason.into());
    if failure.failures > 1 {
        put("failures", failure.failures.into());
    }
    if let Some(rank) = failure.rank {
        put("rank", rank.into());
    }
    Value::Object(line)
}

/// A scenario, a link or a model.
fn pasted_line(text: &str, pasted: Pasted, findings: &[Finding]) -> Value {
    let kind = |json, other| {
        if text.trim_start().starts_with('{') {
            json
        } else {
            other
        }
    };
    let (kind, facts) = match pasted {
        Pasted::Scenario(scenario) => (kind("scenario", "link"), json!(scenario)),
        Pasted::Model(ModelRef::HfConfig { hf_config }) => ("hf_config", json!(hf_config)),
        Pasted::Model(model) => ("model", json!({ "model": model })),
    };
    let mut line = json!({"kind": kind, "facts": facts});
    if !findings.is_empty() {
        line["findings"] = json!(text::written(findings));
    }
    if !sentence(findings).is_empty() {
        line["error"] = sentence(findings).into();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Result<Value, String> {
        answer(text.as_bytes()).map(|line| line["kind"].clone())
    }

    #[test]
    fn what_people_paste_is_told_apart() {
        for (text, expected) in [
            ("{\"model\": \"gpt2\"}", "scenario"),
            ("?v=1&mb=16", "link"),
            ("{\"model_type\": \"llama\", \"hidden_size\": 64}", "hf_config"),
            ("gpt2", "model"),
            ("CUDA out of memory. Tried to allocate 2.00 GiB.", "cuda-2.x-shortened"),
            ("Killed", "host-kill"),
        ] {
            assert_eq!(kind(text), Ok(expected.into()), "{text}");
        }
    }

    #[test]
    fn what_is_none_of_ours_is_an_error_that_says_whose_it_is() {
        let jax = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory";
        assert!(kind(jax).is_err_and(|why| why.contains("JAX")));
        assert!(kind("How are you?").is_err());
        assert!(kind("  \n").is_err());
    }

    #[test]
    fn what_windows_writes_is_read() {
        let text = "CUDA out of memory. Tried to allocate 2.00 GiB.";
        let mut wide = vec![0xff, 0xfe];
        wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let line = answer(&wide).expect("a failure");
        assert_eq!(line["facts"]["requested"], 2_147_483_648_u64);
    }
}
