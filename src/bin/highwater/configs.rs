//! `highwater import` and `highwater export`: configurations in, configurations out.

use crate::lines::{read, sentence, write_line};
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS, bytes, print, refuse_line};
use highwater::ask::{Finding, Scenario, Severity};
use highwater::codec::{
    ViewOptions, config_of, decode_json, encode_json, encode_query, hidden_size, key, published,
    values,
};
use highwater::inputs::{self, configs};
use highwater::report;
use highwater::resolve::resolve;
use highwater::text::{
    self, ByteUnits, Language, english, gpu_taken_for, lack_sentence, note_sentence, taken_for,
    unread_sentence,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

const LANGUAGE: Language = Language::English;

/// What `import` was asked.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The files; standard input when there is none.
    pub files: Vec<PathBuf>,
    /// Settings that count more than the files, each as `KEY=VALUE`.
    pub set: Vec<(String, String)>,
    /// Whether the scenario is estimated, too.
    pub check: bool,
}

/// What `export` was asked.
#[derive(Clone, Debug)]
pub struct Export {
    /// Where the scenario is; standard input when absent.
    pub file: Option<PathBuf>,
    /// The format's name.
    pub to: String,
}

/// Reads the files of a job, writes what they were taken for in a line, and gives the exit code.
pub fn import(asked: &Import, out: &mut dyn Write) -> u8 {
    let texts = match texts(&asked.files) {
        Ok(texts) => texts,
        Err(problem) => return refuse(&problem, out),
    };
    let imported = match read_files(&texts, &asked.set) {
        Ok(imported) => imported,
        Err(problem) => return refuse(&problem.said, out),
    };
    let _ = write_line(&imported.line(), out);
    if !asked.check {
        return FITS;
    }
    check(&imported.scenario)
}

fn refuse(problem: &str, out: &mut dyn Write) -> u8 {
    let _ = write_line(&json!({ "error": problem }), out);
    BAD_INPUT
}

/// Estimates a scenario; what does not fit is said in one line on standard error.
fn check(scenario: &Scenario) -> u8 {
    match report::estimate_with_ranks(scenario) {
        Ok(estimate) if estimate.report.verdict.fits => FITS,
        Ok(estimate) => {
            refuse_line(&does_not_fit(&estimate.report.verdict));
            DOES_NOT_FIT
        }
        Err(findings) => {
            refuse_line(&sentence(&findings));
            BAD_INPUT
        }
    }
}

/// Why a run does not fit, in one line.
pub fn does_not_fit(verdict: &report::Verdict) -> String {
    let units = ByteUnits::Binary;
    let answer = text::verdict_answer(verdict, units, LANGUAGE);
    let detail = text::verdict_detail(verdict, units, LANGUAGE);
    format!("{answer} {detail}").replace('\u{a0}', " ")
}

/// A file's name and its text.
type Text = (String, String);

fn texts(files: &[PathBuf]) -> Result<Vec<Text>, String> {
    let read = |file: Option<&PathBuf>| {
        let name = file.map_or("standard input".to_owned(), |path| {
            path.display().to_string()
        });
        let content = bytes(file)?;
        Ok((name, inputs::decode(&content).into_owned()))
    };
    match files {
        [] => Ok(vec![read(None)?]),
        files => files.iter().map(|file| read(Some(file))).collect(),
    }
}

/// What the files of a job were taken for.
pub struct Imported {
    /// The scenario that they say.
    pub scenario: Scenario,
    read: configs::Import,
    findings: Vec<Value>,
}

/// Why files are not read.
#[derive(Debug)]
pub struct Problem {
    /// What is wrong.
    pub said: String,
    /// Whether nothing here knows what they are.
    pub unknown: bool,
}

impl From<String> for Problem {
    fn from(said: String) -> Self {
        Self {
            said,
            unknown: false,
        }
    }
}

