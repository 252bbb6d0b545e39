//! Laws of solutions: the value that is found fits, and the next one does not.

use highwater::ask::{Finding, Fix, ModelRef, Precision, Scenario};
use highwater::catalog::ACCELERATORS;
use highwater::decide::{
    AtOnce, Axis, Freedom, GpusCurve, PlanOptions, Progress, Question, RunPlan, Sharding, Solution,
    Solver, gpus_curve, plans, solve,
};
use highwater::families::catalog_models;
use highwater::report::estimate;
use highwater::tape::Category;
use serde_json::{Value, json};

fn scenario(asked: &Value) -> Scenario {
    serde_json::from_value(asked.clone()).expect("a scenario")
}

fn axis(name: &str) -> Axis {
    Axis::named(name).unwrap_or_else(|why| panic!("{name}: {why:?}"))
}

fn solved(asked: &Value, name: &str) -> Result<Solution, Vec<Finding>> {
    solve(&scenario(asked), &axis(name))
}

/// The value of an axis that is found.
fn value(asked: &Value, name: &str) -> Value {
    let solution = solved(asked, name);
    solution
        .unwrap_or_else(|findings| panic!("{asked}: {findings:?}"))
        .value
}

/// Whether a scenario fits; nothing where it is refused.
fn fits(scenario: &Scenario) -> Option<bool> {
    Some(estimate(scenario).ok()?.report.verdict.fits)
}

fn with(scenario: &Scenario, key: &str, value: u64) -> Scenario {
    let (key, value) = (key.to_owned(), value.into());
    Fix { key, value }
        .apply(scenario)
        .expect("the key is there")
}

/// A model of 1.5 billion weights that GRPO trains beside a vLLM.
fn beside_vllm(generation: &str, gpu: &str) -> Value {
    json!({
        "model": "qwen2.5-1.5b", "precision": "amp_bf16", "micro_batch_size": 8, "seq_len": 1024,
        "activation_checkpointing": "full", "hardware": {"gpu": gpu},
        "objective": {"kind": "grpo", "completion_tokens": 512, "generation": generation},
    })
}

#[test]
fn the_largest_share_of_vllm_fits_and_a_hundredth_more_does_not() {
    const KEY: &str = "objective.vllm_gpu_memory_utilization";
    let found = ["vllm", "vllm_sleep"].map(|generation| {
        let asked = beside_vllm(generation, "h100-80gb");
        let found = value(&asked, KEY).as_f64().expect("a share");
        let with = |share: f64| {
            let mut asked = asked.clone();
            asked["objective"]["vllm_gpu_memory_utilization"] = share.into();
            estimate(&scenario(&asked)).expect("an answer").report
        };
        assert!(with(found).verdict.fits, "{generation}: {found}");
        let more = with((found * 100.0).round() / 100.0 + 0.01);
        assert!(!more.verdict.fits, "{generation}: {found}");
        // A value that is too large is reported as such.
        let said = more.findings.iter().find(|finding| finding.key == KEY);
        let fix = said.and_then(|finding| finding.fix.as_ref());
        let said = fix.and_then(|fix| fix.value.as_f64()).expect("a share");
        assert!((said - found).abs() < 0.015, "{said} not {found}");
        found
    });
    assert!(found[0] < found[1], "{found:?}");
}

#[test]
fn a_share_in_which_vllm_has_no_room_for_a_sequence_is_refused_with_the_least_that_has() {
    let mut asked = beside_vllm("vllm", "h100-80gb");
    asked["objective"]["vllm_gpu_memory_utilization"] = 0.02.into();
    let findings = estimate(&scenario(&asked)).expect_err("no room");
    let fix = findings[0].fix.clone().expect("a repair");
    let repaired = fix.apply(&scenario(&asked)).expect("a scenario");
    let report = estimate(&repaired).expect("an answer").report;
    assert!(report.verdict.fits);
    let step = report.device.steady_step;
    let mut held = step
        .phases
        .iter()
        .map(|phase| phase.composition.get(Category::Vllm));
    assert!(held.all(|held| held.get() > 0));
}

/// Checks that a number which is found fits and the next one that is allowed does not; returns the number.
fn check_number(asked: &Scenario, name: &str) -> Option<u64> {
    let of = format!("{name} of {:?}", asked.model);
    let axis = axis(name);
    let solution = solve(asked, &axis).ok()?;
    let found = solution.value.as_u64().unwrap_or_else(|| panic!("{of}"));
    if let Some(at) = &solution.scenario {
        assert_eq!(fits(at), Some(true), "{of}: {found}");
        assert_eq!(*at, with(asked, name, found), "{of}");
        let next = fits(&with(asked, name, found + 1));
        let ends = !solution.findings.is_empty();
        assert_eq!(next, (!ends).then_some(false), "{of}: {found}");
    } else {
        assert_eq!(found, 0, "{of}");
        for value in [1, 64, 4096] {
            assert_ne!(fits(&with(asked, name, value)), Some(true), "{of}");
        }
    }
    Some(found)
}

