//! A folded record, put together as that of the whole lists (Note [Layers that repeat], `folds.rs`).

use super::details::{Details, Made};
use super::event::{Event, Events};
use super::folds::{CopiedScopes, Folds, KEPT, PATTERN, Tag, left_out, place};
use super::graph::{Edge, Leaf};
use super::recorder::RawStorage;
use super::scopes::Scopes;
use super::sweeps::{Part, Run, Step, is_end, parts, run_of, runs, steps};
use super::{Parameter, Tape, Tensor};
use std::cell::RefCell;
use std::rc::Rc;

/// Where a storage of the folded record was made.
#[derive(Clone, Copy, PartialEq)]
struct Home {
    part: usize,
    /// In a sweep, the element.
    element: usize,
    /// Which one of its run.
    ordinal: u32,
}

/// A whole record, and where in it the storages of the folded one stand.
pub(super) struct Unfolded {
    pub(super) storages: Vec<RawStorage>,
    pub(super) events: Events,
    pub(super) made: Vec<Made>,
    folds: Folds,
    parts: Vec<Part>,
    homes: Vec<Home>,
    /// The first storage of each part; of a sweep, for each place.
    firsts: Vec<Vec<u32>>,
}

/// What a tape recorded.
pub(super) struct Folded<'a> {
    pub(super) storages: &'a [RawStorage],
    pub(super) events: &'a Events,
    pub(super) details: Option<&'a Details>,
}

