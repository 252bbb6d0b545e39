//! Lists of modules, which are built shorter where their elements repeat (Note [Layers that repeat],
//! `tape/folds.rs`).

use super::builder::{Builder, Plan};
use crate::ask::ActivationCheckpointing;
use crate::tape::ListId;
use crate::units::Repetition;
use std::ops::Range;

impl Plan<'_> {
    /// The repetition of a list's modules: it is `known` for the list, starts after the modules that options name, and
    /// is a multiple of `checkpoint_every`.
    fn repetition(&self, known: Option<Repetition>) -> Repetition {
        let checkpointed = match self.spec.activation_checkpointing {
            ActivationCheckpointing::None => 1,
            _ => self.spec.checkpoint_every,
        };
        let repetition = known.unwrap_or(Repetition::ALIKE).after(self.named);
        repetition.with_every(checkpointed)
    }
}

impl Builder<'_> {
    /// The elements of the module list `name`, each made by `make`. On a tape that folds lists
    /// (Note [Layers that repeat], `tape/folds.rs`) they are fewer than `count`, unless a module
    /// asks for its index.
    pub(crate) fn items<T>(
        &self,
        name: &'static str,
        count: u64,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        self.items_repeating(None, name, count, make)
    }

    /// The elements of the module list `name`, whose `repetition` is known.
    pub(crate) fn items_repeating<T>(
        &self,
        repetition: Option<Repetition>,
        name: &'static str,
        count: u64,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        let repeating = self.plan.repetition(repetition);
        let list = ListId::whole(self.scope, name);
        let built = self.plan.tape.fold_list(list, repeating, count);
        self.built(list, [built, count], repetition, make).0
    }

    /// The layers of the module list `name`, which run through [`Tape::through_layers`].
    pub(crate) fn layers<T>(
        &self,
        name: &'static str,
        count: u64,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        self.layers_repeating(None, name, count, make)
    }

    /// The layers of the module list `name`, whose `repetition` is known.
    pub(crate) fn layers_repeating<T>(
        &self,
        repetition: Option<Repetition>,
        name: &'static str,
        count: u64,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        let repeating = self.plan.repetition(repetition);
        let list = ListId::whole(self.scope, name);
        self.running((list, count), repeating, repetition, make)
    }

    /// The layers of the module list `name` in consecutive `parts`, each of which runs through [`Tape::through_part`]
    /// if this rank has it. Returns the layers of each part.
    pub(crate) fn layers_in_parts<T>(
        &self,
        repetition: Option<Repetition>,
        name: &'static str,
        parts: &[(Range<u64>, bool)],
        make: impl Fn(&Self) -> T,
    ) -> Vec<Vec<T>> {
        let whole = self.plan.repetition(repetition);
        let part = |(layers, is_here): &(Range<u64>, bool)| {
            let list = ListId {
                first: u32::try_from(layers.start).unwrap_or(u32::MAX),
                ..ListId::whole(self.scope, name)
            };
            let count = layers.end - layers.start;
            let repeating = Repetition {
                head: whole.head.saturating_sub(layers.start),
                ..whole
            };
            if whole.period > 1 {
                self.built(list, [count; 2], repetition, &make).0
            } else if *is_here {
                let built = self.plan.tape.fold_list(list, repeating, count);
                self.built(list, [built, count], repetition, &make).0
            } else {
                self.elsewhere((list, count), repeating, repetition, &make)
            }
        };
        parts.iter().map(part).collect()
    }

    /// The layers of a part that another rank has. One of the layers that are alike, and get no adapters, represents
    /// all of them: only their parameters are counted.
    fn elsewhere<T>(
        &self,
        (list, count): (ListId, u64),
        repeating: Repetition,
        repetition: Option<Repetition>,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        let at = |i| make(&self.child(list.name, Some(list.first + i), repetition));
        let number = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let asked = &self.plan.asked_index;
        let outside = asked.replace(false);
        let before = number(repeating.head.min(count));
        let mut items: Vec<T> = (0..before).map(at).collect();
        let parameters = self.plan.parameters.borrow().len();
        items.extend((before..number(count)).take(1).map(at));
        let left = before + 1..number(count);
        if asked.replace(outside) || self.plan.spec.lora.is_some() {
            items.extend(left.map(at));
        } else {
            let mut all = self.plan.parameters.borrow_mut();
            for (_, elements) in all.iter_mut().skip(parameters) {
                *elements += left.len() as u64 * *elements;
            }
        }
        items
    }

    /// Whether nothing but an outline of the model is built.
    pub(crate) fn is_outlined(&self) -> bool {
        self.plan.outline.is_some()
    }

    /// `count` elements of a list within a layer, which run through [`Tape::through_part`].
    pub(crate) fn layers_within<T>(
        &self,
        list: ListId,
        count: u64,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        let named = self.plan.named.saturating_sub(list.first.into());
        self.running((list, count), Repetition::ALIKE.after(named), None, make)
    }

    fn running<T>(
        &self,
        (list, count): (ListId, u64),
        repeating: Repetition,
        known: Option<Repetition>,
        make: impl Fn(&Self) -> T,
    ) -> Vec<T> {
        let tape = self.plan.tape;
        let built = tape.fold_list(list, repeating, count);
        let built = built.min(tape.run_of_layers(repeating, count));
        let (layers, alike) = self.built(list, [built, count], known, make);
        if alike {
            tape.list_is_alike(list, repeating, count);
        }
        layers
    }

    /// The first `built` elements of a list, or all `count` of them if they ask for their index and their repetition is
    /// unknown. Also returns whether no element asks for its index.
    fn built<T>(
        &self,
        list: ListId,
        [built, count]: [u64; 2],
        repetition: Option<Repetition>,
        make: impl Fn(&Self) -> T,
    ) -> (Vec<T>, bool) {
        let outline = self.plan.outline.as_ref();
        let repeating = repetition.unwrap_or(Repetition::ALIKE).after(1);
        let built = outline.map_or(built, |_| {
            repeating.head.saturating_add(repeating.period).min(count)
        });
        let at = |i| make(&self.child(list.name, Some(list.first + i), repetition));
        let number = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let asked = &self.plan.asked_index;
        let outside = asked.replace(false);
        let mut items: Vec<T> = (0..number(built)).map(at).collect();
        if built < count && asked.get() {
            self.plan.tape.keep_list_whole(list);
            items.extend((number(built)..number(count)).map(at));
        } else if let Some(outline) = outline.filter(|_| built < count) {
            outline.list(list, repeating, count);
        }
        (items, !asked.replace(outside))
    }
}
