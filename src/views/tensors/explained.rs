//! Why what is looked at takes what it takes: a tensor, a category or a phase.

use crate::app::{Lifetime, Store, Target};
use crate::figure::{TensorGroup, binding_step, tensor_groups};
use crate::report::{Detail, Estimate, LiveTensor};
use crate::sim::Phase;
use crate::tape::Category;
use crate::text::{category_explained, phase_explained, tensor_explained};
use leptos::prelude::*;

/// Why the tensor that is looked at is there, or what is pinned, of the tensors that are alive at the highest point; of
/// the category that the table shows alone where neither is. What is pointed at outside of the table does not count: it
/// would move when the text below the table changes.
pub(super) fn explained(
    store: Store,
    tensors: Memo<Vec<LiveTensor>>,
    only: Option<Category>,
) -> Option<String> {
    let target = match store.focus.current() {
        Some(tensor @ Target::Tensor(_)) => Some(tensor),
        _ => store.focus.pinned(),
    };
    let target = target.or(only.map(Target::Category))?;
    store.detail.with(|detail| {
        let detail = detail.as_ref()?;
        store.settled.with(|answer| {
            let answer = answer.as_ref()?;
            tensors.with(|all| match target {
                Target::Tensor(looked_at) => of_tensor(store, detail, answer, (all, looked_at)),
                Target::Category(category) => of_category(store, detail, answer, (all, category)),
                Target::Phase(phase) => of_phase(store, detail, answer, phase),
                Target::Other(_) | Target::Host(_) => None,
            })
        })
    })
}

fn of_tensor(
    store: Store,
    detail: &Detail,
    answer: &Estimate,
    (all, looked_at): (&[LiveTensor], Lifetime),
) -> Option<String> {
    let (units, language) = (store.units.get(), store.language.get());
    let tensor = all.iter().find(|of| of.storage == looked_at.storage)?;
    let last = detail.last_use(tensor.freed);
    let timeline = &answer.timeline;
    Some(tensor_explained(
        tensor,
        last.as_ref(),
        timeline,
        units,
        language,
    ))
}

fn of_category(
    store: Store,
    detail: &Detail,
    answer: &Estimate,
    (all, category): (&[LiveTensor], Category),
) -> Option<String> {
    let (units, language) = (store.units.get(), store.language.get());
    let groups = tensor_groups(all, Some(category));
    let freed = groups.iter().map(TensorGroup::freed).max()?;
    let last = detail.last_use(freed);
    let timeline = &answer.timeline;
    Some(category_explained(
        category,
        &groups,
        last.as_ref(),
        timeline,
        units,
        language,
    ))
}

fn of_phase(store: Store, detail: &Detail, answer: &Estimate, phase: Phase) -> Option<String> {
    let (units, language) = (store.units.get(), store.language.get());
    let step = binding_step(&answer.report.device);
    let needs = step.phases.iter().find(|of| of.phase == phase)?.peak_tensor;
    let highest = answer.timeline.reaches(phase, needs);
    let last = highest.and_then(|event| detail.last_made(event));
    phase_explained(step, phase, last.as_ref(), units, language)
}
