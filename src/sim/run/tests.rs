//! Runs that are put together from less, against runs in full.

use super::*;
use crate::ask::{Framework, Scenario};
use crate::resolve::resolve;
use crate::sim::Event;
use crate::sim::tests::{bytes, written_out};
use std::collections::BTreeMap;

/// The highest sum of live storages in each phase of each step.
fn peaks(trace: &Trace) -> BTreeMap<(u32, Phase), u64> {
    let (mut live, mut phase, mut peaks) = (0, None, BTreeMap::new());
    for event in trace.events() {
        match event {
            Event::Alloc(id) => live += bytes(trace, id),
            Event::Free(id) => live -= bytes(trace, id),
            Event::Mark(mark) => {
                let mark = trace.marks[mark as usize];
                phase = Some((mark.step, mark.phase));
            }
            Event::EmptyCache | Event::Synchronize => {}
        }
        if let Some(phase) = phase {
            let peak = peaks.entry(phase).or_insert(live);
            *peak = live.max(*peak);
        }
    }
    peaks
}

#[test]
fn more_micro_batches_than_are_simulated_change_no_peak() {
    for (precision, keep_outputs) in [("fp32", false), ("amp_fp16", true), ("bf16", true)] {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "model": "smollm2-135m", "model_overrides": {"num_hidden_layers": 2},
            "gradient_accumulation_steps": 100, "precision": precision,
            "keep_outputs": keep_outputs, "clip_grad_norm": true,
        }))
        .expect("a scenario");
        let spec = resolve(&scenario).spec.expect("a spec");
        assert_eq!(
            peaks(&simulate(&spec)),
            peaks(&run(&spec, 9, Tape::new)),
            "{precision}"
        );
    }
}

#[test]
fn one_forward_pass_for_all_steps_gives_the_events_of_each() {
    let options = [
        r#"{"precision": "fp32"}"#,
        r#"{"precision": "bf16", "optimizer": {"name": "adamw", "impl": "fused"}}"#,
        r#"{"precision": "amp_bf16", "gradient_accumulation_steps": 3}"#,
        r#"{"precision": "amp_fp16", "clip_grad_norm": true}"#,
        r#"{"optimizer": {"name": "adafactor_transformers", "impl": "for_loop"}}"#,
        r#"{"optimizer": {"name": "adagrad"}, "activation_checkpointing": "full"}"#,
        r#"{"optimizer": {"name": "adamw", "impl": "for_loop"}, "clip_grad_norm": true}"#,
        r#"{"framework": "torch-2.6/transformers-4.51", "precision": "amp_bf16"}"#,
        r#"{"framework": "torch-2.6/transformers-4.48", "precision": "bf16",
            "activation_checkpointing": "full_reentrant",
            "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}}"#,
        r#"{"precision": "bf16", "quantization": {"type": "nf4"},
            "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}}"#,
        r#"{"loss": "mean_logits", "attention": "eager"}"#,
        r#"{"precision": "amp_bf16", "evaluation": {"kind": "trainer"}}"#,
        r#"{"evaluation": {"kind": "generate", "max_new_tokens": 3}}"#,
        r#"{"precision": "amp_fp16", "zero_grad_set_to_none": false}"#,
        r#"{"precision": "bf16", "zero_grad_set_to_none": false, "gradient_accumulation_steps": 2,
            "evaluation": {"kind": "trainer"}}"#,
        r#"{"offload": {"activations": true}, "precision": "bf16"}"#,
        r#"{"activation_checkpointing": "full", "checkpoint_every": 2}"#,
        r#"{"keep_outputs": true, "precision": "amp_bf16", "evaluation": {"kind": "trainer"}}"#,
        r#"{"keep_outputs": true, "zero_grad_set_to_none": false, "use_cache": true}"#,
        r#"{"optimizer": {"name": "adamw", "in_backward": true}, "precision": "bf16"}"#,
        r#"{"optimizer": {"name": "adafactor", "in_backward": true}, "precision": "bf16",
            "evaluation": {"kind": "generate", "max_new_tokens": 3}}"#,
        r#"{"offload": {"optimizer_states": true, "gradients": true}, "precision": "bf16"}"#,
        r#"{"offload": {"optimizer_states": true}, "precision": "bf16",
            "evaluation": {"kind": "loss"}}"#,
        r#"{"program": "forward", "precision": "amp_bf16"}"#,
        r#"{"program": "forward", "keep_outputs": true}"#,
        r#"{"dataset": {"length_mean": 64}, "precision": "bf16", "clip_grad_norm": true}"#,
    ];
    for option in options {
        let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
        scenario.model = crate::ask::ModelRef::Catalog("smollm2-135m".to_owned());
        scenario
            .model_overrides
            .insert("num_hidden_layers".to_owned(), 2.into());
        let spec = resolve(&scenario).spec.expect(option);
        let folded = folded(&spec, 2, Tape::new, Layers::All).expect(option);
        assert_eq!(
            written_out(&folded),
            unfolded(&spec, 2, Tape::new),
            "{option}"
        );
    }
}

