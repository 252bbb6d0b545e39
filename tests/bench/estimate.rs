//! How long one estimate takes: the whole, and its parts. `cargo bench --bench estimate`.
//!
//! The budget is 0.5 ms for a model of 28 to 32 layers with full trace and allocator replay, 1.5 ms for one rank
//! of it under each wrapper, 10 ms for a model of 126 layers, 20 ms for all ranks of that on 512 GPUs that differ,
//! 1 ms for each candidate of a search for plans, and 64 MiB of memory for any model. Times are the smallest of
//! several runs, since a busy machine only ever adds.

use highwater::ask::{
    Evaluation, EvaluationKind, Framework, ModelRef, Optimizer, OptimizerImpl, Precision, Program,
    Scenario,
};
use highwater::catalog;
use highwater::codec::decode_json;
use highwater::decide::{AtOnce, PlanOptions, Progress, Question, Sweeper, plans};
use highwater::families;
use highwater::report::{Cell, Figures, each, estimate, keep_memory, ranks, summarize, survey};
use highwater::resolve::resolve;
use highwater::sim::simulate;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

const RUNS: usize = 30;
const MODELS: [(&str, Precision, OptimizerImpl, Duration); 5] = [
    (
        "qwen2.5-1.5b",
        Precision::Fp32,
        OptimizerImpl::Foreach,
        Duration::from_micros(500),
    ),
    (
        "mistral-7b",
        Precision::Bf16,
        OptimizerImpl::Fused,
        Duration::from_micros(500),
    ),
    (
        "mistral-7b",
        Precision::AmpBf16,
        OptimizerImpl::Foreach,
        Duration::from_micros(500),
    ),
    (
        "llama-3.1-8b",
        Precision::Fp32,
        OptimizerImpl::ForLoop,
        Duration::from_micros(500),
    ),
    (
        "llama-3.1-405b",
        Precision::AmpBf16,
        OptimizerImpl::Foreach,
        Duration::from_millis(10),
    ),
];

fn smallest<T>(work: impl FnMut() -> T) -> Duration {
    smallest_of(RUNS, work)
}

fn smallest_of<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn scenario(model: &str, precision: Precision, implementation: OptimizerImpl) -> Scenario {
    Scenario {
        model: ModelRef::Catalog(model.to_owned()),
        precision,
        seq_len: 1024,
        optimizer: Optimizer {
            implementation,
            ..Optimizer::default()
        },
        ..Scenario::default()
    }
}

/// Token by token: a text of an 8B model, one with beams, and the evaluations of situation 4.
fn generations() -> [(&'static str, Scenario, Duration); 3] {
    let text = |beams: u64| Scenario {
        model: ModelRef::Catalog("llama-3.1-8b".to_owned()),
        precision: Precision::Bf16,
        program: Program::Evaluation,
        seq_len: 512,
        micro_batch_size: 4,
        evaluation: Evaluation {
            kind: EvaluationKind::Generate,
            max_new_tokens: 512,
            num_beams: beams,
            ..Evaluation::default()
        },
        ..Scenario::default()
    };
    let two_jobs = catalog::situation("two-lora-jobs").expect("a situation");
    [
        ("512 tokens", text(1), Duration::from_millis(20)),
        ("512 tokens, 4 beams", text(4), Duration::from_millis(20)),
        (
            "situation 4",
            decode_json(two_jobs.scenario).0,
            Duration::from_millis(5),
        ),
    ]
}

/// One rank of eight that train an 8B model, under each wrapper.
fn wrapped() -> [(&'static str, Scenario, Duration); 6] {
    let budget = Duration::from_micros(1500);
    let kinds = [
        ("llama-3.1-8b fsdp2", r#"{"kind": "fsdp2"}"#),
        ("llama-3.1-8b fsdp1", r#"{"kind": "fsdp1"}"#),
        ("llama-3.1-8b ddp", r#"{"kind": "ddp"}"#),
        (
            "llama-3.1-8b zero 1",
            r#"{"kind": "deepspeed_zero", "stage": 1}"#,
        ),
        (
            "llama-3.1-8b zero 2",
            r#"{"kind": "deepspeed_zero", "stage": 2}"#,
        ),
        (
            "llama-3.1-8b zero 3",
            r#"{"kind": "deepspeed_zero", "stage": 3}"#,
        ),
    ];
    kinds.map(|(name, kind)| {
        let scenario = format!(
            r#"{{"model": "llama-3.1-8b", "precision": "bf16", "seq_len": 1024,
                "hardware": {{"gpus_per_node": 8}}, "parallelism": {{"dp": {kind}}}}}"#
        );
        (name, decode_json(&scenario).0, budget)
    })
}

/// All ranks of a model of 126 layers that differ: 16 stages, each divided among 8 ranks, with four copies that
/// FSDP2 divides.
fn ranks_of_512() {
    const BUDGET: Duration = Duration::from_millis(20);
    const RUNS: usize = 3;
    let scenario = decode_json(
        r#"{"model": "llama-3.1-405b", "precision": "bf16", "micro_batch_size": 1, "seq_len": 1024,
            "hardware": {"gpus_per_node": 8, "nodes": 64},
            "parallelism": {"tp": {"size": 8}, "pp": {"size": 16}, "dp": {"kind": "fsdp2"}}}"#,
    );
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        let found = ranks(&scenario.0);
        let elapsed = start.elapsed();
        assert_eq!(found.iter().map(|of| of.count).sum::<u64>(), 512);
        elapsed
    });
    let best = times.min().unwrap_or_default();
    println!("llama-3.1-405b on 512 GPUs, ranks that differ: {best:?}; budget {BUDGET:?}");
}

