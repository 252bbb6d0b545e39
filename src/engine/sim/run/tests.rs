//! Runs that are put together from less, against runs in full.

use super::*;
use crate::ask::{Framework, Scenario};
use crate::resolve::resolve;
use crate::sim::tests::{bytes, written_out};
use crate::sim::{Event, Mark};
use crate::tape::Category;
use crate::units::{DType, Shape, Stream, Streams};
use std::collections::BTreeMap;
use std::rc::Rc;

mod layers;
mod turns;
mod windows;
mod wrapped;

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
            Event::EmptyCache | Event::Wait(_) => {}
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
        r#"{"neftune_noise_alpha": 5.0, "precision": "amp_bf16", "activation_checkpointing": "full_reentrant",
            "lora": {"r": 8, "target_modules": ["q_proj"]}, "evaluation": {"kind": "loss"}}"#,
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
        r#"{"around": {"loading": "device_map", "saving": true}, "precision": "bf16"}"#,
        r#"{"around": {"loading": "cpu", "saving": true}, "precision": "amp_bf16",
            "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}}"#,
        r#"{"around": {"loading": "device_map", "saving": true}, "precision": "bf16",
            "quantization": {"type": "nf4", "double": true}, "evaluation": {"kind": "trainer"},
            "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}}"#,
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

/// Steps of TRL's trainers, with a reference and without, over as many layers.
fn objectives(layers: u64) -> Vec<(String, ResolvedSpec)> {
    let options = [
        r#"{"objective": {"kind": "sft"}, "precision": "amp_bf16"}"#,
        r#"{"objective": {"kind": "sft"}, "precision": "bf16", "gradient_accumulation_steps": 3}"#,
        r#"{"objective": {"kind": "dpo"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "dpo"}, "precision": "amp_bf16", "clip_grad_norm": true,
            "activation_checkpointing": "full", "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}}"#,
        r#"{"objective": {"kind": "dpo", "precompute_ref_log_probs": true}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 64}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 64, "beta": 0.1}, "precision": "bf16",
            "gradient_accumulation_steps": 3}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 64, "beta": 0.1}, "precision": "bf16",
            "lora": {"r": 8, "target_modules": ["q_proj"]}, "activation_checkpointing": "full"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 40, "beta": 0.1, "generation": "model", "num_iterations": 2},
            "precision": "amp_bf16", "activation_checkpointing": "full"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 250, "generation": "model"}, "precision": "bf16",
            "lora": {"r": 8, "target_modules": ["q_proj"]}, "gradient_accumulation_steps": 3}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 40, "generation": "vllm"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 40, "beta": 0.1, "generation": "vllm_sleep"},
            "precision": "bf16", "lora": {"r": 8, "target_modules": ["q_proj"]}}"#,
        r#"{"objective": {"kind": "kto"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "kto"}, "precision": "amp_bf16", "activation_checkpointing": "full_reentrant",
            "lora": {"r": 8, "target_modules": ["q_proj"]}}"#,
        r#"{"objective": {"kind": "orpo"}, "precision": "amp_bf16", "activation_checkpointing": "full"}"#,
        r#"{"objective": {"kind": "cpo"}, "precision": "bf16", "gradient_accumulation_steps": 2}"#,
        r#"{"objective": {"kind": "reward"}, "precision": "bf16", "task": "sequence_classification"}"#,
        r#"{"objective": {"kind": "sft", "loss_type": "dft"}, "precision": "bf16", "micro_batch_size": 1,
            "packing": {"kind": "padding_free", "sequences": 3}, "neftune_noise_alpha": 5.0}"#,
        r#"{"objective": {"kind": "dpo", "loss_type": "sft"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "dpo", "loss_type": "aot"}, "precision": "amp_bf16", "neftune_noise_alpha": 5.0}"#,
        r#"{"objective": {"kind": "kto", "loss_type": "apo_zero_unpaired"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 64, "loss_type": "vespo"}, "precision": "bf16"}"#,
        r#"{"objective": {"kind": "sft"}, "precision": "amp_bf16", "evaluation": {"kind": "loss"}}"#,
        r#"{"objective": {"kind": "dpo"}, "precision": "bf16", "evaluation": {"kind": "trainer", "micro_batch_size": 5}}"#,
        r#"{"objective": {"kind": "kto"}, "precision": "bf16", "lora": {"r": 8, "target_modules": ["q_proj"]},
            "evaluation": {"kind": "trainer", "batches": 12}}"#,
        r#"{"objective": {"kind": "grpo", "completion_tokens": 64, "beta": 0.1}, "precision": "bf16",
            "evaluation": {"kind": "loss", "micro_batch_size": 4}}"#,
    ];
    let spec = |option: &&str| {
        let mut scenario: Scenario = serde_json::from_str(option).expect("a scenario");
        scenario.model = crate::ask::ModelRef::Catalog("qwen2.5-0.5b".to_owned());
        let changed = [("num_hidden_layers", layers), ("num_labels", 1)];
        for (key, value) in changed {
            let overrides = &mut scenario.model_overrides;
            overrides.insert(key.to_owned(), value.into());
        }
        let spec = resolve(&scenario).spec.expect(option);
        ((*option).to_owned(), spec)
    };
    options.iter().map(spec).collect()
}

