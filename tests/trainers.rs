//! Trainers' own programs on real PyTorch, from the files that their users write, beside the estimate of the import of
//! the same files. How they were measured, and the known differences: `tests/oracle/trainers/README.md`.

use highwater::ask::{EvaluationKind, Scenario};
use highwater::codec::{JobFile, read_job};
use highwater::report::estimate;
use highwater::tape::Category;
use highwater::units::Bytes;
use serde_json::Value;
use std::fs;

/// Bytes that `Trainer` holds beside the tensors of an estimate: losses, counts of tokens, a norm.
const SCALARS: i64 = 8192;

/// One case of a fixture beside its estimate; bytes of live tensors.
struct Case {
    id: String,
    /// Peak of the last step, as measured.
    measured: i64,
    /// How far the estimate of a steady step is from it, without inputs of other micro-batches.
    off: i64,
    /// How far each phase of the estimate is from the measured one of the same name, as it is.
    phases: Vec<(&'static str, i64)>,
}

impl Case {
    /// Equal but for scalars, and for copies and masks of token ids beside gigabytes of logits.
    fn is_equal(&self) -> bool {
        self.off.abs() <= SCALARS.max(self.measured / 100_000)
    }

    /// As a share of the measurement.
    fn share(&self) -> f64 {
        self.off as f64 / self.measured as f64
    }
}

/// The command that a trainer is started with, where its files hold none.
fn command(trainer: &str) -> &'static str {
    match trainer {
        "trl-sft" => "trl sft --config config.yaml\n",
        "trl-dpo" => "trl dpo --config config.yaml\n",
        "axolotl" => "axolotl train config.yaml\n",
        "llama-factory" => "llamafactory-cli train config.yaml\n",
        "torchtune-full" => "tune run full_finetune_single_device --config config.yaml\n",
        "torchtune-lora" => "tune run lora_finetune_single_device --config config.yaml\n",
        "torchtune-dpo" => "tune run lora_dpo_single_device --config config.yaml\n",
        other => panic!("a trainer without a command: {other}"),
    }
}

/// The files of a case: its own, or one of a trainer with the command that reads it.
fn files(line: &Value) -> Vec<JobFile> {
    let file = |name: &str, text: &Value| JobFile {
        name: name.to_owned(),
        text: text.as_str().expect("a text").to_owned(),
    };
    if let Some(files) = line["files"].as_object() {
        return files.iter().map(|(name, text)| file(name, text)).collect();
    }
    let trainer = line["trainer"].as_str().expect("a trainer");
    vec![
        file("config.yaml", &line["config"]),
        file("run.sh", &command(trainer).into()),
    ]
}

fn case(line: &str) -> Case {
    let line: Value = serde_json::from_str(line).expect("a case");
    let id = line["id"].as_str().expect("a name").to_owned();
    let set: Vec<_> = (line["set"].as_object().into_iter().flatten())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let job = read_job(&files(&line), &set).unwrap_or_else(|why| panic!("{id}: {why:?}"));
    let report = estimate(&job.scenario).unwrap_or_else(|why| panic!("{id}: {why:?}"));
    let step = &report.report.device.steady_step;
    let steps = line["measured"]["steps"].as_array().expect("steps");
    let measured = steps.last().expect("a step")[0].as_i64().expect("bytes");
    let off = bytes(step.peak.peak_tensor) - measured;
    let trainer = line["trainer"].as_str().expect("a trainer");
    // torchtune's recipes and torchtitan take one micro-batch after the other to the device.
    let beside = if trainer.starts_with("torcht") {
        vec![0]
    } else {
        let own = bytes(step.peak.composition.get(Category::Inputs));
        inputs(&job.scenario, own)
    };
    let off = (beside.into_iter().map(|beside| off + beside))
        .min_by_key(|off| off.abs())
        .expect("a number of inputs");
    let phases = line["measured"]["steady_step"].as_object().expect("phases");
    let phases = step.phases.iter().filter_map(|own| {
        let peak = phases.get(own.phase.name())?[0].as_i64()?;
        Some((own.phase.name(), bytes(own.peak_tensor) - peak))
    });
    Case {
        id,
        measured,
        off,
        phases: phases.collect(),
    }
}

fn bytes(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).expect("bytes")
}

