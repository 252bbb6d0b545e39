//! A folded record, put together as that of the whole lists (Note [Layers that repeat], `folds.rs`).

mod folded;
mod homes;

use super::details::Made;
use super::event::Event;
use super::folds::Member;
use super::folds::{CopiedScopes, Folds, Tag};
use super::record::{Passage, Record};
use super::scopes::Scopes;
use super::sweeps::{Part, Run, Step, note, parts, steps};
pub(super) use folded::Folded;
use homes::{Home, Homes};

/// A whole record, and where in it the storages of the folded one stand.
pub(super) struct Unfolded {
    pub(super) record: Record,
    pub(super) made: Vec<Made>,
    folds: Folds,
    parts: Vec<Part>,
    homes: Homes,
    /// The first storage of each part; of a sweep, for each place.
    firsts: Vec<Vec<u32>>,
    /// The beginning of each part, and the end: in the folded record, and in the whole one.
    begins: Vec<[usize; 2]>,
}

impl Unfolded {
    /// Unfolds a record and its scopes; `None` when the layers' events differ.
    pub(super) fn new(mut folds: Folds, folded: &Folded, scopes: &mut Scopes) -> Option<Self> {
        let mut runs = folds.take_events();
        let parts = parts(&folds, &mut runs)?;
        let (built, _) = folded.record.marks().next()?;
        let runs_later = |&list: &usize| {
            parts.iter().any(|&part| match part {
                Part::Sweep {
                    list: of, first, ..
                } => of == list && runs[first].range.start > built,
                Part::Once(_) => false,
            })
        };
        // Layers that run elsewhere than where they were built are not known again.
        if !folds.lists().all(|list| runs_later(&list)) {
            return None;
        }
        let mut unfolded = Self {
            record: Record::default(),
            made: Vec::new(),
            homes: Homes::of(folds.built, folded, &runs, &parts)?,
            firsts: vec![Vec::new(); parts.len()],
            begins: Vec::with_capacity(parts.len() + 1),
            folds,
            parts,
        };
        for part in 0..unfolded.parts.len() {
            unfolded.check(part, folded, &runs, scopes)?;
        }
        if !unfolded.is_balanced(folded, &runs) {
            return None;
        }
        let copied = unfolded.folds.unfold_scopes(scopes);
        unfolded.write(folded, &runs, &copied)?;
        Some(unfolded)
    }

    /// Whether the whole record frees as many storages as do not live on: none is freed for a few elements
    /// only.
    fn is_balanced(&self, folded: &Folded, runs: &[Run]) -> bool {
        let balance = |run: &Run| {
            let events = folded.events(run.range.clone());
            let each = events.map(|event| match event {
                Event::Alloc(id) => folded.record.storage(id).map_or(0, |s| i64::from(!s.alive)),
                Event::Free(_) => -1,
                _ => 0,
            });
            each.sum::<i64>()
        };
        let of_runs: Vec<i64> = runs.iter().map(balance).collect();
        let steps = steps(self.folds.built, &self.parts);
        steps.map(|step| of_runs[step.run]).sum::<i64>() == 0
    }

    /// Checks that the pattern and its neighbour do the same in a sweep, and that outside of sweeps only the ends of
    /// the list allocate. Frees outside of sweeps are next to an end, which did without them.
    fn check(&self, part: usize, folded: &Folded, runs: &[Run], scopes: &Scopes) -> Option<()> {
        let built = self.folds.built;
        let (first, rising) = match self.parts[part] {
            Part::Sweep { first, rising, .. } => (first, rising),
            Part::Once(run) => {
                let mut events = folded.events(runs[run].range.clone());
                let mut frees = || events.all(|event| matches!(event, Event::Free(_)));
                return (runs[run].is_of_end(built) || frees()).then_some(());
            }
        };
        let pattern = built.pattern();
        let run = |element| runs[first + built.passed(rising, element)].range.clone();
        let (one, other) = (run(pattern), run(pattern + 1));
        if one.len() != other.len() {
            return None;
        }
        let [one, other] = [one, other].map(|range| folded.events(range));
        let same = |(one, other): (Event, Event)| match (one, other) {
            (Event::Alloc(a), Event::Alloc(b)) => self.alike(a, b, folded, scopes),
            (Event::Free(a), Event::Free(b)) => {
                let [Some(home_a), Some(home_b)] = [a, b].map(|id| self.homes.find(id)) else {
                    return false;
                };
                let neighbours = home_a.part == home_b.part
                    && home_a.element + 1 == home_b.element
                    && self.is_near(home_a, folded, scopes);
                // Layers at an end can make something beside.
                let at_an_end = built.is_end(home_a.element) || built.is_end(home_b.element);
                let same = home_a.ordinal == home_b.ordinal
                    || (at_an_end && self.alike(a, b, folded, scopes));
                self.is_of_list_of(part, home_a) && neighbours && same
            }
            (Event::Wait(one), Event::Wait(other)) => one == other,
            _ => false,
        };
        one.zip(other).all(same).then_some(())
    }

