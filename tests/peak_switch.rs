//! Situation 5: where in the step is the peak? The published patterns, and the batch size at which
//! one phase takes over from another.

use highwater::ask::Scenario;
use highwater::decide::sweep;
use highwater::report::{Estimate, estimate};
use highwater::sim::Phase;
use serde_json::{Value, json};

const GB: f64 = 1e9;

fn answer(scenario: Value) -> Estimate {
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    estimate(&scenario).expect("an answer")
}

/// `nn.Linear(10_000, 50_000)` in fp32 on 5,000 rows, forward only, as in Hugging Face's
/// "Visualize and understand GPU memory in PyTorch" (2024-12-24): 2.0 GB of model, 2.2 with the
/// input, 3.2 with the output; then in each iteration 3.4 with the new input, 4.4 with the new
/// output, 3.2 when the old ones are gone.
#[test]
fn the_toy_goes_2_0_2_2_3_2_and_then_3_4_4_4_3_2_gb() {
    let estimate = answer(json!({
        "model": {"linear": {"in_features": 10_000, "out_features": 50_000}},
        "micro_batch_size": 5_000,
        "optimizer": {"name": "none", "impl": "none"},
        "loss": "none",
        "keep_outputs": true,
    }));
    let timeline = &estimate.timeline;
    let level = |step, phase| {
        let span = timeline
            .spans
            .iter()
            .find(|span| span.step == step && span.phase == phase)
            .expect("the phase");
        let point = timeline
            .points
            .iter()
            .find(|point| point.event == span.start)
            .expect("a point where the phase begins");
        point.composition.total().get() as f64 / GB
    };
    let close = |found: f64, published: f64| {
        assert!(
            (found - published).abs() < 0.05,
            "{found} GB, published {published} GB"
        );
    };
    let first = &estimate.report.device.first_step;
    let steady = &estimate.report.device.steady_step;
    close(level(0, Phase::Data), 2.0);
    close(level(0, Phase::Forward), 2.2);
    close(first.peak.peak_tensor.get() as f64 / GB, 3.2);
    close(level(1, Phase::Data), 3.2);
    close(level(1, Phase::Forward), 3.4);
    close(steady.peak.peak_tensor.get() as f64 / GB, 4.4);
    close(level(2, Phase::Data), 3.2);
}

fn qwen(micro_batch_size: u64) -> Value {
    json!({
        "model": "qwen2.5-1.5b",
        "precision": "fp32",
        "optimizer": {"name": "adamw", "impl": "foreach"},
        "loss": "mean_logits",
        "seq_len": 256,
        "micro_batch_size": micro_batch_size,
    })
}

/// Qwen2.5-1.5B in fp32 with AdamW, the mean of the logits as loss: published with the peak at
/// the border of forward and backward for 16 x 256 tokens and in the optimizer step for 2 x 256.
/// The bytes are real PyTorch's (torch 2.15, transformers 5.23).
#[test]
fn qwen_peaks_in_backward_with_16_samples_and_in_the_optimizer_step_with_2() {
    for (micro_batch_size, phase, gb) in [
        (16, Phase::Backward, 44.38),
        (2, Phase::OptimizerStep, 30.87),
    ] {
        let peak = answer(qwen(micro_batch_size))
            .report
            .device
            .steady_step
            .peak;
        assert_eq!(peak.phase, phase, "{micro_batch_size} samples");
        let found = peak.peak_tensor.get() as f64 / GB;
        assert!(
            (found - gb).abs() < 0.005 * gb,
            "{found} GB, measured {gb} GB"
        );
    }
}

#[test]
fn the_sweep_finds_the_batch_size_at_which_backward_takes_over_exactly() {
    let scenario: Scenario = serde_json::from_value(qwen(2)).expect("a scenario");
    let sweep = sweep(&scenario, &[1, 2, 4, 8, 16]);
    let [switch] = sweep.switches.as_slice() else {
        panic!("one switch: {:?}", sweep.switches);
    };
    assert_eq!(
        (switch.from, switch.to),
        (Phase::OptimizerStep, Phase::Backward)
    );
    let binding = |size| answer(qwen(size)).report.device.steady_step.peak.phase;
    assert_eq!(binding(switch.micro_batch_size - 1), Phase::OptimizerStep);
    assert_eq!(binding(switch.micro_batch_size), Phase::Backward);
    let largest = sweep.largest_fitting.expect("some size fits");
    assert!(answer(qwen(largest)).report.verdict.device.fits);
    assert!(!answer(qwen(largest + 1)).report.verdict.device.fits);
}
