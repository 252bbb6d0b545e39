//! The configurations that were on screen before, each a step, and the ways back to them and forth again: the page's own
//! arrows and keys, and those of the browser.
//!
//! Each step has an entry of the browser's history. A change begins a new entry, and further ones are written into it
//! until the configuration rests. The page restores a step at once and lets the browser follow to its entry; where the
//! browser goes first, the page follows. An entry carries a mark that says whose it is: an entry of an earlier life of
//! the page, or of somebody else, is opened by its address. Links to parts of the page make entries, too, which belong
//! to the step on screen.

use super::address::{open, query_of};
use super::entries::Entries;
use super::place::{Mark, Place};
use super::session;
use super::store::{Store, Undo};
use crate::ask::Scenario;
use crate::browser::{self, Timer};
use crate::configs::Approximation;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use std::time::Duration;

/// A configuration that rests so long is a step of its own.
const REST: Duration = Duration::from_millis(700);
/// Steps that are kept: browsers keep 50 entries.
const MOST: usize = 48;

/// A configuration that rested on screen.
#[derive(Clone)]
struct Step {
    scenario: Scenario,
    /// Settings of an opened job that it approximates.
    approximated: Vec<Approximation>,
    /// The configuration to compare with.
    against: Option<Scenario>,
    /// The first of its entries in the browser's history, if it has one.
    entry: Option<i32>,
}

impl Step {
    fn of(store: Store, entry: Option<i32>) -> Self {
        Self {
            scenario: store.scenario.get_untracked(),
            approximated: store.approximated.get_untracked(),
            against: untrack(|| store.kept.scenario()).map(|against| *against),
            entry,
        }
    }
}

/// A step of the past, beside the configuration that came after it.
#[derive(Clone)]
pub struct Change {
    /// The configuration before.
    pub from: Scenario,
    /// The configuration after.
    pub to: Scenario,
}

/// All steps, and the one on screen. There always is one.
struct Steps {
    all: Vec<Step>,
    at: usize,
}

impl Steps {
    fn now(&self) -> Option<&Step> {
        self.all.get(self.at)
    }

    /// Goes on with a step in the place of those after the one on screen.
    fn push(&mut self, step: Step) {
        self.all.truncate(self.at.saturating_add(1));
        self.all.push(step);
        let surplus = self.all.len().saturating_sub(MOST);
        self.all.drain(..surplus);
        self.at = self.all.len().saturating_sub(1);
    }

    /// The browser has dropped its entries from this one on.
    fn forget_from(&mut self, entry: i32) {
        for step in &mut self.all {
            if step.entry.is_some_and(|own| own >= entry) {
                step.entry = None;
            }
        }
    }
}

/// The steps before the configuration on screen and those after it.
#[derive(Clone, Copy)]
pub struct Past {
    store: Store,
    steps: RwSignal<Steps>,
    place: StoredValue<Place>,
}

/// The two ways through the steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Undo.
    Back,
    /// Redo.
    Forth,
}

