//! Note [Layers that repeat]
//!
//! The layers in the middle of a model do the same: each allocates and frees in forward and in
//! backward what its neighbours do, one layer further. So a list of many layers is built with
//! a few of them ([`Built`]), and the record is put together afterwards as that of the whole list: the
//! events of the layer before the middle are repeated for all that are left out ([`super::unfold`]). They are
//! written for the first two of those only, from which the numbers of all others go on
//! ([`super::record`]). Where layers of several kinds take turns, or every n-th is checkpointed, an
//! *element* of the list is not one layer but, except at its ends, as many as do the same again
//! ([`Repetition`]).
//!
//! What belongs to a layer is known by its scope. Sequences of events that pass through all layers
//! of a list, upwards or downwards, are *sweeps*: building the model, forward, backward, autocast's
//! end. That this layer and the next do the same in every sweep, each storage freed being one
//! of the same or of a neighbouring layer, is checked, and that the whole record frees all that does not
//! live on; where it is not so, the record cannot be unfolded, and the run is made with all layers. A list
//! whose modules ask for their place in it is never folded. Where the first layers differ from all others,
//! those are built beside the list. Lists within layers, such as experts that run one after another or windows
//! of an image ([`super::runs`]), are folded by themselves ([`super::levels`]).
//!
//! `sim` tests that records are the same either way.

mod built;

use super::scopes::Scopes;
use super::sweeps::{Run, again, note, retagged};
use crate::units::Repetition;

pub use built::Built;
pub(super) use built::{Member, Tag};

/// A list of modules, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListId {
    /// The scope of the module that has it.
    pub scope: u32,
    /// Its name.
    pub name: &'static str,
    /// The index of its first module: parts of a list follow one another.
    pub first: u32,
    /// Whether it is within a layer.
    pub within: bool,
}

impl ListId {
    /// A whole list.
    pub fn whole(scope: u32, name: &'static str) -> Self {
        Self {
            scope,
            name,
            first: 0,
            within: false,
        }
    }
}

/// A list of modules that is built shorter than it is.
#[derive(Debug)]
struct List {
    id: ListId,
    /// How many modules are built.
    modules: u32,
    /// The index of the first module that is folded.
    head: usize,
    /// Modules of an element, and of one at an end.
    period: usize,
    end: usize,
    /// Elements from there on.
    count: usize,
}

impl List {
    /// The element of the folded list that has the module at an index.
    fn element(&self, index: usize, built: Built) -> Option<usize> {
        let since = index.checked_sub(self.head)?;
        let Some(since) = since.checked_sub(built.side * self.end) else {
            return Some(since / self.end);
        };
        let after = since.saturating_sub(2 * self.period) / self.end;
        Some(built.side + (since / self.period).min(2) + after)
    }

    /// The index of that module within its period.
    fn within(&self, index: usize, built: Built) -> usize {
        let shifted = index + built.side * self.end * (self.period - 1);
        shifted.saturating_sub(self.head) % self.period
    }

    /// The index in the whole list of module `within` of the element at `place`.
    fn index(&self, place: usize, within: usize, built: Built) -> usize {
        let most = self.count - 2 * built.side;
        let periods = place.saturating_sub(built.side).min(most);
        let is_period = place >= built.side && periods < most;
        let first = self.head + (place - periods) * self.end + periods * self.period;
        first + if is_period || built.whole { within } else { 0 }
    }
}

/// The folded lists of a record, and the events that belong to them.
#[derive(Debug)]
pub(super) struct Folds {
    /// How many elements of each are built.
    pub(super) built: Built,
    lists: Vec<Option<List>>,
    /// The element of each scope; missing scopes belong to none.
    scopes: Vec<Tag>,
    /// Runs of events of the same element.
    events: Vec<Run>,
    /// The element of the module that ran last, until something else happens.
    last: Tag,
}

impl Folds {
    pub(super) fn new(built: Built) -> Self {
        Self {
            built,
            lists: Vec::new(),
            scopes: Vec::new(),
            events: Vec::new(),
            last: Tag::NONE,
        }
    }

