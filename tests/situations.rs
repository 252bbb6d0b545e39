//! The situations of the menu: each has an answer, and what the page says of it is pinned.

use highwater::ask::Scenario;
use highwater::catalog::SITUATIONS;
use highwater::codec::decode_json;
use highwater::report::{Estimate, estimate};
use highwater::sim::Phase;

fn scenario(id: &str) -> Scenario {
    let situation = SITUATIONS
        .iter()
        .find(|situation| situation.id == id)
        .expect("the situation is in the menu");
    let (scenario, findings) = decode_json(situation.scenario);
    assert!(findings.is_empty(), "{id}: {findings:?}");
    scenario
}

fn answer(id: &str) -> Estimate {
    estimate(&scenario(id)).unwrap_or_else(|findings| panic!("{id}: {findings:?}"))
}

const GIB: f64 = (1_u64 << 30) as f64;

/// GPU memory as nvidia-smi shows it and host RAM, in GiB.
fn needs(id: &str) -> (f64, f64) {
    let verdict = answer(id).report.verdict;
    (
        verdict.device.needed.get() as f64 / GIB,
        verdict.host.needed.get() as f64 / GIB,
    )
}

#[test]
fn every_situation_has_an_answer_and_a_question_in_both_languages() {
    for situation in SITUATIONS {
        let report = answer(situation.id).report;
        assert!(report.device.total.get() > 0, "{}", situation.id);
        let (english, chinese) = situation.question;
        assert!(!english.is_empty() && !chinese.is_empty());
    }
}

#[test]
fn the_peak_of_situation_5_moves_from_the_optimizer_to_backward() {
    let binds = |id| answer(id).report.verdict.binding_phase;
    assert_eq!(binds("peak-in-the-optimizer"), Phase::OptimizerStep);
    assert_eq!(binds("peak-in-backward"), Phase::Backward);
}

#[test]
fn in_situation_1_three_times_the_batch_fills_the_gpu_and_leaves_the_ram_alone() {
    let (small, ram) = needs("t5-batch-8");
    let (large, same) = needs("t5-batch-24");
    // 40-50 % and 90-95 % of 20 GB were reported.
    assert!((7.0..9.0).contains(&small), "{small} GiB");
    assert!((16.5..19.6).contains(&large), "{large} GiB");
    assert!((same - ram).abs() < 0.05, "{ram} and {same} GiB");
}

#[test]
fn in_situation_2_the_ram_overflows_into_swap_while_the_gpus_are_half_empty() {
    let report = answer("ram-full").report;
    let verdict = report.verdict;
    assert!(verdict.device.fits && !verdict.host.fits);
    assert!(verdict.swapped.get() > 0);
    assert_eq!(report.global_batch_size, 32 * 3 * 2);
}

#[test]
fn in_situation_3_reading_on_demand_fits_the_ram_that_reading_everything_overflows() {
    let fits = |id| answer(id).report.verdict.host.fits;
    assert!(!fits("in-memory"));
    assert!(fits("on-demand"));
    let batch = |id| answer(id).report.global_batch_size;
    assert_eq!((batch("in-memory"), batch("on-demand")), (16, 16));
}

/// Linear attention (GLA 1.3B): the report says 8 to 12 GB for a training step of one job, and that
/// two of them do not fit 23.5 GiB; with two samples in place of four they do.
#[test]
fn in_situation_4_two_lora_jobs_do_not_fit_one_gpu_until_their_batch_is_halved() {
    let report = answer("two-lora-jobs").report;
    let job = report.device.steady_step.peak.peak_reserved.get() as f64 / GIB;
    assert!((8.0..12.0).contains(&job), "{job} GiB");
    assert!(!report.verdict.device.fits);
    let phases = &report.device.steady_step.phases;
    let generation = phases.iter().find(|phase| phase.phase == Phase::Evaluation);
    assert!(
        generation
            .is_some_and(|phase| phase.peak_tensor < report.device.steady_step.peak.peak_tensor)
    );
    let mut halved = scenario("two-lora-jobs");
    halved.micro_batch_size = 2;
    let report = estimate(&halved).expect("an answer").report;
    assert!(report.verdict.device.fits);
}