/// A trace without numbers that depend on the order in which scopes were made.
fn written(trace: &Trace) -> Vec<String> {
    let mut numbers = vec![0; trace.record.storage_count()];
    let mut next = 0;
    let events = trace.events().map(|event| match event {
        Event::Alloc(id) => {
            let storage = trace.record.storage(id).expect("a storage");
            numbers[id as usize] = next;
            next += 1;
            let (bytes, op, module) = (storage.bytes, trace.op(id), trace.module(&storage));
            let (category, shape) = (storage.category.name(), trace.shape(id));
            format!("+ {} {bytes} {op} {category} {module} {shape:?}", next - 1)
        }
        Event::Free(id) => format!("- {}", numbers[id as usize]),
        Event::Mark(mark) => format!("= {:?}", trace.marks[mark as usize]),
        Event::EmptyCache => "empty_cache".to_owned(),
        Event::Synchronize => "synchronize".to_owned(),
    });
    let on_host: u64 = trace.host_activations.iter().sum();
    let counts = [
        on_host,
        trace.num_parameters,
        trace.num_trainable,
        trace.saved_for_backward,
    ];
    events.chain([format!("{counts:?}")]).collect()
}

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

#[test]
fn a_few_layers_stand_for_all() {
    let options = [
        r#"{"precision": "amp_bf16", "clip_grad_norm": true}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full"}"#,
        r#"{"precision": "amp_fp16", "attention": "eager", "gradient_accumulation_steps": 2}"#,
        r#"{"framework": "torch-2.6/transformers-4.51", "padding_mask": true,
            "precision": "amp_bf16", "activation_checkpointing": "full_reentrant"}"#,
        r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}, "precision": "bf16"}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant"}"#,
        r#"{"framework": "torch-2.6/transformers-4.48", "attention": "eager",
            "precision": "amp_bf16", "activation_checkpointing": "full_reentrant"}"#,
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
        r#"{"precision": "amp_bf16", "activation_checkpointing": "full", "checkpoint_every": 2}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant",
            "checkpoint_every": 2, "evaluation": {"kind": "trainer"}}"#,
        r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant",
            "checkpoint_every": 3, "framework": "torch-2.6/transformers-4.51"}"#,
        r#"{"precision": "bf16", "frozen": ["layers.1.", "h.1.", "layer.1."]}"#,
        r#"{"precision": "bf16", "evaluation": {"kind": "loss"},
            "parallelism": {"tp": {"size": 2, "plan": "transformers"}}}"#,
        r#"{"precision": "bf16", "clip_grad_norm": true, "gradient_accumulation_steps": 2,
            "parallelism": {"tp": {"size": 2, "sequence_parallel": true, "loss_parallel": true}}}"#,
    ];
    let mut different = Vec::new();
    let mut compared = 0;
    for &model in REPEATING {
        for option in options {
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
                // What an end leaves to a period differs from what a period leaves to the next.
                (None, _) if spec.checkpoint_every > 1 => {}
                (None, _) => different.push(format!("{model} {option}: not folded")),
                (Some(few), Some(all)) => {
                    let (few, all) = (written(&few), written(&all));
                    if few != all {
                        let at = few.iter().zip(&all).position(|(a, b)| a != b);
                        let at = at.unwrap_or(few.len().min(all.len()) - 1);
                        different.push(format!(
                            "{model} {option}: {} of {} at {at}: {} / {}",
                            few.len(),
                            all.len(),
                            few[at],
                            all[at]
                        ));
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
fn layers_that_repeat_without_gradients_do_what_each_of_them_does() {
    let options = [
        r#"{"precision": "bf16"}"#,
        r#"{"precision": "bf16", "padding_mask": true, "framework": "torch-2.6/transformers-4.51"}"#,
        r#"{"precision": "amp_bf16", "attention": "eager", "evaluation": {"num_beams": 2}}"#,
        r#"{"precision": "amp_fp16", "program": "training"}"#,
        r#"{"precision": "bf16", "padding_mask": true, "program": "training",
            "framework": "torch-2.6/transformers-4.48", "evaluation": {"do_sample": true}}"#,
        r#"{"evaluation": {"kind": "trainer"}, "program": "training", "precision": "amp_bf16"}"#,
    ];
    let models = [
        "smollm2-135m",
        "t5-small",
        "bart-base",
        "whisper-tiny",
        "opt-125m",
        "falcon-rw-1b",
        "bloom-560m",
        "gpt2",
        "gla-340m",
        "deltanet-340m",
        "mamba-130m",
        "gemma-2b",
        "gemma-2-2b",
        "gpt-oss-20b",
        "mistral-7b",
        "qwen3-next-80b-a3b",
        "olmoe-1b-7b",
        "deepseek-v2-lite",
    ];
    let (mut different, mut compared) = (Vec::new(), 0);
    for model in models {
        for option in options {
            let mut scenario: serde_json::Value = serde_json::from_str(option).expect("JSON");
            scenario["model"] = model.into();
            scenario["micro_batch_size"] = 2.into();
            scenario["seq_len"] = 16.into();
            let evaluation = &mut scenario["evaluation"];
            if evaluation["kind"].is_null() {
                evaluation["kind"] = "generate".into();
                evaluation["max_new_tokens"] = 4.into();
            }
            if scenario["program"].is_null() {
                scenario["program"] = "evaluation".into();
            }
            let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
            let Some(spec) = resolve(&scenario).spec else {
                continue;
            };
            compared += 1;
            let some = run(&spec, 1, Tape::with_details);
            let all = run(&spec, 1, |backend| {
                let tape = Tape::with_details(backend);
                tape.run_all_layers();
                tape
            });
            if written(&some) != written(&all) {
                different.push(format!("{model} {option}"));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 40, "{compared}");
}

#[test]
fn what_an_optimizer_does_for_layers_that_are_left_out_is_written_for_a_few() {
    let options = [
        r#"{"optimizer": {"name": "adamw", "impl": "foreach"}, "clip_grad_norm": true}"#,
        r#"{"optimizer": {"name": "adafactor_transformers", "impl": "for_loop"}, "precision": "bf16"}"#,
        r#"{"optimizer": {"name": "adafactor", "impl": "for_loop"}, "precision": "bf16"}"#,
        r#"{"optimizer": {"name": "adagrad", "impl": "for_loop"}}"#,
    ];
    for option in options {
        let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
        scenario.model = crate::ask::ModelRef::Catalog("qwen3-30b-a3b".to_owned());
        scenario.framework = Framework::Torch26Transformers451;
        let layers = ("num_hidden_layers".to_owned(), 16.into());
        scenario.model_overrides.extend([layers]);
        (scenario.micro_batch_size, scenario.seq_len) = (1, 64);
        let spec = resolve(&scenario).spec.expect(option);
        let fold = |layers| folded(&spec, 1, Tape::with_details, layers).expect(option);
        let (few, all) = (fold(Layers::Folded(Built::FEW)), fold(Layers::All));
        assert!(written(&few) == written(&all), "{option}");
        let [few, all] = [few, all].map(|trace| trace.record.written().count());
        assert!(2 * few < all, "{option}: {few} of {all}");
    }
}

#[test]
fn experts_that_run_one_after_another_are_folded_within_their_layers() {
    let options = [
        r#"{"optimizer": {"name": "adamw", "impl": "foreach"}, "clip_grad_norm": true}"#,
        r#"{"precision": "amp_bf16", "attention": "eager", "gradient_accumulation_steps": 3}"#,
        r#"{"precision": "bf16", "optimizer": {"name": "adamw"}, "activation_checkpointing": "full",
            "evaluation": {"kind": "loss"}}"#,
        r#"{"activation_checkpointing": "full_reentrant", "checkpoint_every": 3,
            "lora": {"r": 8, "target_modules": ["all-linear"], "dropout": 0.1},
            "quantization": {"type": "nf4"}, "precision": "bf16"}"#,
        r#"{"activation_checkpointing": "full", "checkpoint_every": 2, "zero_grad_set_to_none": false,
            "gradient_accumulation_steps": 2}"#,
    ];
    for model in [
        "qwen3-30b-a3b",
        "mixtral-8x7b",
        "deepseek-v3",
        "olmoe-1b-7b",
    ] {
        // 60 tokens do not go to all experts alike.
        for (option, seq_len) in options.into_iter().zip([64, 60].into_iter().cycle()) {
            let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
            scenario.model = crate::ask::ModelRef::Catalog(model.to_owned());
            scenario.framework = Framework::Torch26Transformers451;
            let layers = ("num_hidden_layers".to_owned(), 16.into());
            scenario.model_overrides.extend([layers]);
            (scenario.micro_batch_size, scenario.seq_len) = (1, seq_len);
            let Some(spec) = resolve(&scenario).spec else {
                continue;
            };
            let fold = |layers| folded(&spec, accumulation(&spec), Tape::with_details, layers);
            let within = fold(Layers::FoldedWithin(Built::FEW)).expect(option);
            let few = fold(Layers::Folded(Built::FEW)).expect(option);
            assert!(written(&within) == written(&few), "{model} {option}");
            let only = fold(Layers::OnlyWithin).expect(option);
            assert!(written(&only) == written(&few), "{model} {option}");
            let [within, few] = [within, few].map(|trace| trace.record.written().count());
            let has_many = model != "mixtral-8x7b";
            assert!(
                !has_many || 3 * within < 2 * few,
                "{model} {option}: {within} of {few}"
            );
        }
    }
}
