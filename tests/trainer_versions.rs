//! Jobs whose trainer's version no file says: the bound of the estimate, the verdict of `import --check`, and its exit code.

use highwater::ask::Scenario;
use highwater::codec::{Job, JobFile, change_of, read_job};
use highwater::configs::{Certainty, Effect};
use highwater::report::{Otherwise, Report, estimate};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Training of 4-bit weights with dropout of adapters, which axolotl before 0.16 trains without kernels of LoRA.
const JOB: &str = "base_model: NousResearch/Meta-Llama-3-8B\nadapter: qlora\nload_in_4bit: true\nlora_r: 8\n\
    lora_target_linear: true\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nlora_dropout: 0.05\n";

/// The exit code, the line and the verdict of a check.
fn check(options: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args([
            "import",
            "--check",
            "--offline",
            "--set",
            "hardware.gpu=a100-40gb",
        ])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = command.stdin.take().expect("its input");
    input.write_all(JOB.as_bytes()).expect("its input");
    drop(input);
    let output = command.wait_with_output().expect("its output");
    let line = serde_json::from_slice(&output.stdout).expect("a line");
    let said = String::from_utf8(output.stderr).expect("text");
    (output.status.code(), line, said)
}

fn report(line: &Value) -> Report {
    let scenario: Scenario = serde_json::from_value(line["scenario"].clone()).expect("a scenario");
    estimate(&scenario).expect("a report").report
}

#[test]
fn a_job_that_fits_with_a_later_version_alone_is_at_risk() {
    let (code, line, said) = check(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("At most "), "{said}");
    assert_eq!(line["certainty"], "bounded");
    let approximated = &line["approximated"][0];
    assert_eq!(approximated["key"], "lora.kernels");
    let more = approximated["bytes"].as_u64().expect("bytes");
    assert!(more > 1 << 20, "{more}");
    assert_eq!(check(&["--strict"]).0, Some(0), "both versions fit");

    // Others leave room for the later version, and not for the earlier one.
    let device = report(&line).verdict.device;
    let others = device.headroom().get() - more / 2;
    let others = format!("hardware.gpu_memory_in_use={others}");
    let (code, _, said) = check(&["--set", &others]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("At risk: it needs "), "{said}");
    assert_eq!(check(&["--set", &others, "--strict"]).0, Some(3));
    let earlier = ["--set", &others, "--set", "lora.kernels=[]"];
    assert_eq!(check(&earlier).0, Some(3));
}

fn job_of(files: &[(&str, &str)], set: &[(&str, Value)]) -> Job {
    let file = |(name, text): &(&str, &str)| JobFile {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
    };
    let files: Vec<_> = files.iter().map(file).collect();
    let set = set
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()));
    read_job(&files, &set.collect::<Vec<_>>()).expect("a job")
}

#[test]
fn versions_of_a_trainer_that_no_file_tells_apart_are_a_bound() {
    let files = [("qlora.yaml", JOB)];
    let job = job_of(&files, &[]);
    let [versions] = job.approximated.as_slice() else {
        panic!("{:?}", job.approximated);
    };
    assert_eq!(versions.key, "lora.kernels");
    assert_eq!(versions.effect, Effect::Less);
    assert_eq!(Certainty::of(&job.approximated), Certainty::Bounded);

    let change = change_of(versions).expect("a change");
    let report = estimate(&job.scenario).expect("a report").report;
    let otherwise = Otherwise::of(&report, &job.scenario, &[change]).expect("a bound");
    let earlier = job_of(&files, &[("lora.kernels", json!([]))]);
    assert_eq!(earlier.approximated, [], "it is said which");
    let most = estimate(&earlier.scenario).expect("a report").report;
    assert_eq!(otherwise.most, most.verdict.device.needed);
    assert!(otherwise.most > report.verdict.device.needed);

    let preferences = "trl dpo --model_name_or_path Qwen/Qwen2.5-0.5B --max_length 512";
    let asked = |more: &str| job_of(&[("run.sh", &format!("{preferences}{more}"))], &[]);
    assert_eq!(asked("").approximated[0].key, "objective.log_probs");
    assert_eq!(asked(" --max_prompt_length 128").approximated, []);
}

/// Names of experts' layers are those of their stacked parameters since PEFT 0.19, which takes no dropout for these.
#[test]
fn a_job_that_peft_refuses_since_it_adapts_experts_is_estimated_as_before() {
    let job = |dropout: f64| {
        let text = format!(
            "base_model: Qwen/Qwen3-30B-A3B\nadapter: lora\nlora_r: 8\nlora_dropout: {dropout}\nsequence_len: 512\n\
            micro_batch_size: 1\nbf16: true\nlora_target_modules: [q_proj, v_proj, gate_proj, up_proj, down_proj]\n"
        );
        job_of(&[("job.yaml", &text)], &[])
    };
    let [later, before] = [job(0.0), job(0.05)];
    let converts = |job: &Job| job.scenario.lora.as_ref().map(|lora| lora.convert_experts);
    assert_eq!(
        [converts(&later), converts(&before)],
        [Some(true), Some(false)]
    );
    let mut told = before.approximated.iter();
    assert!(told.any(|own| own.key == "lora.convert_experts"));
    let trained = |job: &Job| {
        let report = estimate(&job.scenario).expect("an answer").report;
        report.model.num_trainable
    };
    assert!(trained(&later) > 10 * trained(&before));
}

/// LLaMA-Factory 0.9.5 allows PEFT 0.18 alone.
#[test]
fn llama_factory_adapts_the_layers_that_are_there() {
    let text = |model: &str| {
        format!(
            "model_name_or_path: {model}\nstage: sft\nfinetuning_type: lora\nlora_target: all\ntemplate: default\n\
            cutoff_len: 512\nper_device_train_batch_size: 1\nbf16: true\n"
        )
    };
    let converts = |model: &str| {
        let job = job_of(&[("job.yaml", &text(model))], &[]);
        assert!(estimate(&job.scenario).is_ok(), "{model}: {:?}", job.said);
        job.scenario.lora.expect("adapters").convert_experts
    };
    assert!(!converts("Qwen/Qwen3-30B-A3B"));
    assert!(converts("Qwen/Qwen3-0.6B"));
}