/// Solves every second model of the catalog for a number, from the first or the second on.
fn check_models(name: &str, first: usize) {
    let mut fitting = 0;
    for model in catalog_models().skip(first).step_by(2) {
        let asked = json!({"model": model.id, "precision": "bf16", "seq_len": 64,
            "hardware": {"gpu": "rtx-4090"}});
        let largest = check_number(&scenario(&asked), name);
        fitting += u32::from(largest.is_some_and(|value| value > 0));
    }
    assert!(fitting > 60, "{fitting}");
}

#[test]
fn the_largest_micro_batch_fits_and_the_next_does_not_over_the_catalog() {
    check_models("micro_batch_size", 0);
}

#[test]
fn the_longest_sequence_fits_and_the_next_does_not_over_the_catalog() {
    check_models("seq_len", 1);
}

#[test]
fn where_nothing_fits_the_answer_is_zero_and_none_of_a_catalog() {
    let asked = json!({"model": "llama-3.1-8b", "hardware": {"gpu": "rtx-4090"},
        "parallelism": {"dp": {"kind": "ddp"}}});
    for name in ["micro_batch_size", "seq_len", "gpus"] {
        let solution = solved(&asked, name).expect("an answer");
        assert_eq!(solution.value, 0, "{name}");
        assert_eq!(solution.scenario, None, "{name}");
    }
    let little = json!({"model": "smollm3-3b", "hardware": {"host_ram": 1 << 30}});
    for (name, nothing) in [
        ("model", Value::Null),
        ("gpu", Value::Null),
        ("micro_batch_size", json!(0)),
    ] {
        assert_eq!(value(&little, name), nothing, "host RAM counts, too");
    }
    assert_eq!(value(&little, "num_workers"), Value::Null, "0 is allowed");
}

#[test]
fn the_smallest_gpu_is_the_one_with_the_least_memory_on_which_it_fits() {
    let asked = json!({"model": "qwen2.5-0.5b", "micro_batch_size": 4, "seq_len": 512});
    let found = value(&asked, "gpu");
    let on = |id: &str| {
        let mut asked = scenario(&asked);
        id.clone_into(&mut asked.hardware.gpu);
        fits(&asked) == Some(true)
    };
    let fitting = ACCELERATORS.iter().filter(|gpu| on(gpu.id));
    let least = fitting.min_by_key(|gpu| (gpu.usable.value, gpu.nominal));
    assert_eq!(found, json!(least.expect("one fits").id));
}

#[test]
fn the_largest_model_is_of_the_same_type_and_none_with_more_parameters_fits() {
    let asked = json!({"model": "qwen2.5-0.5b", "seq_len": 128, "precision": "bf16",
        "hardware": {"gpu": "rtx-4090"}});
    let found = value(&asked, "model");
    let parameters = |id: &str| {
        let model = ModelRef::Catalog(id.to_owned());
        let asked = Scenario {
            model,
            ..scenario(&asked)
        };
        let report = estimate(&asked).expect("an answer").report;
        (report.model.num_parameters, report.verdict.fits)
    };
    let (most, it_fits) = parameters(found.as_str().expect("a name"));
    assert!(it_fits && most > 1_000_000_000);
    for id in ["qwen2-0.5b", "qwen2.5-3b", "qwen2.5-7b", "qwen2.5-72b"] {
        let (more, fits) = parameters(id);
        assert!(more <= most || !fits, "{id}");
    }
    let no_type = json!({"model": {"num_parameters": 1_000_000_000}});
    let refused = solved(&no_type, "model").expect_err("no type");
    assert_eq!(refused[0].message.code, "decide.no_models");
}

#[test]
fn the_fewest_gpus_depend_on_who_divides_the_training_state() {
    let of = |parallelism: &Value| {
        json!({"model": "llama-3.1-8b", "precision": "bf16", "seq_len": 512,
            "parallelism": parallelism, "hardware": {"gpu": "rtx-4090", "host_ram": 1_u64 << 40}})
    };
    let fsdp = of(&json!({"dp": {"kind": "fsdp2"}}));
    let fewest = value(&fsdp, "gpus").as_u64().expect("a number");
    assert!((2..=8).contains(&fewest), "{fewest}");
    for (gpus, it_fits) in [(fewest, true), (fewest - 1, false)] {
        let asked = with(&scenario(&fsdp), "hardware.gpus_per_node", gpus);
        assert_eq!(fits(&asked), Some(it_fits), "{gpus}");
    }
    let divided = of(&json!({"dp": {"kind": "fsdp2"}, "tp": {"size": 2}}));
    assert!(
        value(&divided, "gpus")
            .as_u64()
            .is_some_and(|gpus| gpus > 0 && gpus % 2 == 0)
    );
    let copies = of(&json!({"dp": {"kind": "ddp"}}));
    assert_eq!(value(&copies, "gpus"), 0, "copies do not shrink");
    let jobs = json!({"hardware": {"gpus_per_node": 2, "processes_by_gpu": "1,2"}});
    assert!(solved(&jobs, "gpus").is_err(), "jobs of their own");
}

