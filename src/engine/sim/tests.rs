//! The parts of a run.

use super::{Event, Trace, simulate};
use crate::ask::Scenario;
use crate::tape::{Category, Record};
use serde_json::{Value, json};

/// Bytes of a storage.
pub(super) fn bytes(trace: &Trace, id: u32) -> u64 {
    trace.record.storage(id).expect("a storage").bytes
}

/// The trace with each step recorded for itself.
pub(super) fn written_out(trace: &Trace) -> Trace {
    let mut numbers = vec![0; trace.record.storage_count()];
    let mut out = Trace {
        record: Record::default(),
        ..trace.clone()
    };
    for event in trace.events() {
        let event = match event {
            Event::Alloc(id) => {
                let storage = trace.record.storage(id).expect("a storage");
                let number = out.record.add(storage);
                numbers[id as usize] = number;
                Event::Alloc(number)
            }
            Event::Free(id) => Event::Free(numbers[id as usize]),
            event @ (Event::Mark(_) | Event::EmptyCache | Event::Wait(_)) => event,
        };
        out.record.push(event);
    }
    out.program = std::iter::once(0..out.record.event_count()).collect();
    out
}

fn run(scenario: Value) -> (crate::model::ResolvedSpec, Trace) {
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let spec = crate::resolve::resolve(&scenario).spec.expect("a spec");
    let trace = simulate(&spec);
    (spec, trace)
}

#[test]
fn the_modules_that_are_checked_are_those_that_are_built() {
    for model in [
        "llama-3.2-1b",
        "qwen3-0.6b",
        "qwen2.5-0.5b",
        "mistral-7b",
        "gpt2",
        "pythia-160m",
        "gemma-2b",
        "gemma-2-2b",
        "gemma-3-1b",
        "olmo-2-1b",
        "phi-2",
        "phi-3-mini",
        "opt-125m",
        "falcon-rw-1b",
        "bloom-560m",
        "gpt-neo-125m",
        "gpt-j-6b",
        "codegen-350m",
        "mamba-130m",
        "mamba-codestral-7b",
        "mamba-1.3b",
        "mamba2-1.3b",
        "hgrn-1.3b",
        "falcon-mamba-7b",
        "lfm2-350m",
        "trinity-nano",
        "nanochat-d32",
        "minicpm3-4b",
        "bitnet-b1.58-2b",
        "persimmon-8b",
        "biogpt",
        "xglm-564m",
        "hy3-295b-a21b",
        "falcon-h1-0.5b",
        "nemotron-h-8b",
        "dinov2-small",
        "dinov2-with-registers-small",
        "deit-base-distilled",
        "mpnet-base",
        "umt5-small",
        "ettin-decoder-150m",
        "eurobert-610m",
        "esm2-8m",
        "plbart-base",
        "blenderbot-400m-distill",
        "blenderbot-small-90m",
        "megatron-bert-345m",
        "rembert",
        "roformer-chinese-base",
        "xlm-roberta-xl",
        "swin-tiny",
        "beit-base-patch16-224",
        "data2vec-vision-base-ft1k",
        "convnext-tiny-224",
        "convnextv2-tiny-1k-224",
        "resnet-18",
        "resnet-50",
        "wav2vec2-base",
        "hubert-large-ls960-ft",
        "clip-vit-base-patch32",
        "siglip-base-patch16-224",
        "bamba-9b",
        "falcon-7b",
        "falcon-40b",
    ] {
        what_is_checked_is_built(
            &json!({"model": model, "micro_batch_size": 1, "seq_len": 16, "model_overrides": {"num_hidden_layers": 2, "attention_types": [[["global"], 2]]}}),
        );
    }
}

#[test]
fn the_modules_of_layers_that_share_are_those_that_are_built() {
    for (sharing, equal, input, experts) in [(2, false, 16, false), (0, true, 0, true)] {
        what_is_checked_is_built(&json!({
            "model": {"hf_config": {
                "model_type": "gemma4_text", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4,
                "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 100,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
                "num_kv_shared_layers": sharing, "attention_k_eq_v": equal, "hidden_size_per_layer_input": input,
                "enable_moe_block": experts, "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32,
            }},
            "micro_batch_size": 1, "seq_len": 16,
        }));
    }
    what_is_checked_is_built(&json!({
        "model": {"hf_config": {
            "model_type": "glm_moe_dsa", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3,
            "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 100, "n_routed_experts": 4,
            "num_experts_per_tok": 2, "moe_intermediate_size": 32, "indexer_types": ["full", "shared", "full"],
        }},
        "micro_batch_size": 1, "seq_len": 16,
    }));
    what_is_checked_is_built(&json!({
        "model": {"hf_config": {
            "model_type": "diffllama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
        }},
        "micro_batch_size": 1, "seq_len": 16,
    }));
    what_is_checked_is_built(&json!({
        "model": "gemma-3n-e2b", "micro_batch_size": 1, "seq_len": 16,
        "model_overrides": {
            "num_hidden_layers": 6, "num_kv_shared_layers": 1, "hidden_size": 64, "vocab_size": 100, "layer_types": null,
        },
    }));
}

#[test]
fn the_modules_of_a_decoder_alone_are_those_that_are_built() {
    for model in ["bart-base", "mbart-large-50", "opus-mt-en-de"] {
        what_is_checked_is_built(&json!({
            "model": model, "task": "causal_lm", "micro_batch_size": 1, "seq_len": 16,
        }));
    }
}

