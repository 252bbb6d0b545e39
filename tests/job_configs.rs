//! Configurations of training jobs: read as they were meant, written so that they are read again as the same job.

use highwater::ask::{ObjectiveKind, Scenario, Severity};
use highwater::codec::{
    Job, JobFile, Known, Said, Unwritten, decode_json, encode_json, published, read_job, values,
    write_job,
};
use highwater::configs::{self, Exported, FORMATS, File, Import, Instead, Matters, Unread, import};
use highwater::report::estimate;
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inputs/configs");
/// Files of jobs with what they say.
const JOBS: &str = include_str!("fixtures/inputs/configs/jobs.jsonl");

fn lines(text: &str) -> impl Iterator<Item = Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON"))
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}/{name}")).expect(name)
}

fn read(files: &[(&str, &str)]) -> Result<Import, (String, Unread)> {
    let files: Vec<File> = files
        .iter()
        .map(|&(name, text)| File { name, text })
        .collect();
    import(&files, &serde_json::Map::new(), &Known)
}

/// A scenario whose model is called by its name in the catalog.
fn scenario(read: &Value) -> Scenario {
    let mut read = read.clone();
    if let Some(names) = read["model"].as_str().and_then(published) {
        read["model"] = names.id.into();
    }
    let (scenario, findings) = decode_json(&read.to_string());
    assert!(findings.is_empty(), "{findings:?} of {read}");
    scenario
}

fn complete(read: &Value) -> Value {
    values(&scenario(read))
}

fn short(scenario: &Scenario) -> Value {
    serde_json::from_str(&encode_json(scenario)).expect("JSON")
}

#[test]
fn who_generates_for_grpo_is_read() {
    let grpo =
        "model_name_or_path: Qwen/Qwen2.5-1.5B\nnum_generations: 8\nmax_completion_length: 256\n";
    for (more, generation) in [
        ("", "model"),
        ("use_vllm: true\n", "vllm"),
        ("use_vllm: true\nvllm_mode: server\n", "none"),
        (
            "use_vllm: true\nvllm_enable_sleep_mode: true\nvllm_gpu_memory_utilization: 0.4\n",
            "vllm_sleep",
        ),
    ] {
        let read = read(&[("grpo.yaml", &format!("{grpo}{more}"))]).expect("a job");
        let objective = &complete(&read.scenario)["objective"];
        assert_eq!(objective["generation"], generation, "{more}");
        let share = if generation == "vllm_sleep" { 0.4 } else { 0.3 };
        assert_eq!(objective["vllm_gpu_memory_utilization"], share, "{more}");
    }
}

#[test]
fn every_job_is_read_as_it_was_meant() {
    for job in lines(JOBS) {
        let names: Vec<&str> = job["files"]
            .as_array()
            .expect("files")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let texts: Vec<String> = names.iter().map(|name| fixture(name)).collect();
        let files: Vec<(&str, &str)> = names
            .iter()
            .copied()
            .zip(texts.iter().map(String::as_str))
            .collect();
        let read = read(&files).expect("a job");
        assert_eq!(json!(read.kinds.join("+")), job["kind"], "{names:?}");
        assert_eq!(
            short(&scenario(&read.scenario)),
            job["scenario"],
            "{names:?}"
        );
        let told = |matters: fn(&Matters) -> bool| {
            let told = read.ignored.iter().filter(|own| matters(&own.matters));
            json!(told.map(|own| own.key.as_str()).collect::<Vec<_>>())
        };
        assert_eq!(
            told(|own| matches!(own, Matters::Yes(_) | Matters::Value)),
            job["lacking"],
            "{names:?}"
        );
        assert_eq!(told(|own| *own == Matters::Maybe), json!([]), "{names:?}");
    }
}

/// Paths of the leaves in which two trees differ.
fn differing(above: &str, a: &Value, b: &Value, found: &mut Vec<String>) {
    if let (Value::Object(one), Value::Object(other)) = (a, b) {
        let more = other.keys().filter(|key| !one.contains_key(*key));
        for key in one.keys().chain(more) {
            let [a, b] = [one, other].map(|map| map.get(key).unwrap_or(&Value::Null));
            differing(&format!("{above}{key}."), a, b, found);
        }
    } else if a != b {
        found.push(above.trim_end_matches('.').to_owned());
    }
}

/// Nothing where the format is of another kind of job.
fn written(name: &str, scenario: &Scenario) -> Option<Exported> {
    match write_job(scenario, name, &["an estimate".to_owned()]) {
        Ok(written) => Some(written),
        Err(Unwritten::NothingToSay) => None,
        Err(why) => panic!("{name}: {why:?}"),
    }
}

