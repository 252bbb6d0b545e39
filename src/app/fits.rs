//! What fits: asked for axis by axis, looked for one estimate at a time between frames, and given up when the
//! scenario changes.

use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::browser::Timer;
use crate::decide::{Axis, GpusCurve, GpusCurves, Solution, Solver};
use leptos::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// How long the browser gets between two estimates.
const PAUSE: Duration = Duration::from_millis(4);

/// How far a search is.
#[derive(Clone, Debug, PartialEq)]
pub enum Search<T> {
    /// Nobody has asked.
    Unasked,
    /// It waits or runs.
    Running,
    /// What was found.
    Done(T),
}

/// What was found along an axis, or why there is no answer.
pub type Found = Arc<Result<Solution, Vec<Finding>>>;

/// Whether something is to be looked for that nobody has asked for before; then it is asked for.
fn begins<T: Send + Sync + 'static>(search: RwSignal<Search<T>>) -> bool {
    let unasked = is_unasked(search);
    if unasked {
        search.set(Search::Running);
    }
    unasked
}

/// As if nobody had asked.
fn forget<T: Send + Sync + 'static>(search: RwSignal<Search<T>>) {
    if !is_unasked(search) {
        search.set(Search::Unasked);
    }
}

fn is_unasked<T: Send + Sync + 'static>(search: RwSignal<Search<T>>) -> bool {
    search.with_untracked(|search| matches!(search, Search::Unasked))
}

/// An axis and what is known of it for the scenario on screen.
#[derive(Clone)]
pub struct AxisSearch {
    /// The axis.
    pub axis: Axis,
    /// How far it is.
    pub search: RwSignal<Search<Found>>,
}

/// What is asked for.
#[derive(Clone)]
enum Asked {
    Axis(AxisSearch),
    Curves,
}

/// What is being computed.
enum Work {
    Axis(AxisSearch, Box<Solver>),
    Curves(Box<GpusCurves>),
}

/// What fits the scenario on screen.
#[derive(Clone, Copy)]
pub struct Fits {
    store: Store,
    axes: StoredValue<Vec<AxisSearch>>,
    /// What ranks need against the number of GPUs.
    pub curves: RwSignal<Search<Arc<Vec<GpusCurve>>>>,
    left: StoredValue<VecDeque<Asked>>,
    work: StoredValue<Option<Work>>,
    timer: StoredValue<Timer, LocalStorage>,
}

impl Fits {
    /// Nothing is asked yet; whatever is asked is given up when the scenario changes.
    pub fn follow(store: Store) -> Self {
        let searched = |axis| AxisSearch {
            axis,
            search: RwSignal::new(Search::Unasked),
        };
        let fits = Self {
            store,
            axes: StoredValue::new(Axis::usual().into_iter().map(searched).collect()),
            curves: RwSignal::new(Search::Unasked),
            left: StoredValue::new(VecDeque::new()),
            work: StoredValue::new(None),
            timer: StoredValue::new_local(Timer::default()),
        };
        Effect::new(move |before: Option<()>| {
            store.scenario.track();
            if before.is_some() {
                fits.give_up();
            }
        });
        fits
    }

    /// The axes that can be asked for.
    pub fn axes(self) -> Vec<AxisSearch> {
        self.axes.get_value()
    }

    /// The curves, where they are known.
    pub fn known_curves(self) -> Option<Arc<Vec<GpusCurve>>> {
        match self.curves.get() {
            Search::Done(curves) => Some(curves),
            Search::Unasked | Search::Running => None,
        }
    }

    /// Looks along an axis.
    pub fn ask(self, of: &AxisSearch) {
        if begins(of.search) {
            self.enqueue(Asked::Axis(of.clone()));
        }
    }

    /// Looks along all axes that have an effect.
    pub fn ask_all(self) {
        for of in self.axes() {
            let scenario = self.store.scenario;
            if scenario.with_untracked(|scenario| of.axis.idle(scenario).is_none()) {
                self.ask(&of);
            }
        }
    }

    /// Computes what ranks need against the number of GPUs.
    pub fn ask_curves(self) {
        if begins(self.curves) {
            self.enqueue(Asked::Curves);
        }
    }

    fn enqueue(self, asked: Asked) {
        let idle =
            self.work.with_value(Option::is_none) && self.left.with_value(VecDeque::is_empty);
        self.left.update_value(|left| left.push_back(asked));
        if idle {
            self.go_on_later();
        }
    }

    fn give_up(self) {
        self.left.update_value(VecDeque::clear);
        self.work.set_value(None);
        for of in self.axes() {
            forget(of.search);
        }
        forget(self.curves);
    }

    fn go_on_later(self) {
        self.timer
            .with_value(|timer| timer.set(PAUSE, move || self.go_on()));
    }

    /// One estimate, then the next after a pause.
    fn go_on(self) {
        let mut work = None;
        self.work.update_value(|now| work = now.take());
        let work = work.or_else(|| self.next());
        let Some(mut work) = work else {
            return;
        };
        let goes_on = match &mut work {
            Work::Axis(_, solver) => solver.advance(),
            Work::Curves(curves) => curves.advance(),
        };
        if goes_on {
            self.work.set_value(Some(work));
        } else {
            match work {
                Work::Axis(of, solver) => of.search.set(Search::Done(Arc::new(solver.solution()))),
                Work::Curves(curves) => {
                    let found = curves.found().to_vec();
                    self.curves.set(Search::Done(Arc::new(found)));
                }
            }
        }
        self.go_on_later();
    }

    /// The first of what is asked for that can be looked for.
    fn next(self) -> Option<Work> {
        let scenario: Scenario = self.store.scenario.get_untracked();
        loop {
            let mut asked = None;
            self.left.update_value(|left| asked = left.pop_front());
            match asked? {
                Asked::Curves => return Some(Work::Curves(Box::new(GpusCurves::of(&scenario)))),
                Asked::Axis(of) => match Solver::new(&scenario, &of.axis) {
                    Ok(solver) => return Some(Work::Axis(of, Box::new(solver))),
                    Err(findings) => of.search.set(Search::Done(Arc::new(Err(findings)))),
                },
            }
        }
    }
}