/// Asks this program for [`hungriest`] alone.
const MEMORY: &str = "--memory";

fn main() {
    keep_memory();
    let mut arguments = std::env::args().skip_while(|argument| argument != MEMORY);
    if let Some(what) = arguments.nth(1) {
        return hungriest(&what);
    }
    memory();
    println!("smallest of {RUNS} runs, in microseconds");
    println!(
        "{:<34} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9}",
        "scenario", "events", "budget", "whole", "resolve", "simulate", "summarize"
    );
    for (model, precision, implementation, budget) in MODELS {
        let name = format!("{model} {} {}", precision.name(), implementation.name());
        row(&name, &scenario(model, precision, implementation), budget);
    }
    for (name, scenario, budget) in generations().into_iter().chain(wrapped()) {
        row(name, &scenario, budget);
    }
    let groups = catalog::SituationGroup::ALL.iter();
    for situation in groups.flat_map(|group| catalog::situations_of(*group)) {
        let asked = decode_json(situation.scenario).0;
        row(situation.id, &asked, Duration::from_millis(2));
    }
    ranks_of_512();
    let scenario = scenario("qwen2.5-1.5b", Precision::Fp32, OptimizerImpl::Foreach);
    let mut sweeper = Sweeper::around(&scenario);
    let start = Instant::now();
    let mut estimates = 1;
    while sweeper.advance(&mut AtOnce) == Progress::Further {
        estimates += 1;
    }
    println!("a sweep: {estimates} estimates, {:?}", start.elapsed());
    thousand();
    plan_search();
    maps();
}

/// Maps of 64 by 64 cells: all verdicts from the runs of a few cells, beside an estimate for each cell.
fn maps() {
    const BUDGET: Duration = Duration::from_millis(250);
    const SAMPLED: usize = 16;
    let [batches, lengths] = [1, 128].map(|step| (1..=64).map(|n| n * step).collect::<Vec<u64>>());
    for (model, precision, implementation, _) in MODELS {
        let mut asked = scenario(model, precision, implementation);
        "h100-80gb".clone_into(&mut asked.hardware.gpu);
        let cell = |&length: &u64| batches.iter().map(move |&batch| Cell { batch, length });
        let cells: Vec<Cell> = lengths.iter().flat_map(cell).step_by(SAMPLED).collect();
        let start = Instant::now();
        black_box(each(&cells, |cell| Figures::of(&cell.of(&asked))));
        let one_by_one = start.elapsed() * u32::try_from(SAMPLED).unwrap_or(u32::MAX);
        let took = smallest_of(3, || survey(&asked, &batches, &lengths));
        let ratio = one_by_one.as_secs_f64() / took.as_secs_f64();
        println!(
            "a map of {model} {}: {took:?}, cell by cell {one_by_one:?}: {ratio:.1} times; budget {BUDGET:?}",
            precision.name()
        );
    }
}

/// A search for plans of a model on 8 GPUs, whose budget is 1 s for 1,000 candidates.
fn plan_search() {
    const BUDGET: Duration = Duration::from_millis(1);
    let mut asked = scenario("llama-3.1-8b", Precision::Bf16, OptimizerImpl::Foreach);
    (asked.micro_batch_size, asked.hardware.gpus_per_node) = (8, 8);
    let start = Instant::now();
    let found = plans(&asked, &PlanOptions::default());
    let elapsed = start.elapsed();
    println!(
        "a search for plans: {} found, {} candidates, {} estimated, {elapsed:?}",
        found.plans.len(),
        found.candidates,
        found.estimated,
    );
    let each = elapsed / u32::try_from(found.candidates.max(1)).unwrap_or(u32::MAX);
    println!("a candidate of it: {each:?}; budget {BUDGET:?}");
}

/// One scenario's time, as a whole and in its parts.
fn row(name: &str, scenario: &Scenario, budget: Duration) {
    let spec = resolve(scenario).spec.expect("a valid scenario");
    let trace = simulate(&spec);
    let micros = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1e6);
    println!(
        "{name:<34} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9}",
        trace.event_count(),
        micros(budget),
        micros(smallest(|| estimate(scenario))),
        micros(smallest(|| resolve(scenario))),
        micros(smallest(|| simulate(&spec))),
        micros(smallest(|| summarize(&spec, &trace))),
    );
}

