//! Advice against estimates of what it leads to.

use super::change::changed;
use super::*;
use crate::ask::Scenario;
use crate::codec::{Link, ViewOptions, decode_json, decode_query, encode_query};
use crate::decide::question::Question;
use crate::report::{Figures, Memory, estimate};
use serde_json::{Value, json};

fn scenario(value: &Value) -> Scenario {
    let (scenario, findings) = decode_json(&value.to_string());
    assert!(findings.is_empty(), "{findings:?}");
    scenario
}

fn advised(asked: &Scenario) -> Advice {
    advice(asked, &Figures::of(asked).expect("figures"))
}

/// The estimate of a scenario after it went through a link, as a click makes it go.
fn through_a_link(scenario: &Scenario) -> Outcome {
    let query = encode_query(scenario, &ViewOptions::default());
    let Link {
        scenario: opened, ..
    } = decode_query(&query);
    Outcome::of(&opened, &Figures::of(&opened).expect("figures"))
}

/// Scenarios of every kind that do not fit, drawn with a fixed seed.
fn drawn(count: usize) -> impl Iterator<Item = Scenario> {
    let models = [
        "qwen2.5-1.5b",
        "llama-3.1-8b",
        "t5-base",
        "olmoe-1b-7b",
        "gpt2-xl",
        "bert-large",
    ];
    let gpus = ["rtx-4090", "t4", "l4", "rtx-3090"];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut pick = move |list: &[Value]| {
        let at = draw(list.len() as u64);
        list[usize::try_from(at).expect("a place")].clone()
    };
    let texts = |list: &[&str]| list.iter().map(|text| json!(text)).collect::<Vec<_>>();
    let asked = std::iter::from_fn(move || {
        let gpus_per_node = pick(&[json!(1), json!(1), json!(2), json!(4)]);
        let dp = if gpus_per_node == 1 {
            json!({"kind": "none"})
        } else {
            pick(&[
                json!({"kind": "ddp"}),
                json!({"kind": "fsdp2"}),
                json!({"kind": "deepspeed_zero"}),
            ])
        };
        Some(scenario(&json!({
            "model": pick(&texts(&models)),
            "micro_batch_size": pick(&[json!(1), json!(3), json!(8), json!(32)]),
            "seq_len": pick(&[json!(128), json!(384), json!(512)]),
            "precision": pick(&texts(&["fp32", "bf16", "amp_bf16"])),
            "attention": pick(&texts(&["eager", "sdpa"])),
            "optimizer": {"name": pick(&texts(&["adamw", "adam", "sgd", "adafactor"]))},
            "evaluation": {"kind": pick(&texts(&["none", "none", "trainer"]))},
            "parallelism": {"dp": dp},
            "hardware": {
                "gpu": pick(&texts(&gpus)),
                "gpus_per_node": gpus_per_node,
                "host_ram": pick(&[json!(16_u64 << 30), json!(128_u64 << 30)]),
            },
        })))
    });
    let fails =
        |asked: &Scenario| estimate(asked).is_ok_and(|estimate| !estimate.report.verdict.fits);
    asked.filter(fails).take(count)
}

#[test]
fn each_advised_change_gives_exactly_the_promised_bytes() {
    let mut changes = 0;
    for asked in drawn(200) {
        let now = Outcome::of(&asked, &Figures::of(&asked).expect("figures"));
        let kinds = RemedyKind::ALL.iter();
        let of = |&kind: &RemedyKind| {
            let to = changed(&asked, kind)?;
            let outcome = Outcome::of(&to, &Figures::of(&to).ok()?);
            Remedy::of(kind, to, &now, outcome)
        };
        for remedy in kinds.filter_map(of) {
            let kind = remedy.kind;
            let then = through_a_link(&remedy.scenario);
            assert_eq!(then, remedy.outcome, "{kind:?} of {asked:?}");
            assert_eq!(then.side(remedy.memory).needed, remedy.total, "{kind:?}");
            assert_eq!(now.side(remedy.memory).needed - remedy.total, remedy.saves);
            changes += 1;
        }
    }
    assert!(changes > 1000, "{changes}");
}

