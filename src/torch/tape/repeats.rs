//! Note [Layers that repeat without gradients]
//!
//! Without gradients a layer leaves only its cache entries and the result that it hands on. So layers that are alike do
//! the same one after another, and the numbers of their storages grow by a constant step from layer to layer: for
//! storages of this pass, and for storages that earlier passes left to be replaced. Two layers are run and compared,
//! and the record continues from the first to the second for each layer that follows. If they differ, or if something
//! stays that is neither in the cache nor replaced by the next layer, all layers are run. Where layers of several kinds
//! take turns, the same holds for periods of them.
//!
//! `sim` tests that records are the same either way.

use super::cache::Cursor;
use super::event::Event;
use super::folds::ListId;
use super::record::ScopesAgain;
use super::recorder::Storage;
use super::{CacheKind, Tape, Tensor, Work};
use crate::units::Repetition;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Periods of layers that are run: the first, which may differ, and two that are compared.
const RUN: usize = 3;

/// A list of layers that repeat.
#[derive(Clone, Copy, Debug)]
struct Alike {
    /// The first from which on whole periods follow.
    first: usize,
    period: usize,
    count: usize,
}

impl Alike {
    /// Whether a period begins with a layer.
    fn begins(&self, layer: usize) -> bool {
        layer >= self.first && (layer - self.first).is_multiple_of(self.period)
    }

    /// Periods that follow when those have run that are compared.
    fn following(&self, layer: usize) -> Option<u32> {
        let run = self.first + RUN * self.period;
        let after = (layer + 1 == run).then(|| (self.count - run) / self.period)?;
        u32::try_from(after).ok()
    }
}

/// The repetition of a period.
#[derive(Clone, Copy)]
struct Again {
    /// Storages of each repetition.
    each: u32,
    /// The number of repetitions.
    following: u32,
}

/// Storages of layers that are alike, `each` per layer.
#[derive(Clone, Debug)]
struct Pass {
    storages: Range<u32>,
    each: u32,
}

/// Lists of modules that repeat, and the storages that they made.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// Whether all layers are run, so that records can be compared.
    all: bool,
    lists: Vec<(ListId, Alike)>,
    /// Whether only those layers are built that are run.
    built_short: bool,
    /// Whether the run needed layers that were not built.
    fell_short: bool,
    /// Whether layers are running.
    within: bool,
    passes: Vec<Pass>,
    /// The scopes of a storage in the following layers: by its scopes in two neighbouring layers, and by the number of
    /// layers that follow.
    scopes: BTreeMap<([u32; 2], u32), Arc<[u32]>>,
    /// The scopes of all storages of a layer, as the last pass found them: the next pass finds the same.
    of_layer: Option<ScopesAgain>,
}

impl Repeats {
    /// The list that was built last in this scope, by this name.
    fn list(&self, id: ListId) -> Option<Alike> {
        let mut lists = self.lists.iter().rev();
        let found = lists.find(|(list, _)| *list == id);
        found.map(|&(_, alike)| alike)
    }
}

/// The beginning of a layer.
#[derive(Clone, Copy)]
struct Border {
    event: usize,
    /// The next storage.
    storage: u32,
    cache: Cursor,
    /// Work before it.
    work: Work,
}

/// An event of the pattern, and the step from its storage to the one of the next layer.
#[derive(Clone, Copy)]
pub(super) struct Stepping {
    pub(super) event: Event,
    pub(super) step: u32,
}

/// The storages of a layer that is not run.
pub(super) struct Standing<'a> {
    tape: &'a Tape,
    /// The pattern's storages, and the distance from them to the layer's.
    pattern: Range<u32>,
    further: u32,
    made: Vec<(u32, Rc<Storage>)>,
}

impl Standing<'_> {
    /// The layer's counterpart of the pattern's tensor `kept`: a new tensor if the pattern has made `kept` in this
    /// pass, else `had`, the layer's tensor from an earlier pass.
    pub(super) fn instead(&mut self, kept: &Tensor, had: Option<&Tensor>) -> Tensor {
        let place = kept.storage_id();
        if !self.pattern.contains(&place) {
            return had.unwrap_or(kept).clone();
        }
        // Its free is written already.
        had.inspect(|had| had.forget_storage());
        let made = self.made.iter().find(|(of, _)| *of == place);
        let storage = made.map(|(_, storage)| Rc::clone(storage));
        let storage = storage.unwrap_or_else(|| {
            let standing = Rc::new(self.tape.recorder.standing(place + self.further));
            self.made.push((place, Rc::clone(&standing)));
            standing
        });
        Tensor::new(storage, *kept.shape(), kept.strides(), kept.dtype())
    }
}