impl Unfolded {
    /// Unfolds a record and its scopes; nothing when the layers differ in what they do.
    pub(super) fn new(folds: Folds, folded: &Folded, scopes: &mut Scopes) -> Option<Self> {
        let runs = runs(folds.events().iter().copied());
        let parts = parts(&folds, &runs)?;
        let built = folded
            .events
            .iter()
            .position(|e| matches!(e, Event::Mark(_)))?;
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
            storages: Vec::new(),
            events: Events::default(),
            made: Vec::new(),
            folds,
            homes: homes(folded, &runs, &parts),
            firsts: vec![Vec::new(); parts.len()],
            parts,
        };
        for part in 0..unfolded.parts.len() {
            unfolded.check(part, folded, &runs, scopes)?;
        }
        let copied = unfolded.folds.unfold_scopes(scopes);
        unfolded.write(folded, &runs, &copied)?;
        Some(unfolded)
    }

    /// Sees that the pattern and its neighbour do the same in a sweep.
    fn check(&self, part: usize, folded: &Folded, runs: &[Run], scopes: &Scopes) -> Option<()> {
        let Part::Sweep { first, rising, .. } = self.parts[part] else {
            return Some(());
        };
        let events = |element| {
            let run = &runs[run_of(first, rising, element)];
            folded.events.between(run.range.clone())
        };
        let (one, other) = (events(PATTERN), events(PATTERN + 1));
        let same = |(one, other): (Event, Event)| match (one, other) {
            (Event::Alloc(a), Event::Alloc(b)) => self.alike(a, b, folded, scopes),
            (Event::Free(a), Event::Free(b)) => {
                let [a, b] = [a, b].map(|id| self.homes[id as usize]);
                let next = Home {
                    element: a.element + 1,
                    ..a
                };
                self.is_of_list_of(part, a) && a.element.abs_diff(PATTERN) <= 1 && next == b
            }
            _ => false,
        };
        let all = one.len() == other.len() && one.zip(other).all(same);
        all.then_some(())
    }

    /// Whether a storage was made in a sweep through the list of the sweep `part`.
    fn is_of_list_of(&self, part: usize, home: Home) -> bool {
        match (self.parts[part], self.parts[home.part]) {
            (Part::Sweep { list, .. }, Part::Sweep { list: other, .. }) => list == other,
            _ => false,
        }
    }

    fn alike(&self, a: u32, b: u32, folded: &Folded, scopes: &Scopes) -> bool {
        let [made_a, made_b] =
            [a, b].map(|id| folded.details.map(|made| (made.op(id), made.shape(id))));
        let [a, b] = [a, b].map(|id| &folded.storages[id as usize]);
        a.bytes == b.bytes
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
            let same_index = x.index == y.index || (is_element && of_list == [true; 2]);
            if of_list[0] != of_list[1] || x.name != y.name || !same_index {
                return false;
            }
            (a, b) = (x.parent, y.parent);
            if is_element {
                return a == b;
            }
        }
    }

    fn write(&mut self, folded: &Folded, runs: &[Run], copied: &CopiedScopes) -> Option<()> {
        let number = |n: usize| u32::try_from(n).ok();
        let parts = std::mem::take(&mut self.parts);
        let is_alloc = |event: &Event| matches!(event, Event::Alloc(_));
        let allocs = |run: &Run| {
            let events = folded.events.between(run.range.clone());
            events.filter(is_alloc).count()
        };
        let allocs: Vec<usize> = runs.iter().map(allocs).collect();
        // With room for what the optimizer does.
        let room = |count: usize| count + count / 3;
        let storages = steps(&parts).map(|step| allocs[step.run]).sum();
        let events = steps(&parts).map(|step| runs[step.run].range.len()).sum();
        self.storages.reserve_exact(room(storages));
        self.events.reserve_exact(room(events));
        // Where the copies of a run for consecutive places begin, in both lists.
        let mut copies: Vec<[usize; 2]> = Vec::new();
        for step in steps(&parts) {
            let first = number(self.storages.len())?;
            let firsts = &mut self.firsts[step.part];
            let copy_of = match parts[step.part] {
                Part::Sweep { list, count, .. } => {
                    firsts.resize(count, 0);
                    firsts[step.place] = first;
                    left_out(count).contains(&step.place).then_some(list)
                }
                Part::Once(_) => {
                    firsts.push(first);
                    None
                }
            };
            if copy_of.is_none() {
                copies.clear();
            } else if let [.., one, other] = copies[..] {
                copies.push([self.events.len(), self.storages.len()]);
                self.go_on(one, other);
                continue;
            } else {
                copies.push([self.events.len(), self.storages.len()]);
            }
            for event in folded.events.between(runs[step.run].range.clone()) {
                let event = match event {
                    Event::Alloc(id) => {
                        let mut storage = folded.storages[id as usize];
                        if let Some(list) = copy_of {
                            let is_pattern =
                                self.folds.of_scope(storage.scope) == Tag::of(list, PATTERN);
                            if is_pattern {
                                storage.scope = copied.at(list, step.place, storage.scope);
                            }
                        }
                        self.storages.push(storage);
                        let made = folded.details.map(|details| details.made[id as usize]);
                        self.made.extend(made);
                        Event::Alloc(number(self.storages.len() - 1)?)
                    }
                    Event::Free(id) => {
                        let home = self.homes[id as usize];
                        Event::Free(self.seen_from(&parts, &step, home)?)
                    }
                    event @ (Event::Mark(_) | Event::EmptyCache) => event,
                };
                self.events.push(event);
            }
        }
        self.parts = parts;
        Some(())
    }

    /// Writes one more copy of a run, which is to the `other` one as that is to `one`: from place to
    /// place all numbers go on by as much, of storages and of scopes.
    fn go_on(&mut self, one: [usize; 2], other: [usize; 2]) {
        let [events, storages] = other;
        self.events.go_on(one[0], events..self.events.len());
        let distance = storages - one[1];
        let end = self.storages.len();
        self.storages.extend_from_within(storages..);
        for at in end..self.storages.len() {
            let before = self.storages[at - 2 * distance].scope;
            let scope = &mut self.storages[at].scope;
            *scope = scope.wrapping_add(scope.wrapping_sub(before));
        }
        if !self.made.is_empty() {
            self.made.extend_from_within(storages..);
        }
    }

    /// The storage that stands for the one with this home, as an event of `step` means it.
    fn seen_from(&self, parts: &[Part], step: &Step, home: Home) -> Option<u32> {
        let firsts = &self.firsts[home.part];
        let place = match (parts[step.part], parts[home.part]) {
            (_, Part::Once(_)) => 0,
            (Part::Sweep { list, .. }, Part::Sweep { list: other, .. })
                if list == other && home.element.abs_diff(step.element) <= 1 =>
            {
                (step.place + home.element).checked_sub(step.element)?
            }
            (_, Part::Sweep { count, .. }) if is_end(home.element) => place(home.element, count),
            _ => return None,
        };
        Some(firsts.get(place)? + home.ordinal)
    }

    /// Where a storage of the folded record stands.
    pub(super) fn place(&self, id: u32) -> u32 {
        let home = self.homes[id as usize];
        let place = match self.parts[home.part] {
            Part::Once(_) => 0,
            Part::Sweep { count, .. } => place(home.element, count),
        };
        self.firsts[home.part][place] + home.ordinal
    }

    /// Where the storage stands that is for the element at `place` what this one is for the
    /// pattern.
    pub(super) fn copy(&self, id: u32, place: usize) -> Option<u32> {
        let home = self.homes.get(id as usize)?;
        Some(self.firsts[home.part].get(place)? + home.ordinal)
    }

    /// The order in which items, each of a scope, come in the whole record: each item, with the
    /// place in the list for which it is copied when it is a copy.
    pub(super) fn order(
        &self,
        scopes: impl Iterator<Item = u32>,
    ) -> Option<Vec<(usize, Option<usize>)>> {
        let runs = runs(scopes.map(|scope| self.folds.of_scope(scope)));
        let parts = parts(&self.folds, &runs)?;
        let mut order = Vec::new();
        for step in steps(&parts) {
            let copy = match parts[step.part] {
                Part::Sweep { count, .. } => {
                    left_out(count).contains(&step.place).then_some(step.place)
                }
                Part::Once(_) => None,
            };
            order.extend(runs[step.run].range.clone().map(|item| (item, copy)));
        }
        Some(order)
    }
}

