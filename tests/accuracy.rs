//! How exact the estimates are: every measured case of the fixtures, one table, and the goals.
//! `cargo test --test accuracy -- --nocapture` prints the tables.

#[path = "accuracy/document.rs"]
mod document;
#[path = "accuracy/near.rs"]
mod near;

use highwater::ask::{Hardware, Scenario};
use highwater::families::fixtures;
use highwater::report::{Accuracy, Goal, Selection, estimate, read_cases};
use highwater::resolve::resolve;
use highwater::sim::Phase;
use highwater::text::english;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};
use std::thread;

/// Cases of options over many families, beside the cases that the families' records name.
const OF_OPTIONS: &[&str] = &[
    "around.jsonl",
    "bitsandbytes_optimizers.jsonl",
    "chunked_loss.jsonl",
    "context_parallel.jsonl",
    "cycle.jsonl",
    "cycle_ranks.jsonl",
    "ddp.jsonl",
    "ddp_views.jsonl",
    "deepspeed_zero.jsonl",
    "distillation.jsonl",
    "divided_drawn.jsonl",
    "dora.jsonl",
    "drawn.jsonl",
    "drawn_options.jsonl",
    "eight_bit.jsonl",
    "embedding_adapters.jsonl",
    "evaluation.jsonl",
    "expert_adapters.jsonl",
    "expert_parallel.jsonl",
    "flash_attention_2.jsonl",
    "four_bit.jsonl",
    "fsdp1.jsonl",
    "fsdp2.jsonl",
    "generation.jsonl",
    "generation_encoder_decoder.jsonl",
    "grid.jsonl",
    "h200.jsonl",
    "h200_ranks.jsonl",
    "image_text_flash.jsonl",
    "image_text_generation.jsonl",
    "lengths.jsonl",
    "liger.jsonl",
    "liger_families.jsonl",
    "loading_ranks.jsonl",
    "loading_zero.jsonl",
    "master_weights.jsonl",
    "megatron.jsonl",
    "megatron_core.jsonl",
    "modules_to_save.jsonl",
    "neftune.jsonl",
    "offload.jsonl",
    "objectives.jsonl",
    "objectives_beside.jsonl",
    "objectives_evaluated.jsonl",
    "objectives_experts.jsonl",
    "objectives_ranks.jsonl",
    "optimizers.jsonl",
    "pipeline.jsonl",
    "pipeline_drawn.jsonl",
    "pipeline_ring.jsonl",
    "programs.jsonl",
    "quantized_casts.jsonl",
    "recipes.jsonl",
    "sequence_classification.jsonl",
    "sixteen_bit_weights.jsonl",
    "tensor_parallel.jsonl",
    "zero_offload.jsonl",
];

/// Why compositions differ under sharding.
const GATHERED: &str = "the harness calls gathered parameters and whole gradients activations where they are alive \
                        as a forward pass ends, and joined logits temporaries";

