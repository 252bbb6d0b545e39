//! The configurations of torchtune's recipes, which `tune run RECIPE --config NAME` names.

use serde_json::{Map, Value, json};

/// The version of the recipes (`recipes/configs`, `torchtune/_recipe_registry.py`).
pub(super) const SOURCE: &str = "torchtune 0.6.1";

/// A line for each configuration that trains one model: its name, the model's builder, and words for its keys.
pub(super) const CONFIGS: &str = include_str!("torchtune.txt");

/// The keys of the configuration of this name.
pub(super) fn keys(name: &str) -> Option<Map<String, Value>> {
    let lines = CONFIGS.lines().map(str::split_whitespace);
    let mut words = lines
        .map(|mut words| (words.next(), words))
        .find_map(|(own, words)| (own == Some(name)).then_some(words))?;
    let builder = words.next()?;
    let said = [
        (
            "model._component_",
            format!("torchtune.models.{builder}").into(),
        ),
        (
            "loss._component_",
            "torchtune.modules.loss.CEWithChunkedOutputLoss".into(),
        ),
        ("tokenizer.max_seq_len", Value::Null),
        ("gradient_accumulation_steps", 1.into()),
        ("dtype", "bf16".into()),
        ("device", "cuda".into()),
    ];
    let mut keys: Map<String, Value> = said
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    let mut modules = vec!["q_proj", "v_proj"];
    for word in words {
        if word == "output" {
            modules.push("output_proj");
        }
        for (key, value) in of_word(word) {
            keys.insert(key.to_owned(), value);
        }
    }
    if keys.contains_key("model.lora_rank") {
        keys.insert("model.lora_attn_modules".to_owned(), json!(modules));
    }
    Some(keys)
}

/// The keys that a word of a line abbreviates.
fn of_word(word: &str) -> Vec<(&'static str, Value)> {
    let number = |start: char| Some(json!(word.strip_prefix(start)?.parse::<u64>().ok()?));
    let numbers = [
        ('b', "batch_size"),
        ('g', "gradient_accumulation_steps"),
        ('s', "tokenizer.max_seq_len"),
        ('r', "model.lora_rank"),
    ];
    for (start, key) in numbers {
        if let Some(value) = number(start) {
            return vec![(key, value)];
        }
    }
    let yes = |key| vec![(key, Value::Bool(true))];
    let optimizer = |name: &str| vec![("optimizer._component_", name.into())];
    match word {
        "mlp" => yes("model.apply_lora_to_mlp"),
        "head" => yes("model.apply_lora_to_output"),
        "dora" => yes("model.use_dora"),
        "quantized" => yes("model.quantize_base"),
        "fused" => vec![
            ("optimizer._component_", "torch.optim.AdamW".into()),
            ("optimizer.fused", true.into()),
        ],
        "adamw" => optimizer("torch.optim.AdamW"),
        "paged" => optimizer("bitsandbytes.optim.PagedAdamW"),
        "paged8" => optimizer("bitsandbytes.optim.PagedAdamW8bit"),
        "checkpointed" => yes("enable_activation_checkpointing"),
        "offloaded" => yes("enable_activation_offloading"),
        "in_backward" => yes("optimizer_in_bwd"),
        "clipped" => vec![("clip_grad_norm", 1.into())],
        "compiled" => yes("compile"),
        "packed" => yes("dataset.packed"),
        "cpu" => yes("fsdp_cpu_offload"),
        "embeddings" => vec![("custom_sharded_layers", json!(["tok_embeddings", "output"]))],
        "decoder_embeddings" => vec![("custom_sharded_layers", json!(["decoder.tok_embeddings"]))],
        "DPOLoss" => vec![("loss._component_", "torchtune.rlhf.loss.DPOLoss".into())],
        "quantizer" => vec![(
            "quantizer._component_",
            "Int8DynActInt4WeightQATQuantizer".into(),
        )],
        "images" => vec![("model.image_size", 560.into())],
        word => match word.split_once(':') {
            Some(("decoder", how)) => vec![("model.decoder_trainable", how.into())],
            Some(("encoder", how)) => vec![("model.encoder_trainable", how.into())],
            Some(("fusion", how)) => vec![("model.fusion_trainable", how.into())],
            _ => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_every_recipe_stands_for_a_key() {
        for line in CONFIGS.lines() {
            let mut words = line.split_whitespace();
            let name = words.next().expect("a name");
            let keys = keys(name).expect(name);
            assert!(keys.contains_key("batch_size"), "{name}");
            assert!(keys.contains_key("optimizer._component_"), "{name}");
            for word in words.skip(1) {
                assert!(
                    word == "output" || !of_word(word).is_empty(),
                    "{name}: {word}"
                );
            }
        }
    }
}