/// Reads the files of a job as a scenario, settings besides.
///
/// # Errors
/// Which file is no configuration, and why.
pub fn read_files(texts: &[Text], set: &[(String, String)]) -> Result<Imported, Problem> {
    let files: Vec<configs::File> = texts
        .iter()
        .map(|(name, text)| configs::File { name, text })
        .collect();
    let read = configs::import(&files, &size_of);
    let mut read = read.map_err(|(name, why)| {
        let unknown = why == configs::Unread::Unknown;
        let why = unread_sentence(&why, LANGUAGE);
        let said = if files.len() > 1 {
            format!("{name}: {why}")
        } else {
            why
        };
        Problem { said, unknown }
    })?;
    let mut findings: Vec<Value> = Vec::new();
    for (path, text) in set {
        let known =
            key(path).ok_or_else(|| format!("--set {path}: a scenario has no such key."))?;
        let value = known
            .kind
            .read(text)
            .map_err(|why| format!("--set {path}: {}", english(&why)))?;
        set_at(&mut read.scenario, path, value);
    }
    for note in &read.notes {
        let given = |path: &str| set.iter().any(|(own, _)| own == path);
        let answered = match note {
            configs::Note::NoModel => given("model"),
            configs::Note::NoLength => given("seq_len"),
            configs::Note::NoGpus => given("hardware.gpus_per_node"),
            _ => false,
        };
        if !answered {
            findings.push(json!({ "message": note_sentence(note, LANGUAGE) }));
        }
    }
    if let Some(name) = read.scenario["model"].as_str().map(str::to_owned) {
        if let Some(id) = known_as(&name).filter(|_| published(&name).is_none()) {
            findings.push(json!({"key": "model", "message": taken_for(&name, id, LANGUAGE)}));
            read.scenario["model"] = id.into();
        }
    }
    let (mut scenario, said) = decode_json(&read.scenario.to_string());
    findings.extend(said.iter().map(written));
    // Names of GPUs that batch systems have are short.
    let gpu = resolve(&scenario)
        .findings
        .into_iter()
        .find(|finding| finding.key == "hardware.gpu");
    if let Some(fixed) = gpu.and_then(|finding| finding.fix?.apply(&scenario)) {
        let message = gpu_taken_for(&scenario.hardware.gpu, &fixed.hardware.gpu, LANGUAGE);
        findings.push(json!({"key": "hardware.gpu", "message": message}));
        scenario = fixed;
    }
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let refused = resolve(&scenario).findings;
    findings.extend(
        refused
            .iter()
            .filter(|finding| is_error(finding))
            .map(written),
    );
    Ok(Imported {
        scenario,
        read,
        findings,
    })
}

fn written(finding: &Finding) -> Value {
    json!({"key": finding.key, "message": english(&finding.message)})
}

/// The catalog's name of a model, or of one that has the same sizes by its name.
fn known_as(name: &str) -> Option<&'static str> {
    let mut spellings = configs::spellings(name).into_iter();
    spellings
        .find_map(|spelling| published(&spelling))
        .map(|(id, _)| id)
}

fn size_of(model: &Value) -> Option<u64> {
    let known = model.as_str().and_then(known_as);
    match known {
        Some(id) => hidden_size(&id.into()),
        None => hidden_size(model),
    }
}

fn set_at(tree: &mut Value, path: &str, value: Value) {
    let mut node = tree;
    for part in path.split('.') {
        if !node.is_object() {
            *node = Value::Object(Map::new());
        }
        node = &mut node[part];
    }
    *node = value;
}

impl Imported {
    /// Their formats, joined.
    pub fn kind(&self) -> String {
        self.read.kinds.join("+")
    }

    /// The scenario, with what differs from the defaults.
    pub fn facts(&self) -> Value {
        serde_json::from_str(&encode_json(&self.scenario)).unwrap_or_default()
    }

    fn line(&self) -> Value {
        let understood = self.read.understood.iter();
        let understood: Vec<Value> = understood
            .map(|own| {
                let sets: Vec<&String> = own.sets.iter().filter(|path| !path.is_empty()).collect();
                json!({"key": own.key, "value": own.value, "sets": sets})
            })
            .collect();
        let ignored: Vec<Value> = self.read.ignored.iter().map(ignored).collect();
        let assumed = self.read.assumed.iter();
        let assumed: Vec<Value> = assumed
            .map(|own| json!({"key": own.key, "value": own.value, "source": own.source}))
            .collect();
        json!({
            "kind": self.kind(),
            "scenario": self.facts(),
            "understood": understood,
            "assumed": assumed,
            "ignored": ignored,
            "findings": self.findings,
        })
    }
}

