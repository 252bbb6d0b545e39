//! All advice for a scenario, an estimate at a time.

use super::change::RemedyKind;
use super::ready::{ReadyPlan, Walk, is_roomy};
use super::remedy::{Outcome, Remedy, rank};
use super::room::{Room, RoomKind, RoomSearch};
use crate::ask::Scenario;
use crate::report::Report;
use serde::Serialize;
use std::collections::VecDeque;

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The run as it is.
    pub now: Outcome,
    /// Single changes, the device's before the host's, the cheapest first, what saves most first.
    pub remedies: Vec<Remedy>,
    /// Ready plans, where it does not fit or is tight.
    pub plans: Vec<ReadyPlan>,
    /// What there is room for, where it fits.
    pub room: Vec<Room>,
}

/// Works out advice, one estimate at a time, so that a page can spread it over frames: call [`Adviser::advance`]
/// until it says that nothing is left.
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
    /// Advice for a scenario with this report.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let now = Outcome::of(report);
        let rooms: &[RoomKind] = if now.fits() { RoomKind::ALL } else { &[] };
        Self {
            scenario: scenario.clone(),
            changes: RemedyKind::ALL.iter().copied().collect(),
            walk: (!is_roomy(&now)).then(|| Walk::from(scenario, now)),
            rooms: rooms.iter().copied().collect(),
            search: None,
            advice: Advice {
                now,
                remedies: Vec::new(),
                plans: Vec::new(),
                room: Vec::new(),
            },
        }
    }

    /// Whether all single changes have been looked at.
    pub fn has_remedies(&self) -> bool {
        self.changes.is_empty()
    }

    /// Makes one more estimate; false when nothing is left to do.
    pub fn advance(&mut self) -> bool {
        if let Some(kind) = self.changes.pop_front() {
            let remedy = Remedy::of(&self.scenario, &self.advice.now, kind);
            self.advice.remedies.extend(remedy);
            if self.changes.is_empty() {
                rank(&mut self.advice.remedies);
            }
            return true;
        }
        if let Some(walk) = &mut self.walk {
            if walk.advance() {
                return true;
            }
            self.advice.plans = walk.plans().to_vec();
            self.walk = None;
        }
        self.look_for_room()
    }

    /// What is known so far.
    pub fn advice(&self) -> &Advice {
        &self.advice
    }

    fn look_for_room(&mut self) -> bool {
        if let Some(mut search) = self.search.take() {
            if search.advance() {
                self.search = Some(search);
            } else {
                self.advice.room.extend(search.found());
            }
            return true;
        }
        let next = self.rooms.pop_front();
        if let Some(kind) = next {
            self.search = RoomSearch::of(&self.scenario, kind);
        }
        next.is_some()
    }
}

/// All advice at once.
pub fn advice(scenario: &Scenario, report: &Report) -> Advice {
    let mut adviser = Adviser::new(scenario, report);
    while adviser.advance() {}
    adviser.advice
}