    /// How many of the `count` modules of a list to build, which repeat like this: a few, if it is long
    /// and not part of another. So many `events` were recorded before.
    pub(super) fn fold(
        &mut self,
        id: ListId,
        repetition: Repetition,
        count: u64,
        events: usize,
    ) -> u64 {
        if self.built.whole && repetition.period == 1 {
            return count;
        }
        let end = if self.built.whole {
            repetition.period
        } else {
            1
        };
        let ends = end.saturating_mul(2 * self.built.side as u64);
        let middle = count.saturating_sub(ends);
        let numbers = [
            repetition.first(middle),
            repetition.period,
            end,
            repetition.periods(middle),
        ];
        let [Ok(head), Ok(period), Ok(end), Ok(periods)] = numbers.map(usize::try_from) else {
            return count;
        };
        if periods <= 2 || self.is_within(id.scope) {
            return count;
        }
        let Ok(modules) = u32::try_from(head + 2 * self.built.side * end + 2 * period) else {
            return count;
        };
        if self.lists.is_empty() {
            note(&mut self.events, Tag::NONE, events);
        }
        self.lists.push(Some(List {
            id,
            modules,
            head: head + id.first as usize,
            period,
            end,
            count: periods + 2 * self.built.side,
        }));
        modules.into()
    }

    /// Whether a scope is within a list: in its folded elements, or in elements before them.
    pub(super) fn is_within(&self, scope: u32) -> bool {
        self.of_scope(scope) != Tag::NONE || self.is_beside(scope)
    }

    /// Says that a list is built whole; false when it is not folded.
    pub(super) fn keep_whole(&mut self, id: ListId) -> bool {
        let found = |list: &Option<List>| list.as_ref().is_some_and(|list| list.id == id);
        let Some(last) = self.lists.iter().rposition(found) else {
            return false;
        };
        self.lists[last] = None;
        // The events of its elements belong to no list.
        self.events = retagged(std::mem::take(&mut self.events), |tag| match tag.split() {
            Some(Member { list, .. }) if list == last => Tag::NONE,
            _ => tag,
        });
        true
    }

    /// Whether there are no folded lists.
    pub(super) fn is_empty(&self) -> bool {
        self.lists.iter().all(Option::is_none)
    }

