//! Several things at once: an error beside the configuration of the job, a machine's table beside both, in any order, as
//! files or in one text.

use super::job::{Job, JobFile, read_job};
use super::machine::{failure_settings, machine_settings};
use super::parts::{is_told, parts};
use super::pasted::{Pasted, read_pasted};
use crate::ask::Scenario;
use crate::configs::{BESIDE_A_TRAINER, Unread};
use crate::inputs::{self, Failure, Input, SmiTable};
use serde_json::Value;

/// Inputs that were handed in together.
#[derive(Default)]
pub struct Handed {
    /// The failures, in order.
    pub failures: Vec<Failure>,
    /// The machine.
    pub machine: Option<SmiTable>,
    /// The files of the job, without what tells of the former.
    pub job: Vec<JobFile>,
}

impl Handed {
    /// Whether a job comes with the text of a failure or with a table of its machine.
    pub fn is_together(&self) -> bool {
        !self.job.is_empty() && (!self.failures.is_empty() || self.machine.is_some())
    }

    /// The job, on the machine of a table or of a failure's text. What is `set`, and what the job itself says of its
    /// machine, count more.
    ///
    /// # Errors
    /// The name of a file that is no configuration, and why.
    pub fn read_job(&self, set: &[(String, Value)]) -> Result<Job, (String, Unread)> {
        read_job(&self.job, &self.settings(set)?)
    }

    /// The settings `set`, with those of the machine that neither they nor the job's files say.
    ///
    /// # Errors
    /// The name of a file that is no configuration, and why.
    pub fn settings(
        &self,
        set: &[(String, Value)],
    ) -> Result<Vec<(String, Value)>, (String, Unread)> {
        let mut all = set.to_vec();
        let settings = match (&self.machine, self.failures.first()) {
            (Some(machine), _) => machine_settings(machine),
            (None, Some(failure)) => failure_settings(failure),
            (None, None) => return Ok(all),
        };
        let own = read_job(&self.job, set)?;
        let says = |path: &str| {
            let pointer = format!("/{}", path.replace('.', "/"));
            own.read.scenario.pointer(&pointer).is_some()
        };
        let is_set = |path: &str| set.iter().any(|(own, _)| own == path);
        let open = |path: &str| !says(path) && !is_set(path);
        all.extend(settings.into_iter().filter(|(path, _)| open(path)));
        Ok(all)
    }

    /// The scenario that was handed in as one, where it was.
    pub fn scenario(&self) -> Option<Scenario> {
        let [JobFile { text, .. }] = self.job.as_slice() else {
            return None;
        };
        match read_pasted(text) {
            (Some(Pasted::Scenario(scenario)), _) => Some(*scenario),
            _ => None,
        }
    }
}

/// Takes files apart: parts that tell of a failure or of a machine, and files of the job.
pub fn read_handed(files: &[JobFile]) -> Handed {
    let mut handed = Handed::default();
    for JobFile { name, text } in files {
        if text.trim().is_empty() {
            continue;
        }
        // A scenario or a model's config that JSON holds is not searched for words.
        let is_json = text.trim_start().starts_with('{') && read_pasted(text).0.is_some();
        let (told, job) = if is_json {
            (String::new(), vec![text.clone()])
        } else {
            let parts = parts(text);
            (parts.told, parts.job)
        };
        if is_told(&told) {
            if let Input::Failure(failure) = inputs::read(&told) {
                handed.failures.push(*failure);
            }
            handed.machine = handed.machine.or_else(|| inputs::read_smi(&told));
        }
        let named = |text| JobFile {
            name: name.clone(),
            text,
        };
        handed.job.extend(job.into_iter().map(named));
    }
    handed
}

