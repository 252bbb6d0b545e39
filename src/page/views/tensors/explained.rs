//! Explanations of the memory of a target: a tensor, a category, a phase, or another part of a bar.

use crate::app::{Store, Target};
use crate::figure::{DevicePart, HostBarPart, binding_step, tensor_groups};
use crate::report::{Detail, Estimate, LiveTensor, Report};
use crate::tape::Category;
use crate::text::{
    category_explained, device_part_explained, host_part_explained, page_cache_explained,
    phase_explained, small_parts_explained, tensor_explained,
};
use leptos::prelude::*;

/// The tensors that are alive at the highest point.
pub(super) fn at_peak(store: Store) -> Vec<LiveTensor> {
    let event = store.settled.with(|answer| {
        let timeline = &answer.as_ref()?.timeline;
        Some(timeline.points.get(timeline.peak)?.event)
    });
    store.detail.with(|detail| match (detail, event) {
        (Some(detail), Some(event)) => detail.tensors_at(event),
        _ => Vec::new(),
    })
}

/// The explanation of the memory of the pinned target.
pub(in crate::views) fn pinned_explained(store: Store) -> Option<String> {
    let target = store.focus.pinned()?;
    why(store, || at_peak(store), target)
}

/// Why the selected tensor is alive, or the pinned target, of the tensors that are alive at the highest point; of the
/// category that the table shows alone where neither exists. A target that is pointed at outside of the table does not
/// count: it would move when the text below the table changes.
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
    why(store, || tensors.get(), target)
}

fn why(store: Store, tensors: impl Fn() -> Vec<LiveTensor>, target: Target) -> Option<String> {
    store.settled.with(|answer| {
        let answer = answer.as_ref()?;
        of_part(store, answer, target).or_else(|| {
            store.detail.with(|detail| {
                let detail = detail.as_ref()?;
                of_target(store, detail, answer, &tensors(), target)
            })
        })
    })
}

/// Why a part of a bar takes what it takes that holds no tensors.
fn of_part(store: Store, answer: &Estimate, target: Target) -> Option<String> {
    let (units, language) = (store.units.get(), store.language.get());
    let Report { device, host, .. } = &answer.report;
    match target {
        Target::Host(part) => Some(host_part_explained(part, host, units, language)),
        Target::Other(name) if name == HostBarPart::PageCache.name() => {
            Some(page_cache_explained(host, units, language))
        }
        Target::Other(name) if name == DevicePart::Small.name() => {
            small_parts_explained(&answer.report, units, language)
        }
        Target::Other(name) => {
            let part = DevicePart::WITHOUT_CATEGORY
                .into_iter()
                .find(|part| part.name() == name)?;
            device_part_explained(part, device, units, language)
        }
        Target::Category(_) | Target::Phase(_) | Target::Tensor(_) => None,
    }
}

/// The explanation of a target in a run whose tensors are known one by one.
fn of_target(
    store: Store,
    detail: &Detail,
    answer: &Estimate,
    all: &[LiveTensor],
    target: Target,
) -> Option<String> {
    let (units, language) = (store.units.get(), store.language.get());
    let timeline = &answer.timeline;
    match target {
        Target::Tensor(looked_at) => {
            let tensor = all.iter().find(|of| of.storage == looked_at.storage)?;
            Some(tensor_explained(tensor, detail, timeline, units, language))
        }
        Target::Category(of) => {
            let groups = tensor_groups(all, Some(of));
            let said = category_explained(of, &groups, detail, timeline, units, language);
            (!groups.is_empty()).then_some(said)
        }
        Target::Phase(phase) => {
            let step = binding_step(&answer.report.device);
            let of = step.phases.iter().find(|of| of.phase == phase)?;
            let highest = timeline.reaches(phase, of.peak_tensor);
            let last = highest.and_then(|event| detail.last_made(event));
            phase_explained(step, phase, last.as_ref(), units, language)
        }
        Target::Other(_) | Target::Host(_) => None,
    }
}
