//! A map over two numbers: drawn when it is asked for, an estimate at a time between frames, and anew when the
//! scenario rests after a change.

use super::store::Store;
use crate::ask::Message;
use crate::browser::Timer;
use crate::decide::{Axis, MemoryMap};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// How long the scenario must rest before a map is drawn anew.
const REST: Duration = Duration::from_millis(300);

/// How long the browser gets between two estimates.
const PAUSE: Duration = Duration::from_millis(4);

/// Values along each edge.
const COUNT: usize = 32;

/// Estimates after which the picture is drawn: the first one soon, then ever more seldom.
const SHOWN_AT: [u64; 4] = [4, 16, 64, 256];

/// In the end it is drawn after so many.
const SHOWN_EVERY: u64 = 512;

/// A map of the scenario on screen.
#[derive(Clone, Copy)]
pub struct MapSearch {
    store: Store,
    /// What varies to the right, and upwards.
    pub axes: [RwSignal<&'static str>; 2],
    /// What is known; why there is nothing, or nothing before anybody asks.
    pub map: RwSignal<Option<Result<Arc<MemoryMap>, Message>>>,
    work: StoredValue<Option<Box<MemoryMap>>>,
    made: StoredValue<u64>,
    timer: StoredValue<Timer, LocalStorage>,
}

impl MapSearch {
    /// Nothing is asked yet.
    pub fn follow(store: Store) -> Self {
        let search = Self {
            store,
            axes: ["micro_batch_size", "seq_len"].map(RwSignal::new),
            map: RwSignal::new(None),
            work: StoredValue::new(None),
            made: StoredValue::new(0),
            timer: StoredValue::new_local(Timer::default()),
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
        self.work.set_value(None);
        self.timer
            .with_value(|timer| timer.set(rest, move || self.begin()));
    }

    fn begin(self) {
        let map = self.store.scenario.with_untracked(|scenario| {
            let [x, y] = self.axes.map(|axis| Axis::named(axis.get_untracked()));
            MemoryMap::new(scenario, [&x?, &y?], COUNT)
        });
        match map {
            Err(why) => self.map.set(Some(Err(why))),
            Ok(map) => {
                self.made.set_value(0);
                self.work.set_value(Some(Box::new(map)));
                self.go_on();
            }
        }
    }

    /// One estimate, then the next after a pause.
    fn go_on(self) {
        let mut work = None;
        self.work.update_value(|now| work = now.take());
        let Some(mut map) = work else {
            return;
        };
        let goes_on = map.advance();
        self.made.update_value(|made| *made += 1);
        let made = self.made.get_value();
        if !goes_on || SHOWN_AT.contains(&made) || made.is_multiple_of(SHOWN_EVERY) {
            self.map.set(Some(Ok(Arc::new((*map).clone()))));
        }
        if goes_on {
            self.work.set_value(Some(map));
            self.timer
                .with_value(|timer| timer.set(PAUSE, move || self.go_on()));
        }
    }
}
