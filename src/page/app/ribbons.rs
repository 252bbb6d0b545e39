//! The binding phases along sliders: computed while one is in use, and for those in sight when nothing else is to be
//! done.
//!
//! Work is given up when something changes. The last result stays on screen until the new is there, and
//! says that it waits; of a scenario that differs from a known one in the slider's own value alone it is known already.

use super::estimates;
use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::Scenario;
use crate::decide::{Stop, StopSweeper, with_value};
use crate::resolve::idle;
use leptos::prelude::*;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario, or the pointer on a slider, must rest before anything starts.
const REST: Duration = Duration::from_millis(200);

/// Sweeps that are kept for going back to them.
const KEPT: usize = 48;

/// The stops of one slider, as far as they are known.
#[derive(Clone)]
pub struct AlongSlider {
    key: &'static str,
    /// The stops, the last ones that were computed.
    pub stops: ArcRwSignal<Option<Arc<Vec<Stop>>>>,
    /// Whether the ribbons are of another scenario.
    pub waits: ArcRwSignal<bool>,
    /// Whether the slider can be seen.
    seen: bool,
    values: Arc<Vec<Value>>,
}

/// A sweep of a scenario, which has the first of the slider's values.
struct Kept {
    key: &'static str,
    of: Scenario,
    stops: Arc<Vec<Stop>>,
}

/// All that there is.
#[derive(Default)]
struct All {
    shown: Vec<AlongSlider>,
    kept: VecDeque<Kept>,
    /// The key of the slider that is in use.
    used: Option<&'static str>,
    /// Whether nothing else is to be computed.
    idle: bool,
    /// Whether a slider's stops are being computed: the others come after them.
    busy: bool,
    pursuit: Pursuit,
}

thread_local! {
    static ALL: RefCell<All> = RefCell::default();
}

/// Follows the slider of the setting with this key. It has to be left when it is shown no more.
pub fn along_slider(key: &'static str, values: Vec<Value>) -> AlongSlider {
    ALL.with_borrow_mut(|all| {
        if let Some(known) = all.shown.iter().find(|known| known.key == key) {
            return known.clone();
        }
        let new = AlongSlider {
            key,
            stops: ArcRwSignal::new(None),
            waits: ArcRwSignal::new(true),
            seen: false,
            values: Arc::new(values),
        };
        all.shown.push(new.clone());
        new
    })
}

impl AlongSlider {
    /// It is shown no more.
    pub fn leave(&self) {
        ALL.with_borrow_mut(|all| all.shown.retain(|shown| shown.key != self.key));
    }

    /// It can be seen, or not.
    pub fn note_seen(&self, store: Store, seen: bool) {
        let begins = ALL.with_borrow_mut(|all| {
            let own = all.shown.iter_mut().find(|shown| shown.key == self.key);
            let new = own.is_some_and(|own| std::mem::replace(&mut own.seen, seen) != seen && seen);
            new && !all.busy
        });
        if begins {
            begin(store);
        }
    }

    /// Somebody uses the slider, or no longer.
    pub fn note_use(&self, store: Store, used: bool) {
        let begins = ALL.with_borrow_mut(|all| {
            let before = all.used;
            if used {
                all.used = Some(self.key);
            } else if before == Some(self.key) {
                all.used = None;
            }
            used && before != all.used && self.waits.get_untracked()
        });
        if begins {
            begin(store);
        }
    }
}

/// Something has changed: nothing is gone on with until it rests.
pub(super) fn interrupt(store: Store) {
    ALL.with_borrow_mut(|all| all.idle = false);
    begin(store);
}

/// Nothing else is to be computed.
pub(super) fn go_on(store: Store) {
    let busy = ALL.with_borrow_mut(|all| {
        all.idle = estimates::are_made_elsewhere();
        all.busy
    });
    if !busy {
        begin(store);
    }
}

fn begin(store: Store) {
    let pursuit = ALL.with_borrow_mut(|all| {
        all.busy = false;
        all.pursuit.clone()
    });
    pursuit.set(REST, move || look(store));
}

/// Shows the known ribbons of the scenario on screen, and computes the first unknown one.
fn look(store: Store) {
    if untrack(|| store.is_stale()) {
        return;
    }
    let scenario = store.scenario.get_untracked();
    let (used, is_idle, sliders) = ALL.with_borrow(|all| (all.used, all.idle, all.shown.clone()));
    let mut next: Option<(AlongSlider, Scenario)> = None;
    for slider in sliders {
        let is_used = used == Some(slider.key);
        if !(is_used || slider.seen) || idle(&scenario, slider.key).is_some() {
            continue;
        }
        let first = slider.values.first();
        let Some(of) = first.and_then(|value| with_value(&scenario, slider.key, value)) else {
            continue;
        };
        let known = ALL.with_borrow(|all| {
            let mut kept = all.kept.iter();
            let own = kept.find(|kept| kept.key == slider.key && kept.of == of);
            own.map(|kept| Arc::clone(&kept.stops))
        });
        if let Some(stops) = known {
            slider.show(stops);
            continue;
        }
        slider.set_waits(true);
        if is_used || (is_idle && next.is_none()) {
            next = Some((slider, of));
        }
        if is_used {
            break;
        }
    }
    if let Some((slider, of)) = next {
        pursue(store, slider, of);
    }
}

fn pursue(store: Store, slider: AlongSlider, of: Scenario) {
    let sweeper = StopSweeper::new(&of, slider.key, &slider.values);
    let pursuit = ALL.with_borrow_mut(|all| {
        all.busy = true;
        all.pursuit.clone()
    });
    pursuit.pursue(sweeper, move |sweeper, done| {
        if !done {
            return;
        }
        let stops = Arc::new(sweeper.found().to_vec());
        ALL.with_borrow_mut(|all| {
            all.kept.push_front(Kept {
                key: slider.key,
                of: of.clone(),
                stops: Arc::clone(&stops),
            });
            all.kept.truncate(KEPT);
        });
        slider.show(stops);
        begin(store);
    });
}

impl AlongSlider {
    fn show(&self, stops: Arc<Vec<Stop>>) {
        let same = |now: &Option<Arc<_>>| now.as_ref().is_some_and(|now| Arc::ptr_eq(now, &stops));
        if !self.stops.with_untracked(same) {
            self.stops.set(Some(stops));
        }
        self.set_waits(false);
    }

    fn set_waits(&self, waits: bool) {
        if self.waits.get_untracked() != waits {
            self.waits.set(waits);
        }
    }
}
