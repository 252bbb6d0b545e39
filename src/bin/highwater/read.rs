//! `highwater read`: texts and files in, what they were taken for out.

use crate::lines::{sentence, write_line};
use crate::{BAD_INPUT, FITS, bytes, configs, given, snapshot, together};
use highwater::ask::{Finding, ModelRef};
use highwater::codec::{Handed, JobFile, Pasted, read_handed, read_pasted};
use highwater::inputs::{self, Facts, Failure, Input};
use highwater::text::{self, ByteUnits, Language, cause_sentence};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Reads files, or standard input without one, and writes a line for each; gives the exit code.
pub fn run(files: &[PathBuf], out: &mut dyn Write) -> u8 {
    let mut code = FITS;
    if let Some(answer) = as_one(files) {
        if answer.lacks_its_model() {
            code = BAD_INPUT;
        }
        let _ = write_line(&Line { file: None, answer }, out);
        return code;
    }
    let each: Vec<_> = match files {
        [] => vec![None],
        files => files.iter().map(Some).collect(),
    };
    for file in each {
        let graph = file.filter(|file| given::is_archive(file)).map(graph);
        let read = graph.unwrap_or_else(|| bytes(file).and_then(|content| answer(&content)));
        let answer = match read {
            Ok(answer) => {
                if answer.lacks_its_model() {
                    code = BAD_INPUT;
                }
                answer
            }
            Err(error) => {
                code = BAD_INPUT;
                Answer::Error { error }
            }
        };
        let file = file.filter(|_| files.len() > 1);
        let line = Line {
            file: file.map(|file| file.display().to_string()),
            answer,
        };
        if write_line(&line, &mut *out).is_err() {
            break;
        }
    }
    code
}

/// The answer to several files where one tells of the job of another.
fn as_one(files: &[PathBuf]) -> Option<Answer> {
    if files.len() < 2 {
        return None;
    }
    let read = |path: &PathBuf| {
        let content = bytes(Some(path)).ok()?;
        let is_text = !inputs::looks_like_snapshot(&content);
        is_text.then(|| JobFile {
            name: path.display().to_string(),
            text: inputs::decode(&content).into_owned(),
        })
    };
    let texts: Option<Vec<JobFile>> = files.iter().map(read).collect();
    let handed = read_handed(&texts?);
    handed.is_together().then(|| together(&handed))?.ok()
}

/// A failure or a machine beside the job.
fn together(handed: &Handed) -> Result<Answer, String> {
    let (kind, scenario, facts, stop) = if let Some(scenario) = handed.scenario() {
        let facts = json!(scenario);
        ("scenario".to_owned(), scenario, facts, None)
    } else {
        let imported = configs::read_files(handed, &[]).map_err(|problem| problem.said)?;
        let (kind, facts) = (imported.kind(), imported.facts());
        (kind, imported.scenario, facts, imported.stop)
    };
    let job = json!({"kind": kind, "facts": facts});
    let Some(failure) = handed.failures.first() else {
        return Ok(Answer::Configuration {
            kind: format!("{kind}+nvidia-smi"),
            facts,
            stop,
        });
    };
    let mut answer = json!(failed(failure.clone()));
    answer["job"] = job;
    if let Some(why) = stop {
        answer["stop"] = why.into();
    } else if let Value::Object(explained) = together::explained(failure, &scenario) {
        for (key, value) in explained {
            answer[key] = value;
        }
    }
    Ok(Answer::Together(answer))
}

/// One line of the answer.
#[derive(Serialize)]
struct Line {
    /// The file that the answer is about, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    answer: Answer,
}

/// The kind of a file, with what was read from it.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    /// A failure: its wording, its numbers, what it was and why.
    Failure {
        kind: &'static str,
        facts: Box<Facts>,
        cause: &'static str,
        reason: String,
        #[serde(skip_serializing_if = "is_one")]
        failures: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<u64>,
    },
    /// A failure beside the job that failed.
    Together(Value),
    /// The configuration of a training job, and the scenario that it says.
    Configuration {
        kind: String,
        facts: Value,
        /// Why the job is not estimated, if it lacks its model.
        #[serde(skip_serializing_if = "Option::is_none")]
        stop: Option<String>,
    },
    /// Something else that is understood.
    Other {
        kind: &'static str,
        facts: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        findings: Option<Value>,
    },
    /// Nothing that is understood.
    Error { error: String },
}

impl Answer {
    fn lacks_its_model(&self) -> bool {
        match self {
            Self::Configuration { stop, .. } => stop.is_some(),
            Self::Together(answer) => !answer["stop"].is_null(),
            _ => false,
        }
    }

