//! Single changes as a table: grouped by what they cost, their savings on one scale.

use super::adviser::Advice;
use super::change::Price;
use super::ready::{ReadyKind, Step};
use super::remedy::{Outcome, Remedy};
use crate::report::Memory;
use crate::units::Bytes;
use std::cmp::Reverse;

/// Changes of one price. Changes that let fewer jobs run at once are among the slower ones.
#[derive(Clone, Debug, PartialEq)]
pub struct AdviceGroup<'a> {
    /// The price.
    pub price: Price,
    /// The changes, the device's first, what saves most first.
    pub remedies: Vec<&'a Remedy>,
}

/// Single changes in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct AdviceTable<'a> {
    /// The groups that have changes, the cheapest first.
    pub groups: Vec<AdviceGroup<'a>>,
    /// The saving of a full bar.
    pub full: Bytes,
    missing: [Bytes; 2],
}

impl AdviceTable<'_> {
    /// Bytes of a memory that are missing now: what a change has to save there if the run is to fit.
    pub fn missing(&self, memory: Memory) -> Bytes {
        let place = Memory::ALL.iter().position(|own| *own == memory);
        place.map_or(Bytes::ZERO, |place| self.missing[place])
    }
}

/// The changes of a plan beyond those of the plan before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond<'a> {
    /// The plan before it, all of whose changes it makes, too.
    pub before: Option<ReadyKind>,
    /// The run before the changes.
    pub now: &'a Outcome,
    /// The changes.
    pub steps: &'a [Step],
}

/// The group of a price.
const fn group_of(price: Price) -> Price {
    match price {
        Price::FewerJobs => Price::Slower,
        price => price,
    }
}

impl Advice {
    /// The changes of the ready plan at a place: all of them, unless the plan before it begins with the same ones.
    pub fn beyond(&self, place: usize) -> Beyond<'_> {
        let steps = |place: usize| self.plans.get(place).map_or(&[][..], |plan| &plan.steps);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.plans.get(before));
        let further = before.and_then(|before| {
            let further = steps(place).strip_prefix(before.steps.as_slice())?;
            Some(Beyond {
                before: Some(before.kind),
                now: &before.outcome,
                steps: further,
            })
        });
        further.unwrap_or(Beyond {
            before: None,
            now: &self.now,
            steps: steps(place),
        })
    }

    /// The single changes in groups.
    pub fn table(&self) -> AdviceTable<'_> {
        let groups = Price::ALL.iter().map(|&price| {
            let own = self.remedies.iter();
            let mut remedies: Vec<&Remedy> = own
                .filter(|remedy| group_of(remedy.price()) == price)
                .collect();
            remedies.sort_by_key(|remedy| (remedy.memory, Reverse(remedy.saves)));
            AdviceGroup { price, remedies }
        });
        let missing = [Memory::Device, Memory::Host].map(|memory| {
            let side = self.now.side(memory);
            side.needed - side.capacity
        });
        let saves = self.remedies.iter().map(|remedy| remedy.saves);
        AdviceTable {
            groups: groups.filter(|group| !group.remedies.is_empty()).collect(),
            full: saves.chain(missing).max().unwrap_or(Bytes::ZERO),
            missing,
        }
    }
}
