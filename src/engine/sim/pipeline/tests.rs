//! Laws of stages of a model that are on several ranks.

use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::sim::run::{Layers, folded, unfolded};
use crate::sim::tests::{bytes, written_out};
use crate::sim::{Computation, Event, Phase, Trace, simulate};
use crate::tape::Tape;
use serde_json::{Value, json};

const LAYERS: u64 = 6;

/// A run of a small model under a pipeline.
fn spec(pipeline: &Value) -> ResolvedSpec {
    spec_in("bf16", pipeline)
}

fn spec_in(precision: &str, pipeline: &Value) -> ResolvedSpec {
    let scenario: Scenario = serde_json::from_value(json!({
        "model": "qwen2.5-0.5b", "seq_len": 64, "micro_batch_size": 1, "precision": precision,
        "model_overrides": {"num_hidden_layers": LAYERS}, "tied_embeddings": false,
        "optimizer": {"name": "adamw", "impl": "fused"}, "parallelism": {"pp": pipeline},
    }))
    .expect("a scenario");
    let resolution = resolve(&scenario);
    resolution.spec.expect("a spec")
}

fn of(size: u64, rank: u64, schedule: &str) -> ResolvedSpec {
    of_precision("bf16", size, rank, schedule)
}

fn of_precision(precision: &str, size: u64, rank: u64, schedule: &str) -> ResolvedSpec {
    let pipeline = json!({"size": size, "rank": rank, "schedule": schedule, "microbatches": 6});
    spec_in(precision, &pipeline)
}

const SCHEDULES: [&str; 7] = [
    "gpipe",
    "1f1b",
    "interleaved",
    "looped_bfs",
    "izb",
    "zbv",
    "dualpipev",
];

/// The most micro-batches that have gone forward and not backward.
fn under_way(trace: &Trace) -> u64 {
    let (mut now, mut most) = (0_u64, 0);
    for mark in trace.marks.iter().filter(|mark| mark.step == 0) {
        match mark.phase {
            Phase::Forward => now += 1,
            Phase::Backward => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[test]
fn as_many_micro_batches_are_under_way_as_the_schedule_says() {
    for rank in 0..3 {
        assert_eq!(under_way(&simulate(&of(3, rank, "gpipe"))), 6);
        assert_eq!(under_way(&simulate(&of(3, rank, "1f1b"))), 3 - rank);
        let most = under_way(&simulate(&of(3, rank, "interleaved")));
        assert_eq!(most, 3 + 2 * (2 - rank) + 1);
    }
}

#[test]
fn stages_together_have_every_parameter_once() {
    for schedule in SCHEDULES {
        let traces: Vec<Trace> = (0..3)
            .map(|rank| simulate(&of(3, rank, schedule)))
            .collect();
        let own: u64 = traces.iter().map(|trace| trace.num_trainable).sum();
        assert_eq!(own, traces[0].num_parameters, "{schedule}");
    }
}

#[test]
fn steps_that_are_put_together_are_those_that_are_run() {
    let precisions = ["bf16", "amp_bf16"];
    for (schedule, precision) in SCHEDULES.iter().flat_map(|s| precisions.map(|p| (*s, p))) {
        for rank in [0, 2] {
            let spec = of_precision(precision, 3, rank, schedule);
            let apart = unfolded(&spec, 1, Tape::new);
            let together = folded(&spec, 1, Tape::new, Layers::All).expect("steps alike");
            let same = written_out(&together) == written_out(&apart);
            assert!(same, "{schedule} {rank}");
        }
    }
}

#[test]
fn a_pipeline_of_one_rank_takes_what_none_takes() {
    let alone = simulate(&spec(&json!({})));
    let one = simulate(&spec(
        &json!({"size": 1, "schedule": "none", "microbatches": 4}),
    ));
    assert_eq!(one, alone);
}

#[test]
fn nothing_of_a_step_stays_but_what_the_loop_holds() {
    for schedule in SCHEDULES {
        let spec = of(3, 2, schedule);
        let trace = simulate(&spec);
        let mut live = 0;
        let mut begun = Vec::new();
        for event in trace.events() {
            match event {
                Event::Alloc(id) => live += bytes(&trace, id),
                Event::Free(id) => live -= bytes(&trace, id),
                Event::Mark(mark) if trace.marks[mark as usize].phase == Phase::Data => {
                    begun.push(live);
                }
                _ => {}
            }
        }
        assert_eq!(begun[1], begun[2], "{schedule}");
    }
}

#[test]
fn the_picture_of_a_schedule_is_what_runs() {
    for schedule in SCHEDULES {
        for rank in 0..3 {
            let spec = of(3, rank, schedule);
            let place = usize::try_from(rank).expect("a place");
            let picture = crate::sim::schedule(&spec);
            let pictured = picture[place].iter().map(|slot| {
                let phase = match slot.action.computation {
                    Computation::Forward => Phase::Forward,
                    _ => Phase::Backward,
                };
                (phase, slot.action.micro_batch)
            });
            let mut pictured: Vec<(Phase, u64)> = pictured.collect();
            let trace = simulate(&spec);
            let marks = trace.marks.iter().filter(|mark| mark.step == 0);
            let run = marks.filter(|mark| matches!(mark.phase, Phase::Forward | Phase::Backward));
            let mut run: Vec<(Phase, u64)> = run
                .map(|mark| (mark.phase, u64::from(mark.micro_batch)))
                .collect();
            pictured.dedup();
            run.dedup();
            assert_eq!(pictured, run, "{schedule} {rank}");
        }
    }
}
