//! `highwater import` and `highwater export`: configurations in, configurations out.

use crate::gathered;
use crate::lines::{read, sentence, write_line};
use crate::together;
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS, bytes, print, refuse_line};
use highwater::ask::{Fix, Scenario};
use highwater::codec::{
    Handed, JobFile, Said, Unwritten, ViewOptions, change_of, encode_json, encode_query, key,
    machine_settings, read_handed, write_job, written_formats,
};
use highwater::configs::{self, Approximation, Certainty};
use highwater::inputs::{self, SmiTable};
use highwater::report::{self, Otherwise};
use highwater::text::{
    self, ByteUnits, Language, english, gpu_taken_for, lack_sentence, left_out, note_sentence,
    unread_sentence,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

const LANGUAGE: Language = Language::English;

/// Arguments of `import`.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The files; standard input when there is none.
    pub files: Vec<PathBuf>,
    /// Settings that count more than the files, each as `KEY=VALUE`.
    pub set: Vec<Setting>,
    /// Whether the scenario is estimated, too.
    pub check: bool,
    /// Whether a job is refused some of whose settings are only approximated.
    pub strict: bool,
}

/// Arguments of `export`.
#[derive(Clone, Debug)]
pub struct Export {
    /// The file with the scenario; standard input when absent.
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
    let handed = read_handed(&texts);
    if let ([], Some(machine)) = (handed.job.as_slice(), &handed.machine) {
        let _ = write_line(&of_machine(machine), out);
        return if asked.check { BAD_INPUT } else { FITS };
    }
    let imported = match read_files(&handed, &asked.set) {
        Ok(imported) => imported,
        Err(problem) => return refuse(&problem.said, out),
    };
    let otherwise = imported.otherwise();
    let mut line = imported.line(otherwise.as_ref());
    let estimated = handed.failures.first().filter(|_| imported.stop.is_none());
    if let Some(failure) = estimated {
        line["failure"] = together::explained(failure, &imported.scenario);
    }
    let _ = write_line(&line, out);
    match &imported.stop {
        Some(why) => {
            refuse_line(why);
            BAD_INPUT
        }
        None if asked.strict && imported.is_unbounded() => {
            refuse_line(&format!(
                "--strict:{}",
                text::approximated(&imported.approximated, LANGUAGE)
            ));
            BAD_INPUT
        }
        None if asked.check => check(&imported, otherwise.as_ref(), asked.strict),
        None => FITS,
    }
}

/// A machine alone, whose job is not known.
pub fn of_machine(machine: &SmiTable) -> Value {
    let settings = machine_settings(machine).into_iter();
    let hardware: Map<String, Value> = settings
        .filter_map(|(path, value)| Some((path.strip_prefix("hardware.")?.to_owned(), value)))
        .collect();
    json!({"kind": "nvidia-smi", "facts": machine, "scenario": {"hardware": hardware}})
}

fn refuse(problem: &str, out: &mut dyn Write) -> u8 {
    let _ = write_line(&json!({ "error": problem }), out);
    BAD_INPUT
}

/// Estimates a job; the verdict, with what it assumes, is one line on standard error. A `strict` check takes a job
/// that may not fit for one that does not.
fn check(imported: &Imported, otherwise: Option<&Otherwise>, strict: bool) -> u8 {
    match report::estimate_with_ranks(&imported.scenario) {
        Ok(estimate) => {
            let verdict = &estimate.report.verdict;
            let changes = imported.changes();
            let exceeds = |of: &Otherwise| of.most > verdict.device.capacity;
            let exceeds = !changes.is_empty() && otherwise.is_none_or(exceeds);
            let (all, device) = (&imported.approximated, &verdict.device);
            let sure = text::certainty(all, otherwise, device, ByteUnits::Binary, LANGUAGE);
            let sure = sure.replace('\u{a0}', " ");
            let unsaid = imported.unsaid();
            refuse_line(&format!("{}{sure}{unsaid}", verdict_line(verdict)));
            let at_risk = exceeds || text::is_at_risk(&verdict.device);
            let fits = verdict.fits && !(strict && at_risk);
            if fits { FITS } else { DOES_NOT_FIT }
        }
        Err(findings) => {
            refuse_line(&sentence(&findings));
            BAD_INPUT
        }
    }
}

/// Whether a run fits, and by how much, in one line.
pub fn verdict_line(verdict: &report::Verdict) -> String {
    let units = ByteUnits::Binary;
    let answer = text::verdict_answer(verdict, units, LANGUAGE);
    let detail = text::verdict_detail(verdict, units, LANGUAGE);
    format!("{answer} {detail}").replace('\u{a0}', " ")
}

fn texts(files: &[PathBuf]) -> Result<Vec<JobFile>, String> {
    let read = |file: Option<&PathBuf>| {
        let name = file.map_or("standard input".to_owned(), |path| {
            path.display().to_string()
        });
        let content = bytes(file)?;
        Ok(JobFile {
            name,
            text: inputs::decode(&content).into_owned(),
        })
    };
    match files {
        [] => Ok(vec![read(None)?]),
        files => files.iter().map(|file| read(Some(file))).collect(),
    }
}

/// A setting that no file has, as `--set KEY=VALUE` says it.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its key in a scenario.
    pub key: String,
    /// Its value, as people type it.
    pub value: String,
}

