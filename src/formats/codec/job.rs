//! A training job's files as a scenario: what trainers, launchers and batch systems are told.

use super::json::decode_json;
use super::model::Known;
use super::setting::{value_at, values};
use crate::ask::{
    ActivationCheckpointing, ActivationOffload, DataParallelKind, Evaluation, EvaluationKind,
    Finding, Fix, Objective, ObjectiveKind, OffloadDevice, Optimizer, Packing, Scenario, Severity,
};
use crate::catalog::{Fact, rented_host_ram};
use crate::configs::{self, Approximation, File, Import, Note, Unread};
use crate::resolve::resolve;
use serde_json::{Map, Value};

/// A job, as its files describe it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The scenario that they say.
    pub scenario: Scenario,
    /// The treatment of every key.
    pub read: Import,
    /// Messages about it.
    pub said: Vec<Said>,
    /// Settings that are estimated as the nearest that is modelled.
    pub approximated: Vec<Approximation>,
}

/// Something to be said of a job.
#[derive(Clone, Debug)]
pub enum Said {
    /// A note on its files.
    Note(Note),
    /// A finding about the scenario.
    Finding(Finding),
    /// A setting that is left out of the estimate, as it is not estimated beside the others.
    Left(&'static str, Finding),
    /// A batch system's name of a GPU, and the GPU of the catalog.
    Gpu(String, String),
}

/// A file of a job.
#[derive(Clone, Debug)]
pub struct JobFile {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Reads the files of a job; the settings in `set` override them.
///
/// # Errors
/// The name of a file that is no configuration, and why.
pub fn read_job(files: &[JobFile], set: &[(String, Value)]) -> Result<Job, (String, Unread)> {
    let files = files.iter().map(|file| File {
        name: &file.name,
        text: &file.text,
    });
    let files: Vec<File> = files.collect();
    let mut given = Value::Object(Map::new());
    for (path, value) in set {
        set_at(&mut given, path, value.clone());
    }
    let given = given.as_object().cloned().unwrap_or_default();
    let mut read = configs::import(&files, &given, &Known)?;
    assume_defaults(&mut read);
    read.notes.retain(|note| !is_said(note, set));
    let mut said: Vec<Said> = read.notes.iter().cloned().map(Said::Note).collect();
    let (mut scenario, findings) = decode_json(&read.scenario.to_string());
    said.extend(findings.into_iter().map(Said::Finding));
    // Names of GPUs that batch systems have are short.
    let of_gpu = |finding: &Finding| finding.key == "hardware.gpu";
    let gpu = resolve(&scenario).findings.into_iter().find(of_gpu);
    if let Some(fixed) = gpu.and_then(|finding| finding.fix?.apply(&scenario)) {
        let [name, id] = [&scenario, &fixed].map(|scenario| scenario.hardware.gpu.clone());
        said.push(Said::Gpu(name, id));
        scenario = fixed;
    }
    assume_host_ram(&mut scenario, &mut read);
    let scenario = shortened(scenario, &mut read);
    let (scenario, left) = without_refused(scenario);
    let mut approximated = Vec::new();
    for left in left {
        approximated.push(left.approximation);
        said.push(Said::Left(left.key, left.finding));
    }
    approximated.extend(read.ignored.iter().filter_map(Approximation::of_key));
    approximated.extend(read.notes.iter().filter_map(Approximation::of_note));
    let refused = resolve(&scenario).findings.into_iter();
    let refused = refused.filter(|finding| finding.severity == Severity::Error);
    said.extend(refused.map(Said::Finding));
    Ok(Job {
        scenario,
        read,
        said,
        approximated,
    })
}

/// The change of a job's scenario with which it takes the most, where the difference of an approximation can be estimated.
pub fn change_of(own: &Approximation) -> Option<Fix> {
    Some(Fix {
        key: own.key.clone(),
        value: own.otherwise.clone()?,
    })
}

impl Job {
    /// The note without whose answer the job is not known, if any: such a job is not estimated.
    pub fn stop(&self) -> Option<&Note> {
        self.read.notes.iter().find(|note| note.stops())
    }
}

/// Whether a note is of a setting that is said.
fn is_said(note: &Note, set: &[(String, Value)]) -> bool {
    matches!(note, Note::Earlier { key, .. } if set.iter().any(|(path, _)| path == key))
}

/// Tokens of a sequence where neither a file nor the trainer says how many: for trainers such as torchtune
/// `max_seq_len: null` is the longest sample.
const USUAL_LENGTH: u64 = 2048;

/// Sets what neither a file nor its trainer says, and lists it as assumed.
fn assume_defaults(read: &mut Import) {
    let usual = Scenario::default();
    let defaults = [
        ("seq_len", Value::from(USUAL_LENGTH)),
        ("micro_batch_size", usual.micro_batch_size.into()),
    ];
    for (key, value) in defaults {
        if read.scenario[key].is_null() {
            read.scenario[key] = value.clone();
            read.assumed.push(configs::Assumed {
                key: key.to_owned(),
                value,
                source: configs::UNSAID,
            });
        }
    }
}

/// Sets the RAM of the machine in which the GPU that a file names is rented, where none says how much there is.
fn assume_host_ram(scenario: &mut Scenario, read: &mut Import) {
    let said = &read.scenario["hardware"];
    if said["gpu"].is_null() || !said["host_ram"].is_null() {
        return;
    }
    let hardware = &mut scenario.hardware;
    let usual = rented_host_ram(&hardware.gpu, hardware.gpus_per_node);
    if let Some(Fact { value, source, .. }) = usual {
        hardware.host_ram = value.get();
        read.assumed.push(configs::Assumed {
            key: "hardware.host_ram".to_owned(),
            value: value.get().into(),
            source,
        });
    }
}

/// The scenario with the longest sequence that its model takes, where an assumed length is longer.
fn shortened(scenario: Scenario, read: &mut Import) -> Scenario {
    let mut assumed = read.assumed.iter_mut();
    let unsaid = |own: &&mut configs::Assumed| {
        let bounded = [configs::UNSAID, configs::OF_EXAMPLES];
        own.key == "seq_len" && bounded.contains(&own.source)
    };
    let Some(own) = assumed.find(unsaid) else {
        return scenario;
    };
    let mut findings = resolve(&scenario).findings.into_iter();
    let long = findings.find(|finding| finding.key == "seq_len" && finding.fix.is_some());
    match long.and_then(|finding| finding.fix?.apply(&scenario)) {
        Some(shorter) => {
            own.value = shorter.seq_len.into();
            shorter
        }
        None => scenario,
    }
}

/// A setting that is left out of the estimate.
pub(super) struct Left {
    key: &'static str,
    /// The finding that refuses it beside the other settings.
    finding: Finding,
    approximation: Approximation,
}

/// The scenario without those settings that are refused beside the others and that a job goes on without.
pub(super) fn without_refused(mut scenario: Scenario) -> (Scenario, Vec<Left>) {
    let mut left = Vec::new();
    for _ in 0..=LEAVABLE.len() + UNMODELED.len() {
        let findings = resolve(&scenario).findings.into_iter();
        let mut errors = findings.filter(|finding| finding.severity == Severity::Error);
        let found = errors.find_map(|finding| Some((leavable(&finding, &scenario)?, finding)));
        let Some(((key, usual), finding)) = found else {
            break;
        };
        let fix = Fix {
            key: key.to_owned(),
            value: usual(),
        };
        let Some(fixed) = fix.apply(&scenario) else {
            break;
        };
        let value = |of: &Scenario| value_at(&values(of), key).clone();
        left.push(Left {
            key,
            finding,
            approximation: Approximation::of_setting(key, value(&scenario), value(&fixed)),
        });
        let ranks = scenario.parallelism.tp.size;
        let pairs = scenario.objective.has_pairs();
        scenario = fixed;
        let unchecked = scenario.activation_checkpointing == ActivationCheckpointing::None;
        match key {
            TENSOR_RANKS => shard_instead(&mut scenario, ranks),
            "evaluation.kind" => scenario.evaluation = Evaluation::default(),
            "packing.kind" => scenario.packing = Packing::default(),
            "objective.kind" => {
                if pairs {
                    scenario.micro_batch_size = scenario.micro_batch_size.saturating_mul(2);
                }
                scenario.objective = Objective::default();
            }
            EXPERTS_BY_NAME => {
                // The small layer of a router, whose adapters are not estimated.
                let targets = scenario.lora.iter_mut();
                targets.for_each(|lora| lora.target_modules.retain(|name| name != "gate"));
            }
            "optimizer.name" => {
                scenario.optimizer = Optimizer {
                    by_trainer: scenario.optimizer.by_trainer,
                    ..Optimizer::default()
                };
            }
            "parallelism.dp.cpu_offload" => {
                let zero = &mut scenario.parallelism.dp.zero;
                zero.offload_optimizer = OffloadDevice::None;
                zero.offload_param = OffloadDevice::None;
            }
            "activation_offload.kind" => {
                scenario.activation_offload = ActivationOffload::default();
                if unchecked {
                    // Activations that do not wait on the host are computed again, as such jobs do elsewhere.
                    scenario.activation_checkpointing = ActivationCheckpointing::Full;
                }
            }
            _ => {}
        }
    }
    (scenario, left)
}

/// Shards parameters among ranks that would divide modules, where FSDP2 shards them already.
fn shard_instead(scenario: &mut Scenario, ranks: u64) {
    let dp = &mut scenario.parallelism.dp;
    if dp.kind == DataParallelKind::Fsdp2 {
        dp.shard_size = dp.shard_size.map(|size| size.saturating_mul(ranks));
    }
}

/// The ranks that divide modules.
const TENSOR_RANKS: &str = "parallelism.tp.size";

/// Whether names of layers that experts had before are those of their parameters.
const EXPERTS_BY_NAME: &str = "lora.convert_experts";

/// A setting that can be left out of a job, and its value then.
type Leavable = (&'static str, fn() -> Value);

/// The settings that can be left out while the rest of the job still tells the most; an objective only if it is `sft`.
const LEAVABLE: [Leavable; 8] = [
    (TENSOR_RANKS, || 1.into()),
    ("evaluation.kind", || "none".into()),
    ("around.loading", || "none".into()),
    ("around.saving", || false.into()),
    ("packing.kind", || "none".into()),
    ("activation_offload.kind", || "none".into()),
    ("activation_checkpointing", || "none".into()),
    ("loss", || "labels".into()),
];

/// Codes of refusals of what the framework runs and nothing here models, each with the setting that is left out.
const UNMODELED: [(&str, Leavable); 4] = [
    (
        "objective.other_losses",
        ("liger_kernel", || Value::Array(Vec::new())),
    ),
    ("optimizer.alone", ("optimizer.name", || "adamw".into())),
    (
        "parallelism.optimizer",
        ("optimizer.name", || "adamw".into()),
    ),
    (
        "parallelism.quantized",
        ("parallelism.dp.cpu_offload", || false.into()),
    ),
];

/// Refusals of experts' adapters by PEFT 0.19 and later, which takes former names of layers for experts; earlier ones run.
const EXPERT_NAMES: [&str; 4] = [
    "experts.adapter_dropout",
    "experts.gate_and_input",
    "experts.packed_router",
    "experts.dora",
];

/// The setting that is left out so that a finding disappears.
fn leavable(finding: &Finding, scenario: &Scenario) -> Option<Leavable> {
    let fixed = finding.fix.as_ref().map_or("", |fix| fix.key.as_str());
    let named = |name: &str| LEAVABLE.into_iter().find(|(key, _)| *key == name);
    let evaluates = scenario.evaluation.kind != EvaluationKind::None;
    if finding.key == "evaluation.kind" || fixed == "loss" && evaluates {
        return named("evaluation.kind");
    }
    if fixed == "objective.kind" && scenario.objective.kind == ObjectiveKind::Sft {
        return Some(("objective.kind", || "none".into()));
    }
    let code = finding.message.code;
    // With adapters the reference is the model without them.
    let compares = scenario.objective.kind == ObjectiveKind::Dpo && scenario.lora.is_some();
    if code == "objective.models" && compares {
        return Some(("objective.kind", || "none".into()));
    }
    if let Some((_, setting)) = UNMODELED.into_iter().find(|(own, _)| *own == code) {
        return Some(setting);
    }
    let converts = scenario
        .lora
        .as_ref()
        .is_some_and(|lora| lora.convert_experts);
    if EXPERT_NAMES.contains(&code) && converts {
        return Some((EXPERTS_BY_NAME, || false.into()));
    }
    if finding.key == TENSOR_RANKS && code == "parallelism.not_estimated" {
        return named(TENSOR_RANKS);
    }
    let operations = scenario.activation_checkpointing == ActivationCheckpointing::Operations;
    named(fixed).filter(|(key, _)| match *key {
        "activation_checkpointing" => operations,
        key => key != TENSOR_RANKS,
    })
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
