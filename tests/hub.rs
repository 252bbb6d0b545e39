//! The command line finds what a job names: configs of models in folders, in the Hub's cache and on a Hub (here a server
//! of this machine), and files beside a configuration.

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// A decoder that no catalog has.
const CONFIG: &str = r#"{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 512,
    "intermediate_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2,
    "vocab_size": 4096, "tie_word_embeddings": false}"#;

/// The output of a program.
struct Answer {
    code: Option<i32>,
    line: Value,
    errors: String,
}

/// Runs the program in a folder, with this text on standard input.
fn run(here: &Path, endpoint: &str, arguments: &[&str], text: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    for name in [
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env_remove(name);
    }
    let child = command
        .args(arguments)
        .current_dir(here)
        .env("HF_HOME", here.join("hf"))
        .env("HF_ENDPOINT", endpoint)
        .env("HF_TOKEN", "secret")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("the program starts");
    let mut input = child.stdin.take().expect("standard input");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    Answer {
        code: output.status.code(),
        line: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A Hub with one model, `some/model`; `gated/model` answers 401, `large/model` sends more than 4 MiB.
fn hub() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let asked = lines.next().unwrap_or_default();
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let path = asked.split(' ').nth(1).unwrap_or_default().to_owned();
            let token = head
                .iter()
                .any(|line| line.eq_ignore_ascii_case("authorization: bearer secret"));
            log.lock().expect("the log").push(format!("{path} {token}"));
            let (status, body) = match path.as_str() {
                "/some/model/resolve/main/config.json" => ("200 OK", CONFIG.to_owned()),
                "/gated/model/resolve/main/config.json" => ("401 Unauthorized", String::new()),
                "/large/model/resolve/main/config.json" => ("200 OK", " ".repeat(5 << 20)),
                _ => ("404 Not Found", String::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = (&stream).write_all(head.as_bytes());
            let _ = (&stream).write_all(body.as_bytes());
            let _ = (&stream).flush();
        }
    });
    (format!("http://{address}"), heard)
}

/// A new folder.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("highwater-hub-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn says(line: &Value, words: &str) -> bool {
    let mut findings = line["findings"].as_array().into_iter().flatten();
    findings.any(|finding| {
        finding["message"]
            .as_str()
            .is_some_and(|said| said.contains(words))
    })
}

#[test]
fn a_model_of_the_hub_is_estimated_by_its_config() {
    let (here, (endpoint, heard)) = (scratch("found"), hub());
    let scenario = r#"{"model": "some/model", "seq_len": 64}"#;
    let answer = run(&here, &endpoint, &["estimate"], scenario);
    assert_eq!(answer.code, Some(0), "{}", answer.errors);
    assert!(
        says(&answer.line, "/some/model/resolve/main/config.json"),
        "{}",
        answer.line
    );
    // Twice the embedding, four layers, and the last norm.
    let layer = 512 * 512 + 2 * 128 * 512 + 512 * 512 + 3 * 512 * 1024 + 2 * 512;
    assert_eq!(
        answer.line["model"]["num_parameters"],
        2 * 4096 * 512 + 4 * layer + 512
    );
    assert_eq!(
        heard.lock().expect("the log")[0],
        "/some/model/resolve/main/config.json true"
    );
    for arguments in [
        &["solve", "--for", "micro_batch_size"][..],
        &["export", "--to", "trl"],
    ] {
        let answer = run(&here, &endpoint, arguments, scenario);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {}", answer.errors);
    }
    let job = "model_name_or_path: some/model\nper_device_train_batch_size: 1\nmax_length: 64\ndataset_name: d\n";
    let answer = run(&here, &endpoint, &["import", "--check"], job);
    assert_eq!(answer.code, Some(0), "{}", answer.errors);
    assert_eq!(
        answer.line["scenario"]["model"]["hf_config"]["hidden_size"],
        512
    );
    let _ = fs::remove_dir_all(here);
}

