//! The origins of the storages of a folded record.

use super::folded::Folded;
use crate::tape::event::Event;
use crate::tape::folds::Built;
use crate::tape::record::Again;
use crate::tape::sweeps::{Part, Run};

/// The origin of a storage of the folded record.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Home {
    pub(super) part: usize,
    /// In a sweep, the element.
    pub(super) element: usize,
    /// Its number in its run.
    pub(super) ordinal: u32,
}

/// The origins of all storages.
pub(super) struct Homes(
    /// The origin of each run's storages, and the id of the first of them.
    Vec<(Home, u32)>,
);

impl Homes {
    /// The origins of all storages.
    pub(super) fn of(built: Built, folded: &Folded, runs: &[Run], parts: &[Part]) -> Option<Self> {
        let mut homes = Self(Vec::with_capacity(runs.len()));
        let mut next = 0;
        let mut note = |part, element, run: &Run| {
            let home = Home {
                part,
                element,
                ordinal: 0,
            };
            homes.0.push((home, next));
            let events = folded.events(run.range.clone());
            let made = events.filter(|event| matches!(event, Event::Alloc(_)));
            next += u32::try_from(made.count()).ok()?;
            Some(())
        };
        for (part, &what) in parts.iter().enumerate() {
            match what {
                Part::Once(run) => note(part, 0, &runs[run])?,
                Part::Sweep { first, rising, .. } => {
                    for step in built.elements() {
                        note(part, built.passed(rising, step), &runs[first + step])?;
                    }
                }
            }
        }
        Some(homes)
    }

    /// The end of a repetition that begins at event `at`; `None` where the repetition reaches beyond a run.
    pub(super) fn goes_on(&self, folded: &Folded, again: &Again, at: usize) -> Option<usize> {
        let end = at + again.events * again.times;
        let before = |at: usize| {
            let events = folded.events(at - again.events..at);
            events.map(|event| match event {
                Event::Free(id) => self.run(id),
                _ => None,
            })
        };
        let of_run = before(at).zip(before(at - again.events)).zip(before(end));
        let mut of_run = of_run.map(|((last, before), end)| last == before && last == end);
        of_run.all(|same| same).then_some(end)
    }

    pub(super) fn find(&self, id: u32) -> Option<Home> {
        let run = self.run(id)?;
        let &(home, first) = self.0.get(run)?;
        Some(Home {
            ordinal: id - first,
            ..home
        })
    }

    /// The storage that was made somewhere.
    pub(super) fn storage(&self, home: Home) -> Option<u32> {
        let is_there = |(of, _): &&(Home, u32)| (of.part, of.element) == (home.part, home.element);
        let (_, first) = self.0.iter().find(is_there)?;
        let id = first + home.ordinal;
        (self.find(id)? == home).then_some(id)
    }

    /// The run that has made a storage.
    fn run(&self, id: u32) -> Option<usize> {
        let after = self.0.partition_point(|&(_, first)| first <= id);
        after.checked_sub(1)
    }
}
