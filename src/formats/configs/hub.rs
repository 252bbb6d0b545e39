//! Names of models that frameworks have, turned into repositories of the Hugging Face Hub.

use super::job::Job;
use serde_json::{Map, Value, json};

/// Texts before the size in torchtune's names, and the repository with the size in braces.
const TORCHTUNE: &[(&str, &str)] = &[
    ("code_llama2_", "codellama/CodeLlama-{b}-hf"),
    ("llama2_", "meta-llama/Llama-2-{b}-hf"),
    ("llama3_1_", "meta-llama/Llama-3.1-{B}"),
    ("llama3_2_vision_", "meta-llama/Llama-3.2-{B}-Vision"),
    ("llama3_2_", "meta-llama/Llama-3.2-{B}"),
    ("llama3_3_", "meta-llama/Llama-3.3-{B}-Instruct"),
    ("llama3_", "meta-llama/Meta-Llama-3-{B}"),
    ("mistral_", "mistralai/Mistral-{B}-v0.1"),
    ("gemma2_", "google/gemma-2-{b}"),
    ("gemma_", "google/gemma-{b}"),
    ("phi3_", "microsoft/Phi-3-{b}-4k-instruct"),
    ("phi4_", "microsoft/phi-4"),
    ("llama4_scout_", "meta-llama/Llama-4-Scout-17B-16E"),
    ("llama4_maverick_", "meta-llama/Llama-4-Maverick-17B-128E"),
    ("qwen2_5_", "Qwen/Qwen2.5-{B}"),
    ("qwen2_", "Qwen/Qwen2-{B}"),
    ("qwen3_", "Qwen/Qwen3-{B}"),
];

/// Beginnings of models' names whose published files hold float32; those of most others hold bfloat16.
const SINGLE: &[&str] = &[
    "bert-",
    "roberta-",
    "distilbert-",
    "distilroberta-",
    "xlm-roberta-",
    "albert-",
    "electra-",
    "deberta-",
    "gpt2-",
    "distilgpt2-",
    "t5-",
    "flan-t5-",
    "mt5-",
    "bart-",
    "mbart-",
    "vit-",
    "wav2vec2-",
    "whisper-",
    "gpt-neo-",
];

/// The dtype of a model's published file, by its name.
pub(super) fn dtype(name: &str) -> &'static str {
    let last = name.rsplit('/').next().unwrap_or(name);
    let last = format!("{}-", last.to_ascii_lowercase());
    if SINGLE.iter().any(|start| last.starts_with(start)) {
        "fp32"
    } else {
        "bf16"
    }
}

/// The dtype of the file of a job's model.
pub(super) fn dtype_of(job: &Job) -> &'static str {
    let name = job.get("model").and_then(Value::as_str);
    dtype(name.unwrap_or_default())
}

/// The repository of a model of torchtune, as `llama3_1_8b`.
pub(super) fn torchtune_model(name: &str) -> Option<String> {
    let (start, repository) = TORCHTUNE
        .iter()
        .find(|(start, _)| name.starts_with(start))?;
    let size = name[start.len()..]
        .trim_end_matches("_instruct")
        .trim_end_matches("_base");
    let size = size.replace('_', ".");
    let named = repository.replace("{b}", &size);
    Some(named.replace("{B}", &size.to_ascii_uppercase()))
}

/// How the names of builders begin whose models are estimated of torchtune's own modules (0.6.1); those of other releases
/// have other sizes behind these.
const OF_TORCHTUNE: &[&str] = &[
    "code_llama2",
    "gemma2_",
    "gemma_",
    "llama2",
    "llama3_1_",
    "llama3_2_1b",
    "llama3_2_3b",
    "llama3_3_",
    "llama3_70b",
    "llama3_8b",
    "mistral_",
    "phi3_",
    "phi4_",
    "qwen2_",
];

/// Whether the model of torchtune is estimated of its own modules.
pub(super) fn has_modules_of_torchtune(name: &str) -> bool {
    OF_TORCHTUNE.iter().any(|start| name.starts_with(start))
}

/// Positions for which a builder makes its table, where the published config has others
/// (`models/{qwen2,qwen2_5}/_model_builders.py`, torchtune 0.6.1).
pub(super) fn positions_in_torchtune(name: &str) -> Option<u64> {
    let longer = name.starts_with("qwen2_5_") && name.ends_with("_base");
    let known = name.starts_with("qwen2_");
    known.then_some(if longer { 131_072 } else { 32_768 })
}