#[test]
fn folded_steps_of_trainers_have_the_peaks_of_all() {
    for (option, spec) in objectives(12) {
        let whole = unfolded(&spec, accumulation(&spec), Tape::new);
        assert_eq!(peaks(&simulate(&spec)), peaks(&whole), "{option}");
    }
}

/// An event of a trace without numbers that depend on the order in which scopes were made.
#[derive(Debug, PartialEq)]
enum Written {
    Made {
        number: u32,
        bytes: u64,
        op: &'static str,
        category: Category,
        module: Rc<str>,
        shape: Option<(Shape, DType)>,
        /// The stream, and whether another one uses it, too.
        stream: (Stream, Streams),
    },
    Freed(u32),
    Marked(Mark),
    Other(Event),
    /// Sums over the run.
    Counted([u64; 4]),
}

fn written(trace: &Trace) -> Vec<Written> {
    let mut numbers = vec![0; trace.record.storage_count()];
    let mut modules: BTreeMap<u32, Rc<str>> = BTreeMap::new();
    let mut next = 0;
    let events = trace.events().map(|event| match event {
        Event::Alloc(id) => {
            let storage = trace.record.storage(id).expect("a storage");
            let module = modules.entry(storage.scope);
            let number = next;
            numbers[id as usize] = number;
            next += 1;
            Written::Made {
                number,
                bytes: storage.bytes,
                op: trace.op(id),
                category: storage.category,
                module: Rc::clone(module.or_insert_with(|| trace.module(&storage).into())),
                shape: trace.shape(id),
                stream: (storage.stream, storage.used_on),
            }
        }
        Event::Free(id) => Written::Freed(numbers[id as usize]),
        Event::Mark(mark) => Written::Marked(trace.marks[mark as usize]),
        event => Written::Other(event),
    });
    let counted = Written::Counted([
        trace.host_activations.iter().sum(),
        trace.num_parameters,
        trace.num_trainable,
        trace.saved_for_backward,
    ]);
    let mut events: Vec<Written> = events.collect();
    events.push(counted);
    events
}

/// The first event that differs, with those around it in both.
fn difference(some: &Trace, all: &Trace) -> Option<String> {
    let [some, all] = [some, all].map(written);
    let at = some.iter().zip(&all).position(|(a, b)| a != b);
    let at = at.or_else(|| (some.len() != all.len()).then(|| some.len().min(all.len()) - 1))?;
    let around = |events: &[Written]| {
        let until = events.len().min(at + 2);
        format!("{:#?}", &events[at.saturating_sub(2)..until])
    };
    let (counts, both) = (
        [some.len(), all.len()],
        [&some, &all].map(|events| around(events)),
    );
    Some(format!(
        "at {at} of {counts:?}: {} not {}",
        both[0], both[1]
    ))
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
            if let Some(found) = difference(&some, &all) {
                different.push(format!("{model} {option}: {found}"));
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