#[test]
fn a_model_that_the_hub_does_not_give_is_an_error_that_says_how_to_go_on() {
    let (here, (endpoint, heard)) = (scratch("refused"), hub());
    for (name, words) in [
        ("gated/model", "HF_TOKEN"),
        ("no/model", "404"),
        ("large/model", "4 MiB"),
    ] {
        let scenario = format!(r#"{{"model": "{name}", "seq_len": 64}}"#);
        let answer = run(&here, &endpoint, &["estimate"], &scenario);
        assert_eq!(answer.code, Some(2), "{name}");
        let error = answer.line["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{name}: {error}");
    }
    let asked = heard.lock().expect("the log").len();
    let scenario = r#"{"model": "some/model", "seq_len": 64}"#;
    let answer = run(&here, &endpoint, &["estimate", "--offline"], scenario);
    assert_eq!(answer.code, Some(2));
    assert_eq!(
        heard.lock().expect("the log").len(),
        asked,
        "offline something was asked"
    );
    // Nothing listens there.
    let answer = run(&here, "http://127.0.0.1:9", &["estimate"], scenario);
    let error = answer.line["error"].as_str().unwrap_or_default();
    assert!(error.contains("cannot be reached"), "{error}");
    let _ = fs::remove_dir_all(here);
}

#[test]
fn files_that_a_configuration_names_are_read_beside_it() {
    let here = scratch("beside");
    let sft = "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nfinetuning_type: full\ncutoff_len: 64\n\
        per_device_train_batch_size: 1\nbf16: true\ndeepspeed: configs/my_zero3.json\n";
    fs::create_dir_all(here.join("jobs")).expect("a folder");
    fs::write(here.join("jobs/sft.yaml"), sft).expect("written");
    let import = |arguments: &[&str]| run(&here, "http://127.0.0.1:9", arguments, "");
    let missing = import(&["import", "jobs/sft.yaml"]);
    assert!(
        says(&missing.line, "configs/my_zero3.json"),
        "{}",
        missing.line
    );
    fs::write(
        here.join("jobs/my_zero3.json"),
        r#"{"zero_optimization": {"stage": 3}}"#,
    )
    .expect("written");
    let found = import(&["import", "jobs/sft.yaml"]);
    assert_eq!(
        found.line["scenario"]["parallelism"]["dp"]["stage"], 3,
        "{}",
        found.line
    );
    assert_eq!(found.line["files"][1], "jobs/my_zero3.json");
    assert!(!says(&found.line, "my_zero3.json"), "{}", found.line);
    // The file on disk counts more than the public one of its name.
    let public = sft.replace(
        "configs/my_zero3.json",
        "examples/deepspeed/ds_z3_config.json",
    );
    fs::write(here.join("jobs/sft.yaml"), public).expect("written");
    let known = import(&["import", "jobs/sft.yaml"]);
    assert!(says(&known.line, "LLaMA-Factory"), "{}", known.line);
    fs::write(
        here.join("jobs/ds_z3_config.json"),
        r#"{"zero_optimization": {"stage": 2}}"#,
    )
    .expect("written");
    let own = import(&["import", "jobs/sft.yaml"]);
    assert!(!says(&own.line, "LLaMA-Factory"), "{}", own.line);
    let _ = fs::remove_dir_all(here);
}

#[test]
fn public_files_that_a_line_names_are_known_by_their_content() {
    let here = scratch("public");
    let import = |line: &str| run(&here, "http://127.0.0.1:9", &["import"], line).line;
    let options =
        "--model_name_or_path Qwen/Qwen2.5-0.5B --max_length 64 --per_device_train_batch_size 1";
    let line = import(&format!(
        "accelerate launch --config_file examples/accelerate_configs/deepspeed_zero3.yaml sft.py {options}"
    ));
    assert!(says(&line, "trl"), "{line}");
    let scenario = &line["scenario"];
    assert_eq!(scenario["parallelism"]["dp"]["stage"], 3, "{line}");
    assert_eq!(scenario["hardware"]["gpus_per_node"], 8, "{line}");
    let line = import(&format!(
        "torchrun --nproc_per_node 4 sft.py {options} --deepspeed zero2_offload"
    ));
    assert!(says(&line, "ms-swift"), "{line}");
    assert_eq!(
        line["scenario"]["parallelism"]["dp"]["offload_optimizer"], "cpu",
        "{line}"
    );
    let line = import(
        "tune run --nproc_per_node 2 lora_finetune_distributed --config llama3_1/8B_lora batch_size=3",
    );
    assert!(says(&line, "torchtune"), "{line}");
    let scenario = &line["scenario"];
    assert_eq!(
        scenario["lora"]["target_modules"].as_array().map(Vec::len),
        Some(6),
        "{line}"
    );
    assert_eq!(scenario["micro_batch_size"], 3, "{line}");
    assert_eq!(scenario["gradient_accumulation_steps"], 8, "{line}");
    let line = import("axolotl train configs/axolotl.yaml");
    assert!(says(&line, "main file"), "{line}");
    let _ = fs::remove_dir_all(here);
}
