//! Lists that are built shorter than they are, and the parameters of the elements that were left out of them (Note
//! [Layers that repeat], `folds.rs`).

use super::folds::{Built, ListId};
use super::levels::{Levels, Which};
use super::parameters::{LeftOut, Parameter, Present};
use super::tensor::Like;
use super::unfold::Unfolded;
use super::{Storage, Tape, Tensor};
use crate::units::Repetition;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Tape {
    /// From here on lists of modules may be built shorter than they are; [`Tape::unfold`] makes
    /// up for it.
    pub fn allow_folds(&self, built: Built, which: Which) {
        self.recorder
            .folds()
            .get_or_insert_with(|| Levels::new(built, which));
    }

    /// How many of the `count` modules of a list to build, where they repeat like this.
    pub fn fold_list(&self, list: ListId, repetition: Repetition, count: u64) -> u64 {
        let events = self.event_count();
        let mut folds = self.recorder.folds();
        let folds = folds.as_mut();
        folds.map_or(count, |folds| folds.fold(list, repetition, count, events))
    }

    /// A list is built whole after all.
    pub fn keep_list_whole(&self, list: ListId) {
        if let Some(folds) = self.recorder.folds().as_mut() {
            folds.keep_whole(list);
        }
    }

    /// The number of modules in the whole lists that a module built in `scope` represents.
    pub fn multiplicity(&self, scope: u32) -> u64 {
        let folds = self.recorder.folds();
        folds.as_ref().map_or(1, |folds| folds.multiplicity(scope))
    }

    /// The order in which items, each of a scope, come in the whole lists: the index of each item and, for a copy, the
    /// index of the layer that it is copied for. If the order is unknown, the folds are spoilt and the items come as
    /// they are.
    pub fn in_whole_lists(&self, scopes: &[u32]) -> Vec<(usize, Option<u32>)> {
        let mut folds = self.recorder.folds();
        let order = folds.as_ref().map(|folds| folds.order(scopes));
        if let (Some(None), Some(folds)) = (&order, folds.as_mut()) {
            folds.spoil();
        }
        match order.flatten() {
            Some(order) => (order.into_iter())
                .map(|(item, place)| (item as usize, place))
                .collect(),
            None => (0..scopes.len()).map(|item| (item, None)).collect(),
        }
    }

    /// Marks the folded lists as unusable for whole lists.
    pub fn spoil_folds(&self) {
        if let Some(folds) = self.recorder.folds().as_mut() {
            folds.spoil();
        }
    }

    /// Makes the record that of the whole lists, and adds the parameters that were left out, with
    /// their gradients; from here on it is as if all had been built. Nothing when it cannot be done:
    /// then the record is of no use.
    ///
    /// Only between a backward pass and the optimizer's step: nothing else of the modules that were
    /// left out is there.
    pub fn unfold(&self) -> Option<Whole> {
        if self.recorder.folds().as_ref().is_none_or(Levels::is_empty) {
            self.recorder.folds().take();
            return Some(Whole(Vec::new()));
        }
        let folded = self.present_parameters();
        let scope = |p: &Present| self.scope_of(&p.tensor);
        let scopes: Vec<u32> = folded.iter().map(scope).collect();
        let levels = self.recorder.unfold()?;
        let (order, alike) = order(&levels, &scopes)?;
        // Parameters or gradients can be parts of one storage: of each that was recorded the last copy.
        let mut slots = BTreeMap::new();
        let mut slot = |x: &Tensor| {
            let next = slots.len();
            *slots.entry(x.folded_id()).or_insert(next)
        };
        let slots_of: Vec<[Option<usize>; 2]> = (folded.iter())
            .map(|p| [Some(&p.tensor), p.leaf.grad.borrow().as_ref()].map(|x| x.map(&mut slot)))
            .collect();
        let mut storages: Vec<Option<(Way, Rc<Storage>)>> = vec![None; slots.len()];
        let mut copy = |x: &Tensor, slot: Option<usize>, way: Way| {
            let last = &mut storages[slot?];
            if last.as_ref().is_none_or(|(of, _)| *of != way) {
                let stands = stands(&levels, x.folded_id(), way)?;
                *last = Some((way, Rc::new(self.recorder.standing(stands))));
            }
            last.as_ref().map(|(_, storage)| Rc::clone(storage))
        };
        let mut likes: Vec<Option<Rc<[Like; 2]>>> = vec![None; alike];
        let mut left_out = |ordered: &Ordered| {
            let Present { tensor, leaf } = &folded[ordered.item as usize];
            let [of_tensor, of_grad] = slots_of[ordered.item as usize];
            let grad = leaf.grad.borrow();
            let like = || Rc::new([tensor, grad.as_ref().unwrap_or(tensor)].map(Tensor::like));
            let copied_grad = grad
                .as_ref()
                .and_then(|grad| copy(grad, of_grad, ordered.way));
            Some(Parameter::LeftOut(LeftOut {
                like: Rc::clone(likes[ordered.alike as usize].get_or_insert_with(like)),
                grad: Cell::new(copied_grad),
                storage: copy(tensor, of_tensor, ordered.way)?,
                of_layer: ordered.way[levels.len() - 1].is_some(),
            }))
        };
        let whole = order.iter().map(|ordered| match ordered.way {
            [None, None] => Some(Parameter::Present(folded[ordered.item as usize].clone())),
            _ => left_out(ordered),
        });
        let whole = whole.collect::<Option<_>>()?;
        self.parameters.replace(whole);
        Some(Whole(levels))
    }
}