/// The most memory that the process has had, in KiB: `VmHWM` of `/proc/self/status`, on Linux only.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The scenarios whose memory is measured, in a process each: in words, the model if not all, and in JSON.
const ASKED: [(&str, Option<&str>, &str); 5] = [
    ("a step", None, "{}"),
    (
        "a generation after it",
        None,
        r#"{"evaluation": {"kind": "generate"}}"#,
    ),
    (
        "adapters on every expert",
        Some("deepseek-v3"),
        r#"{"lora": {"target_modules": ["gate_proj", "up_proj", "down_proj"]}}"#,
    ),
    (
        "those, every fourth layer checkpointed, and an evaluation",
        Some("deepseek-v3"),
        r#"{"lora": {"target_modules": ["all-linear"]}, "quantization": {"type": "nf4"},
            "optimizer": {"name": "adagrad"}, "activation_checkpointing": "full",
            "checkpoint_every": 4, "micro_batch_size": 1, "seq_len": 512,
            "evaluation": {"kind": "loss"}}"#,
    ),
    (
        "those, every fifth layer checkpointed, and a generation",
        Some("qwen3-30b-a3b"),
        r#"{"lora": {"target_modules": ["all-linear"]}, "optimizer": {"name": "adafactor"},
            "activation_checkpointing": "full", "checkpoint_every": 5, "attention": "eager",
            "micro_batch_size": 1, "seq_len": 4096,
            "evaluation": {"kind": "generate", "max_new_tokens": 64}}"#,
    ),
];

/// The scenarios `what` of models of the catalog, each with both generations of transformers.
fn asked(what: &str) -> impl Iterator<Item = Scenario> {
    let frameworks = [
        Framework::Torch215Transformers523,
        Framework::Torch26Transformers451,
    ];
    let found = ASKED.iter().find(|(words, ..)| *words == what);
    let &(_, only, options) = found.expect("something that is asked");
    let (usual, _) = decode_json(options);
    let models = families::catalog_models();
    let models = models.filter(move |model| only.is_none_or(|only| model.id == only));
    models.flat_map(move |model| {
        let usual = usual.clone();
        frameworks.into_iter().map(move |framework| Scenario {
            model: ModelRef::Catalog(model.id.to_owned()),
            framework,
            ..usual.clone()
        })
    })
}

/// Prints the engine's memory for the hungriest of the scenarios `what`: what estimates add to the peak that the
/// process had before.
fn hungriest(what: &str) {
    let Some(before) = peak_memory() else {
        return println!("memory is measured on Linux only");
    };
    let (mut highest, mut worst) = (before, String::new());
    for scenario in asked(what) {
        let _ = black_box(estimate(&scenario));
        let now = peak_memory().unwrap_or(highest);
        if now > highest {
            let ModelRef::Catalog(model) = &scenario.model else {
                continue;
            };
            highest = now;
            worst = format!("{model} on {}", scenario.framework.name());
        }
    }
    println!(
        "memory of the engine for {what}: {} MiB ({worst}); budget 64 MiB",
        (highest - before) >> 10
    );
}

/// Prints the memory for all scenarios, in a process each: memory is kept between estimates.
fn memory() {
    let bench = std::env::current_exe().expect("this program");
    for (what, ..) in ASKED {
        let measured = Command::new(&bench).arg(MEMORY).arg(what).status();
        assert!(measured.expect("this program runs").success());
    }
}

/// The command line on a thousand scenarios of many models and options, as a user would run it.
fn thousand() {
    const MODELS: [&str; 8] = [
        "qwen2.5-0.5b",
        "llama-3.2-1b",
        "gpt2",
        "mistral-7b",
        "llama-3.1-8b",
        "gemma-2-2b",
        "qwen3-8b",
        "pythia-1.4b",
    ];
    const BUDGET: Duration = Duration::from_secs(2);
    let mut scenarios = String::new();
    for i in 0..1000_usize {
        let (model, precision) = (MODELS[i % 8], ["fp32", "amp_bf16", "bf16"][i % 3]);
        let scenario = serde_json::json!({
            "model": model, "precision": precision,
            "micro_batch_size": 1 + i % 32, "seq_len": 128 * (1 + i % 8),
        });
        scenarios += &scenario.to_string();
        scenarios.push('\n');
    }
    let file = std::env::temp_dir().join(format!("highwater-bench-{}.jsonl", std::process::id()));
    std::fs::write(&file, scenarios).expect("a temporary file");
    let times = (0..3).map(|_| {
        let start = Instant::now();
        let done = Command::new(env!("CARGO_BIN_EXE_highwater"))
            .arg("estimate")
            .arg(&file)
            .output()
            .expect("the command line runs");
        let elapsed = start.elapsed();
        let reports = String::from_utf8(done.stdout).expect("UTF-8");
        assert_eq!(reports.lines().count(), 1000, "one line a scenario");
        elapsed
    });
    let best = times.min().unwrap_or_default();
    println!("highwater estimate, 1000 scenarios: {best:?}; budget {BUDGET:?}");
    let _ = std::fs::remove_file(&file);
}