#[test]
fn ready_plans_lead_to_what_they_promise() {
    let mut fitting = [0; 3];
    for asked in drawn(24) {
        let now = Outcome::of(&asked, &Figures::of(&asked).expect("figures"));
        let mut walk = super::ready::Walk::from(&asked, now);
        walk.settle();
        let mut steps: &[Step] = &[];
        for plan in walk.plans() {
            assert_eq!(through_a_link(&plan.scenario), plan.outcome, "{asked:?}");
            assert!(plan.steps.len() >= steps.len(), "{asked:?}");
            steps = &plan.steps;
            let repeated = steps.iter().fold(asked.clone(), |before, step| {
                let again = |before: Scenario, _| changed(&before, step.kind).expect("a change");
                (0..step.times).fold(before, again)
            });
            assert_eq!(repeated, plan.scenario, "{:?} of {asked:?}", plan.kind);
            if plan.kind == ReadyKind::Balanced && plan.outcome.fits() {
                assert!(plan.outcome.is_roomy(), "{asked:?}");
            }
            fitting[plan.kind as usize] += u32::from(plan.outcome.fits());
        }
    }
    assert!(fitting[0] > 2 && fitting[2] > 12, "{fitting:?}");
}

#[test]
fn two_lora_jobs_per_gpu_have_fewer_jobs_in_their_plans() {
    let asked = scenario(&json!({
        "model": "gla-1.3b",
        "precision": "bf16",
        "micro_batch_size": 16,
        "seq_len": 1024,
        "lora": {"target_modules": ["q_proj", "v_proj"]},
        "dataloader": {"num_workers": 8},
        "hardware": {"gpu": "rtx-3090", "gpus_per_node": 7, "processes_per_gpu": 2},
    }));
    let found = advised(&asked);
    assert!(!found.now.fits());
    let kinds: Vec<RemedyKind> = found.remedies.iter().map(|remedy| remedy.kind).collect();
    assert!(kinds.contains(&RemedyKind::FewerJobsPerGpu), "{kinds:?}");
    let last = found.plans.last().expect("a plan");
    assert!(last.outcome.fits(), "{:?}", last.steps);
}

#[test]
fn where_there_is_room_it_says_what_for() {
    let asked = scenario(&json!({
        "model": "qwen2.5-0.5b",
        "precision": "bf16",
        "micro_batch_size": 2,
        "seq_len": 256,
        "activation_checkpointing": "full",
        "optimizer": {"name": "adamw_8bit"},
    }));
    let found = advised(&asked);
    assert!(found.plans.is_empty());
    let kinds: Vec<RoomKind> = found.room.iter().map(|room| room.kind).collect();
    let most = [
        RoomKind::LargerMicroBatch,
        RoomKind::LongerSequence,
        RoomKind::NoCheckpointing,
        RoomKind::FullOptimizerStates,
    ];
    assert_eq!(kinds, most);
    for room in &found.room {
        assert!(room.outcome.is_roomy());
        assert_eq!(through_a_link(&room.scenario), room.outcome);
    }
    let larger = &found.room[0].scenario;
    let next = Scenario {
        micro_batch_size: larger.micro_batch_size + 1,
        ..larger.clone()
    };
    assert!(!Figures::of(&next).expect("figures").is_roomy());
}

#[test]
fn checkpointing_off_fits_at_a_smaller_micro_batch() {
    let asked = scenario(&json!({
        "model": "qwen2.5-1.5b",
        "precision": "bf16",
        "micro_batch_size": 64,
        "seq_len": 512,
        "activation_checkpointing": "full",
    }));
    let found = advised(&asked);
    let room = found.room.iter();
    let kept = room
        .clone()
        .find(|room| room.kind == RoomKind::NoCheckpointing);
    let kept = kept.expect("a smaller micro-batch");
    assert!(kept.scenario.micro_batch_size < 64);
    assert!(kept.outcome.is_roomy());
}

/// A fix that only just makes a run fit is named after fixes that leave a tenth, and a change that saves less than a
/// hundredth is no fix unless it makes the run fit.
#[test]
fn advice_is_worth_its_place_and_leaves_a_tenth_where_it_can() {
    for asked in drawn(40) {
        let now = Outcome::of(&asked, &Figures::of(&asked).expect("figures"));
        let of = |&kind: &RemedyKind| {
            let to = changed(&asked, kind)?;
            let outcome = Outcome::of(&to, &Figures::of(&to).ok()?);
            Remedy::of(kind, to, &now, outcome)
        };
        let remedies: Vec<Remedy> = RemedyKind::ALL.iter().filter_map(of).collect();
        for remedy in &remedies {
            let before = now.side(remedy.memory).needed;
            let worth = remedy.saves.get() >= before.get() / 100;
            assert!(worth || remedy.fits(), "{:?} of {asked:?}", remedy.kind);
        }
        let first = first_remedy(&remedies);
        let any = remedies.iter().any(|remedy| remedy.outcome.is_roomy());
        assert!(first.is_none_or(|first| !any || first.outcome.is_roomy()));
    }
}

