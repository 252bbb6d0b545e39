//! Values that just fit: asked for axis by axis, one after the other, and given up when the scenario changes.

use super::pursuit::Pursuit;
use super::store::Store;
use crate::ask::{Finding, Scenario};
use crate::decide::{Axis, GpusCurve, GpusCurves, Question, Solution, Solver};
use leptos::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// How far a search is.
#[derive(Clone, Debug, PartialEq)]
pub enum Search<T> {
    /// Nobody has asked.
    Unasked,
    /// It waits or runs.
    Running,
    /// The result.
    Done(T),
}

/// The solution along an axis, or the findings that refuse it.
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

/// An axis and the state of its search for the scenario on screen.
#[derive(Clone)]
pub struct AxisSearch {
    /// The axis.
    pub axis: Axis,
    /// How far it is.
    pub search: RwSignal<Search<Found>>,
}

/// A search that is asked for.
#[derive(Clone)]
enum Asked {
    Axis(AxisSearch),
    Curves,
}

/// Searches for values that fit the scenario on screen.
#[derive(Clone, Copy)]
pub struct Fits {
    store: Store,
    axes: StoredValue<Vec<AxisSearch>>,
    /// The needs of ranks against the number of GPUs.
    pub curves: RwSignal<Search<Arc<Vec<GpusCurve>>>>,
    left: StoredValue<VecDeque<Asked>>,
    /// Whether something is looked for.
    busy: StoredValue<bool>,
    pursuit: StoredValue<Pursuit, LocalStorage>,
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
            busy: StoredValue::new(false),
            pursuit: StoredValue::new_local(Pursuit::default()),
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
        self.left.update_value(|left| left.push_back(asked));
        if !self.busy.get_value() {
            self.look();
        }
    }

    fn give_up(self) {
        self.left.update_value(VecDeque::clear);
        self.busy.set_value(false);
        self.pursuit.with_value(Pursuit::give_up);
        for of in self.axes() {
            forget(of.search);
        }
        forget(self.curves);
    }

    /// Starts the first of the requested searches that can start.
    fn look(self) {
        self.busy.set_value(false);
        let scenario: Scenario = self.store.scenario.get_untracked();
        while let Some(asked) = self.take_next() {
            match asked {
                Asked::Curves => {
                    let found = self.curves;
                    return self.pursue(GpusCurves::of(&scenario), move |curves| {
                        found.set(Search::Done(Arc::new(curves.found().to_vec())));
                    });
                }
                Asked::Axis(AxisSearch { axis, search }) => match Solver::new(&scenario, &axis) {
                    Ok(solver) => {
                        return self.pursue(solver, move |solver| {
                            search.set(Search::Done(Arc::new(solver.solution())));
                        });
                    }
                    Err(findings) => search.set(Search::Done(Arc::new(Err(findings)))),
                },
            }
        }
    }

    fn take_next(self) -> Option<Asked> {
        let mut next = None;
        self.left.update_value(|left| next = left.pop_front());
        next
    }

    /// Pursues a question, then the searches requested after it.
    fn pursue<Q: Question + 'static>(self, question: Q, found: impl Fn(&Q) + 'static) {
        self.busy.set_value(true);
        let told = move |question: &Q, done: bool| {
            if done {
                found(question);
                self.look();
            }
        };
        self.pursuit
            .with_value(|pursuit| pursuit.pursue(question, told));
    }
}
