//! Published models by name.

/// A published model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Stable id, as in links.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Where its `config.json` was read: the repository on the Hugging Face Hub.
    pub source: &'static str,
    /// Year and month of publication.
    pub published: &'static str,
    /// The fields of that `config.json` that decide sizes.
    pub config: &'static str,
}

/// The model with this id.
pub fn model(id: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.id == id)
}

macro_rules! models {
    ($($id:literal, $name:literal, $source:literal, $published:literal;)+) => {
        /// Every model, by family and size.
        pub static MODELS: &[Model] = &[$(Model {
            id: $id,
            name: $name,
            source: $source,
            published: $published,
            config: include_str!(concat!("models/", $id, ".json")),
        }),+];
    };
}

models! {
    "llama-2-7b", "Llama 2 7B", "meta-llama/Llama-2-7b-hf", "2023-07";
    "llama-3.1-8b", "Llama 3.1 8B", "meta-llama/Llama-3.1-8B", "2024-07";
    "llama-3.2-1b", "Llama 3.2 1B", "meta-llama/Llama-3.2-1B", "2024-09";
    "llama-3.2-3b", "Llama 3.2 3B", "meta-llama/Llama-3.2-3B", "2024-09";
    "tinyllama-1.1b", "TinyLlama 1.1B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "2023-12";
    "smollm2-135m", "SmolLM2 135M", "HuggingFaceTB/SmolLM2-135M", "2024-10";
    "smollm2-360m", "SmolLM2 360M", "HuggingFaceTB/SmolLM2-360M", "2024-10";
    "smollm2-1.7b", "SmolLM2 1.7B", "HuggingFaceTB/SmolLM2-1.7B", "2024-10";
    "mistral-7b", "Mistral 7B v0.1", "mistralai/Mistral-7B-v0.1", "2023-09";
    "mistral-7b-v0.3", "Mistral 7B v0.3", "mistralai/Mistral-7B-v0.3", "2024-05";
    "qwen2.5-0.5b", "Qwen2.5 0.5B", "Qwen/Qwen2.5-0.5B", "2024-09";
    "qwen2.5-1.5b", "Qwen2.5 1.5B", "Qwen/Qwen2.5-1.5B", "2024-09";
    "qwen2.5-3b", "Qwen2.5 3B", "Qwen/Qwen2.5-3B", "2024-09";
    "qwen2.5-7b", "Qwen2.5 7B", "Qwen/Qwen2.5-7B", "2024-09";
    "qwen3-0.6b", "Qwen3 0.6B", "Qwen/Qwen3-0.6B", "2025-04";
    "qwen3-1.7b", "Qwen3 1.7B", "Qwen/Qwen3-1.7B", "2025-04";
    "qwen3-4b", "Qwen3 4B", "Qwen/Qwen3-4B", "2025-04";
    "qwen3-8b", "Qwen3 8B", "Qwen/Qwen3-8B", "2025-04";
}