impl Past {
    /// Begins with the configuration on screen. Ctrl+Z and Ctrl+Shift+Z go back and forth, but where one types.
    pub fn new(store: Store) -> Self {
        // After the page was loaded anew the entry has a number already.
        let here = browser::mark().and_then(|mark| Mark::read(&mark).map(|mark| mark.here));
        let here = here.unwrap_or(0);
        let place = Place {
            life: browser::life(),
            here,
            of: here,
            new: None,
            going: None,
            written: browser::query(),
            held: false,
            pressed: false,
        };
        let past = Self {
            store,
            steps: RwSignal::new(Steps {
                all: vec![Step::of(store, Some(here))],
                at: 0,
            }),
            place: StoredValue::new(place),
        };
        past.mark();
        store.entries.set_value(Some(Box::leak(Box::new(past))));
        let rest = Timer::default();
        past.follow_pointer(&rest);
        Effect::new(move |_| {
            store.scenario.track();
            rest.set(REST, move || {
                if !past.place.with_value(|place| place.pressed) {
                    past.settle();
                }
            });
        });
        let keys = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
            let control = event.ctrl_key() || event.meta_key();
            if !control || event.alt_key() || browser::is_typing(&event) {
                return;
            }
            let way = match event.key().as_str() {
                "z" => Way::Back,
                "Z" | "y" => Way::Forth,
                _ => return,
            };
            event.prevent_default();
            past.go(way, 1);
        });
        on_cleanup(move || keys.remove());
        // Whoever left for another page by a link and comes back has no entries after this one any more.
        browser::on_page_shown(move || {
            let here = past.place.with_value(|place| place.here);
            past.steps
                .update(|steps| steps.forget_from(here.saturating_add(1)));
        });
        store.undo.set(Some(Undo {
            has: Signal::derive(move || past.has(Way::Back)),
            go: Callback::new(move |()| past.go(Way::Back, 1)),
        }));
        past
    }

    /// Waits with a step until the pointer lets go.
    fn follow_pointer(self, rest: &Timer) {
        let press = move |pressed: bool| self.place.update_value(|place| place.pressed = pressed);
        let rest = rest.clone();
        let let_go = move || {
            press(false);
            rest.set(REST, move || self.leave());
        };
        let cancelled = let_go.clone();
        let listeners = [
            window_event_listener(leptos::ev::pointerdown, move |_| press(true)),
            window_event_listener(leptos::ev::pointerup, move |_| let_go()),
            window_event_listener(leptos::ev::pointercancel, move |_| cancelled()),
            window_event_listener(leptos::ev::keydown, move |_| press(false)),
        ];
        on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    }

    /// Whether there is a step on this way.
    pub fn has(self, way: Way) -> bool {
        self.steps.with(|steps| match way {
            Way::Back => steps.at > 0,
            Way::Forth => steps.at.saturating_add(1) < steps.all.len(),
        })
    }

    /// The last changes, at most `most`, the latest first.
    pub fn changes(self, most: usize) -> Vec<Change> {
        self.steps.with(|steps| {
            let past = steps.all.get(..=steps.at).unwrap_or_default();
            let pairs = past.windows(2).rev().take(most);
            let change = |pair: &[Step]| match pair {
                [from, to] => Some(Change {
                    from: from.scenario.clone(),
                    to: to.scenario.clone(),
                }),
                _ => None,
            };
            pairs.filter_map(change).collect()
        })
    }

    /// Goes this number of `steps`, as far as there are some.
    pub fn go(self, way: Way, steps: usize) {
        self.settle();
        let target = self.steps.with_untracked(|all| match way {
            Way::Back => all.at.saturating_sub(steps),
            Way::Forth => all
                .at
                .saturating_add(steps)
                .min(all.all.len().saturating_sub(1)),
        });
        if self.show(target) {
            self.follow();
        }
    }

    /// Shows the step with this index; whether it is another one.
    fn show(self, target: usize) -> bool {
        let step = self.steps.with_untracked(|steps| {
            let step = steps.all.get(target).cloned();
            step.filter(|_| target != steps.at)
        });
        let Some(step) = step else {
            return false;
        };
        self.steps.update(|steps| steps.at = target);
        self.restore(step);
        true
    }

    fn restore(self, step: Step) {
        browser::focus_anew();
        self.store.approximated.set(step.approximated);
        self.store.replace(step.scenario);
        self.store.kept.set(step.against);
    }

    /// Sends the browser to the entry of the step on screen.
    fn follow(self) {
        let entry = self
            .steps
            .with_untracked(|steps| steps.now().and_then(|now| now.entry));
        let way = self.place.try_update_value(|place| {
            let entry = entry.filter(|entry| *entry != place.of && place.going.is_none())?;
            place.going = Some(entry);
            Some(entry.saturating_sub(place.here))
        });
        if let Some(way) = way.flatten() {
            browser::travel(way);
        }
    }

    /// Whether the configuration on screen is no step yet.
    fn is_new(self) -> bool {
        let is_step = |now: &Scenario| {
            let same = |steps: &Steps| steps.now().is_some_and(|step| step.scenario == *now);
            self.steps.with_untracked(same)
        };
        !self.store.scenario.with_untracked(is_step)
    }

    /// Takes the configuration on screen as a step, if it is another one.
    fn settle(self) {
        if self.place.with_value(|place| place.held) {
            return;
        }
        if self.is_new() {
            let entry = self.place.try_update_value(|place| place.new.take());
            let step = Step::of(self.store, entry.flatten());
            self.steps.update(|steps| steps.push(step));
            if untrack(|| !self.store.is_stale()) {
                session::keep(&untrack(|| query_of(self.store, false)));
            }
        } else {
            let now = Step::of(self.store, None);
            self.steps.update_untracked(|steps| {
                let at = steps.at;
                if let Some(step) = steps.all.get_mut(at) {
                    let entry = step.entry;
                    *step = Step { entry, ..now };
                }
            });
        }
    }

    /// Writes a query into the entry of the configuration on screen: a new one where it has none yet.
    fn write_as(self, query: &str) {
        let place = self.place.get_value();
        if place.held || place.going.is_some() {
            return;
        }
        let new = self.is_new();
        let place = if new { place } else { self.come_round() };
        let own = if new {
            place.new
        } else {
            self.steps
                .with_untracked(|steps| steps.now().and_then(|now| now.entry))
        };
        if own.is_some_and(|own| own != place.of) || (own.is_none() && place.pressed) {
            return;
        }
        self.place.update_value(|place| {
            query.clone_into(&mut place.written);
            if own.is_none() {
                place.here = place.here.saturating_add(1);
                place.of = place.here;
            }
            if new {
                place.new = Some(place.of);
            }
        });
        let (mark, of) = self.place.with_value(|place| (place.mark(), place.of));
        if own.is_some() {
            return browser::replace_marked(query, &mark);
        }
        browser::push_marked(query, &mark);
        self.steps.update_untracked(|steps| {
            steps.forget_from(of);
            let at = steps.at;
            if let Some(now) = steps.all.get_mut(at).filter(|_| !new) {
                now.entry = Some(of);
            }
        });
    }

    /// The entry of a change that was taken back by hand belongs to the step on screen. Gives the place then.
    fn come_round(self) -> Place {
        self.place.update_value(|place| {
            if place.new.take().is_some() {
                self.steps.update_untracked(|steps| {
                    let at = steps.at;
                    if let Some(now) = steps.all.get_mut(at) {
                        place.of = *now.entry.get_or_insert(place.of);
                    }
                });
            }
        });
        self.place.get_value()
    }

    /// Marks the entry that the browser is at.
    fn mark(self) {
        browser::set_mark(&self.place.with_value(Place::mark));
    }

    /// The browser has come to an entry of the page's own.
    fn come(self, here: i32, of: i32) {
        let sent = self.place.try_update_value(|place| {
            place.here = here;
            place.of = of;
            place.written = browser::query();
            place.going.take() == Some(of)
        });
        if sent == Some(true) {
            return self.follow();
        }
        let known = self.steps.with_untracked(|steps| {
            let mut all = steps.all.iter();
            all.position(|step| step.entry == Some(of))
        });
        match known {
            Some(step) => {
                self.show(step);
            }
            None => self.come_to_another(of),
        }
    }

    /// The browser has come to an entry that is none of this life's, and has this number where it has one.
    fn come_to_another(self, entry: i32) {
        let query = browser::query();
        self.place.update_value(|place| {
            place.here = entry;
            place.of = entry;
            place.going = None;
            place.new = None;
            query.clone_into(&mut place.written);
        });
        browser::focus_anew();
        open(self.store, &query);
        let step = Step::of(self.store, Some(entry));
        self.steps.update(|steps| {
            let is_before = |step: &&Step| step.entry.is_some_and(|own| own < entry);
            let at = steps.all.iter().filter(is_before).count();
            steps.all.insert(at, step);
            steps.all.truncate(MOST.max(at.saturating_add(1)));
            steps.at = at;
        });
        self.mark();
    }
}