impl Tape {
    /// Unfolds lists whose elements have no parameters, at the end of a run.
    pub fn unfold_record(&self) -> Option<()> {
        if self.recorder.folds().as_ref().is_some_and(Levels::is_empty) {
            self.recorder.folds().take();
        }
        let is_folded = self.recorder.folds().is_some();
        if is_folded {
            self.recorder.unfold()?;
        }
        Some(())
    }
}

/// Lists that were folded and are whole again.
pub struct Whole(Vec<Unfolded>);

impl Whole {
    /// Items of modules, of each of which the scope is given, as the whole lists have them: each with the index of the
    /// item that it is or is like, and the place of the layer that it is copied for, when it is a copy.
    pub fn of(&self, scopes: &[u32]) -> Option<Vec<(usize, Option<u32>)>> {
        let (order, _) = order(&self.0, scopes)?;
        let last = self.0.len().saturating_sub(1);
        let items = order.into_iter();
        let items = items.map(|ordered| (ordered.item as usize, ordered.way[last]));
        Some(items.collect())
    }
}

/// The element of a list that something is copied for, on each level; `None` for something that is not copied.
type Way = [Option<u32>; 2];

/// A parameter of the whole lists.
#[derive(Clone, Copy)]
struct Ordered {
    /// The index of the built parameter that it is, or is a copy of.
    item: u32,
    way: Way,
    /// The index of the parameter that it is like, among those of the layers that were built.
    alike: u32,
}

/// The parameters of the whole lists, of which those are given that were built, each with its scope, and
/// how many there are of the layers that were built.
fn order(levels: &[Unfolded], scopes: &[u32]) -> Option<(Vec<Ordered>, usize)> {
    let item = |item| Ordered {
        item,
        way: [None; 2],
        alike: item,
    };
    let count = u32::try_from(scopes.len()).ok()?;
    let mut order: Vec<Ordered> = (0..count).map(item).collect();
    let mut count = order.len();
    for (level, unfolded) in levels.iter().enumerate() {
        count = order.len();
        let scopes = order.iter().map(|ordered| scopes[ordered.item as usize]);
        let found = unfolded.order(scopes)?;
        let ordered = found.into_iter().map(|(alike, place)| {
            let mut ordered = order[alike as usize];
            ordered.way[level] = place;
            Ordered { alike, ..ordered }
        });
        order = ordered.collect();
    }
    Some((order, count))
}

/// The id of a storage's copy after all levels are unfolded.
fn stands(levels: &[Unfolded], id: u32, way: Way) -> Option<u32> {
    let mut levels = levels.iter().zip(way);
    levels.try_fold(id, |id, (unfolded, place)| match place {
        Some(place) => unfolded.copy(id, place as usize),
        None => unfolded.place(id),
    })
}
