//! Sweeps: sequences of events, or of parameters, that pass through all elements of a folded list
//! (Note [Layers that repeat], `folds.rs`).

use super::folds::{Built, Folds, Tag};
use std::ops::Range;

/// Consecutive events, or parameters, of one element.
#[derive(Debug)]
pub(super) struct Run {
    tag: Tag,
    pub(super) range: Range<usize>,
}

impl Run {
    /// Whether its element is at an end of the list, or in no list, and so is not compared.
    pub(super) fn is_of_end(&self, built: Built) -> bool {
        self.tag.split().is_none_or(|of| built.is_end(of.element))
    }
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

/// Adds `count` events, or parameters, of one element.
pub(super) fn note(runs: &mut Vec<Run>, tag: Tag, count: usize) {
    match runs.last_mut() {
        Some(last) if last.tag == tag => last.range.end += count,
        last => {
            let start = last.map_or(0, |last| last.range.end);
            runs.push(Run {
                tag,
                range: start..start + count,
            });
        }
    }
}

/// Repeats the runs of the last events, `range`, `times` times.
pub(super) fn again(runs: &mut Vec<Run>, range: Range<usize>, times: u32) {
    let first = runs.partition_point(|run| run.range.end <= range.start);
    let last = runs[first..].iter();
    let last = last.map(|run| (run.tag, run.range.end - run.range.start.max(range.start)));
    let last: Vec<(Tag, usize)> = last.collect();
    for &(tag, count) in (0..times).flat_map(|_| &last) {
        note(runs, tag, count);
    }
}

/// The runs with the elements that `tag` says instead.
pub(super) fn retagged(runs: Vec<Run>, tag: impl Fn(Tag) -> Tag) -> Vec<Run> {
    let mut found = Vec::new();
    for run in runs {
        note(&mut found, tag(run.tag), run.range.len());
    }
    found
}

/// Whether some runs begin with those of a sweep through a list, in which only ends do nothing, and it
/// rises.
fn passes(built: Built, runs: &[Run], list: usize) -> Option<bool> {
    [true, false].into_iter().find(|&rising| {
        let mut runs = runs.iter().peekable();
        built.elements().all(|step| {
            let element = built.passed(rising, step);
            let found = runs.next_if(|run| run.tag == Tag::of(list, element));
            found.is_some() || built.is_end(element)
        })
    })
}

/// Finds the sweeps. In them an end that does nothing gets an empty run.
pub(super) fn parts(folds: &Folds, runs: &mut Vec<Run>) -> Option<Vec<Part>> {
    let built = folds.built;
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(run) = runs.get(at) {
        let list = run.tag.split().map(|of| of.list);
        let sweep = list.and_then(|list| Some((list, passes(built, &runs[at..], list)?)));
        if let Some((list, rising)) = sweep {
            for step in 0..built.elements().len() {
                let tag = Tag::of(list, built.passed(rising, step));
                let here = at + step;
                if runs.get(here).is_none_or(|run| run.tag != tag) {
                    let before = runs[..here].last().map_or(0, |run| run.range.end);
                    runs.insert(
                        here,
                        Run {
                            tag,
                            range: before..before,
                        },
                    );
                }
            }
            parts.push(Part::Sweep {
                list,
                first: at,
                rising,
                count: folds.count(list)?,
            });
            at += built.elements().len();
        } else {
            parts.push(Part::Once(at));
            at += 1;
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