/// Goals that a file is not held to, and why.
const NOT_HELD: &[(&str, &[&str], &str)] = &[
    ("context_parallel.jsonl", &["composition worst"], GATHERED),
    ("cycle_ranks.jsonl", &["composition worst"], GATHERED),
    (
        "ddp.jsonl",
        &["composition worst", "peak_reserved p95"],
        "the harness calls a bucket that holds gradients communication (16 %); buckets of the smallest models \
         are off by a segment (5.8 %)",
    ),
    (
        "ddp_views.jsonl",
        &["composition worst"],
        "gradients that a static graph replaces by parts of buckets are temporaries to the harness",
    ),
    (
        "deepspeed_zero.jsonl",
        &[
            "composition worst",
            "peak_tensor worst",
            "peak_reserved p95",
            "binding phase right",
        ],
        "LoRA beside experts under ZeRO-3 is 2.5 % too low, in one case; the harness calls gathered weights and \
         buckets otherwise (48 %)",
    ),
    (
        "divided_drawn.jsonl",
        &["composition worst", "peak_reserved p95"],
        "models of a few MiB are off by a segment (3.6 %); the harness calls gathered parameters activations",
    ),
    ("expert_parallel.jsonl", &["composition worst"], GATHERED),
    ("fsdp1.jsonl", &["composition worst"], GATHERED),
    ("fsdp2.jsonl", &["composition worst"], GATHERED),
    (
        "megatron_core.jsonl",
        &["composition worst"],
        "the harness calls micro-batches, what a stage received and fp32 copies of gradients activations, and \
         logits temporaries (5.8 %)",
    ),
    ("loading_ranks.jsonl", &["composition worst"], GATHERED),
    ("loading_zero.jsonl", &["composition worst"], GATHERED),
    ("pipeline.jsonl", &["composition worst"], GATHERED),
    (
        "pipeline_drawn.jsonl",
        &["composition worst"],
        "the harness calls what is received, and gradients that are sent, activations",
    ),
    (
        "pipeline_ring.jsonl",
        &["composition worst"],
        "the harness calls what is received, and gradients that are sent, activations",
    ),
    ("tensor_parallel.jsonl", &["composition worst"], GATHERED),
    (
        "drawn_options.jsonl",
        &["composition worst"],
        "the oracle does not see all caches of flash-linear-attention's beams (3.7 %) nor the newest \
         gradient of a step within backward (11 %), and takes an adapter's cast of stacked experts for \
         autocast's (0.95 %)",
    ),
    (
        "h200.jsonl",
        &["peak_tensor equal to the byte"],
        "models have a buffer of 512 bytes on the real GPU that they have nowhere else (not found yet)",
    ),
    (
        "h200_ranks.jsonl",
        &[
            "peak_tensor equal to the byte",
            "peak_allocated worst",
            "peak_tensor p95",
            "peak_tensor worst",
            "peak_allocated p95",
            "peak_reserved p95",
            "binding phase right",
        ],
        "as h200; FSDP2 is estimated as torch 2.15 has it, and was measured with 2.11 (12 %)",
    ),
    (
        "liger_families.jsonl",
        &["composition worst"],
        "the oracle calls a copy autocast's that Liger's loss makes of the head's weight and drops at \
         once (5.2 %)",
    ),
    (
        "nemotron_h.jsonl",
        &["peak_reserved p95"],
        "its two models of 35 MiB are off by one segment of 2 MiB, the larger ones by none",
    ),
    ("objectives_experts.jsonl", &["composition worst"], GATHERED),
    (
        "objectives_ranks.jsonl",
        &["composition worst", "peak_reserved p95"],
        "the harness calls gathered weights, gradients and buckets otherwise (99 %), as of the same wrappers beside the \
         usual loop; models of odd sizes are small and off by a few segments (7.2 %)",
    ),
    (
        "recipes.jsonl",
        &["composition worst", "peak_reserved p95"],
        "LOMO's newest gradient is a temporary to the harness (11 %); segments differ where LOMO, APOLLO and compiled \
         steps take blocks in another order (9.2 %)",
    ),
    (
        "zero_offload.jsonl",
        &["composition worst"],
        "the oracle calls gathered weights and buckets of DeepSpeed otherwise (48 %)",
    ),
];

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn accuracy(lines: &str) -> Accuracy {
    Accuracy::of(
        &read_cases(lines).expect("cases"),
        &Selection::default(),
        english,
    )
}

/// The comparison of one file.
struct Found {
    cases: usize,
    estimated: usize,
    goals: Vec<Goal>,
    accuracy: Accuracy,
}

impl Found {
    fn of(file: &str) -> Self {
        let text = fixture(file);
        let cases = text.lines().filter(|line| line.starts_with('{')).count();
        let accuracy = accuracy(&text);
        Self {
            cases,
            estimated: accuracy.compared(),
            goals: accuracy.goals(),
            accuracy,
        }
    }
}

/// All files with measured cases, compared by as many threads as run at once.
static FOUND: LazyLock<BTreeMap<&str, Found>> = LazyLock::new(|| {
    let files: BTreeSet<&str> = fixtures()
        .into_iter()
        .chain(OF_OPTIONS.iter().copied())
        .collect();
    let open = Mutex::new(files.into_iter());
    let next = || open.lock().expect("no thread failed").next();
    let compare = || {
        std::iter::from_fn(next)
            .map(|file| (file, Found::of(file)))
            .collect()
    };
    let count = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(compare)).collect();
        let found = threads
            .into_iter()
            .map(|thread| thread.join().expect("compared"));
        found.flat_map(|found: Vec<_>| found).collect()
    })
});