#[test]
fn what_trains_nothing_is_not_advised_to_train_adapters() {
    let layer = json!({"linear": {"in_features": 10000, "out_features": 50000}});
    let nothing = json!({"name": "none", "impl": "none"});
    for asked in [
        json!({"model": layer, "micro_batch_size": 5000, "optimizer": nothing, "loss": "none"}),
        json!({"model": layer, "micro_batch_size": 5000, "loss": "mean_logits"}),
        json!({"optimizer": nothing, "loss": "none"}),
        json!({"program": "evaluation"}),
    ] {
        for kind in [RemedyKind::Lora, RemedyKind::Qlora] {
            assert!(changed(&scenario(&asked), kind).is_none(), "{asked}");
        }
    }
}

#[test]
fn three_ways_out_begin_with_the_first_to_be_named_and_save_of_the_memory_that_ran_out() {
    for asked in drawn(6) {
        let found = advised(&asked);
        for memory in [Memory::Device, Memory::Host] {
            let ways = ways_out(&found, memory, 3);
            assert!(ways.len() <= 3);
            let mut kinds = Vec::new();
            for (at, way) in ways.iter().enumerate() {
                match way {
                    WayOut::Plan(plan) => {
                        assert_eq!(at, 0);
                        assert!(plan.outcome.fits());
                    }
                    WayOut::Change(remedy) => {
                        let needed = |outcome: &Outcome| outcome.side(memory).needed;
                        assert!(needed(&remedy.outcome) < needed(&found.now));
                        assert!(!kinds.contains(&remedy.kind), "{kinds:?}");
                        kinds.push(remedy.kind);
                    }
                }
            }
            let fits = |way: &WayOut| match way {
                WayOut::Plan(plan) => plan.outcome.fits(),
                WayOut::Change(remedy) => remedy.fits(),
            };
            let any = found.plans.iter().any(|plan| plan.outcome.fits());
            if any && !found.now.fits() {
                assert!(fits(&ways[0]), "what fits is named first");
            }
        }
    }
}

#[test]
fn a_run_that_fits_by_its_estimate_has_the_cheapest_changes_as_ways_out() {
    let asked = scenario(&json!({"model": "qwen2.5-0.5b", "micro_batch_size": 4, "seq_len": 1024}));
    let found = advised(&asked);
    assert!(found.now.fits());
    let ways = ways_out(&found, Memory::Device, 3);
    let listed: Vec<WayOut> = found.remedies[..3].iter().map(WayOut::Change).collect();
    assert_eq!(ways, listed);
}

#[test]
fn single_changes_are_grouped_by_price_on_one_scale() {
    let asked =
        json!({"model": "llama-3.1-8b", "micro_batch_size": 2, "hardware": {"gpu": "rtx-4090"}});
    let advice = advised(&scenario(&asked));
    let table = advice.table();
    let prices: Vec<Price> = table.groups.iter().map(|group| group.price).collect();
    assert_eq!(prices, [Price::Free, Price::Slower, Price::Learning]);
    let shown: usize = table.groups.iter().map(|group| group.remedies.len()).sum();
    assert_eq!(shown, advice.remedies.len());
    for group in &table.groups {
        let order = group
            .remedies
            .iter()
            .map(|remedy| (remedy.memory, std::cmp::Reverse(remedy.saves)));
        assert!(order.is_sorted());
        assert!(
            group
                .remedies
                .iter()
                .all(|remedy| remedy.saves <= table.full)
        );
    }
    let missing = table.missing(Memory::Device);
    assert_eq!(
        missing,
        advice.now.device.needed - advice.now.device.capacity
    );
    assert!(missing.get() > 0 && missing <= table.full);
    assert_eq!(table.missing(Memory::Host).get(), 0);
}

#[test]
fn a_plan_that_goes_on_where_another_ends_says_what_it_adds() {
    let asked = json!({"model": "qwen2.5-1.5b", "micro_batch_size": 8, "seq_len": 512, "hardware": {"gpu": "t4"}});
    let advice = advised(&scenario(&asked));
    assert!(advice.plans.len() > 1);
    assert_eq!(advice.beyond(0).before, None);
    for (place, plan) in advice.plans.iter().enumerate() {
        let beyond = advice.beyond(place);
        let before = place
            .checked_sub(1)
            .map_or(0, |before| advice.plans[before].steps.len());
        match beyond.before {
            Some(kind) => {
                assert_eq!(kind, advice.plans[place - 1].kind);
                assert_eq!(beyond.steps.len() + before, plan.steps.len());
                assert_eq!(*beyond.now, advice.plans[place - 1].outcome);
            }
            None => assert_eq!(
                (beyond.steps.len(), *beyond.now),
                (plan.steps.len(), advice.now)
            ),
        }
        assert!(plan.steps.ends_with(beyond.steps));
    }
}
