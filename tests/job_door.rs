//! The door of a job: what it lacks, what is assumed, how many GPUs it has, and what is left out of its estimate.

use highwater::codec::{Job, JobFile, Said, read_job, values};
use highwater::configs::{self, Note};
use highwater::report::estimate;
use serde_json::{Value, json};

/// The job of some files, as the command line and the page have it.
fn job_of(files: &[(&str, &str)], set: &[(&str, Value)]) -> Job {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| JobFile {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    let set: Vec<_> = set
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    read_job(&files, &set).expect("a job")
}

#[test]
fn a_job_without_a_model_is_not_estimated() {
    for text in [
        "max_length: 512\nbf16: true\n",
        "{\"zero_optimization\": {\"stage\": 2}}",
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n",
        "torchrun --nproc_per_node 4 my_train.py --foo 3 --bar x",
    ] {
        let job = job_of(&[("file", text)], &[]);
        assert_eq!(job.stop(), Some(&Note::NoModel), "{text}");
        assert!(!job.read.understood.is_empty() || !job.read.ignored.is_empty());
        let named = job_of(&[("file", text)], &[("model", json!("gpt2"))]);
        assert_eq!(named.stop(), None, "{text}");
    }
}

#[test]
fn an_unknown_program_is_named_with_all_its_arguments() {
    let job = job_of(
        &[(
            "run.sh",
            "torchrun --nproc_per_node 4 my_train.py --foo 3 --bar x",
        )],
        &[("model", json!("gpt2"))],
    );
    let program = "my_train.py".to_owned();
    assert!(job.read.notes.contains(&Note::Program { program }));
    let unread: Vec<_> = job.read.ignored.iter().map(|own| &own.key).collect();
    assert_eq!(unread, ["--foo", "--bar"]);
    assert_eq!(job.scenario.hardware.gpus_per_node, 4);
}

#[test]
fn a_length_that_nobody_says_is_assumed_and_said() {
    let torchtune = "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  max_seq_len: null\nbatch_size: 2\n";
    let assumed = |job: &Job| {
        let assumed = job.read.assumed.iter();
        let own = assumed.clone().find(|own| own.key == "seq_len");
        own.map(|own| (own.value.clone(), own.source))
    };
    let job = job_of(&[("8B.yaml", torchtune)], &[]);
    assert_eq!(assumed(&job), Some((json!(2048), configs::UNSAID)));
    assert_eq!(job.scenario.seq_len, 2048);
    // GPT-2 has 1,024 positions.
    let job = job_of(
        &[("run.sh", "python my_train.py")],
        &[("model", json!("gpt2"))],
    );
    assert_eq!(assumed(&job), Some((json!(1024), configs::UNSAID)));
    let job = job_of(&[("8B.yaml", torchtune)], &[("seq_len", json!(512))]);
    assert_eq!((assumed(&job), job.scenario.seq_len), (None, 512));
}

#[test]
fn the_number_of_gpus_is_kept_however_a_job_is_started() {
    let torchtitan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 2048\n[parallelism]\ndata_parallel_shard_degree = -1\ncontext_parallel_degree = 2\n";
    let torchtune = "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  max_seq_len: 512\nbatch_size: 2\n";
    let factory = "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 512\ntemplate: llama3\n";
    let none: &[(&str, Value)] = &[];
    for (config, start, set, kind) in [
        (
            torchtitan,
            "NGPU=4 CONFIG_FILE=job.toml ./run_train.sh",
            none,
            "fsdp2",
        ),
        (
            torchtitan,
            "",
            &[("hardware.gpus_per_node", json!(4))][..],
            "fsdp2",
        ),
        (
            torchtune,
            "tune run --nproc_per_node 4 full_finetune_distributed --config job.yaml",
            none,
            "fsdp2",
        ),
        (
            torchtune,
            "tune run --nnodes 1 --nproc_per_node 4 full_finetune_distributed --config job.yaml",
            none,
            "fsdp2",
        ),
        (
            factory,
            "NPROC_PER_NODE=4 FORCE_TORCHRUN=1 llamafactory-cli train job.yaml",
            none,
            "ddp",
        ),
        (
            factory,
            "CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train job.yaml",
            none,
            "ddp",
        ),
        (
            factory,
            "",
            &[("hardware.gpus_per_node", json!(4))][..],
            "ddp",
        ),
    ] {
        let mut files = vec![("job.toml", config)];
        if !start.is_empty() {
            files.push(("run.sh", start));
        }
        let job = job_of(&files, set);
        let own = values(&job.scenario);
        assert_eq!(own["hardware"]["gpus_per_node"], 4, "{start}");
        assert_eq!(own["parallelism"]["dp"]["kind"], kind, "{start} {set:?}");
    }
}

#[test]
fn what_a_framework_runs_and_nothing_here_models_is_left_out_and_said() {
    let base =
        "base_model: openai/gpt-oss-20b\nsequence_len: 1024\nmicro_batch_size: 1\nbf16: true\n";
    let sinks = format!("{base}attn_implementation: flash_attention_2\noptimizer: adamw_torch\n");
    let ours = format!(
        "{base}attn_implementation: eager\noptimizer: adamw_torch_8bit\ndeepspeed: zero.json\n"
    );
    let zero = "{\"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": true}}";
    for (files, key) in [
        (vec![("job.yaml", sinks.as_str())], "attention"),
        (
            vec![("job.yaml", ours.as_str()), ("zero.json", zero)],
            "optimizer.name",
        ),
    ] {
        let job = job_of(&files, &[("hardware.gpus_per_node", json!(8))]);
        let left = job.said.iter().filter_map(|said| match said {
            Said::Left(key, _) => Some(*key),
            _ => None,
        });
        assert!(left.clone().any(|own| own == key), "{key}: {:?}", job.said);
        assert!(estimate(&job.scenario).is_ok(), "{key}");
    }
}