    /// Whether a storage that the pattern frees was made next to it, or as far away as ends are, as an element of
    /// neither end makes one, too.
    fn is_near(&self, home: Home, folded: &Folded, scopes: &Scopes) -> bool {
        let built = self.folds.built;
        let pattern = built.pattern();
        let distance = home.element.abs_diff(pattern);
        let alike = || {
            let element = pattern + usize::from(home.element > pattern);
            let amid = self.homes.storage(Home { element, ..home })?;
            let id = self.homes.storage(home)?;
            Some(self.alike(amid, id, folded, scopes))
        };
        distance <= 1 || (distance <= built.side && alike() == Some(true))
    }

    /// Whether a storage was made in a sweep through the list of the sweep `part`.
    fn is_of_list_of(&self, part: usize, home: Home) -> bool {
        match (self.parts[part], self.parts[home.part]) {
            (Part::Sweep { list, .. }, Part::Sweep { list: other, .. }) => list == other,
            _ => false,
        }
    }

    fn alike(&self, a: u32, b: u32, folded: &Folded, scopes: &Scopes) -> bool {
        let [made_a, made_b] = [a, b].map(|id| {
            let place = folded.record.place_of(id);
            folded
                .details
                .map(|made| (made.op(place), made.shape(place)))
        });
        let [Some(a), Some(b)] = [a, b].map(|id| folded.record.storage(id)) else {
            return false;
        };
        a.bytes == b.bytes
            && a.stream == b.stream
            && a.used_on == b.used_on
            && a.category == b.category
            && a.alive == b.alive
            && made_a == made_b
            && self.same_scope(a.scope, b.scope, scopes)
    }

    /// Whether two scopes are the same but for the element.
    fn same_scope(&self, mut a: u32, mut b: u32, scopes: &Scopes) -> bool {
        loop {
            let of_list = [a, b].map(|scope| self.folds.of_scope(scope) != Tag::NONE);
            let (Some(x), Some(y)) = (scopes.get(a), scopes.get(b)) else {
                return a == b;
            };
            let is_element = self.folds.of_scope(x.parent) == Tag::NONE;
            let list = self.folds.of_scope(a).split();
            let same_index = match list {
                Some(Member { list, .. }) if is_element && of_list == [true; 2] => {
                    self.folds.same_within(list, [x.index, y.index])
                }
                _ => x.index == y.index,
            };
            if of_list[0] != of_list[1] || x.name != y.name || !same_index {
                return false;
            }
            (a, b) = (x.parent, y.parent);
            if is_element {
                return a == b;
            }
        }
    }

    /// How many storages and events are written.
    fn written(&self, folded: &Folded, runs: &[Run], parts: &[Part]) -> [usize; 2] {
        let record = folded.record;
        let mut written = [record.written().count(), record.written_events()];
        for &part in parts {
            if let Part::Sweep {
                first,
                rising,
                count,
                ..
            } = part
            {
                let built = self.folds.built;
                let copies = built.left_out(count).len().min(2);
                let run = first + built.passed(rising, built.pattern());
                let each = folded.written(runs[run].range.clone());
                written[0] += copies * each[0];
                written[1] += copies * each[1];
            }
        }
        written
    }

    /// Writes the whole record. What repeats is written for two places only.
    fn write(&mut self, folded: &Folded, runs: &[Run], copied: &CopiedScopes) -> Option<()> {
        let number = |n: usize| u32::try_from(n).ok();
        let built = self.folds.built;
        let parts = std::mem::take(&mut self.parts);
        let [storages, events] = self.written(folded, runs, &parts);
        // With room for the events of the optimizer.
        (self.record).reserve(storages + storages / 8, events + events / 8);
        // Copies of a run for consecutive places.
        let mut copies = 0;
        let mut first = 0;
        for step in steps(built, &parts) {
            if self.begins.len() == step.part {
                let begins = runs[step.run].range.start;
                self.begins.push([begins, self.record.event_count()]);
            }
            let before = std::mem::replace(&mut first, number(self.record.storage_count())?);
            let firsts = &mut self.firsts[step.part];
            let copy_of = match parts[step.part] {
                Part::Sweep { list, count, .. } => {
                    firsts.resize(count, 0);
                    firsts[step.place] = first;
                    built.left_out(count).contains(&step.place).then_some(list)
                }
                Part::Once(_) => {
                    firsts.push(first);
                    None
                }
            };
            copies = if copy_of.is_some() { copies + 1 } else { 0 };
            if copies > 2 {
                let events = runs[step.run].range.len();
                self.record.go_on(events, (first - before) as usize);
                continue;
            }
            // A copy frees the same storages of the layer before it as the pattern's neighbour frees of the pattern.
            let neighbour = match parts[step.part] {
                Part::Sweep { first, rising, .. } if copy_of.is_some() => {
                    first + built.passed(rising, built.pattern() + 1)
                }
                _ => step.run,
            };
            let mut at = runs[step.run].range.start;
            let [here, of_neighbour] =
                [step.run, neighbour].map(|run| folded.record.passages(runs[run].range.clone()));
            for both in here.zip(of_neighbour) {
                let (here, of_neighbour) = match both {
                    (Passage::Written(here), Passage::Written(of_neighbour))
                        if here.event_count() == of_neighbour.event_count() =>
                    {
                        (here, of_neighbour)
                    }
                    (Passage::Again(again), Passage::Again(other)) if again == other => {
                        at = self.homes.goes_on(folded, &again, at)?;
                        self.record.go_on_as(again);
                        continue;
                    }
                    _ => return None,
                };
                at += here.event_count();
                for (event, of_neighbour) in here.events().zip(of_neighbour.events()) {
                    let event = match event {
                        Event::Alloc(id) => {
                            let mut storage = folded.record.storage(id)?;
                            if let Some(list) = copy_of {
                                let is_pattern = self.folds.of_scope(storage.scope)
                                    == Tag::of(list, built.pattern());
                                if is_pattern {
                                    storage.scope = copied.at(list, step.place, storage.scope);
                                }
                            }
                            let made = folded
                                .details
                                .map(|details| details.made[folded.record.place_of(id)]);
                            self.made.extend(made);
                            Event::Alloc(self.record.add(storage))
                        }
                        Event::Free(id) => {
                            let home = self.homes.find(id)?;
                            let seen = match of_neighbour {
                                Event::Free(id)
                                    if copy_of.is_some() && built.is_end(home.element) =>
                                {
                                    let home = self.homes.find(id)?;
                                    self.seen_from(&parts, &step, built.pattern() + 1, home)
                                }
                                _ => self.seen_from(&parts, &step, step.element, home),
                            };
                            Event::Free(seen?)
                        }
                        event => event,
                    };
                    self.record.push(event);
                }
            }
        }
        let ends = [folded.record.event_count(), self.record.event_count()];
        self.begins.push(ends);
        self.parts = parts;
        Some(())
    }

