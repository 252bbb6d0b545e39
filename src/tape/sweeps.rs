//! Sweeps: sequences of events, or of parameters, that pass through all elements of a folded list
//! (Note [Layers that repeat], `folds.rs`).

use super::folds::{Built, Folds, Tag};
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
    let built = folds.built;
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
            let wanted = Tag::of(list, built.passed(rising, step));
            runs.get(at + step).is_some_and(|next| next.tag == wanted)
        };
        if built.elements().all(goes_on) {
            parts.push(Part::Sweep {
                list,
                first: at,
                rising,
                count: folds.count(list)?,
            });
            at += built.elements().len();
        } else if built.is_end(element) {
            parts.push(Part::Once(at));
            at += 1;
        } else {
            return None;
        }
    }
    Some(parts)
}

/// The runs in the order of the whole record.
pub(super) fn steps(built: Built, parts: &[Part]) -> impl Iterator<Item = Step> {
    parts.iter().enumerate().flat_map(move |(part, &what)| {
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
                let element = built.element(place, count);
                Step {
                    part,
                    run: first + built.passed(rising, element),
                    element,
                    place,
                }
            }
        })
    })
}
