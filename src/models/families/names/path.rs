//! The part of a path or an address that names a model.

/// The folder of a repository in the Hub's cache: `models--OWNER--NAME`.
const CACHED: &str = "models--";
/// Addresses of the Hub.
const ADDRESSES: &[&str] = &[
    "https://huggingface.co/",
    "https://hf.co/",
    "hf://",
    "huggingface.co/",
];
/// Folders within that of a model or a job.
const INNER: &[&str] = &[
    "hf",
    "main",
    "model",
    "models",
    "weights",
    "original",
    "source",
    "snapshots",
    "full",
    "lora",
    "sft",
    "dpo",
    "pretrain",
    "pt",
    "ft",
    "final",
    "merged",
    "output",
    "outputs",
    "out",
    "best",
    "last",
    "tree",
    "checkpoint",
    "checkpoints",
    "base",
    "instruct",
    "chat",
    "hf_model",
    "final_model",
    "ckpt",
];

/// The parts of `name` that may name a model, the likeliest first: the last that is no folder within one, or
/// the Hub's repository.
pub(super) fn candidates(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim();
    let address = ADDRESSES.iter().find_map(|start| name.strip_prefix(start));
    let parts: Vec<&str> = address
        .unwrap_or(name)
        .split(['/', '\\'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let cached = parts
        .iter()
        .rev()
        .find_map(|part| part.strip_prefix(CACHED));
    let cached = cached.map(|cached| cached.rsplit("--").next().unwrap_or(cached));
    let inner = |part: &&&str| is_inner(part);
    let last = parts.iter().rev().find(|part| !inner(part)).copied();
    cached.or(last).into_iter()
}

/// Whether a folder is one within that of a model.
fn is_inner(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    let numbered = |start: &str| {
        let rest = lower.strip_prefix(start);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let hash = part.len() >= 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let counted = [
        "checkpoint-",
        "step-",
        "epoch-",
        "epoch_",
        "step_",
        "global_step",
    ];
    hash || INNER.contains(&lower.as_str()) || counted.into_iter().any(numbered)
}