    /// The id in the whole record of the storage with this home, as an event of `element` refers to it in `step`.
    fn seen_from(&self, parts: &[Part], step: &Step, element: usize, home: Home) -> Option<u32> {
        let built = self.folds.built;
        let firsts = &self.firsts[home.part];
        let place = match (parts[step.part], parts[home.part]) {
            (_, Part::Once(_)) => 0,
            (Part::Sweep { list, .. }, Part::Sweep { list: other, .. })
                if list == other && home.element.abs_diff(element) <= built.side =>
            {
                (step.place + home.element).checked_sub(element)?
            }
            (from, Part::Sweep { count, .. })
                if built.is_end(home.element) || matches!(from, Part::Once(_)) =>
            {
                built.place(home.element, count)
            }
            _ => return None,
        };
        Some(firsts.get(place)? + home.ordinal)
    }

    /// The index in the whole record of an event of the folded one, unless it is amid a sweep.
    pub(super) fn event(&self, at: usize) -> Option<usize> {
        let after = self.begins.partition_point(|&[begins, _]| begins <= at);
        let part = after.checked_sub(1)?;
        let [begins, stands] = self.begins[part];
        match self.parts.get(part) {
            Some(Part::Sweep { .. }) if at > begins => None,
            _ => Some(stands + at - begins),
        }
    }

    /// The place in the whole record of a storage of the folded one.
    pub(super) fn place(&self, id: u32) -> Option<u32> {
        let home = self.homes.find(id)?;
        let place = match self.parts[home.part] {
            Part::Once(_) => 0,
            Part::Sweep { count, .. } => self.folds.built.place(home.element, count),
        };
        Some(self.firsts[home.part].get(place)? + home.ordinal)
    }

    /// The id of the storage that is to the element at `place` what storage `id` is to the pattern.
    pub(super) fn copy(&self, id: u32, place: usize) -> Option<u32> {
        let home = self.homes.find(id)?;
        Some(self.firsts[home.part].get(place)? + home.ordinal)
    }

    /// The order in which items, each of a scope, come in the whole record ([`order`]).
    pub(super) fn order(
        &self,
        scopes: impl Iterator<Item = u32>,
    ) -> Option<Vec<(u32, Option<u32>)>> {
        order(&self.folds, scopes)
    }
}

/// The order in which items, each of a scope, come in the whole record: each item, with the place in the list for
/// which it is copied when it is a copy.
pub(super) fn order(
    folds: &Folds,
    scopes: impl Iterator<Item = u32>,
) -> Option<Vec<(u32, Option<u32>)>> {
    let mut runs = Vec::new();
    for scope in scopes {
        note(&mut runs, folds.of_scope(scope), 1);
    }
    let parts = parts(folds, &mut runs)?;
    let mut order = Vec::new();
    for step in steps(folds.built, &parts) {
        let copy = match parts[step.part] {
            Part::Sweep { count, .. } => {
                let left_out = folds.built.left_out(count);
                let place = u32::try_from(step.place).ok()?;
                left_out.contains(&step.place).then_some(place)
            }
            Part::Once(run) if runs[run].is_of_end(folds.built) => None,
            Part::Once(_) => return None,
        };
        let items = runs[step.run].range.clone();
        order.extend(
            (0..)
                .skip(items.start)
                .take(items.len())
                .map(|item| (item, copy)),
        );
    }
    Some(order)
}