impl Tape {
    /// Notes that the `count` layers of a list repeat like this.
    pub fn list_is_alike(&self, list: ListId, repetition: Repetition, count: u64) {
        let numbers = [repetition.first(count), repetition.period, count];
        if let [Ok(first), Ok(period), Ok(count)] = numbers.map(usize::try_from) {
            let alike = Alike {
                first,
                period,
                count,
            };
            self.repeats.borrow_mut().lists.push((list, alike));
        }
    }

    /// Runs `build`. If `short`, it makes only those layers of a model that are run while the rest repeats them
    /// ([`Tape::fell_short`]).
    pub fn build_again<R>(&self, short: bool, build: impl FnOnce() -> R) -> R {
        *self.repeats.borrow_mut() = Repeats {
            built_short: short,
            ..Repeats::default()
        };
        let built = build();
        self.repeats.borrow_mut().built_short = false;
        built
    }

    /// The number of the `count` layers of a list to build: all, unless [`Tape::build_again`] builds short lists.
    pub fn run_of_layers(&self, repetition: Repetition, count: u64) -> u64 {
        if self.repeats.borrow().built_short {
            let run = (RUN as u64).saturating_mul(repetition.period);
            count.min(repetition.first(count).saturating_add(run))
        } else {
            count
        }
    }

    /// Whether the run needed layers that [`Tape::build_again`] did not build. Then its record is of no use.
    pub fn fell_short(&self) -> bool {
        self.repeats.borrow().fell_short
    }

    /// Whether every layer and every turn is run, and nothing is repeated from the record.
    pub(super) fn runs_all(&self) -> bool {
        self.repeats.borrow().all
    }

    /// Runs every layer from here on, and every turn of a schedule: tests compare that with folded runs.
    pub fn run_all_layers(&self) {
        self.repeats.borrow_mut().all = true;
    }

    /// Runs the `layers` of the list `name` one after another, each over the result of the one before. Without
    /// gradients, layers that are alike are run once and repeated in the record.
    pub fn through_layers<L>(
        &self,
        name: &'static str,
        layers: &[L],
        hidden: Tensor,
        run: impl FnMut(usize, &L, &Tensor) -> Tensor,
    ) -> Tensor {
        let list = ListId::whole(self.scope(), name);
        self.through_part(list, true, layers, hidden, run)
    }

    /// Runs `layers`, a list in the current scope or a part of one, one after another. They are never repeated from the
    /// record unless they are `alike` in their arguments of this pass. `run` gets a layer's index in the whole list.
    pub fn through_part<L>(
        &self,
        list: ListId,
        alike: bool,
        layers: &[L],
        mut hidden: Tensor,
        mut run: impl FnMut(usize, &L, &Tensor) -> Tensor,
    ) -> Tensor {
        let ListId { name, first, .. } = list;
        let list = self.repeats.borrow().list(list);
        let repeating = list.filter(|_| alike && self.may_repeat());
        let within = std::mem::replace(&mut self.repeats.borrow_mut().within, true);
        let count = list.map_or(layers.len(), |alike| alike.count);
        let mut borders = Vec::new();
        let mut repeated = false;
        for (i, layer) in layers.iter().enumerate() {
            if repeating.is_some_and(|list| list.begins(i)) {
                borders.push(self.border());
            }
            let index = u32::try_from(i).ok().map(|index| first + index);
            let place = first as usize + i;
            hidden = self.scoped(name, index, || run(place, layer, &hidden));
            if let Some(list) = repeating
                && let Some(following) = list.following(i)
            {
                repeated = self.repeat(&borders, list, following).is_some();
                if repeated {
                    break;
                }
            }
        }
        if !repeated && layers.len() < count {
            match self.recorder.folds().as_mut() {
                Some(folds) if !alike => folds.spoil(),
                Some(_) => {}
                None => self.repeats.borrow_mut().fell_short = true,
            }
        }
        self.repeats.borrow_mut().within = within;
        // Whatever a list within a layer leaves to others is gone when the layer ends.
        if !(borders.is_empty() || within) {
            borders.push(self.border());
            self.note_pass(&borders, repeated);
        }
        hidden
    }

    /// Whether layers that are alike may be repeated from the record: nothing else needs them all.
    fn may_repeat(&self) -> bool {
        !self.repeats.borrow().all
            && !self.grad_enabled.get()
            && !self.wraps_modules()
            && self.recorder.folds().is_none()
            && !self.recorder.is_muted()
            && self.cache_kind() != Some(CacheKind::Tuples)
    }

    fn border(&self) -> Border {
        let (event, storage) = self.recorder.ends();
        Border {
            event,
            storage,
            cache: self.cache_cursor(),
            work: self.work(),
        }
    }

