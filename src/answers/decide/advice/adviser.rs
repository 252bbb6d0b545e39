//! All advice for a scenario, an estimate at a time.

use super::change::{RemedyKind, changed};
use super::ready::{ReadyPlan, Walk};
use super::remedy::{Outcome, Remedy, rank};
use super::room::{Room, RoomKind, RoomSearch};
use crate::ask::Scenario;
use crate::decide::question::{Estimator, Progress, Question};
use crate::report::Figures;
use serde::Serialize;
use std::collections::VecDeque;

/// Advice for a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The run as it is.
    pub now: Outcome,
    /// Single changes, the device's before the host's, the cheapest first, what saves most first.
    pub remedies: Vec<Remedy>,
    /// Ready plans, where it does not fit or is tight.
    pub plans: Vec<ReadyPlan>,
    /// Room for more, where it fits.
    pub room: Vec<Room>,
    /// Whether plans and room have been looked for, too.
    pub whole: bool,
}

impl Advice {
    /// The number of changes and of rooms.
    pub fn rows(&self) -> usize {
        self.remedies.len() + self.room.len()
    }
}

/// Works out advice.
#[derive(Clone, Debug)]
pub struct Adviser {
    scenario: Scenario,
    advice: Advice,
    changes: VecDeque<RemedyKind>,
    walk: Option<Walk>,
    rooms: VecDeque<RoomKind>,
    search: Option<RoomSearch>,
}

impl Adviser {
    /// Advice for a scenario that takes so much.
    pub fn new(scenario: &Scenario, figures: &Figures) -> Self {
        let now = Outcome::of(scenario, figures);
        let rooms: &[RoomKind] = if now.fits() { RoomKind::ALL } else { &[] };
        Self {
            scenario: scenario.clone(),
            changes: RemedyKind::ALL.iter().copied().collect(),
            walk: (!now.is_roomy()).then(|| Walk::from(scenario, now)),
            rooms: rooms.iter().copied().collect(),
            search: None,
            advice: Advice {
                now,
                remedies: Vec::new(),
                plans: Vec::new(),
                room: Vec::new(),
                whole: false,
            },
        }
    }

    /// Whether all single changes have been looked at.
    pub fn has_remedies(&self) -> bool {
        self.changes.is_empty()
    }

    /// The advice so far.
    pub fn advice(&self) -> &Advice {
        &self.advice
    }

    /// The next change that applies.
    fn try_change(&mut self, by: &mut dyn Estimator) -> Progress {
        let of = |&kind: &RemedyKind| changed(&self.scenario, kind);
        by.prepare(&mut self.changes.iter().filter_map(of));
        while let Some(&kind) = self.changes.front() {
            if let Some(to) = of(&kind) {
                let Some(answer) = by.figures(&to) else {
                    return Progress::Waits;
                };
                let outcome = answer.ok().map(|figures| Outcome::of(&to, &figures));
                let now = &self.advice.now;
                let remedy = outcome.and_then(|outcome| Remedy::of(kind, to, now, outcome));
                self.advice.remedies.extend(remedy);
                self.changes.pop_front();
                break;
            }
            self.changes.pop_front();
        }
        if self.changes.is_empty() {
            rank(&mut self.advice.remedies);
        }
        Progress::Further
    }

    fn look_for_room(&mut self, by: &mut dyn Estimator) -> Progress {
        let Some(search) = &mut self.search else {
            let Some(kind) = self.rooms.pop_front() else {
                self.advice.whole = true;
                return Progress::Done;
            };
            self.search = RoomSearch::of(&self.scenario, kind);
            return Progress::Further;
        };
        match search.advance(by) {
            Progress::Done => {
                let found = self.search.take().and_then(RoomSearch::found);
                self.advice.room.extend(found);
                Progress::Further
            }
            on => on,
        }
    }
}

impl Question for Adviser {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        if !self.changes.is_empty() {
            return self.try_change(by);
        }
        let Some(walk) = &mut self.walk else {
            return self.look_for_room(by);
        };
        match walk.advance(by) {
            Progress::Done => {
                self.advice.plans = walk.plans().to_vec();
                self.walk = None;
                Progress::Further
            }
            on => on,
        }
    }
}

/// All advice at once.
pub fn advice(scenario: &Scenario, figures: &Figures) -> Advice {
    let mut adviser = Adviser::new(scenario, figures);
    adviser.settle();
    adviser.advice
}
