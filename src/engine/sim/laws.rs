//! Laws of every run over drawn scenarios, the same ones on every run.

use super::run::{Layers, folded, unfolded};
use super::tests::written_out;
use super::{Event, Trace, simulate};
use crate::ask::{EvaluationKind, Program, Scenario};
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::tape::{Category, Tape};
use serde_json::{Value, json};

/// Scenarios that are tried.
const RUNS: u64 = 60;

/// A small deterministic generator (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[usize::try_from(self.below(values.len() as u64)).unwrap_or(0)]
    }

    fn scenario(&mut self) -> Value {
        let model = self.pick(&[
            "smollm2-135m",
            "qwen2.5-0.5b",
            "qwen3-0.6b",
            "gpt2",
            "gemma-2-2b",
            "pythia-160m",
            "bert-base",
            "t5-small",
        ]);
        let layers = match model {
            "gpt2" => json!({"n_layer": 2}),
            "t5-small" => json!({"num_layers": 2, "num_decoder_layers": 2}),
            _ => json!({"num_hidden_layers": 2}),
        };
        let mut scenario = json!({
            "model": model,
            "model_overrides": layers,
            "micro_batch_size": 1 + self.below(4),
            "seq_len": 8 * (1 + self.below(24)),
            "gradient_accumulation_steps": 1 + self.below(3),
            "precision": self.pick(&["fp32", "bf16", "amp_bf16", "amp_fp16"]),
            "attention": self.pick(&["sdpa", "eager"]),
            "activation_checkpointing": self.pick(&["none", "none", "full", "full_reentrant"]),
            "checkpoint_every": 1 + self.below(2),
            "optimizer": {
                "name": self.pick(&["adamw", "sgd", "adafactor", "lion", "none"]),
                "impl": self.pick(&["foreach", "fused", "for_loop"]),
            },
            "padding_mask": self.one_in(2),
            "clip_grad_norm": self.one_in(2),
            "framework": self.pick(&[
                "torch-2.15/transformers-5.23",
                "torch-2.6/transformers-4.51",
                "torch-2.6/transformers-4.48",
            ]),
        });
        if self.one_in(4) {
            scenario["lora"] = json!({"r": 8, "target_modules": ["all-linear"]});
        }
        if self.one_in(4) {
            scenario["loss"] = json!("mean_logits");
        }
        if self.one_in(4) {
            scenario["offload"] = json!({"activations": true});
        }
        if self.one_in(3) {
            let kind = self.pick(&["loss", "logits", "trainer", "generate"]);
            scenario["evaluation"] = json!({"kind": kind, "max_new_tokens": 3});
        }
        scenario
    }
}

/// Calls `law` with scenarios that can be.
fn every(seed: u64, mut law: impl FnMut(&Value, &ResolvedSpec)) {
    let mut draw = Random(seed);
    let (mut tried, mut refused) = (0, 0);
    while tried < RUNS {
        let written = draw.scenario();
        match spec_of(&written) {
            Some(spec) => {
                tried += 1;
                law(&written, &spec);
            }
            None => refused += 1,
        }
        assert!(refused < 10 * RUNS, "most scenarios are refused");
    }
}

fn spec_of(written: &Value) -> Option<ResolvedSpec> {
    let scenario: Scenario = serde_json::from_value(written.clone()).expect("a scenario");
    resolve(&scenario).spec
}

/// Bytes that live after each event, by category.
fn lives(trace: &Trace, mut f: impl FnMut(usize, &[u64])) {
    let mut alive = vec![false; trace.record.storage_count()];
    let mut by = vec![0; Category::ALL.len()];
    for (at, event) in trace.events().enumerate() {
        match event {
            Event::Alloc(id) => {
                let storage = trace.record.storage(id).expect("a storage");
                assert!(!std::mem::replace(&mut alive[id as usize], true));
                by[storage.category as usize] += storage.bytes;
            }
            Event::Free(id) => {
                let storage = trace.record.storage(id).expect("a storage");
                assert!(std::mem::replace(&mut alive[id as usize], false));
                by[storage.category as usize] -= storage.bytes;
            }
            Event::Mark(_) | Event::EmptyCache | Event::Wait(_) => {}
        }
        f(at, &by);
    }
}