#[test]
fn every_case_of_the_families_and_of_options_over_them_is_estimated_and_meets_every_goal() {
    let mut missed = Vec::new();
    for (file, found) in FOUND.iter() {
        println!("{file}: {}", found.accuracy);
        if found.estimated != found.cases {
            missed.push(format!(
                "{file}: {} of {} cases",
                found.estimated, found.cases
            ));
        }
        let free = NOT_HELD.iter().find(|(name, ..)| name == file);
        let free = free.map_or(&[][..], |(_, goals, _)| goals);
        for Goal {
            what,
            found,
            bound,
            met,
        } in &found.goals
        {
            if !met && !free.contains(what) {
                missed.push(format!("{file}: {what}: {found} against {bound}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Losses, logits, predictions that are kept, caches, greedy and random decoding, beams.
#[test]
fn evaluation_and_generation_are_equal_to_the_byte() {
    for what in [
        "peak_tensor worst",
        "peak_allocated worst",
        "peak_reserved p95",
    ] {
        let goal = FOUND["evaluation.jsonl"]
            .goals
            .iter()
            .find(|goal| goal.what == what);
        assert!(goal.is_some_and(|goal| goal.found == 0.0), "{goal:?}");
    }
}

/// DDP makes its buckets again in the first step, or the second: gradients that are there become parts of those.
#[test]
fn gradients_move_with_the_buckets_that_they_are_parts_of() {
    let mut cases = 0;
    for line in fixture("ddp_views.jsonl").lines() {
        let Ok(case) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let scenario: Scenario =
            serde_json::from_value(case["scenario"].clone()).expect("a scenario");
        let device = estimate(&scenario).expect("an answer").report.device;
        let measured = &case["expect"]["first_step"]["peak"]["peak_tensor"];
        let found = device.first_step.peak.peak_tensor.get();
        assert_eq!(Some(found), measured.as_u64(), "{}", case["id"]);
        cases += 1;
    }
    assert_eq!(cases, 58);
}

/// The most that a model takes on its way to the device, and what a checkpoint takes beside the steps.
#[test]
fn loading_and_saving_take_what_was_measured() {
    for (step, phase) in [
        ("first_step", Phase::Loading),
        ("steady_step", Phase::Saving),
    ] {
        let (mut cases, mut equal, mut worst) = (0, 0, 0.0_f64);
        let files = ["around.jsonl", "loading_ranks.jsonl", "loading_zero.jsonl"];
        let lines: String = files.into_iter().map(fixture).collect();
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let case: Value = serde_json::from_str(line).expect("a case");
            let measured = &case["expect"][step]["phases"][phase.name()]["peak_tensor"];
            let Some(measured) = measured.as_u64() else {
                continue;
            };
            let scenario: Scenario =
                serde_json::from_value(case["scenario"].clone()).expect("a scenario");
            let device = estimate(&scenario).expect("an answer").report.device;
            let steps = [device.first_step, device.steady_step];
            let of_step = &steps[usize::from(phase == Phase::Saving)];
            let found = of_step.phases.iter().find(|found| found.phase == phase);
            let found = found.expect("the phase").peak_tensor.get();
            cases += 1;
            equal += usize::from(found == measured);
            worst = worst.max(found.abs_diff(measured) as f64 / measured as f64);
        }
        println!("{}: {equal} of {cases}, worst {worst}", phase.name());
        assert!(cases >= 30, "{cases} cases");
        assert!(equal * 100 >= cases * RIGHT_OF_100, "{equal} of {cases}");
        assert!(worst <= 0.02, "{worst}");
    }
}

/// The most that a step of GRPO takes while it generates.
#[test]
fn generating_takes_what_was_measured() {
    let (mut cases, mut equal, mut worst) = (0, 0, 0.0_f64);
    let files = ["cycle.jsonl", "cycle_ranks.jsonl"].map(fixture);
    for line in files.iter().flat_map(|file| file.lines()) {
        let Ok(case) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let measured = &case["expect"]["steady_step"]["phases"]["generation"]["peak_tensor"];
        let measured = measured.as_u64().expect("a generation in the last step");
        let scenario: Scenario =
            serde_json::from_value(case["scenario"].clone()).expect("a scenario");
        let step = estimate(&scenario)
            .expect("an answer")
            .report
            .device
            .steady_step;
        let mut phases = step.phases.iter();
        let found = phases.find(|found| found.phase == Phase::Generation);
        let found = found.expect("the phase").peak_tensor.get();
        cases += 1;
        equal += usize::from(found == measured);
        worst = worst.max(found.abs_diff(measured) as f64 / measured as f64);
    }
    println!("generation: {equal} of {cases}, worst {worst}");
    assert!(cases >= 60, "{cases} cases");
    assert!(equal * 100 >= cases * RIGHT_OF_100, "{equal} of {cases}");
    assert!(worst <= 0.02, "{worst}");
}

/// The number of answers out of a hundred that must be right.
const RIGHT_OF_100: usize = 95;

/// Fits or not at 2 % above and below the measured smallest capacity.
#[test]
fn running_out_of_memory_is_told_at_two_percent_above_and_below_the_smallest_capacity() {
    let (mut asked, mut right, mut refused) = (0, 0, 0);
    for line in fixture("smallest_capacity.jsonl")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let case: Value = serde_json::from_str(line).expect("a case");
        let measured = case["expect"]["smallest_capacity"].as_u64().expect("bytes");
        let Ok(scenario) = serde_json::from_value::<Scenario>(case["scenario"].clone()) else {
            refused += 1;
            continue;
        };
        if resolve(&scenario).spec.is_none() {
            refused += 1;
            continue;
        }
        let ample = Hardware {
            gpu_memory: Some(1 << 40),
            ..scenario.hardware.clone()
        };
        for (limit, fits) in [(measured / 100 * 102, true), (measured / 100 * 98, false)] {
            let limited = Scenario {
                memory_limit: Some(limit),
                hardware: ample.clone(),
                ..scenario.clone()
            };
            let failure = estimate(&limited).expect("an answer").failure;
            asked += 1;
            if failure.is_none() == fits {
                right += 1;
            } else {
                println!(
                    "wrong at {limit}, smallest is {measured}: {}",
                    case["scenario"]
                );
            }
        }
    }
    println!("{right} of {asked} right, not supported: {refused} cases");
    assert_eq!(asked / 2 + refused, 68, "every case is accounted for");
    assert!(right * 100 >= asked * RIGHT_OF_100, "{right} of {asked}");
}

/// Settings of the allocator: reserved within 3 % median and 8 % at the 95th percentile, for each.
#[test]
fn reserved_memory_follows_each_setting_of_the_allocator() {
    let mut by_setting: BTreeMap<String, String> = BTreeMap::new();
    let text = fixture("allocator_settings.jsonl");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let case: Value = serde_json::from_str(line).expect("a case");
        let cases = by_setting.entry(case["scenario"]["allocator"].to_string());
        let cases = cases.or_default();
        cases.push_str(line);
        cases.push('\n');
    }
    assert_eq!(by_setting.len(), 10);
    let mut accounted = 0;
    for (setting, cases) in by_setting {
        let cases = read_cases(&cases).expect("cases");
        let accuracy = Accuracy::of(&cases, &Selection::default(), english);
        accounted += accuracy.compared() + accuracy.not_supported().values().sum::<usize>();
        let goals = accuracy.goals();
        let found = |what: &str| goals.iter().find(|goal| goal.what == what).map(|g| g.found);
        let [median, p95] =
            ["median", "p95"].map(|rank| found(&format!("peak_reserved {rank}")).expect("a goal"));
        println!(
            "{setting}: {} cases, median {median}, p95 {p95}",
            accuracy.compared()
        );
        assert!(median <= 0.03 && p95 <= 0.08, "{setting}: {median}, {p95}");
    }
    assert_eq!(accounted, 102, "every case is accounted for");
}