/// Inputs that an estimate has less of: those of all micro-batches of a step are on the device at once
/// (`get_batch_samples`, `trainer.py`, transformers 5), of two to eight tensors of 8 bytes a token, masks that hide
/// nothing, positions and completions of other prompts among them; `own` are those of the estimate. An evaluation
/// keeps labels and most likely tokens of its batches, up to eight more tensors of one of them.
fn inputs(scenario: &Scenario, own: i64) -> Vec<i64> {
    let rows = if scenario.objective.has_pairs() { 2 } else { 1 };
    let micro_batches = scenario.gradient_accumulation_steps * rows;
    let one = (micro_batches * scenario.micro_batch_size * scenario.seq_len * 8).cast_signed();
    let again = (scenario.gradient_accumulation_steps.cast_signed() - 1) * own;
    let halves = (4..=16).map(|halves| halves * one / 2 - own);
    let training: Vec<i64> = halves.chain([0, again]).collect();
    let evaluation = &scenario.evaluation;
    if evaluation.kind == EvaluationKind::None {
        return training;
    }
    let samples = (evaluation.micro_batch_size).unwrap_or(scenario.micro_batch_size);
    let evaluated = (samples * scenario.seq_len * 8).cast_signed();
    let with = |beside: i64| (0..=8).map(move |tensors| beside + tensors * evaluated);
    training.into_iter().flat_map(with).collect()
}

/// Cases that are further off than 1 %, and why.
const OFF: [(&str, &str); 15] = [
    (
        "trl-sft-1-7",
        "two activations that TRL's offload keeps between steps",
    ),
    (
        "trl-sft-1-16",
        "re-entrant checkpoints, of which TRL's offload takes what is computed again",
    ),
    (
        "axolotl-1-2",
        "packed rows under sdpa go to varlen_attn, with keys and values of all heads",
    ),
    ("axolotl-1-15", "the same"),
    (
        "axolotl-1-11",
        "activations of layers that are checkpointed and offloaded under packing",
    ),
    ("axolotl-7-18", "the same"),
    ("axolotl-rl-1-4", "a batch whose samples are all wanted"),
    ("llama-factory-2-13", "upcast_layernorm beside int8"),
    (
        "swift-7-10",
        "no logits are made of tokens without labels, which those of an empty thought are",
    ),
    (
        "llama-factory-7-20",
        "neat_packing under sdpa without checkpoints",
    ),
    (
        "torchtitan-1-2",
        "modules that ranks divide are transformers' here",
    ),
    ("torchtitan-7-5", "the same"),
    (
        "torchtitan-7-8",
        "the same, of which no operations are kept",
    ),
    ("torchtitan-7-10", "Qwen3 is of transformers' modules here"),
    ("torchtitan-7-11", "the same"),
];

/// Of each fixture the cases that are equal, at least; the estimate of a case that is neither equal nor [`OFF`] is within
/// 1 %.
fn check(name: &str, least: usize) {
    let text = fs::read_to_string(format!("tests/fixtures/trainers/{name}.jsonl")).expect(name);
    let cases: Vec<_> = text.lines().map(case).collect();
    let equal = cases.iter().filter(|case| case.is_equal()).count();
    println!("{name}: {equal} of {} equal", cases.len());
    for case in cases.iter().filter(|case| !case.is_equal()) {
        let share = case.share() * 100.0;
        println!(
            "  {:20} {:+14} {share:+8.3} %  {:?}",
            case.id, case.off, case.phases
        );
    }
    let known = |id: &str| OFF.iter().any(|(off, _)| *off == id);
    for case in &cases {
        let far = case.share().abs() > 0.01;
        assert_eq!(far, known(&case.id), "{}: {}", case.id, case.share());
    }
    assert!(equal >= least, "{name}: {equal} equal, {least} before");
}

#[test]
fn supervised_tuning_of_trl_takes_what_is_estimated() {
    check("trl_sft", 44);
}

#[test]
fn preferences_of_trl_take_what_is_estimated() {
    check("trl_dpo", 36);
}

#[test]
fn scripts_over_trainer_take_what_is_estimated() {
    check("hf_script", 36);
}

#[test]
fn examples_of_transformers_take_what_is_estimated() {
    check("hf_example", 34);
}

#[test]
fn ms_swift_takes_what_is_estimated() {
    check("swift", 30);
}

#[test]
fn axolotl_takes_what_is_estimated() {
    check("axolotl", 47);
}

#[test]
fn llama_factory_takes_what_is_estimated() {
    check("llama_factory", 47);
}

#[test]
fn torchtune_takes_what_is_estimated() {
    check("torchtune", 52);
}

#[test]
fn jobs_that_launchers_start_on_several_gpus_take_what_is_estimated() {
    check("launched", 58);
}

#[test]
fn torchtitan_takes_what_is_estimated() {
    check("torchtitan", 16);
}
