//! Ends of an expression's matches, from given starts in a text.

use super::read::Node;
use std::cell::Cell;

/// The most steps of one search.
const MOST_STEPS: u32 = 1 << 20;

/// A text that is searched.
pub(super) struct Search<'a> {
    text: &'a [char],
    steps: Cell<u32>,
}

impl<'a> Search<'a> {
    pub(super) fn new(text: &'a [char]) -> Self {
        Self {
            text,
            steps: Cell::new(0),
        }
    }

    /// The places where `node` can end that begins at one of `starts`, both in rising order; nothing where
    /// that takes too many steps.
    pub(super) fn ends(&self, node: &Node, starts: &[usize]) -> Option<Vec<usize>> {
        self.count(starts.len())?;
        let kept = |holds: &dyn Fn(usize) -> Option<bool>| -> Option<Vec<usize>> {
            let mut kept = Vec::new();
            for &at in starts {
                if holds(at)? {
                    kept.push(at);
                }
            }
            Some(kept)
        };
        match node {
            Node::Letter(set) => {
                let found = |&&at: &&usize| self.text.get(at).is_some_and(|&c| set.contains(c));
                Some(starts.iter().filter(found).map(|at| at + 1).collect())
            }
            Node::Sequence(parts) => {
                let mut places = starts.to_vec();
                for part in parts {
                    places = self.ends(part, &places)?;
                }
                Some(places)
            }
            Node::Either(branches) => {
                let mut places = Vec::new();
                for branch in branches {
                    places.extend(self.ends(branch, starts)?);
                }
                Some(in_order(places))
            }
            Node::Repeated { of, least, most } => self.repeated(of, [*least, *most], starts),
            Node::Start => kept(&|at| Some(at == 0)),
            Node::End => kept(&|at| Some(at == self.text.len())),
            Node::Border(wanted) => kept(&|at| Some(self.is_border(at) == *wanted)),
            Node::Ahead { of, wanted } => {
                kept(&|at| Some(self.ends(of, &[at])?.is_empty() != *wanted))
            }
            Node::Behind { of, width, wanted } => kept(&|at| {
                let found = match at.checked_sub(*width) {
                    Some(from) => self.ends(of, &[from])?.contains(&at),
                    None => false,
                };
                Some(found == *wanted)
            }),
        }
    }

    /// Ends of `of` repeated; repetitions beyond the number of letters change nothing.
    fn repeated(
        &self,
        of: &Node,
        [least, most]: [usize; 2],
        starts: &[usize],
    ) -> Option<Vec<usize>> {
        let enough = self.text.len() + 1;
        let mut places = starts.to_vec();
        for _ in 0..least.min(enough) {
            places = self.ends(of, &places)?;
        }
        let mut all = places.clone();
        for _ in least..most.min(least.saturating_add(enough)) {
            places = self.ends(of, &places)?;
            places.retain(|at| all.binary_search(at).is_err());
            if places.is_empty() {
                break;
            }
            all.extend(&places);
            all = in_order(all);
        }
        Some(all)
    }

    /// Whether a word begins or ends at a place (`\b`).
    fn is_border(&self, at: usize) -> bool {
        let is_word = |at: Option<usize>| {
            let letter = at.and_then(|at| self.text.get(at));
            letter.is_some_and(|c| c.is_alphanumeric() || *c == '_')
        };
        is_word(at.checked_sub(1)) != is_word(Some(at))
    }

    fn count(&self, more: usize) -> Option<()> {
        let more = u32::try_from(more).ok()?.checked_add(1)?;
        let steps = self.steps.get().checked_add(more)?;
        self.steps.set(steps);
        (steps <= MOST_STEPS).then_some(())
    }
}

fn in_order(mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places
}
