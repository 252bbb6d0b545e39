//! From the scenario to the answer: one estimate a frame.

use super::store::Store;
use crate::report;
use crate::spec::Finding;
use leptos::prelude::*;
use std::sync::Arc;

/// Estimates at once, and again in the next frame after each change of the scenario. However many
/// events a frame has, it has one estimate.
pub fn follow(store: Store) {
    estimate(store);
    let waiting = StoredValue::new(false);
    Effect::new(move |opened: Option<()>| {
        store.scenario.track();
        if opened.is_none() || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        request_animation_frame(move || {
            waiting.set_value(false);
            estimate(store);
        });
    });
}

fn estimate(store: Store) {
    match store.scenario.with_untracked(report::estimate) {
        Ok(estimate) => {
            say(store, estimate.report.findings.clone());
            store.answer.set(Some(Arc::new(estimate)));
        }
        Err(findings) => say(store, findings),
    }
}

/// Every control listens to the findings: they are told only of others.
fn say(store: Store, findings: Vec<Finding>) {
    if store.findings.with_untracked(|now| *now != findings) {
        store.findings.set(findings);
    }
}