    fn is_of(&self, kinds: &[&str]) -> bool {
        matches!(self, Self::Configuration { kind, .. } if kinds.contains(&kind.as_str()))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

/// A graph in an archive.
fn graph(file: &PathBuf) -> Result<Answer, String> {
    let facts = given::graph_facts(file).map_err(|why| sentence(&[why]))?;
    Ok(Answer::Other {
        kind: "exported-graph",
        facts,
        findings: None,
    })
}

/// Recognizes the content of a file.
fn answer(content: &[u8]) -> Result<Answer, String> {
    if inputs::looks_like_snapshot(content) {
        let snapshot = snapshot::read(content)?;
        return Ok(Answer::Other {
            kind: "snapshot",
            facts: json!(snapshot::Facts::from(&snapshot)),
            findings: None,
        });
    }
    let text = inputs::decode(content);
    if text.trim().is_empty() {
        return Err("There is nothing in the input.".to_owned());
    }
    // Some keys of DeepSpeed's are those of scenarios, too.
    if text.trim_start().starts_with('{')
        && let Ok(configuration) = configuration(&text)
        && !configuration.is_of(&["scenario", "hf_config"])
    {
        return Ok(configuration);
    }
    if let (Some(pasted), findings) = read_pasted(&text) {
        return other(&text, pasted, &findings);
    }
    let handed = read_handed(&[JobFile {
        name: String::new(),
        text: text.clone().into_owned(),
    }]);
    if handed.is_together() {
        return together(&handed);
    }
    match inputs::read(&text) {
        Input::Failure(failure) => Ok(failed(*failure)),
        Input::Machine(machine) => Ok(Answer::Together(configs::of_machine(&machine))),
        Input::Foreign(owner) => Err(format!(
            "This is of {owner}, not of PyTorch: nothing here answers it."
        )),
        Input::Unknown => configuration(&text),
    }
}

/// A training job's configuration, with the scenario that it alone says.
fn configuration(text: &str) -> Result<Answer, String> {
    let own = [JobFile {
        name: "input".to_owned(),
        text: text.to_owned(),
    }];
    match configs::read_files(&read_handed(&own), &[]) {
        Ok(imported) => Ok(Answer::Configuration {
            kind: imported.kind(),
            facts: imported.facts(),
            stop: imported.stop,
        }),
        Err(configs::Problem { unknown: true, .. }) => Err("This is no failure of PyTorch's, no table or snapshot of its memory, no scenario, no link, no config.json and no configuration of a training job. Paste the text from \"CUDA out of memory\" on, or the whole log.".to_owned()),
        Err(configs::Problem { said, .. }) => Err(said),
    }
}

fn failed(failure: Failure) -> Answer {
    let (units, language) = (ByteUnits::Binary, Language::English);
    Answer::Failure {
        kind: failure.kind.name(),
        cause: failure.cause.name(),
        reason: cause_sentence(&failure.cause, units, language),
        facts: Box::new(failure.facts),
        failures: failure.failures,
        rank: failure.rank,
    }
}

/// A scenario, a link or a model.
fn other(text: &str, pasted: Pasted, findings: &[Finding]) -> Result<Answer, String> {
    let errors = sentence(findings);
    if !errors.is_empty() {
        return Err(errors);
    }
    let is_json = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{');
    let (kind, facts) = match pasted {
        Pasted::Scenario(scenario) if is_json => ("scenario", json!(scenario)),
        Pasted::Scenario(scenario) => ("link", json!(scenario)),
        Pasted::Model(ModelRef::HfConfig { hf_config }) => ("hf_config", json!(hf_config)),
        Pasted::Model(model) => ("model", json!({ "model": model })),
    };
    Ok(Answer::Other {
        kind,
        facts,
        findings: (!findings.is_empty()).then(|| json!(text::written(findings))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(content: &[u8]) -> Result<Value, String> {
        answer(content).map(|answer| json!(Line { file: None, answer }))
    }

    fn kind(text: &str) -> Result<Value, String> {
        line(text.as_bytes()).map(|line| line["kind"].clone())
    }

    #[test]
    fn what_people_paste_is_told_apart() {
        for (text, expected) in [
            ("{\"model\": \"gpt2\"}", "scenario"),
            ("?v=1&mb=16", "link"),
            (
                "{\"model_type\": \"llama\", \"hidden_size\": 64}",
                "hf_config",
            ),
            ("gpt2", "model"),
            (
                "CUDA out of memory. Tried to allocate 2.00 GiB.",
                "cuda-2.x-shortened",
            ),
            ("Killed", "host-kill"),
            (
                "base_model: gpt2\nsequence_len: 512\nadapter: lora",
                "axolotl",
            ),
            ("{\"zero_optimization\": {\"stage\": 2}}", "deepspeed"),
            ("torchrun --nproc_per_node 8 train.py", "launcher"),
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
        let deep = "a: ".to_owned() + &"[".repeat(10_000);
        assert!(kind(&deep).is_err_and(|why| why.contains("nested")));
    }

    #[test]
    fn an_error_beside_the_job_is_explained_against_its_estimate() {
        let error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB of which 500.00 MiB is free. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 200.00 MiB is reserved by PyTorch but unallocated.";
        let yaml =
            "base_model: Qwen/Qwen2.5-7B\nsequence_len: 2048\nmicro_batch_size: 2\nbf16: true";
        for text in [format!("{error}\n\n{yaml}"), format!("{yaml}\n{error}\n")] {
            let answer = line(text.as_bytes()).expect("an answer");
            assert_eq!(answer["cause"], "peak", "{answer}");
            assert_eq!(answer["job"]["kind"], "axolotl");
            assert_eq!(answer["explained"]["memory"], "device");
            assert_eq!(answer["explained"]["estimate"]["fits"], false, "{answer}");
            assert_eq!(answer["explained"]["wanted"], 24_u64 << 30);
            assert!(
                answer["remedies"]
                    .as_array()
                    .is_some_and(|all| !all.is_empty())
            );
        }
        let killed =
            line(format!("{yaml}\nslurmstepd: error: Detected 1 oom_kill event").as_bytes());
        let killed = killed.expect("an answer");
        assert_eq!(killed["explained"]["memory"], "host");
    }

    #[test]
    fn what_windows_writes_is_read() {
        let text = "CUDA out of memory. Tried to allocate 2.00 GiB.";
        let mut wide = vec![0xff, 0xfe];
        wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let line = line(&wide).expect("a failure");
        assert_eq!(line["facts"]["requested"], 2_147_483_648_u64);
    }
}