/// The role of a file among those of its job.
#[derive(PartialEq, Eq)]
enum Role {
    /// A trainer's configuration, its script or its command line: a job has one.
    Trainer,
    /// A file beside it, of this format.
    Beside(&'static str),
}

/// The role of a file; none where it is no configuration.
fn role(file: &JobFile) -> Option<Role> {
    let kinds = read_job(std::slice::from_ref(file), &[]).ok()?.read.kinds;
    let is_beside = |kind: &&str| *kind == MODEL || BESIDE_A_TRAINER.contains(kind);
    if kinds.iter().all(is_beside) {
        kinds.first().copied().map(Role::Beside)
    } else {
        Some(Role::Trainer)
    }
}

/// The kind of a model's `config.json`.
const MODEL: &str = "hf_config";

/// The files of a job with `new` ones that come after them: a trainer's configuration takes the place of the one before,
/// a file beside it that of another one of its format.
pub fn with_new_files(before: &[JobFile], new: &[JobFile]) -> Vec<JobFile> {
    let roles: Vec<Option<Role>> = new.iter().map(role).collect();
    let stays = |file: &&JobFile| !roles.contains(&role(file));
    before.iter().filter(stays).chain(new).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> JobFile {
        JobFile {
            name: String::new(),
            text: text.to_owned(),
        }
    }

    const TABLE: &str = "| NVIDIA-SMI 550.54 Driver Version: 550.54 |\n|   0  NVIDIA H100 80GB HBM3  On  | 00:1B.0 Off | 0 |\n| N/A 28C P0 70W / 700W |  12010MiB /  81559MiB | 0% Default |\n|   1  NVIDIA H100 80GB HBM3  On  | 00:43.0 Off | 0 |\n| N/A 28C P0 70W / 700W |  4MiB /  81559MiB | 0% Default |\n";
    const YAML: &str = "base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 2048\nmicro_batch_size: 4\n";

    #[test]
    fn the_machine_of_a_table_is_the_jobs() {
        for files in [
            vec![file(TABLE), file(YAML)],
            vec![file(&format!("{TABLE}\n{YAML}"))],
        ] {
            let handed = read_handed(&files);
            assert!(handed.is_together());
            let job = handed.read_job(&[]).expect("a job");
            let hardware = job.scenario.hardware;
            assert_eq!(hardware.gpu, "h100-80gb");
            assert_eq!(hardware.gpu_memory_in_use, 12010 << 20);
            assert_eq!(hardware.gpus_per_node, 2);
        }
    }

    const ERRORS: &str = include_str!("../../../tests/fixtures/inputs/public_errors.jsonl");
    const JOBS: [&str; 4] = [
        include_str!("../../../tests/fixtures/inputs/configs/axolotl_qlora.yaml"),
        include_str!("../../../tests/fixtures/inputs/configs/llama_factory_lora.yaml"),
        include_str!("../../../tests/fixtures/inputs/configs/torchtune_full.yaml"),
        include_str!("../../../tests/fixtures/inputs/configs/trl_command.sh"),
    ];
    const ZERO: &str = include_str!("../../../tests/fixtures/inputs/configs/deepspeed_zero2.json");

    /// Public texts of failures, but one that is a comment: those of a configuration speak of failures that it avoids.
    fn errors() -> Vec<String> {
        let all = ERRORS.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            line["text"].as_str().map(str::to_owned)
        });
        let is_told = |text: &String| matches!(inputs::read(text), Input::Failure(_));
        all.filter(|text| is_told(text) && !text.starts_with('#'))
            .collect()
    }

    #[test]
    fn public_errors_and_configurations_in_one_text_are_told_apart_in_either_order() {
        let errors = errors();
        assert!(errors.len() > 60, "{}", errors.len());
        let is_read = |text: &str, error: &str, job: &Job| {
            let Input::Failure(told) = inputs::read(error) else {
                return false;
            };
            let handed = read_handed(&[file(text)]);
            let is_told = |own: &Failure| (own.kind, &own.facts) == (told.kind, &told.facts);
            let read = read_job(&handed.job, &[]);
            handed.failures.iter().all(is_told)
                && handed.failures.len() == 1
                && read.is_ok_and(|read| read.scenario == job.scenario)
        };
        for (error, text) in errors.iter().zip(JOBS.iter().cycle()) {
            let job = read_job(&[file(text)], &[]).expect("a job");
            for both in [format!("{error}\n\n{text}"), format!("{text}\n\n{error}\n")] {
                assert!(is_read(&both, error, &job), "{both}");
            }
        }
    }

    #[test]
    fn a_trainers_configuration_takes_the_place_of_the_one_before_and_files_beside_it_stay() {
        let texts = |files: &[JobFile]| {
            let texts = files.iter().map(|file| file.text.clone());
            texts.collect::<Vec<_>>()
        };
        let [axolotl, factory, ..] = JOBS.map(file);
        let zero = file(ZERO);
        let both = with_new_files(std::slice::from_ref(&zero), std::slice::from_ref(&axolotl));
        assert_eq!(texts(&both), [ZERO, JOBS[0]]);
        assert_eq!(texts(&with_new_files(&both, &[factory])), [ZERO, JOBS[1]]);
        assert_eq!(texts(&with_new_files(&both, &[zero])), [JOBS[0], ZERO]);
        let unread = file("Good morning");
        assert_eq!(with_new_files(&[axolotl], &[unread]).len(), 2);
    }

    #[test]
    fn several_files_of_one_job_stay_a_job() {
        let handed = read_handed(&[file(YAML), file("{\"zero_optimization\": {\"stage\": 2}}")]);
        assert!(!handed.is_together());
        assert_eq!(handed.job.len(), 2);
    }
}
