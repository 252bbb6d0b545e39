//! A map over two numbers: drawn when it is asked for, and anew when the scenario rests after a change.

use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::Message;
use crate::decide::{Axis, MemoryMap};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario must rest before a map is drawn anew.
const REST: Duration = Duration::from_millis(300);

/// Values along each edge.
const COUNT: usize = 64;

/// Estimates after which the picture is drawn: the first one soon, then ever more seldom.
const SHOWN_AT: [u64; 5] = [4, 16, 64, 256, 512];

/// In the end it is drawn after so many.
const SHOWN_EVERY: u64 = 1024;

/// A map of the scenario on screen.
#[derive(Clone, Copy)]
pub struct MapSearch {
    store: Store,
    /// The numbers that vary to the right, and upwards.
    pub axes: [RwSignal<&'static str>; 2],
    /// The map so far, or the reason why there is none; `None` before anybody asks.
    pub map: RwSignal<Option<Result<Arc<MemoryMap>, Message>>>,
    pursuit: StoredValue<Pursuit, LocalStorage>,
}

impl MapSearch {
    /// Nothing is asked yet.
    pub fn follow(store: Store) -> Self {
        let search = Self {
            store,
            axes: ["micro_batch_size", "seq_len"].map(RwSignal::new),
            map: RwSignal::new(None),
            pursuit: StoredValue::new_local(Pursuit::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            search.axes.iter().for_each(Track::track);
            if before.is_some() && search.map.with_untracked(Option::is_some) {
                search.begin_after(REST);
            }
        });
        search
    }

    /// Draws it from the beginning.
    pub fn ask(self) {
        self.begin_after(Duration::ZERO);
    }

    /// The map, where there is one.
    pub fn known(self) -> Option<Arc<MemoryMap>> {
        self.map.get()?.ok()
    }

    fn begin_after(self, rest: Duration) {
        self.pursuit
            .with_value(|pursuit| pursuit.set(rest, move || self.begin()));
    }

    fn begin(self) {
        let map = self.store.scenario.with_untracked(|scenario| {
            let [x, y] = self.axes.map(|axis| Axis::named(axis.get_untracked()));
            MemoryMap::new(scenario, [&x?, &y?], COUNT)
        });
        let map = match map {
            Ok(map) => map,
            Err(why) => return self.map.set(Some(Err(why))),
        };
        let shown = self.map;
        let mut before = 0;
        let told = move |map: &MemoryMap, done: bool| {
            let counts = map.counts();
            let (made, is_surveyed) = (counts.exact, counts.known > before + 1);
            before = counts.known;
            if done || is_surveyed || SHOWN_AT.contains(&made) || made.is_multiple_of(SHOWN_EVERY) {
                shown.set(Some(Ok(Arc::new(map.clone()))));
            }
        };
        self.pursuit.with_value(|pursuit| pursuit.pursue(map, told));
    }
}