    /// Notes that the storages from number `since` on were made for `layers` layers, one after another, equally many each.
    pub(super) fn made_for_layers(&self, since: u32, layers: usize) {
        let storages = since..self.recorder.ends().1;
        let layers = u32::try_from(layers).unwrap_or(0);
        if let Some(0) = storages.end.wrapping_sub(since).checked_rem(layers) {
            let each = (storages.end - since) / layers;
            let mut repeats = self.repeats.borrow_mut();
            repeats.passes.push(Pass { storages, each });
        }
    }

    fn note_pass(&self, borders: &[Border], repeated: bool) {
        let [_, second, .., end] = borders else {
            return;
        };
        let each = borders[2].storage - second.storage;
        let mut layers = borders[1..].windows(2);
        if repeated || layers.all(|pair| pair[1].storage - pair[0].storage == each) {
            self.repeats.borrow_mut().passes.push(Pass {
                storages: second.storage..end.storage,
                each,
            });
        }
    }

    /// Whether the counterpart of storage `one` in each of the following layers is a step further than in the layer
    /// before, as `other` is from `one`. Storages from `since` on are of this pass.
    fn goes_on(&self, [one, other]: [u32; 2], since: u32, again: Again) -> bool {
        let step = other - one;
        if one >= since {
            return step == again.each;
        }
        let passes = &self.repeats.borrow().passes;
        let after = passes.partition_point(|pass| pass.storages.start <= one);
        passes[..after].last().is_some_and(|pass| {
            let farthest = u64::from(one) + u64::from(step) * u64::from(again.following + 1);
            step.checked_rem(pass.each) == Some(0) && farthest < u64::from(pass.storages.end)
        })
    }

    /// Repeats the last period `following` times in the record; `None` if the layers that follow would do something
    /// else.
    fn repeat(&self, borders: &[Border], list: Alike, following: u32) -> Option<()> {
        let &[head, one, other] = borders else {
            return None;
        };
        let end = self.border();
        let each = other.storage - one.storage;
        if each == 0
            || end.storage - other.storage != each
            || end.cache - other.cache != other.cache - one.cache
        {
            return None;
        }
        let again = Again { each, following };
        let pattern = self.recorder.compare(
            [one.event..other.event, other.event..end.event],
            |one, other| self.goes_on([one, other], head.storage, again),
        )?;
        // Whatever stays of the layer is in the cache, or the next layer replaces it.
        let kept = self.kept_between(other.cache, end.cache);
        let mut replaced = Vec::new();
        for storage in other.storage..end.storage {
            let alive = |storage| self.recorder.is_alive(storage);
            match (alive(storage - each), alive(storage)) {
                (true, true) if kept.contains(&storage) => {}
                (false, true) => replaced.push(storage),
                (false, false) => {}
                _ => return None,
            }
        }
        let period = u32::try_from(list.period).ok()?;
        let of_both = [one.storage, other.storage];
        let scopes = self.scopes_that_follow(of_both, period, again)?;
        self.recorder
            .come_again(&pattern, other.storage..end.storage, &scopes);
        self.repeat_work(end.work.since(other.work), following.into());
        self.recorder.moved(&replaced, following * each);
        for distance in 1..=following {
            let mut standing = Standing {
                tape: self,
                pattern: other.storage..end.storage,
                further: distance * each,
                made: Vec::new(),
            };
            self.repeat_cache([other.cache, end.cache], distance as usize, &mut standing);
        }
        Some(())
    }

    /// The scopes of each storage of a layer in the layers that follow.
    fn scopes_that_follow(
        &self,
        [one, other]: [u32; 2],
        period: u32,
        Again { each, following }: Again,
    ) -> Option<ScopesAgain> {
        let scope = |storage| self.recorder.scope_of(storage);
        let mut repeats = self.repeats.borrow_mut();
        let mut found: Vec<Arc<[u32]>> = Vec::new();
        let mut last = None;
        for ordinal in 0..each {
            let here = scope(other + ordinal);
            if last == Some(here) {
                found.extend(found.last().cloned());
                continue;
            }
            last = Some(here);
            let of_both = [scope(one + ordinal), here];
            let known = repeats.scopes.get(&(of_both, following)).cloned();
            let scopes = if let Some(scopes) = known {
                scopes
            } else {
                let scopes = self.recorder.siblings(of_both, period, following)?;
                let key = (of_both, following);
                repeats.scopes.insert(key, Arc::clone(&scopes));
                scopes
            };
            found.push(scopes);
        }
        let same = |last: &ScopesAgain| {
            last.len() == found.len() && last.iter().zip(&found).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let of_layer = repeats.of_layer.take().filter(same);
        let of_layer = of_layer.unwrap_or_else(|| found.into());
        repeats.of_layer = Some(Arc::clone(&of_layer));
        Some(of_layer)
    }
}