    /// The folded lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = usize> {
        (0..self.lists.len()).filter(|&list| self.lists[list].is_some())
    }

    /// Elements of a list, when it is folded.
    pub(super) fn count(&self, list: usize) -> Option<usize> {
        Some(self.lists.get(list)?.as_ref()?.count)
    }

    /// The index of the module that is at a place of a folded list what the one at `index` is where it
    /// stands.
    fn index(&self, list: usize, place: usize, index: Option<u32>) -> Option<u32> {
        let list = self.lists.get(list)?.as_ref()?;
        let within = list.within(index? as usize, self.built);
        u32::try_from(list.index(place, within, self.built)).ok()
    }

    /// Whether two modules of a list, by their indices, are at the same place of a period.
    pub(super) fn same_within(&self, list: usize, indices: [Option<u32>; 2]) -> bool {
        let list = self.lists.get(list).and_then(Option::as_ref);
        let within = |index: Option<u32>| Some(list?.within(index? as usize, self.built));
        let [one, other] = indices.map(within);
        one.is_some() && one == other
    }

    /// A scope was made.
    pub(super) fn scope_made(&mut self, scope: u32, parent: u32, name: &str, index: Option<u32>) {
        let found = || {
            let index = index?;
            let is_it = |&List { id, modules, .. }: &&List| {
                let has = (id.first..id.first + modules).contains(&index);
                has && id.scope == parent && id.name == name
            };
            let mut lists = (0..).zip(&self.lists);
            let (number, list) = lists.find_map(|(number, list)| {
                let list = list.as_ref().filter(is_it)?;
                Some((number, list))
            })?;
            let element = list.element(index as usize, self.built);
            Some(element.map_or(Tag::BESIDE, |element| Tag::of(number, element)))
        };
        let tag = match self.of_scope(parent) {
            Tag::NONE if self.is_beside(parent) => Tag::BESIDE,
            Tag::NONE => found().unwrap_or_default(),
            inherited => inherited,
        };
        self.scope_is_of(scope, tag);
    }

    fn scope_is_of(&mut self, scope: u32, tag: Tag) {
        let scope = scope as usize;
        self.scopes.resize(self.scopes.len().max(scope), Tag::NONE);
        self.scopes.push(tag);
    }

    /// Scopes were added, none of them that of a folded list's module.
    pub(super) fn scopes_added(&mut self, scopes: &Scopes) {
        for (scope, added) in scopes.since(self.scopes.len()) {
            let parent = self.scopes.get(added.parent as usize);
            self.scope_is_of(scope, parent.copied().unwrap_or_default());
        }
    }

    /// Whether a scope is of a module that is built beside a folded list.
    fn is_beside(&self, scope: u32) -> bool {
        self.scopes.get(scope as usize) == Some(&Tag::BESIDE)
    }

    /// The member of a folded list that a scope belongs to.
    pub(super) fn of_scope(&self, scope: u32) -> Tag {
        let tag = self.scopes.get(scope as usize).copied().unwrap_or_default();
        match tag.split() {
            Some(Member { list, .. }) if self.count(list).is_some() => tag,
            _ => Tag::NONE,
        }
    }

    /// The scope `left` ends.
    pub(super) fn scope_left(&mut self, left: u32) {
        self.last = self.of_scope(left);
    }

    /// Something is allocated, or a mark is set, in the scope `here`.
    pub(super) fn alloc(&mut self, here: u32) {
        if self.lists.is_empty() {
            return;
        }
        let tag = self.of_scope(here);
        self.last = Tag::NONE;
        note(&mut self.events, tag, 1);
    }

    /// A storage that was made in the scope `made` is freed in the scope `here`. Outside of all elements the free
    /// belongs to the element that has just run, whose caller drops the tensor, else to the element that made it.
    pub(super) fn free(&mut self, here: u32, made: u32) {
        if self.lists.is_empty() {
            return;
        }
        let tags = [self.of_scope(here), self.last, self.of_scope(made)];
        let tag = tags.into_iter().find(|&tag| tag != Tag::NONE);
        note(&mut self.events, tag.unwrap_or_default(), 1);
    }

    /// Repeats the notes of the last `events` `times` more times.
    pub(super) fn again(&mut self, events: std::ops::Range<usize>, times: u32) {
        again(&mut self.events, events, times);
    }

    /// Takes the members that the events belong to; asked for once.
    pub(super) fn take_events(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.events)
    }

    /// The events stand elsewhere: each where `to` says. Nothing when one does not know.
    pub(super) fn events_moved(&mut self, to: impl Fn(usize) -> Option<usize>) -> Option<()> {
        for run in &mut self.events {
            run.range = to(run.range.start)?..to(run.range.end)?;
        }
        Some(())
    }

    /// Number of elements of its list that a scope represents.
    pub(super) fn multiplicity(&self, scope: u32) -> u64 {
        match self.of_scope(scope).split() {
            Some(Member { list, element }) if element == self.built.pattern() => {
                let left_out = self.count(list).map(|count| self.built.left_out(count));
                1 + left_out.map_or(0, |places| places.len() as u64)
            }
            _ => 1,
        }
    }

    /// Adds the scopes of the elements that are left out, and gives those of the others their place
    /// in the whole list.
    pub(super) fn unfold_scopes(&self, scopes: &mut Scopes) -> CopiedScopes {
        let mut copied = CopiedScopes {
            ordinals: vec![0; self.scopes.len()],
            firsts: Vec::new(),
            first_place: self.built.pattern() + 1,
        };
        for list in 0..self.lists.len() {
            copied.firsts.push(Vec::new());
            let Some(count) = self.count(list) else {
                continue;
            };
            let pattern = Tag::of(list, self.built.pattern());
            let of_pattern: Vec<u32> = (0u32..)
                .zip(&self.scopes)
                .filter_map(|(scope, &tag)| (tag == pattern).then_some(scope))
                .collect();
            for (ordinal, &scope) in (0u32..).zip(&of_pattern) {
                copied.ordinals[scope as usize] = ordinal;
            }
            for place in self.built.left_out(count) {
                let mut first = None;
                for &scope in &of_pattern {
                    let Some(mut copy) = scopes.get(scope).copied() else {
                        continue;
                    };
                    if self.of_scope(copy.parent) == pattern {
                        copy.parent = first.unwrap_or(0) + copied.ordinals[copy.parent as usize];
                    } else {
                        copy.index = self.index(list, place, copy.index);
                    }
                    let number = scopes.add(copy);
                    first.get_or_insert(number);
                }
                copied.firsts[list].push(first.unwrap_or(0));
            }
            for (scope, &tag) in (0u32..).zip(&self.scopes) {
                let Some(Member { list: of, element }) = tag.split().filter(|of| of.list == list)
                else {
                    continue;
                };
                let parent = scopes.get(scope).map_or(0, |scope| scope.parent);
                if self.of_scope(parent) == Tag::NONE
                    && let Some(scope) = scopes.get_mut(scope)
                {
                    scope.index = self.index(list, self.built.place(element, count), scope.index);
                }
                debug_assert_eq!(of, list);
            }
        }
        copied
    }
}

/// The scopes of elements that were left out.
pub(super) struct CopiedScopes {
    /// The index of each of a pattern's scopes among them.
    ordinals: Vec<u32>,
    /// The first scope of each element that was left out, by list.
    firsts: Vec<Vec<u32>>,
    first_place: usize,
}

impl CopiedScopes {
    /// The scope that is for the element at `place` what `scope` is for the pattern.
    pub(super) fn at(&self, list: usize, place: usize, scope: u32) -> u32 {
        self.firsts[list][place - self.first_place] + self.ordinals[scope as usize]
    }
}