impl Entries for Past {
    fn write(&self) {
        if untrack(|| !self.store.is_stale()) {
            self.write_as(&untrack(|| query_of(self.store, false)));
        }
    }

    fn leave(&self) {
        // An address that asks for nothing stays so.
        if self.is_new() || self.place.with_value(|place| !place.written.is_empty()) {
            self.write();
        }
        self.settle();
    }

    fn arrive(&self, query: &str) {
        self.write_as(query);
        self.settle();
    }

    fn popped(&self) {
        let mark = browser::mark();
        let read = mark.as_deref().and_then(Mark::read);
        let (place, query) = (self.place.get_value(), browser::query());
        if read.is_none() && query == place.written {
            // A link to a part of the page.
            self.place
                .update_value(|place| place.here = place.here.saturating_add(1));
            let after = place.here.saturating_add(1);
            self.steps
                .update_untracked(|steps| steps.forget_from(after));
            return self.mark();
        }
        if place.going.is_none() {
            self.settle();
        }
        match read {
            Some(mark) if mark.life == place.life => self.come(mark.here, mark.of),
            Some(mark) => self.come_to_another(mark.here),
            None => {
                let first = |steps: &Steps| steps.all.iter().filter_map(|step| step.entry).min();
                let first = self.steps.with_untracked(first).unwrap_or(place.here);
                self.come_to_another(first.saturating_sub(1));
            }
        }
    }

    fn set_aside(&self) {
        self.leave();
        self.place.update_value(|place| place.held = true);
    }

    fn give_back(&self) {
        self.place.update_value(|place| place.held = false);
        let step = self.steps.with_untracked(|steps| steps.now().cloned());
        if let Some(step) = step.filter(|_| self.is_new()) {
            self.restore(step);
        }
    }

    fn go_on(&self) {
        self.place.update_value(|place| place.held = false);
        self.leave();
    }
}
