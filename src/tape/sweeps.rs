//! Sweeps: sequences of events, or of parameters, that pass through all elements of a folded list
//! (Note [Layers that repeat], `folds.rs`).

use super::folds::{Folds, KEPT, PATTERN, Tag, element};
use std::ops::Range;

/// Consecutive events, or parameters, of one element.
pub(super) struct Run {
    tag: Tag,
    pub(super) range: Range<usize>,
}

/// Stretches of a record.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The run with this number, once.
    Once(usize),
    /// The runs from this number on go through the elements of a list, which is `count` long.
    Sweep {
        list: usize,
        first: usize,
        rising: bool,
        count: usize,
    },
}

/// A run as it comes in the whole record.
pub(super) struct Step {
    pub(super) part: usize,
    pub(super) run: usize,
    /// In a sweep: the element that it is of, and the place in the list that it is for.
    pub(super) element: usize,
    pub(super) place: usize,
}

pub(super) fn runs(tags: impl Iterator<Item = Tag>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, tag) in tags.enumerate() {
        match runs.last_mut() {
            Some(last) if last.tag == tag => last.range.end = at + 1,
            _ => runs.push(Run {
                tag,
                range: at..at + 1,
            }),
        }
    }
    runs
}

/// Finds the sweeps. Outside of them only the ends of a list may do something.
pub(super) fn parts(folds: &Folds, runs: &[Run]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(run) = runs.get(at) {
        let Some((list, element)) = run.tag.split() else {
            parts.push(Part::Once(at));
            at += 1;
            continue;
        };
        let rising = element == 0;
        let goes_on = |step: usize| {
            let wanted = if rising { step } else { KEPT - 1 - step };
            let next = runs.get(at + step);
            next.is_some_and(|next| next.tag == Tag::of(list, wanted))
        };
        if (0..KEPT).all(goes_on) {
            parts.push(Part::Sweep {
                list,
                first: at,
                rising,
                count: folds.count(list)?,
            });
            at += KEPT;
        } else if is_end(element) {
            parts.push(Part::Once(at));
            at += 1;
        } else {
            return None;
        }
    }
    Some(parts)
}

/// Whether an element is not among those that are compared.
pub(super) fn is_end(element: usize) -> bool {
    !(PATTERN..=PATTERN + 1).contains(&element)
}

/// The run of an element in a sweep.
pub(super) fn run_of(first: usize, rising: bool, element: usize) -> usize {
    first + if rising { element } else { KEPT - 1 - element }
}

/// The runs in the order of the whole record.
pub(super) fn steps(parts: &[Part]) -> impl Iterator<Item = Step> {
    parts.iter().enumerate().flat_map(|(part, &what)| {
        let count = match what {
            Part::Once(_) => 1,
            Part::Sweep { count, .. } => count,
        };
        (0..count).map(move |step| match what {
            Part::Once(run) => Step {
                part,
                run,
                element: 0,
                place: 0,
            },
            Part::Sweep {
                first,
                rising,
                count,
                ..
            } => {
                let place = if rising { step } else { count - 1 - step };
                let element = element(place, count);
                Step {
                    part,
                    run: run_of(first, rising, element),
                    element,
                    place,
                }
            }
        })
    })
}
