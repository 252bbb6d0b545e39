//! Launchers of a job: `torchrun`, `deepspeed`, Slurm's options, and variables of the environment.

use super::format::{Format, Phrases, Syntax};
use super::job::{Job, Matters};
use super::row::As::{Count, Name};
use super::row::Does::{Decides, File, Reads};
use super::row::Row;
use super::said::Said;
use super::value;
use serde_json::Value;

const STARTS: &[(&str, &str)] = &[("fork", "fork"), ("spawn", "spawn")];

/// Options of `torchrun` (torch 2.15), `deepspeed` (0.19.8) and `sbatch` (Slurm 25.05), and variables.
const ROWS: &[Row] = &[
    ("nproc_per_node", Reads("hardware.gpus_per_node", Count)),
    ("nnodes", Reads("hardware.nodes", Count)),
    ("num_gpus", Decides("hardware.gpus_per_node")),
    ("num_nodes", Decides("hardware.nodes")),
    ("include", Decides("hardware.gpus_per_node hardware.nodes")),
    ("nodes", Decides("hardware.nodes")),
    (
        "gpus_per_node",
        Decides("hardware.gpus_per_node hardware.gpu"),
    ),
    ("gpus_per_task", Decides("hardware.gpus_per_node")),
    ("gpus", Decides("hardware.gpus_per_node")),
    ("gres", Decides("hardware.gpus_per_node hardware.gpu")),
    ("ntasks_per_node", Decides("hardware.gpus_per_node")),
    ("mem", Decides("hardware.host_ram")),
    ("mem_per_gpu", Decides("hardware.host_ram")),
    ("config_file", File),
    ("config", File),
    ("deepspeed_config", File),
    ("CUDA_VISIBLE_DEVICES", Decides("hardware.gpus_per_node")),
    ("NGPU", Decides("hardware.gpus_per_node")),
    ("NPROC_PER_NODE", Decides("hardware.gpus_per_node")),
    ("NNODES", Decides("hardware.nodes")),
    ("PYTORCH_CUDA_ALLOC_CONF", Decides("allocator")),
    ("PYTORCH_ALLOC_CONF", Decides("allocator")),
    ("PYTORCH_HIP_ALLOC_CONF", Decides("allocator")),
    ("ARROW_DEFAULT_MEMORY_POOL", Decides("dataset.arrow_pool")),
    (
        "start_method",
        Reads("dataloader.multiprocessing_context", Name(STARTS)),
    ),
];

const WITHOUT_MEMORY: &[&str] = &[
    "node_rank",
    "rdzv_*",
    "master_addr",
    "master_port",
    "standalone",
    "max_restarts",
    "monitor_interval",
    "role",
    "log_dir",
    "redirects",
    "tee",
    "local_ranks_filter",
    "module",
    "no_python",
    "run_path",
    "hostfile",
    "hosts",
    "exclude",
    "force_multinode",
    "launcher",
    "launcher_args",
    "bind_cores_to_rank",
    "enable_each_rank_log",
    "job_name",
    "output",
    "error",
    "time",
    "partition",
    "account",
    "qos",
    "cpus_per_task",
    "exclusive",
    "mail_*",
    "constraint",
    "ntasks",
    "signal",
    "requeue",
    "open_mode",
    "array",
    "dependency",
    "chdir",
    "export",
    "comment",
    "reservation",
    "nodelist",
    "hint",
    "wait_all_nodes",
    "kill_on_bad_exit",
    "label",
    "container_*",
    "cpu_bind",
    "jobid",
    "wckey",
    "no_ssh",
    "save_pid",
    "autotuning",
    "local_addr",
    "logs_specs",
    "event_log_handler",
    "NCCL_*",
    "OMP_NUM_THREADS",
    "TOKENIZERS_PARALLELISM",
    "HF_*",
    "WANDB_*",
    "FORCE_TORCHRUN",
    "NODE_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "TORCH_NCCL_*",
    "NVTE_*",
    "PYTHONPATH",
    "TRANSFORMERS_*",
    "mem_per_cpu",
    "address",
    "runtime_env*",
    "working_dir",
    "submission_id",
    "no_wait",
];

const PHRASES: &[Phrases] = &[];

pub(super) const FORMAT: Format = Format {
    name: "launcher",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &["nproc_per_node", "nnodes"],
    finish,
    syntax: Syntax::Arguments,
    phrases: &[PHRASES],
};

/// Keys of Slurm's short options.
pub(super) const SHORT: &[(&str, &str)] = &[
    ("-N", "nodes"),
    ("-n", "ntasks"),
    ("-G", "gpus"),
    ("-c", "cpus-per-task"),
    ("-J", "job-name"),
    ("-p", "partition"),
    ("-A", "account"),
    ("-t", "time"),
    ("-o", "output"),
    ("-e", "error"),
    ("-C", "constraint"),
];