/// The names that torchtune has for models, for writing: family and size.
pub(super) const TORCHTUNE_NAMES: &[&str] = &[
    "llama2_7b",
    "llama2_13b",
    "llama2_70b",
    "code_llama2_7b",
    "llama3_8b",
    "llama3_70b",
    "llama3_1_8b",
    "llama3_1_70b",
    "llama3_1_405b",
    "llama3_2_1b",
    "llama3_2_3b",
    "llama3_3_70b",
    "mistral_7b",
    "gemma_2b",
    "gemma_7b",
    "gemma2_2b",
    "gemma2_9b",
    "gemma2_27b",
    "phi3_mini",
    "phi4_14b",
    "qwen2_0_5b",
    "qwen2_1_5b",
    "qwen2_7b",
    "qwen2_5_0_5b",
    "qwen2_5_1_5b",
    "qwen2_5_3b",
    "qwen2_5_7b",
    "qwen2_5_14b",
    "qwen2_5_32b",
    "qwen2_5_72b",
    "qwen3_0_6b",
    "qwen3_1_7b",
    "qwen3_4b",
    "qwen3_8b",
    "qwen3_14b",
    "qwen3_32b",
];

/// The module of a model's builders in torchtune: its name without the size.
pub(super) fn torchtune_module(name: &str) -> &str {
    let found = TORCHTUNE.iter().find(|(start, _)| name.starts_with(start));
    found.map_or(name, |(start, _)| start.trim_end_matches('_'))
}

/// The model of torchtitan, by its name and flavor (`models/*/__init__.py`, torchtitan 0.2.1).
pub(super) fn torchtitan_model(name: &str, flavor: &str) -> Option<Value> {
    let size = flavor.split(['_']).next().unwrap_or(flavor);
    let repository = match (name, size) {
        ("llama3", "debugmodel") => return Some(json!({ "hf_config": debug_model() })),
        ("llama3", "8B" | "70B" | "405B") => format!("meta-llama/Llama-3.1-{size}"),
        ("qwen3", _) if size != "debugmodel" && !size.contains("moe") => {
            format!("Qwen/Qwen3-{size}")
        }
        ("llama4", "17bx16e") => "meta-llama/Llama-4-Scout-17B-16E".to_owned(),
        ("deepseek_v3", "16B") => "deepseek-ai/DeepSeek-V2-Lite".to_owned(),
        ("deepseek_v3", "671B") => "deepseek-ai/DeepSeek-V3".to_owned(),
        _ => return None,
    };
    Some(repository.into())
}

/// The names and flavors of torchtitan, for writing.
pub(super) const TORCHTITAN_NAMES: &[(&str, &str)] = &[
    ("llama3", "debugmodel"),
    ("llama3", "8B"),
    ("llama3", "70B"),
    ("llama3", "405B"),
    ("qwen3", "0.6B"),
    ("qwen3", "1.7B"),
    ("qwen3", "4B"),
    ("qwen3", "8B"),
    ("qwen3", "14B"),
    ("qwen3", "32B"),
    ("qwen3", "30B-A3B"),
    ("qwen3", "235B-A22B"),
    ("llama4", "17bx16e"),
    ("deepseek_v3", "16B"),
    ("deepseek_v3", "671B"),
];

/// `llama3_args["debugmodel"]`.
fn debug_model() -> Map<String, Value> {
    let config = json!({
        "model_type": "llama", "hidden_size": 256, "num_hidden_layers": 6, "num_attention_heads": 16,
        "num_key_value_heads": 16, "intermediate_size": 768, "vocab_size": 2048, "tie_word_embeddings": false,
    });
    config.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_frameworks_become_repositories() {
        for (name, repository) in [
            ("llama3_1_8b", "meta-llama/Llama-3.1-8B"),
            ("llama3_8b", "meta-llama/Meta-Llama-3-8B"),
            ("qwen2_5_0_5b", "Qwen/Qwen2.5-0.5B"),
            ("qwen2_5_14b_base", "Qwen/Qwen2.5-14B"),
            ("llama3_2_vision_11b", "meta-llama/Llama-3.2-11B-Vision"),
            ("gemma2_9b", "google/gemma-2-9b"),
        ] {
            assert_eq!(torchtune_model(name).as_deref(), Some(repository));
        }
        assert_eq!(torchtune_model("my_model"), None);
        assert!(has_modules_of_torchtune("qwen2_5_7b_instruct"));
        assert!(!has_modules_of_torchtune("qwen3_8b_base"));
        assert!(!has_modules_of_torchtune("llama3_2_vision_11b"));
        assert_eq!(positions_in_torchtune("qwen2_7b"), Some(32_768));
        assert_eq!(positions_in_torchtune("qwen2_5_7b_base"), Some(131_072));
        assert_eq!(positions_in_torchtune("llama3_8b"), None);
    }
}