/// Where each storage was made.
fn homes(folded: &Folded, runs: &[Run], parts: &[Part]) -> Vec<Home> {
    let mut homes = Vec::with_capacity(folded.storages.len());
    let mut note = |part, element, run: &Run| {
        let mut ordinal = 0;
        for event in folded.events.between(run.range.clone()) {
            if let Event::Alloc(_) = event {
                homes.push(Home {
                    part,
                    element,
                    ordinal,
                });
                ordinal += 1;
            }
        }
    };
    for (part, &what) in parts.iter().enumerate() {
        match what {
            Part::Once(run) => note(part, 0, &runs[run]),
            Part::Sweep { first, rising, .. } => {
                for step in 0..KEPT {
                    let element = if rising { step } else { KEPT - 1 - step };
                    note(part, element, &runs[first + step]);
                }
            }
        }
    }
    homes
}

impl Tape {
    /// From here on lists of modules may be built shorter than they are; [`Tape::unfold`] makes
    /// up for it.
    pub fn allow_folds(&self) {
        self.recorder.folds().get_or_insert_default();
    }

    /// How many of the `count` modules of the list `name` in the scope `parent` to build; the first
    /// `head` of them differ from the others.
    pub fn fold_list(&self, parent: u32, name: &'static str, head: u64, count: u64) -> u64 {
        let mut folds = self.recorder.folds();
        let folds = folds.as_mut();
        folds.map_or(count, |folds| folds.fold(parent, name, head, count))
    }

    /// The last list is built whole after all.
    pub fn keep_list_whole(&self) {
        if let Some(folds) = self.recorder.folds().as_mut() {
            folds.keep_whole();
        }
    }

    /// For how many modules what is made in a scope stands.
    pub fn multiplicity(&self, scope: u32) -> u64 {
        let folds = self.recorder.folds();
        folds.as_ref().map_or(1, |folds| folds.multiplicity(scope))
    }

    /// Makes the record that of the whole lists, and adds the parameters that were left out, with
    /// their gradients; from here on it is as if all had been built. False when it cannot be done:
    /// then the record is of no use.
    ///
    /// Only between a backward pass and the optimizer's step: nothing else of the modules that were
    /// left out is there.
    #[must_use]
    pub fn unfold(&self) -> bool {
        if self.recorder.folds().as_ref().is_none_or(Folds::is_empty) {
            self.recorder.folds().take();
            return true;
        }
        let scopes: Vec<u32> = {
            let parameters = self.parameters.borrow();
            let scope = |p: &Parameter| self.scope_of(&p.tensor);
            parameters.iter().map(scope).collect()
        };
        let Some(unfolded) = self.recorder.unfold() else {
            return false;
        };
        let Some(order) = unfolded.order(scopes.into_iter()) else {
            return false;
        };
        let folded = self.parameters.take();
        // Parameters or gradients can be parts of one storage.
        let mut storages = vec![None; self.recorder.count()];
        let mut copy = |x: &Tensor, place| {
            let stands = unfolded.copy(x.folded_id(), place)?;
            let make = || Rc::new(self.recorder.standing(stands));
            let storage = storages[stands as usize].get_or_insert_with(make);
            let storage = Rc::clone(storage);
            Some(Tensor::new(storage, *x.shape(), *x.strides(), x.dtype()))
        };
        let mut parameter = |folded: &Parameter, place| {
            let grad = folded.leaf.grad.borrow();
            let leaf = Rc::new(Leaf {
                parameter: Some(self.next_parameter_id()),
                grad: RefCell::new(grad.as_ref().and_then(|grad| copy(grad, place))),
                ..Leaf::default()
            });
            let tensor = copy(&folded.tensor, place)?;
            Some(Parameter {
                tensor: tensor.with_edge(Edge::Leaf(Rc::clone(&leaf))),
                leaf,
            })
        };
        for (item, place) in order {
            let whole = match place {
                None => Some(folded[item].clone()),
                Some(place) => parameter(&folded[item], place),
            };
            let Some(whole) = whole else { return false };
            self.parameters.borrow_mut().push(whole);
        }
        true
    }
}