#[test]
fn numbers_that_make_room_are_the_least() {
    let asked = json!({"model": "qwen2.5-0.5b", "seq_len": 128});
    let whole = estimate(&scenario(&asked)).expect("an answer").report;
    let ram = value(&asked, "hardware.host_ram");
    assert_eq!(ram, whole.host.peak.total.get(), "as much as it needs");
    let memory = value(&asked, "gpu_memory").as_u64().expect("bytes");
    let on = |bytes| with(&scenario(&asked), "hardware.gpu_memory", bytes);
    assert_eq!(fits(&on(memory)), Some(true));
    assert_eq!(fits(&on(memory - 1)), Some(false));
    let tensor = json!({"model": "llama-3.1-8b", "precision": "bf16", "seq_len": 128,
        "hardware": {"gpus_per_node": 8, "gpu": "a100-40gb"}});
    let ranks = value(&tensor, "parallelism.tp.size");
    assert!([2, 4].map(Value::from).contains(&ranks), "{ranks}");
}

#[test]
fn refused_values_are_stepped_over_and_the_end_of_an_axis_is_told() {
    let ring = json!({"model": "llama-3.2-1b", "precision": "bf16", "seq_len": 1024,
        "parallelism": {"cp": {"size": 4}, "dp": {"kind": "fsdp2"}}, "hardware": {"gpus_per_node": 4}});
    let tokens = value(&ring, "seq_len").as_u64().expect("a number");
    assert!(tokens > 1024 && tokens.is_multiple_of(8), "{tokens}");
    let with_tokens = |tokens| with(&scenario(&ring), "seq_len", tokens);
    assert_eq!(fits(&with_tokens(tokens)), Some(true));
    assert_eq!(fits(&with_tokens(tokens + 1)), None);
    assert_eq!(fits(&with_tokens(tokens + 8)), Some(false));
    let table = solved(&json!({"model": "gpt2"}), "seq_len").expect("an answer");
    assert_eq!(table.value, 1024);
    assert_eq!(table.findings[0].message.code, "decide.ends");
    let absurd = json!({"model": "gpt2", "seq_len": 0});
    assert_eq!(value(&absurd, "seq_len"), 1024, "it is what is looked for");
}

#[test]
fn what_is_wrong_with_a_scenario_is_told_and_so_is_an_axis_without_effect() {
    let unknown = json!({"model": "nothing"});
    for name in ["micro_batch_size", "gpu", "gpus"] {
        let findings = solved(&unknown, name).expect_err("no model");
        assert_eq!(findings[0].key, "model", "{name}");
    }
    for (asked, name) in [
        (json!({"model": "gpt2"}), "lora.r"),
        (json!({"model": "vit-base"}), "seq_len"),
        (json!({"model": "gpt2"}), "parallelism.tp.size"),
    ] {
        let findings = solved(&asked, name).expect_err("no effect");
        assert_eq!(findings[0].message.code, "decide.without_effect", "{name}");
    }
    let adapters = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "lora": {"r": 8},
        "hardware": {"gpu": "rtx-3070"}});
    let rank = check_number(&scenario(&adapters), "lora.r");
    assert!(rank > Some(64), "{rank:?}");
}

#[test]
fn one_length_that_does_not_fit_does_not_hide_longer_ones_that_do() {
    // 11781 tokens take more than 11782.
    let asked = json!({"model": "qwen2.5-1.5b", "precision": "bf16", "micro_batch_size": 3,
        "activation_checkpointing": "full"});
    let longest = value(&asked, "seq_len").as_u64().expect("a number");
    let dips = (longest - 40..longest).filter(|&tokens| {
        let asked = with(&scenario(&asked), "seq_len", tokens);
        fits(&asked) == Some(false)
    });
    assert!(dips.count() > 0, "{longest}");
    for tokens in longest + 1..longest + 40 {
        let asked = with(&scenario(&asked), "seq_len", tokens);
        assert_eq!(fits(&asked), Some(false), "{tokens}");
    }
}

#[test]
fn a_solver_goes_step_by_step_and_knows_what_it_has_found_so_far() {
    let asked = scenario(&json!({"model": "gpt2", "seq_len": 256}));
    let axis = axis("micro_batch_size");
    let mut solver = Solver::new(&asked, &axis).expect("an axis with effect");
    let (mut steps, mut before) = (0, 0);
    while solver.advance(&mut AtOnce) == Progress::Further {
        steps += 1;
        let value = solver.solution().expect("an answer").value;
        let value = value.as_u64().expect("a number");
        assert!(value >= before, "what fits is not lost");
        before = value;
    }
    assert!((8..40).contains(&steps), "{steps}");
    assert_eq!(solver.solution(), solve(&asked, &axis));
}