fn what_is_checked_is_built(scenario: &Value) {
    let (spec, trace) = run(scenario.clone());
    let storages = (0..trace.record.storage_count()).map(|id| {
        let id = u32::try_from(id).expect("few storages");
        trace.record.storage(id).expect("a storage")
    });
    let mut built: Vec<String> = storages
        .filter(|storage| storage.category == Category::Parameters && storage.bytes > 0)
        .map(|storage| trace.module(&storage))
        .collect();
    let mut checked: Vec<String> =
        crate::families::modules(&spec.architecture, spec.task, spec.framework)
            .into_iter()
            .flat_map(|module| vec![module.path; module.parameters.len()])
            .collect();
    // Parameters of a module's own can come after those of its parts.
    built.sort();
    checked.sort();
    assert_eq!(built, checked, "{scenario}");
}

#[test]
fn the_modules_of_mixtures_are_those_of_the_framework() {
    let (four, five) = (
        "torch-2.6/transformers-4.51",
        "torch-2.15/transformers-5.23",
    );
    for (model, framework) in [
        ("mixtral-8x7b", four),
        ("mixtral-8x7b", five),
        ("olmoe-1b-7b", four),
        ("qwen1.5-moe-a2.7b", four),
        ("qwen1.5-moe-a2.7b", five),
        ("qwen3-30b-a3b", four),
        ("qwen3-30b-a3b", five),
        ("deepseek-v3", four),
        ("deepseek-v3", five),
        ("deepseek-v2-lite", five),
        ("gpt-oss-20b", five),
        ("glm-4.5-air", five),
        ("ax-k1-519b-a33b", five),
        ("mistral-small-4-119b", five),
        ("electra-small", five),
        ("deberta-v3-base", five),
        ("electra-small", four),
        ("xlm-roberta-base", five),
        ("granite-3.1-1b-a400m", five),
        ("granite-4.0-h-tiny", five),
        ("jamba-v0.1", five),
        ("nemotron-3-nano-30b-a3b", five),
        ("phi-3.5-moe", five),
        ("qwen3-next-80b-a3b", five),
        ("llama-4-scout", five),
        ("hunyuan-a13b", five),
        ("hunyuan-1.8b", five),
        ("ernie-4.5-21b-a3b", five),
    ] {
        let types = ["mamba", "mamba", "attention", "mamba", "mamba"];
        let types = (model == "granite-4.0-h-tiny").then_some(types);
        what_is_checked_is_built(&json!({
            "model": model, "micro_batch_size": 1, "seq_len": 16, "framework": framework, "precision": "bf16",
            "model_overrides": {"num_hidden_layers": 5, "layer_types": types},
        }));
    }
}

#[test]
fn adapters_are_all_that_is_trained_and_their_elements_are_counted() {
    let (_, plain) = run(
        json!({"model": "llama-3.2-1b", "micro_batch_size": 1, "seq_len": 16, "model_overrides": {"num_hidden_layers": 2}}),
    );
    let (_, trace) = run(json!({
        "model": "llama-3.2-1b", "micro_batch_size": 1, "seq_len": 16, "model_overrides": {"num_hidden_layers": 2},
        "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]},
    }));
    // 2 layers, q: 2048 to 2048, v: 2048 to 512.
    let adapters = 2 * 8 * ((2048 + 2048) + (2048 + 512));
    assert_eq!(trace.num_trainable, adapters);
    assert_eq!(trace.num_parameters, plain.num_parameters + adapters);
}

#[test]
fn a_frozen_part_has_no_gradient() {
    let scenario = |frozen: Value| {
        run(
            json!({"model": "llama-3.2-1b", "micro_batch_size": 1, "seq_len": 16, "model_overrides": {"num_hidden_layers": 2}, "frozen": frozen}),
        )
    };
    let (_, all) = scenario(json!([]));
    let (_, part) = scenario(json!(["embed_tokens"]));
    assert_eq!(part.num_parameters, all.num_parameters);
    assert_eq!(all.num_trainable - part.num_trainable, 128_256 * 2048);
}

/// The trace of a small Llama on one rank of a parallelism.
fn on_rank(parallelism: &serde_json::Value) -> Trace {
    let scenario = serde_json::json!({
        "model": "llama-3.2-1b", "model_overrides": {"num_hidden_layers": 2},
        "micro_batch_size": 2, "seq_len": 64, "precision": "bf16", "parallelism": parallelism,
    });
    let scenario = serde_json::from_value(scenario).expect("a scenario");
    let spec = crate::resolve::resolve(&scenario).spec;
    super::simulate(&spec.expect("a sound scenario"))
}

#[test]
fn one_rank_of_tensor_parallelism_is_none() {
    let none = written_out(&on_rank(&serde_json::json!({})));
    let one =
        serde_json::json!({"tp": {"size": 1, "sequence_parallel": true, "loss_parallel": true}});
    assert!(written_out(&on_rank(&one)).record == none.record);
}

#[test]
fn ranks_of_tensor_parallelism_together_hold_the_model_and_a_norm_each() {
    let whole = on_rank(&serde_json::json!({})).num_trainable;
    for ranks in [2, 4, 8] {
        let tp = serde_json::json!({"tp": {"size": ranks}});
        let trace = on_rank(&tp);
        assert_eq!(trace.num_parameters, whole);
        // Two norms of a layer and the last.
        let norms = 5 * 2048;
        assert_eq!(ranks * (trace.num_trainable - norms) + norms, whole);
    }
}
