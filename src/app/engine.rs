//! From the scenario to the answer: at once, and at most once more a frame.

use super::store::Store;
use crate::ask::Finding;
use crate::browser;
use crate::report;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;
use std::time::Duration;

/// What the frame that comes next has.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    /// Nothing that changed.
    Idle,
    /// An answer to the first change.
    Answered,
    /// Changes after that answer.
    Behind,
}

/// Estimates at once and after each change of the scenario. The first change since the last frame
/// is answered where it happens, so that the answer is there when the frame comes; further ones are
/// answered together in the frame. What stands below the first screen follows when that frame is
/// painted.
pub fn follow(store: Store) {
    estimate(store);
    complete(store);
    let frame = StoredValue::new(Frame::Idle);
    Effect::new(move |opened: Option<()>| {
        store.scenario.track();
        if opened.is_none() {
            return;
        }
        if frame.get_value() != Frame::Idle {
            frame.set_value(Frame::Behind);
            return;
        }
        frame.set_value(Frame::Answered);
        estimate(store);
        request_animation_frame(move || {
            let behind = frame.get_value() == Frame::Behind;
            frame.set_value(Frame::Idle);
            if behind {
                estimate(store);
            }
            set_timeout(
                move || {
                    // Another change is answered before what is below shows this one.
                    if frame.get_value() == Frame::Idle {
                        settle(store);
                    }
                },
                Duration::ZERO,
            );
        });
    });
}

/// Once the first answer is painted, the rest of the program comes.
fn complete(store: Store) {
    after_paint(move || {
        spawn_local(async move {
            browser::rest().await;
            settle(store);
            store.whole.set(true);
            browser::set_root("whole", "");
        });
    });
}

/// Runs `then` when the next frame is painted.
fn after_paint(then: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(then, Duration::ZERO));
}

fn settle(store: Store) {
    store.settled.set(store.answer.get_untracked());
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