#[test]
fn a_curve_says_what_a_rank_needs_and_what_stays_however_many_there_are() {
    let asked = scenario(
        &json!({"model": "llama-3.2-1b", "precision": "bf16", "seq_len": 512, "micro_batch_size": 2}),
    );
    let curves = gpus_curve(&asked);
    let of = |sharding: Sharding| {
        let curve = curves.iter().find(|curve| curve.sharding == sharding);
        curve.expect("all are estimated")
    };
    assert_eq!(curves.len(), Sharding::ALL.len());
    let needs = |curve: &GpusCurve, gpus: u64| {
        let point = curve.points.iter().find(|point| point.gpus == gpus);
        point.expect("a power of two").device.needed
    };
    let [ddp, zero, fsdp] = [Sharding::Ddp, Sharding::Zero1, Sharding::Fsdp2].map(of);
    assert!(needs(fsdp, 8) < needs(fsdp, 2) && needs(fsdp, 512) < needs(fsdp, 8));
    assert!(needs(zero, 8) < needs(ddp, 8) && needs(fsdp, 8) < needs(zero, 8));
    // Copies: nothing is divided.
    let last = ddp.points.last().expect("points");
    assert_eq!(ddp.floor, last.composition);
    // FSDP does not divide activations, logits and the gathered parameters.
    let last = fsdp.points.last().expect("points");
    assert_eq!(last.gpus, 1024);
    let [floor, whole] = [&fsdp.floor, &last.composition].map(|of| of.get(Category::Activations));
    assert_eq!(floor, whole);
    assert!(
        fsdp.floor.get(Category::OptimizerStates) < last.composition.get(Category::OptimizerStates)
    );
    assert!(fsdp.floor.total().get() > last.composition.total().get() / 2);
    // Autocast is none of DeepSpeed's.
    let autocast = Scenario {
        precision: Precision::AmpBf16,
        ..asked
    };
    let kinds: Vec<Sharding> = gpus_curve(&autocast).iter().map(|c| c.sharding).collect();
    assert_eq!(kinds, [Sharding::Ddp, Sharding::Fsdp2]);
}

#[test]
fn a_plan_reduces_gradients_after_each_micro_batch_where_nothing_else_fits() {
    let asked = json!({
        "model": "llama-3.1-70b", "precision": "bf16", "micro_batch_size": 1, "seq_len": 16384,
        "gradient_accumulation_steps": 8, "activation_checkpointing": "full",
        "hardware": {"gpu": "h100-80gb", "gpus_per_node": 8, "nodes": 2},
        "parallelism": {"dp": {"kind": "fsdp2"}},
    });
    let locked = [
        Freedom::Precision,
        Freedom::Optimizer,
        Freedom::Attention,
        Freedom::Offload,
    ];
    let options = PlanOptions {
        locked: locked.to_vec(),
        ..PlanOptions::default()
    };
    let found = plans(&scenario(&asked), &options);
    assert!(!found.plans.is_empty(), "{:?}", found.rejected);
    for plan in &found.plans {
        let dp = &plan.scenario.parallelism.dp;
        assert!(!dp.no_sync, "{:?}", plan.changes);
        let fits = estimate(&plan.scenario)
            .expect("an estimate")
            .report
            .verdict
            .fits;
        assert!(fits, "{:?}", plan.changes);
    }
}

#[test]
fn losses_that_keep_no_logits_are_taken_where_the_model_has_them_and_stay_where_locked() {
    let asked = json!({
        "model": "qwen2.5-0.5b", "precision": "bf16", "micro_batch_size": 8, "seq_len": 2048,
        "activation_checkpointing": "full", "optimizer": {"name": "adamw", "impl": "fused"},
        "hardware": {"gpu": "rtx-4090"},
    });
    let of = |locked: Vec<Freedom>| {
        let options = PlanOptions {
            locked,
            ..PlanOptions::default()
        };
        plans(&scenario(&asked), &options).plans
    };
    let lean = |plan: &RunPlan| plan.scenario.liger_kernel == ["fused_linear_cross_entropy"];
    let free = of(vec![Freedom::Offload]);
    assert!(!free.is_empty() && free.iter().all(lean));
    let kept = of(vec![Freedom::Offload, Freedom::Loss]);
    assert!(!kept.is_empty() && !kept.iter().any(lean));
    let least = |plans: &[RunPlan]| plans.iter().map(|plan| plan.device).min();
    assert!(least(&free) < least(&kept));
}