fn finish(said: &Said, job: &mut Job) {
    let mut nodes = None;
    for key in ["NNODES", "nodes", "num_nodes", "nnodes"] {
        // A range such as `1:4` has the fewest first.
        let word = said.word(key);
        let first = word
            .as_deref()
            .and_then(|word| word.split([':', '-']).next());
        nodes = first
            .and_then(|word| word.parse().ok())
            .filter(|n| *n > 0)
            .or(nodes);
    }
    let nodes: Option<u64> = nodes;
    if let Some(nodes) = nodes {
        job.set("hardware.nodes", nodes);
    }
    let mut each = None;
    for key in ["gpus_per_node", "gres"] {
        let Some(word) = said.word(key) else { continue };
        let (kind, count) = gpus(&word);
        each = count.or(each);
        if let Some(kind) = kind {
            job.set("hardware.gpu", kind);
        }
    }
    if let Some(all) = said.word("gpus").and_then(|word| gpus(&word).1) {
        each = each.or(Some((all / nodes.unwrap_or(1)).max(1)));
    }
    each = each.or(said.count("num_gpus"));
    if let Some(devices) = said.word("CUDA_VISIBLE_DEVICES") {
        let count = devices
            .split(',')
            .filter(|id| !id.trim().is_empty())
            .count();
        each = each.or(u64::try_from(count).ok().filter(|count| *count > 0));
    }
    // The number of processes that a launcher starts counts more than the devices that they could use.
    let started = ["nproc_per_node", "NPROC_PER_NODE", "NGPU"];
    let processes = started.iter().find_map(|key| said.count(key));
    let processes = processes.filter(|n| *n > 0);
    each = processes.or(each);
    let tasks = said.count("ntasks_per_node").filter(|tasks| *tasks > 1);
    if let Some(each) = each.or(tasks) {
        job.set("hardware.gpus_per_node", each);
    }
    if processes.is_none()
        && matches!(said.word("nproc_per_node").as_deref(), Some("auto" | "gpu"))
        && each.is_none()
    {
        job.give_up(said, "nproc_per_node", Matters::Value);
    }
    memory(said, job);
    for key in [
        "PYTORCH_CUDA_ALLOC_CONF",
        "PYTORCH_ALLOC_CONF",
        "PYTORCH_HIP_ALLOC_CONF",
    ] {
        if let Some(text) = said.get(key).and_then(value::text) {
            allocator(&text, key, said, job);
        }
    }
    if said.word("ARROW_DEFAULT_MEMORY_POOL").as_deref() == Some("system") {
        job.set("dataset.arrow_pool", "system");
    }
}

/// The kind and number of GPUs: `8`, `gpu:8`, `gpu:h100:8`, `h100:8`.
fn gpus(word: &str) -> (Option<String>, Option<u64>) {
    let generic = word
        .split(',')
        .find(|part| part.contains("gpu"))
        .unwrap_or(word);
    let parts: Vec<&str> = generic
        .split(':')
        .filter(|part| *part != "gpu" && !part.is_empty())
        .collect();
    let count = parts
        .last()
        .and_then(|last| last.split('(').next()?.parse().ok());
    let kind = parts.first().filter(|first| first.parse::<u64>().is_err());
    (
        kind.map(|kind| (*kind).to_owned()),
        count.or(kind.map(|_| 1)),
    )
}

/// Slurm's `--mem`, in mebibytes unless a letter says otherwise; 0 means all there is.
fn memory(said: &Said, job: &mut Job) {
    let per_gpu = said.word("mem_per_gpu");
    let word = said.word("mem").or_else(|| per_gpu.clone());
    let Some(word) = word else { return };
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match word[digits.len()..].chars().next() {
        Some('k') => 10,
        Some('g') => 30,
        Some('t') => 40,
        _ => 20,
    };
    let Ok(count) = digits.parse::<u64>() else {
        return;
    };
    let times = if said.has("mem") {
        1
    } else {
        job.count("hardware.gpus_per_node").unwrap_or(1)
    };
    let bytes = count
        .checked_mul(1 << power)
        .and_then(|bytes| bytes.checked_mul(times));
    if let Some(bytes) = bytes.filter(|bytes| *bytes > 0) {
        job.set("hardware.host_ram", bytes);
    }
}

/// `expandable_segments:True,max_split_size_mb:128`.
fn allocator(text: &str, key: &str, said: &Said, job: &mut Job) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = end_of_option(rest);
        let option = rest[..end].trim();
        rest = rest.get(end + 1..).unwrap_or_default();
        let Some((name, given)) = option.split_once(':') else {
            continue;
        };
        let given = Value::from(given.trim());
        let path = format!("allocator.{}", name.trim());
        match name.trim() {
            "expandable_segments" => job.set(&path, value::flag(&given) == Some(true)),
            "max_split_size_mb" | "garbage_collection_threshold" => {
                let number = value::count(&given).map(Value::from);
                if let Some(number) = number.or_else(|| value::real(&given).map(Value::from)) {
                    job.set(&path, number);
                }
            }
            "roundup_power2_divisions" => {
                let number = value::count(&given).map(Value::from);
                job.set(&path, number.unwrap_or(given));
            }
            "backend" if given != "native" => job.give_up(said, key, Matters::Value),
            _ => {}
        }
    }
}

/// The end of an option: a comma that is not within brackets.
fn end_of_option(text: &str) -> usize {
    let mut depth = 0_i32;
    let found = text.char_indices().find(|(_, letter)| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        *letter == ',' && depth <= 0
    });
    found.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_kinds_of_gpus_are_read() {
        let kind = |name: &str| Some(name.to_owned());
        for (word, expected) in [
            ("8", (None, Some(8))),
            ("gpu:4", (None, Some(4))),
            ("gpu:h100:8", (kind("h100"), Some(8))),
            ("a100:2", (kind("a100"), Some(2))),
            ("gpu:a100", (kind("a100"), Some(1))),
            ("lustre:1,gpu:v100:4", (kind("v100"), Some(4))),
        ] {
            assert_eq!(gpus(word), expected, "{word}");
        }
    }
}
