//! Every axis is solved for, or refused with a reason, whatever else a scenario says: no setting makes a search panic.

use highwater::ask::{Fix, Scenario};
use highwater::codec::{KEYS, Key, Kind, decode_json, encode_json};
use highwater::decide::{Answer, Axis, Estimator, MemoryMap, Progress, Question, Solver, solve};
use highwater::report::Figures;
use highwater::resolve::resolve;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Pairs of a scenario and an axis in a usual run.
const USUAL: u64 = 600;

/// Steps of a search that are followed.
const STEPS: usize = 200;

/// Numbers without a pattern, the same ones each time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).expect("below a size")
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Scenarios from which searches begin: settings that give most keys an effect.
fn begins() -> Vec<Scenario> {
    let all = [
        json!({}),
        json!({"packing": {"kind": "position_ids"}}),
        json!({"packing": {"kind": "padding_free", "sequences": 3}, "attention": "flash_attention_2"}),
        json!({"model": "gpt2", "lora": {"r": 8}, "quantization": {"type": "nf4"}}),
        json!({"model": "qwen2.5-vl-3b-instruct", "max_pixels": 1_003_520, "images": 2}),
        json!({"model": "t5-small", "target_seq_len": 64}),
        json!({"model": "mixtral-8x7b", "hardware": {"gpus_per_node": 8, "nodes": 2},
            "parallelism": {"dp": {"kind": "fsdp2"}, "tp": {"size": 2}, "pp": {"size": 2}}}),
        json!({"objective": {"kind": "grpo", "completion_tokens": 64, "generation": "vllm"}}),
        json!({"objective": {"kind": "dpo"}, "dataset": {"lengths": {"mean": 100, "p95": 300, "longest": 1000}}}),
        json!({"evaluation": {"kind": "generation", "max_new_tokens": 8}, "dataloader": {"num_workers": 4}}),
        json!({"parallelism": {"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 4}}}),
        json!({"model": {"linear": {"in_features": 64, "out_features": 32}}, "optimizer": {"name": "sgd"}}),
    ];
    all.iter()
        .map(|asked| decode_json(&asked.to_string()).0)
        .collect()
}

/// A value that a key can hold, likely a strange one.
fn odd(key: &Key, numbers: &mut Numbers) -> Value {
    const COUNTS: [u64; 12] = [
        0,
        1,
        2,
        3,
        7,
        64,
        1000,
        1 << 14,
        1 << 24,
        1 << 40,
        1 << 53,
        u64::MAX,
    ];
    match key.kind {
        Kind::Count | Kind::Tokens | Kind::Bytes => (*numbers.one(&COUNTS)).into(),
        Kind::Real => (*numbers.one(&[0.0, 0.01, 0.5, 1.0, 1e9])).into(),
        Kind::Flag => (numbers.below(2) == 1).into(),
        Kind::Name(all) => (*numbers.one(&all())).into(),
        Kind::Text | Kind::Sides => (*numbers.one(&["", "1,2", "64", "0x0", "q_proj"])).into(),
        Kind::List => json!(numbers.one(&[vec![], vec!["all"], vec!["q_proj", "v_proj"]])),
        Kind::Model | Kind::Fields | Kind::Divisions | Kind::Lengths => Value::Null,
    }
}

fn drawn(begins: &[Scenario], numbers: &mut Numbers) -> Scenario {
    let mut scenario = numbers.one(begins).clone();
    for _ in 0..numbers.below(4) {
        let key = numbers.one(KEYS);
        let value = odd(key, numbers);
        let fix = Fix {
            key: key.path.to_owned(),
            value,
        };
        scenario = fix.apply(&scenario).unwrap_or(scenario);
    }
    scenario
}

/// Says of a scenario that is not refused that it fits or not, without an estimate.
struct Unestimated {
    figures: Figures,
    numbers: Numbers,
}

impl Estimator for Unestimated {
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
        let resolution = resolve(scenario);
        if resolution.spec.is_none() {
            return Some(Err(resolution.findings));
        }
        self.figures.device.fits = self.numbers.below(3) > 0;
        Some(Ok(self.figures.clone()))
    }
}

/// Searches a scenario along an axis, and draws maps of it, by an estimator that says what it likes.
fn search(scenario: &Scenario, axis: &Axis, mut by: Unestimated) {
    let Ok(mut solver) = Solver::new(scenario, axis) else {
        return;
    };
    let mut steps = 0..STEPS;
    while steps.next().is_some() && solver.advance(&mut by) == Progress::Further {}
    let _ = solver.solution();
    for beside in ["micro_batch_size", "seq_len"] {
        let beside = Axis::named(beside).expect("an axis");
        let _ = MemoryMap::new(scenario, [axis, &beside], 8);
    }
}

#[test]
fn no_axis_of_any_scenario_makes_a_search_panic() {
    let begins = begins();
    let mut axes = Axis::numbers();
    axes.extend(Axis::usual());
    let asked_for = std::env::var("AXES_DRAWN").ok();
    let drawn_pairs = asked_for
        .and_then(|count| count.parse().ok())
        .unwrap_or(USUAL);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let plain = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "model_overrides": {"num_hidden_layers": 2}});
    let plain = decode_json(&plain.to_string()).0;
    let figures = Figures::of(&plain).expect("figures");
    let each = begins
        .iter()
        .flat_map(|begin| axes.iter().map(move |axis| (begin.clone(), axis)));
    let mut pairs: Vec<(Scenario, &Axis)> = each.collect();
    for _ in 0..drawn_pairs {
        let axis = numbers.one(&axes);
        pairs.push((drawn(&begins, &mut numbers), axis));
    }
    let seed = numbers.0;
    let look = |(scenario, axis): &(Scenario, &Axis)| {
        let by = Unestimated {
            figures: figures.clone(),
            numbers: Numbers(seed),
        };
        let searched = catch_unwind(AssertUnwindSafe(|| search(scenario, axis, by)));
        let (name, asked) = (axis.name(), encode_json(scenario));
        assert!(searched.is_ok(), "{name} of {asked}");
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for worker in 0..threads {
            let own = pairs.iter().skip(worker).step_by(threads);
            scope.spawn(move || own.for_each(look));
        }
    });
}

#[test]
fn the_longest_row_of_packed_sequences_is_found() {
    let asked = json!({"packing": {"kind": "position_ids"}});
    let scenario = decode_json(&asked.to_string()).0;
    let axis = Axis::named("seq_len").expect("an axis");
    let solution = solve(&scenario, &axis).expect("a solution");
    assert!(solution.value.as_u64() > Some(256), "{:?}", solution.value);
}
