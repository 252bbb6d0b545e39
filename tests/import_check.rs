//! `highwater import --check` of a job whose trainer's version no file says: the bound at the verdict, and the exit code.

use highwater::ask::Scenario;
use highwater::report::{Report, estimate};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// QLoRA with dropout, which axolotl before 0.16 trains without kernels of LoRA.
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