fn peak(trace: &Trace) -> u64 {
    let mut peak = 0;
    lives(trace, |_, by| peak = by.iter().sum::<u64>().max(peak));
    peak
}

#[test]
fn what_is_freed_was_alive_and_nothing_of_a_step_stays() {
    every(1, |written, spec| {
        let trace = simulate(spec);
        // Live bytes at the end of each step, which is where the next one begins.
        let mut ends = Vec::new();
        let starts: Vec<usize> = (1..=trace.steady_step())
            .filter_map(|step| {
                trace.events().position(|event| {
                    matches!(event, Event::Mark(mark) if trace.marks[mark as usize].step == step)
                })
            })
            .chain([trace.event_count() - 1])
            .collect();
        lives(&trace, |at, by| {
            if starts.contains(&at) {
                ends.push(by.to_vec());
            }
        });
        assert_eq!(ends.len(), 3, "{written}");
        assert_eq!(ends[1], ends[2], "{written}");
        for category in [Category::Gradients, Category::KvCache, Category::Logits] {
            assert_eq!(ends[2][category as usize], 0, "{written}");
        }
    });
}

#[test]
fn steps_that_are_put_together_are_those_that_are_run() {
    every(2, |written, spec| {
        if let Some(folded) = folded(spec, 2, Tape::new, Layers::All) {
            let unfolded = unfolded(spec, 2, Tape::new);
            assert!(written_out(&folded) == unfolded, "{written}");
        }
    });
}

#[test]
fn the_same_scenario_gives_the_same_trace() {
    every(3, |written, spec| {
        assert!(simulate(spec) == simulate(spec), "{written}");
    });
}

#[test]
fn twice_the_samples_or_tokens_never_need_less() {
    every(4, |written, spec| {
        let base = peak(&simulate(spec));
        for key in ["micro_batch_size", "seq_len"] {
            let mut more = written.clone();
            more[key] = json!(written[key].as_u64().unwrap_or(1) * 2);
            if let Some(more) = spec_of(&more) {
                assert!(peak(&simulate(&more)) >= base, "{key}: {written}");
            }
        }
    });
}

#[test]
fn an_evaluation_needs_no_gradients_and_no_states() {
    every(5, |written, _| {
        let mut alone = written.clone();
        alone["program"] = json!("evaluation");
        let Some(spec) = spec_of(&alone) else { return };
        assert_eq!(spec.program, Program::Evaluation);
        assert_ne!(spec.evaluation.kind, EvaluationKind::None);
        let trace = simulate(&spec);
        lives(&trace, |_, by| {
            for category in [Category::Gradients, Category::OptimizerStates] {
                assert_eq!(by[category as usize], 0, "{written}");
            }
        });
    });
}

#[test]
fn what_streams_wait_for_changes_nothing_that_is_allocated() {
    for dp in [
        json!({"kind": "fsdp1", "size": 4}),
        json!({"kind": "deepspeed_zero", "size": 4, "stage": 2, "overlap_comm": true}),
        json!({"kind": "deepspeed_zero", "size": 4, "stage": 3}),
    ] {
        let asked = json!({"model": "qwen2.5-0.5b", "precision": "bf16", "seq_len": 64,
            "parallelism": {"dp": dp}});
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let spec = crate::resolve::resolve(&scenario).spec.expect("a spec");
        let is_wait = |event: &Event| matches!(event, Event::Wait(_));
        let [plain, waiting] = [simulate(&spec), super::simulate_with_waits(&spec)];
        let waits = waiting.events().filter(is_wait).count();
        assert!(waits > 5, "{dp}: {waits}");
        let others = |trace: &Trace| -> Vec<Event> {
            trace.events().filter(|event| !is_wait(event)).collect()
        };
        assert!(others(&plain) == others(&waiting), "{dp}");
    }
}