fn ignored(own: &configs::Ignored) -> Value {
    let (matters, reason) = match own.matters {
        configs::Matters::No => ("no", None),
        configs::Matters::Maybe => ("maybe", None),
        configs::Matters::Value => ("yes", Some("This value is none that is known.")),
        configs::Matters::Yes(lack) => ("yes", Some(lack_sentence(lack, LANGUAGE))),
    };
    let mut line = json!({"key": own.key, "value": own.value, "matters": matters});
    if let Some(reason) = reason {
        line["reason"] = reason.into();
    }
    line
}

/// Formats that are written beside those that are read.
const FURTHER: &[&str] = &["slurm", "env"];

/// Names of the formats that are written.
pub fn names() -> Vec<&'static str> {
    let own = configs::FORMATS.iter().map(|format| format.name);
    own.chain(FURTHER.iter().copied()).collect()
}

/// Writes a scenario as a configuration and gives the exit code.
pub fn export(asked: &Export, text: &str) -> Result<u8, String> {
    let (scenario, _) = read(text).map_err(|findings| sentence(&findings))?;
    let comment = comment(&scenario)?;
    let written = write(&scenario, &asked.to, &comment)?;
    print(&written.text);
    if !written.unsaid.is_empty() {
        refuse_line(&text::unsaid_comment(&written.unsaid, LANGUAGE));
    }
    Ok(FITS)
}

/// The lines that name the estimate.
fn comment(scenario: &Scenario) -> Result<Vec<String>, String> {
    let estimate = report::estimate_with_ranks(scenario).map_err(|findings| sentence(&findings))?;
    let verdict = &estimate.report.verdict;
    let answer = text::verdict_answer(verdict, ByteUnits::Binary, LANGUAGE);
    let detail = text::verdict_detail(verdict, ByteUnits::Binary, LANGUAGE);
    let link = format!("?{}", encode_query(scenario, &ViewOptions::default()));
    Ok(text::estimate_comment(&answer, &detail, &link, LANGUAGE))
}

/// A scenario in a format.
///
/// # Errors
/// Which formats there are, where this is none.
pub fn write(
    scenario: &Scenario,
    to: &str,
    comment: &[String],
) -> Result<configs::Exported, String> {
    let all = complete(&serde_json::from_str(&encode_json(scenario)).unwrap_or_default());
    let beside = |text: String| configs::Exported {
        text,
        unsaid: Vec::new(),
    };
    match to {
        "slurm" => return Ok(beside(configs::slurm(&all, comment))),
        "env" => return Ok(beside(configs::variables(&all, comment))),
        _ => {}
    }
    let lacks = match to {
        "peft" => scenario.lora.is_none(),
        "deepspeed" => {
            all["parallelism"]["dp"]["kind"] != "deepspeed_zero"
                && all["optimizer"]["master_weights"] != "deepspeed"
        }
        "megatron" => all["parallelism"]["dp"]["kind"] != "megatron",
        _ => false,
    };
    if lacks {
        return Err(text::nothing_of(to, LANGUAGE));
    }
    let format = configs::format(to);
    let format = format.ok_or_else(|| format!("--to {to} is none of {}.", names().join(", ")))?;
    let name = all["model"].as_str().and_then(published);
    let config = config_of(&all["model"]);
    let target = configs::Target {
        values: &all,
        repository: name.map(|(_, repository)| repository),
        config: config.as_ref(),
        complete: &complete,
        hidden_size: &size_of,
        comment,
    };
    Ok(configs::export(format, &target))
}

/// All values of a scenario that says only some, the model by its name in the catalog.
fn complete(scenario: &Value) -> Value {
    let (scenario, _) = decode_json(&scenario.to_string());
    let mut all = values(&scenario);
    if let Some(id) = all["model"].as_str().and_then(known_as) {
        all["model"] = id.into();
    }
    all
}