impl Setting {
    /// Its value as its key takes it.
    ///
    /// # Errors
    /// A sentence about the error in the key or the value.
    pub fn read(&self) -> Result<Value, String> {
        let Self { key: path, value } = self;
        let known =
            key(path).ok_or_else(|| format!("--set {path}: a scenario has no such key."))?;
        let value = known.kind.read(value);
        value.map_err(|why| format!("--set {path}: {}", english(&why)))
    }
}

/// A job as its files describe it.
pub struct Imported {
    /// The scenario that they say.
    pub scenario: Scenario,
    /// Why the job is not estimated, if it lacks its model.
    pub stop: Option<String>,
    read: configs::Import,
    findings: Vec<Value>,
    approximated: Vec<Approximation>,
    /// The files that were read.
    files: Vec<String>,
}

/// Why files are not read.
#[derive(Debug)]
pub struct Problem {
    /// The reason, in a sentence.
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
pub fn read_files(handed: &Handed, set: &[Setting]) -> Result<Imported, Problem> {
    if handed.job.is_empty() {
        return Err(Problem {
            said: "There is no configuration in the input: highwater read says what else it is."
                .to_owned(),
            unknown: true,
        });
    }
    let mut values = Vec::new();
    for setting in set {
        values.push((setting.key.clone(), setting.read()?));
    }
    let gathered = gathered::read(handed, &values).map_err(|(name, why)| {
        let unknown = why == configs::Unread::Unknown;
        let why = unread_sentence(&why, LANGUAGE);
        let said = if handed.job.len() > 1 {
            format!("{name}: {why}")
        } else {
            why
        };
        Problem { said, unknown }
    })?;
    let job = gathered.job;
    let findings = job.said.iter().map(|said| match said {
        Said::Finding(finding) => {
            json!({"key": finding.key, "message": english(&finding.message)})
        }
        Said::Left(key, finding) => {
            json!({"key": key, "message": left_out(key, finding, LANGUAGE)})
        }
        Said::Note(note) => json!({ "message": note_sentence(note, LANGUAGE) }),
        Said::Gpu(name, id) => {
            json!({"key": "hardware.gpu", "message": gpu_taken_for(name, id, LANGUAGE)})
        }
    });
    let more = gathered.said.iter();
    let more = more.map(|said| json!({"key": said.key, "message": said.text}));
    Ok(Imported {
        findings: findings.chain(more).collect(),
        stop: job.stop().map(|note| note_sentence(note, LANGUAGE)),
        files: gathered.files,
        scenario: job.scenario,
        read: job.read,
        approximated: job.approximated,
    })
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

    /// The end of the verdict's line: the settings that neither the files nor their trainer say.
    fn unsaid(&self) -> String {
        let assumed = self.read.assumed.iter();
        let unsaid = assumed.filter(|own| own.source == configs::UNSAID);
        let each: Vec<String> = unsaid
            .map(|own| format!("{} {}", own.key, own.value))
            .collect();
        if each.is_empty() {
            return String::new();
        }
        format!(" Assumed, as no file says: {}.", each.join(", "))
    }

    /// Whether a setting is approximated whose effect cannot be estimated.
    fn is_unbounded(&self) -> bool {
        self.approximated.iter().any(|own| own.otherwise.is_none())
    }

    /// The most that the job takes, estimated only where versions of its trainer differ.
    fn otherwise(&self) -> Option<Otherwise> {
        let changes = self.changes();
        if changes.is_empty() {
            return None;
        }
        let estimate = report::estimate(&self.scenario).ok()?;
        Otherwise::of(&estimate.report, &self.scenario, &changes)
    }

    /// The changes with which the job takes the most, where versions of its trainer differ.
    fn changes(&self) -> Vec<Fix> {
        let all = self.approximated.iter();
        all.filter_map(change_of).collect()
    }

    fn line(&self, otherwise: Option<&Otherwise>) -> Value {
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
        let mut bytes = otherwise.iter().flat_map(|of| &of.each);
        let approximated = self.approximated.iter();
        let approximated: Vec<Value> = approximated
            .map(|own| {
                let most = own.otherwise.as_ref().and_then(|_| bytes.next());
                json!({
                    "key": own.key,
                    "asked": own.asked,
                    "used": own.used,
                    "effect": own.effect.name(),
                    "bytes": most,
                })
            })
            .collect();
        json!({
            "approximated": approximated,
            "certainty": Certainty::of(&self.approximated).name(),
            "kind": self.kind(),
            "files": self.files,
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
        configs::Matters::Computed => (
            "yes",
            Some("The script computes this value, which is not followed: the default counts."),
        ),
        configs::Matters::Yes(lack) => ("yes", Some(lack_sentence(lack, LANGUAGE))),
    };
    let mut line = json!({"key": own.key, "value": own.value, "matters": matters});
    if let Some(reason) = reason {
        line["reason"] = reason.into();
    }
    line
}

/// Writes a scenario as a configuration and gives the exit code.
pub fn export(asked: &Export, text: &str) -> Result<u8, String> {
    let (scenario, _) = read(text).map_err(|findings| sentence(&findings))?;
    let comment = comment(&scenario)?;
    let to = asked.to.as_str();
    let written = write_job(&scenario, to, &comment).map_err(|why| match why {
        Unwritten::NothingToSay => text::nothing_of(to, LANGUAGE),
        Unwritten::NoFormat => {
            let all: Vec<_> = written_formats().collect();
            format!("--to {to} is none of {}.", all.join(", "))
        }
    })?;
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
