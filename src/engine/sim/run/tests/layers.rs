//! A few layers that repeat, against all of them.

use super::*;

/// One model of each architecture whose layers repeat.
const REPEATING: &[&str] = &[
    "smollm2-135m",
    "gpt2",
    "t5-base",
    "bert-base",
    "vit-base",
    "beit-base-patch16-224",
    "mpnet-base",
    "umt5-small",
    "ettin-decoder-150m",
    "eurobert-210m",
    "esm2-8m",
    "plbart-base",
    "blenderbot-400m-distill",
    "blenderbot-small-90m",
    "megatron-bert-345m",
    "xlm-roberta-xl",
    "clip-vit-base-patch32",
    "siglip-base-patch16-224",
    "qwen2-vl-2b-instruct",
    "qwen3-vl-2b-instruct",
    "smolvlm-256m-instruct",
    "mistral-small-3.1-24b",
    "bart-large",
    "nllb-200-distilled-600m",
    "opus-mt-en-de",
    "mbart-large-50",
    "pegasus-large",
    "whisper-small",
    "wav2vec2-base",
    "opt-125m",
    "biogpt",
    "xglm-564m",
    "falcon-rw-1b",
    "bloom-560m",
    "mpt-7b",
    "gpt-neo-125m",
    "gpt-j-6b",
    "codegen-350m",
    "mamba-130m",
    "mamba-codestral-7b",
    "gla-340m",
    "mamba-1.3b",
    "mamba2-1.3b",
    "hgrn-1.3b",
    "minimax-text-01",
    "deltanet-340m",
    "gated-deltanet-1.3b",
    "retnet-1.3b",
    "mixtral-8x7b",
    "gpt-oss-20b",
    "phi-3.5-moe",
    "glm-4.5-air",
    "glm-4.7-flash",
    "deepseek-v3.2",
    "ministral-3-8b",
    "apertus-8b",
    "minimax-m2",
    "flex-olmo-7x7b",
    "k-exaone-236b-a23b",
    "solar-open-100b",
    "cwm-32b",
    "jais-2-8b",
    "lfm2-8b-a1b",
    "trinity-nano",
    "hy3-295b-a21b",
    "nanochat-d32",
    "persimmon-8b",
    "bitnet-b1.58-2b",
    "minicpm3-4b",
    "youtu-llm-2b",
    "ernie-4.5-0.3b",
    "ernie-4.5-21b-a3b",
    "hunyuan-1.8b",
    "hunyuan-a13b",
    "electra-small",
    "deberta-v3-small",
    "modernbert-base",
    "albert-base-v2",
    "xlm-roberta-base",
    "granite-3.1-1b-a400m",
    "deepseek-v2-lite",
    "gemma-2b",
    "gemma-2-2b",
    "t5gemma-2b-2b",
    "llama-4-scout",
    "llama-3.2-11b-vision-instruct",
    "qwen3-next-80b-a3b",
    "jamba-v0.1",
    "gemma-4-31b",
    "modernbert-large",
    "olmo-2-1b",
    "phi-2",
    "phi-3-mini",
    "pythia-160m",
];

/// Compares runs of all those models with these options.
fn compare(options: &[&str]) {
    let mut different = Vec::new();
    let mut compared = 0;
    for &model in REPEATING {
        for &option in options {
            let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
            scenario.model = crate::ask::ModelRef::Catalog(model.to_owned());
            (scenario.micro_batch_size, scenario.seq_len) = (2, 72);
            scenario.target_seq_len = Some(64);
            // 16 tokens, of a model that sees images among its tokens, or the fewest that it has.
            scenario.image_size = Some("112".to_owned());
            let Some(spec) = resolve(&scenario).spec else {
                continue;
            };
            let evaluates = spec.evaluation.kind != EvaluationKind::None;
            let fold = |layers| folded(&spec, accumulation(&spec), Tape::with_details, layers);
            let all = fold(Layers::All);
            let few = Built::ALL
                .into_iter()
                .find_map(|built| fold(Layers::Folded(built)));
            compared += 1;
            match (few, all) {
                (None, None) if keeps_masks(&spec) => {}
                // It keeps the table of its positions from training to evaluation.
                (None, _) if model == "retnet-1.3b" && evaluates => {}
                // The tensors that an end leaves to a period differ from the ones that a period leaves to the next.
                (None, _) if spec.checkpoint_every > 1 => {}
                (None, _) => different.push(format!("{model} {option}: not folded")),
                (Some(few), Some(all)) => {
                    if let Some(found) = difference(&few, &all) {
                        different.push(format!("{model} {option}: {found}"));
                    }
                }
                (Some(_), None) => {}
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 50, "{compared}");
}

#[test]
fn a_few_layers_stand_for_all() {
    compare(&[
        r#"{"precision": "amp_bf16", "clip_grad_norm": true}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full"}"#,
        r#"{"precision": "amp_fp16", "attention": "eager", "gradient_accumulation_steps": 2}"#,
        r#"{"framework": "torch-2.6/transformers-4.51", "padding_mask": true,
            "precision": "amp_bf16", "activation_checkpointing": "full_reentrant"}"#,
        r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}, "precision": "bf16"}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant"}"#,
        r#"{"framework": "torch-2.6/transformers-4.48", "attention": "eager",
            "precision": "amp_bf16", "activation_checkpointing": "full_reentrant"}"#,
        r#"{"precision": "amp_bf16", "activation_checkpointing": "full", "checkpoint_every": 2}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant",
            "checkpoint_every": 3, "framework": "torch-2.6/transformers-4.51"}"#,
        r#"{"precision": "bf16", "frozen": ["layers.1.", "h.1.", "layer.1."]}"#,
    ]);
}

#[test]
fn a_few_layers_stand_for_all_beside_what_else_a_run_does() {
    compare(&[
        r#"{"precision": "amp_bf16", "evaluation": {"kind": "trainer"}}"#,
        r#"{"precision": "bf16", "evaluation": {"kind": "generate", "max_new_tokens": 3}}"#,
        r#"{"precision": "amp_bf16", "zero_grad_set_to_none": false}"#,
        r#"{"keep_outputs": true, "precision": "amp_bf16"}"#,
        r#"{"optimizer": {"name": "adamw", "in_backward": true}, "precision": "bf16"}"#,
        r#"{"optimizer": {"name": "adagrad"}, "precision": "bf16"}"#,
        r#"{"offload": {"optimizer_states": true, "gradients": true}, "precision": "bf16"}"#,
        r#"{"dataset": {"length_mean": 64}, "precision": "bf16"}"#,
        r#"{"program": "forward", "precision": "amp_bf16"}"#,
        r#"{"offload": {"activations": true}, "precision": "bf16"}"#,
        r#"{"offload": {"activations": true}, "activation_checkpointing": "full",
            "precision": "amp_bf16", "padding_mask": true}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant",
            "checkpoint_every": 2, "evaluation": {"kind": "trainer"}}"#,
        r#"{"precision": "bf16", "evaluation": {"kind": "loss"},
            "parallelism": {"tp": {"size": 2, "plan": "transformers"}}}"#,
        r#"{"precision": "bf16", "clip_grad_norm": true, "gradient_accumulation_steps": 2,
            "parallelism": {"tp": {"size": 2, "sequence_parallel": true, "loss_parallel": true}}}"#,
    ]);
}