/// Jobs with one trainer's configuration: its format, and all values of the scenario.
fn jobs() -> Vec<(String, Scenario)> {
    let trainers = [
        "training-arguments",
        "trl",
        "llama-factory",
        "axolotl",
        "torchtune",
        "torchtitan",
        "megatron",
    ];
    let jobs = lines(JOBS).filter_map(|job| {
        let kind = job["kind"].as_str().expect("a kind");
        let trainer = kind.split('+').find(|kind| trainers.contains(kind))?;
        Some((trainer.to_owned(), scenario(&short(&opened(&job).scenario))))
    });
    jobs.collect()
}

fn file(name: &str, text: &str) -> JobFile {
    JobFile {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

/// A job written in its trainer's format and as a launcher's lines, and read again: the settings that are not as
/// they were, and the settings that the trainer's format reports as unsaid; `None` where it is not written.
fn around(trainer: &str, before: &Scenario) -> Option<(Vec<String>, Vec<String>)> {
    let all = complete(&short(before));
    let own = written(trainer, before)?;
    let launcher = written("launcher", before)?;
    let files = [
        ("own", own.text.as_str()),
        ("launcher", launcher.text.as_str()),
    ];
    let files = files.map(|(name, text)| file(name, text));
    let read = read_job(&files, &[]).unwrap_or_else(|why| panic!("{why:?} of {}", own.text));
    let mut found = Vec::new();
    differing("", &all, &complete(&short(&read.scenario)), &mut found);
    Some((found, own.unsaid))
}

/// A job's scenario as the command line and the page have it, without the settings that are refused.
fn opened(job: &Value) -> Job {
    let names = job["files"].as_array().expect("files");
    let names = names.iter().filter_map(Value::as_str);
    let files: Vec<_> = names.map(|name| file(name, &fixture(name))).collect();
    read_job(&files, &[]).expect("a job")
}

#[test]
fn every_job_is_estimated_but_for_what_is_said_to_be_refused() {
    for job in lines(JOBS) {
        let read = opened(&job);
        let refused: Vec<&str> = read
            .said
            .iter()
            .filter_map(|said| match said {
                Said::Finding(finding) if finding.severity == Severity::Error => {
                    Some(finding.key.as_str())
                }
                _ => None,
            })
            .collect();
        let left: Vec<&str> = read
            .said
            .iter()
            .filter_map(|said| match said {
                Said::Left(key, _) => Some(*key),
                _ => None,
            })
            .collect();
        let expected = |key: &str| job.get(key).cloned().unwrap_or(json!([]));
        assert_eq!(json!(left), expected("left"), "{}", job["files"]);
        assert_eq!(json!(refused), expected("refused"), "{}", job["files"]);
        let estimated = estimate(&read.scenario).is_ok();
        assert_eq!(estimated, refused.is_empty(), "{}", job["files"]);
    }
}

#[test]
fn what_is_written_is_read_again_as_the_same_job() {
    // Slurm's options say the one, PEFT's the other.
    let elsewhere = ["hardware.gpu", "hardware.host_ram", "task"];
    for (trainer, before) in jobs() {
        let (found, _) = around(&trainer, &before).expect(&trainer);
        // No key of TRL's tells ORPO: the command does. None says that SFT's own loss was left out, beside an offload
        // that the job goes on without.
        let untold = [ObjectiveKind::Orpo, ObjectiveKind::None];
        let by_command = trainer == "trl" && untold.contains(&before.objective.kind);
        let lost: Vec<_> = found
            .iter()
            .filter(|path| !elsewhere.contains(&path.as_str()))
            .filter(|path| !by_command || *path != "objective.kind")
            .collect();
        assert!(
            lost.is_empty(),
            "{trainer}: {lost:?} of {}",
            encode_json(&before)
        );
    }
}

/// Settings with values that jobs are given one by one.
const CHANGES: &[(&str, &str)] = &[
    ("micro_batch_size", "3"),
    ("seq_len", "777"),
    ("gradient_accumulation_steps", "5"),
    ("clip_grad_norm", "false"),
    ("dataloader.num_workers", "7"),
    ("dataset.epochs", "9"),
    ("activation_checkpointing", "\"none\""),
    ("activation_checkpointing", "\"full\""),
    ("activation_checkpointing", "\"full_reentrant\""),
    ("attention", "\"eager\""),
    ("attention", "\"flash_attention_2\""),
    ("optimizer", "{\"name\": \"adamw\", \"impl\": \"foreach\"}"),
    ("optimizer", "{\"name\": \"paged_adamw_8bit\"}"),
    ("optimizer", "{\"name\": \"adafactor_transformers\"}"),
    ("precision", "\"bf16\""),
    ("precision", "\"fp32\""),
    ("precision", "\"amp_bf16\""),
    ("weights", "\"bf16\""),
    (
        "lora",
        "{\"r\": 5, \"target_modules\": [\"q_proj\", \"o_proj\"]}",
    ),
    ("lora", "null"),
    (
        "quantization",
        "{\"type\": \"nf4\", \"double\": true, \"prepare_for_kbit_training\": false}",
    ),
    ("liger_kernel", "[\"rope\", \"rms_norm\"]"),
    (
        "evaluation",
        "{\"kind\": \"trainer\", \"keep_predictions\": false, \"micro_batch_size\": 6}",
    ),
    (
        "parallelism",
        "{\"dp\": {\"kind\": \"fsdp2\", \"reshard_after_forward\": false}}",
    ),
    (
        "parallelism",
        "{\"dp\": {\"kind\": \"fsdp1\", \"sharding_strategy\": \"SHARD_GRAD_OP\"}}",
    ),
    (
        "parallelism",
        "{\"dp\": {\"kind\": \"deepspeed_zero\", \"stage\": 3, \"offload_param\": \"cpu\"}}",
    ),
    (
        "parallelism",
        "{\"dp\": {\"kind\": \"ddp\", \"bucket_cap_mb\": 100}}",
    ),
    (
        "allocator",
        "{\"max_split_size_mb\": 64, \"garbage_collection_threshold\": 0.8}",
    ),
    ("hardware", "{\"gpus_per_node\": 4, \"nodes\": 2}"),
    ("packing", "{\"kind\": \"position_ids\"}"),
    ("packing", "{\"kind\": \"padding_free\", \"sequences\": 3}"),
    ("activation_offload", "{\"kind\": \"saved_tensors\"}"),
    (
        "activation_offload",
        "{\"kind\": \"saved_tensors\", \"streams\": false}",
    ),
    ("loss", "\"cut_cross_entropy\""),
    ("objective", "{\"kind\": \"sft\"}"),
    ("objective", "{\"kind\": \"dpo\"}"),
    (
        "objective",
        "{\"kind\": \"dpo\", \"precompute_ref_log_probs\": true}",
    ),
    ("objective", "{\"kind\": \"kto\"}"),
    ("objective", "{\"kind\": \"sft\", \"loss_type\": \"dft\"}"),
    ("objective", "{\"kind\": \"dpo\", \"loss_type\": \"ipo\"}"),
    (
        "objective",
        "{\"kind\": \"kto\", \"loss_type\": \"apo_zero_unpaired\"}",
    ),
    ("objective", "{\"kind\": \"cpo\", \"loss_type\": \"simpo\"}"),
    (
        "objective",
        "{\"kind\": \"grpo\", \"completion_tokens\": 64, \"loss_type\": \"cispo\"}",
    ),
    ("objective", "{\"kind\": \"orpo\"}"),
    ("objective", "{\"kind\": \"cpo\"}"),
    ("objective", "{\"kind\": \"reward\"}"),
    (
        "objective",
        "{\"kind\": \"grpo\", \"completion_tokens\": 64, \"beta\": 0.25}",
    ),
    ("optimizer", "{\"name\": \"torchao_adamw_8bit\"}"),
    ("optimizer", "{\"name\": \"torchao_adamw_4bit\"}"),
    ("optimizer", "{\"name\": \"torchao_adamw_fp8\"}"),
    ("optimizer", "{\"name\": \"apollo_adamw\", \"rank\": 32}"),
    ("optimizer", "{\"name\": \"apollo_mini\"}"),
    ("optimizer", "{\"name\": \"adam_mini\"}"),
    ("optimizer", "{\"name\": \"lomo\"}"),
    ("optimizer", "{\"name\": \"schedule_free_adamw\"}"),
    ("dataloader", "{\"group_by_length\": true}"),
    ("max_pixels", "100000"),
    ("neftune_noise_alpha", "5.0"),
    ("frozen", "[\"embed_tokens\"]"),
    ("around", "{\"loading\": \"cpu\", \"saving\": true}"),
];

#[test]
fn whatever_a_format_does_not_say_is_told() {
    let mut said = 0;
    for (trainer, before) in jobs() {
        for (path, value) in CHANGES {
            let mut all = short(&before);
            all[path] = serde_json::from_str(value).expect("JSON");
            if *path == "optimizer" {
                all[path]["by_trainer"] = before.optimizer.by_trainer.into();
            }
            let changed = scenario(&all);
            let Some((found, unsaid)) = around(&trainer, &changed) else {
                // A trainer of pipelines has nothing to say of another kind of parallelism.
                assert_eq!(trainer, "megatron", "{path} {value}");
                continue;
            };
            let silent: Vec<_> = found.iter().filter(|path| !unsaid.contains(path)).collect();
            assert!(
                silent.is_empty(),
                "{trainer} with {path} {value}: {silent:?} is lost without a word"
            );
            let basic = ["micro_batch_size", "seq_len"].contains(path);
            // TrainingArguments say no length.
            let length = trainer == "training-arguments" && *path == "seq_len";
            // Samples that are laid into one row are one sample of more tokens.
            let exempt = length || changed.packing.is_on();
            let lost = found.iter().any(|own| own == path);
            assert!(!basic || exempt || !lost, "{trainer}: {path} {found:?}");
            said += usize::from(!found.iter().any(|own| own.starts_with(path)));
        }
    }
    let all = jobs().len() * CHANGES.len();
    println!("{said} of {all} changes are said");
    assert!(2 * said > all, "{said} of {all}");
}

#[test]
fn files_that_make_more_of_themselves_are_refused() {
    let level = |level: u8| {
        let inner = level
            .checked_sub(1)
            .map_or("x".to_owned(), |under| format!("*a{under}"));
        format!("a{level}: &a{level} [{}]\n", vec![inner; 9].join(", "))
    };
    let bomb: String = (0..12).map(level).collect();
    let deep = |open: &str| open.repeat(5000);
    for (text, syntax) in [
        (bomb, "YAML"),
        (format!("a: {}", deep("[")), "YAML"),
        (deep("{\"a\":"), "JSON"),
        (format!("a = 1\nb = {}", deep("[")), "TOML"),
    ] {
        let begun = std::time::Instant::now();
        let (_, why) = read(&[("bomb", &text)]).expect_err("a bomb");
        assert_eq!(why, Unread::Expands { syntax });
        assert!(begun.elapsed().as_secs() < 2);
    }
    let huge = "a: b\n".repeat(1 << 20);
    assert!(matches!(
        read(&[("huge", &huge)]),
        Err((_, Unread::Large { .. }))
    ));
}

#[test]
fn what_is_no_configuration_is_refused_with_the_reason() {
    let refused = |text: &str| read(&[("file", text)]).expect_err("no configuration").1;
    assert_eq!(refused("Dear all, see you on Monday."), Unread::Unknown);
    assert_eq!(refused("[1, 2]"), Unread::Unknown);
    assert_eq!(refused("\u{fffd}\u{fffd}PNG\u{0}\u{1}"), Unread::Unknown);
    for (text, framework) in [
        ("model:\n  model_config:\n    hidden_size: 64\n", "nanotron"),
        ("pipe-parallel-size: 1\nnum-layers: 2\n", "GPT-NeoX"),
    ] {
        let instead = Instead::Scenario;
        assert_eq!(refused(text), Unread::Other { framework, instead });
    }
    let broken = refused("base_model: gpt2\nadapter: lora\ndatasets: [a\n");
    assert!(
        matches!(broken, Unread::Broken { syntax: "YAML", .. }),
        "{broken:?}"
    );
    let broken = refused("{\"zero_optimization\": {\"stage\": 3,}}}");
    assert!(
        matches!(broken, Unread::Broken { syntax: "JSON", .. }),
        "{broken:?}"
    );
}

#[test]
fn sizes_that_say_auto_follow_the_model() {
    let deepspeed = fixture("deepspeed_zero3_auto.json");
    let trainer = "model_name_or_path: Qwen/Qwen2.5-1.5B\nmax_length: 512\nbf16: true\nper_device_train_batch_size: 3\n";
    let read = read(&[("ds.json", &deepspeed), ("sft.yaml", trainer)]).expect("a job");
    let dp = &read.scenario["parallelism"]["dp"];
    assert_eq!(dp["reduce_bucket_size"], 1536 * 1536);
    assert_eq!(dp["stage3_prefetch_bucket_size"], 1536 * 1536 * 9 / 10);
    assert_eq!(dp["stage3_param_persistence_threshold"], 15_360);
    assert_eq!(read.scenario["micro_batch_size"], 3);
    assert_eq!(read.scenario["precision"], "bf16");
}

#[test]
fn a_file_that_is_named_and_not_given_is_asked_for() {
    let trainer = fixture("llama_factory_full_zero3.yaml");
    let alone = read(&[("sft.yaml", &trainer)]).expect("a job");
    let asks = |read: &Import| {
        let mut notes = read.notes.iter();
        notes.any(|note| matches!(note, configs::Note::File { file, .. } if file.contains("zero3")))
    };
    assert!(asks(&alone));
    let deepspeed = fixture("deepspeed_zero3_auto.json");
    let both = read(&[
        ("sft.yaml", &trainer),
        ("x/deepspeed_zero3_auto.json", &deepspeed),
    ]);
    assert!(!asks(&both.expect("a job")));
}

#[test]
fn names_of_formats_are_unique() {
    let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FORMATS.len());
}
