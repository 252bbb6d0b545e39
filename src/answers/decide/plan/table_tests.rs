//! The table of plans, and the strip of estimated candidates.

use super::*;
use crate::ask::Scenario;
use crate::report::Memory;
use serde_json::{Value, json};

fn scenario(value: &Value) -> Scenario {
    serde_json::from_value(value.clone()).expect("a scenario")
}

fn searched(value: &Value, options: &PlanOptions) -> Plans {
    plans(&scenario(value), options)
}

/// It fits with several plans.
fn fitting() -> Plans {
    let asked = json!({"model": "qwen2.5-1.5b", "micro_batch_size": 8, "seq_len": 512,
        "hardware": {"gpu": "a100-40gb"}});
    searched(&asked, &PlanOptions::default())
}

/// Nothing fits.
fn too_large() -> Plans {
    let asked = json!({"model": "llama-3.1-8b", "micro_batch_size": 2, "seq_len": 512,
        "hardware": {"gpu": "t4"}});
    searched(&asked, &PlanOptions::default())
}

#[test]
fn shared_and_own_changes_are_all_changes() {
    let found = fitting();
    let table = PlanTable::of(&found.plans);
    assert!(found.plans.len() > 2);
    for (plan, own) in found.plans.iter().zip(&table.own) {
        assert_eq!(own.len() + table.shared.len(), plan.changes.len());
        let mut all = table.shared.iter().chain(own);
        assert!(all.all(|change| plan.changes.contains(change)));
    }
    let differs = |change: &(&str, Value)| {
        found
            .plans
            .iter()
            .any(|plan| !plan.changes.contains(change))
    };
    assert!(table.own.iter().flatten().all(differs));
    let alone = PlanTable::of(&found.plans[..1]);
    assert!(alone.shared.is_empty() && alone.phase.is_none());
    assert_eq!(alone.own[0], found.plans[0].changes);
}

#[test]
fn the_first_choice_offloads_nothing_where_as_much_computing_does_without() {
    let found = fitting().plans;
    let offloads = |plan: &RunPlan| plan.scenario.offload.optimizer_states;
    let first = found.first().expect("a plan");
    assert!(
        found.iter().any(offloads) && !offloads(first),
        "{:?}",
        first.changes
    );
}

#[test]
fn a_click_orders_by_a_column_and_another_the_other_way() {
    let found = fitting().plans;
    let ranked: Vec<usize> = (0..found.len()).collect();
    assert_eq!(PlanOrder::default().places(&found), ranked);
    for &column in PlanColumn::ALL {
        let order = PlanOrder::default()
            .clicked(PlanColumn::Host)
            .clicked(column);
        let again = order.clicked(column);
        assert_ne!(order.descending, again.descending);
        for order in [order, again] {
            let places = order.places(&found);
            let mut numbers = places.iter().map(|&place| column.number(&found[place]));
            assert!(numbers.clone().count() == found.len());
            if order.descending {
                assert!(numbers.by_ref().rev().is_sorted());
            } else {
                assert!(numbers.is_sorted());
            }
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, ranked);
        }
    }
}

#[test]
fn no_bar_is_longer_than_its_scale_and_memory_is_on_that_of_all_of_it() {
    let found = fitting().plans;
    let table = PlanTable::of(&found);
    for &column in PlanColumn::ALL {
        let full = table.full(column);
        assert!(found.iter().all(|plan| column.number(plan) <= full));
    }
    let capacity = found[0].device + found[0].free;
    assert_eq!(table.full(PlanColumn::Device), capacity.get());
}

#[test]
fn every_candidate_is_in_one_part_of_the_strip() {
    for found in [fitting(), too_large()] {
        let parts = found.strip();
        let sum: u64 = parts.iter().map(|part| part.count).sum();
        assert_eq!(sum, found.candidates);
        assert!(parts.iter().all(|part| part.count > 0));
    }
}

#[test]
fn where_nothing_fits_the_nearest_are_named_the_nearest_first() {
    let found = too_large();
    assert!(found.plans.is_empty());
    assert_eq!(found.misses.len(), 3);
    let device: Vec<_> = found
        .misses
        .iter()
        .filter(|miss| miss.memory == Memory::Device)
        .collect();
    assert!(device.iter().map(|miss| miss.by).is_sorted());
    for miss in &found.misses {
        assert!(miss.by.get() > 0);
        assert!(!miss.plan.changes.is_empty());
    }
    // A candidate that tensors alone rule out is short by at least this many bytes, and in truth by more.
    let least = found.rejected.iter().filter_map(|group| match &group.why {
        Why::Short {
            memory: Memory::Device,
            by,
            ..
        } => Some(*by),
        _ => None,
    });
    assert!(least.min() <= device.first().map(|miss| miss.by));
}
