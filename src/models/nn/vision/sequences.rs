//! Windows, or images, of one list of patches, which attend to themselves one after another.
//!
//! Sequences of equal length do the same, as layers do: a tape that folds lists within layers runs a few of them
//! for all (Note [Layers that repeat], `tape/folds.rs`).

use crate::tape::{Run, Tape, Tensor};
use crate::units::Repetition;
use std::ops::Range;
use std::rc::Rc;

/// Sequences of patches that follow one another, by their lengths.
#[derive(Clone)]
pub(super) struct Sequences {
    lengths: Rc<[u64]>,
    /// Parts of the list in which they repeat.
    runs: Rc<[Run]>,
}

impl Sequences {
    /// The sequences of `images` images: each image has those of `of_one`, in rows of `across` sequences.
    pub(super) fn new(images: u64, of_one: &[u64], across: usize) -> Self {
        let images = usize::try_from(images).unwrap_or(0);
        Self {
            lengths: of_one.repeat(images).into(),
            runs: runs(images, of_one, across).into(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Puts `whole`, which lie in a list along the third dimension, through `attend` sequence by sequence. Gives
    /// what comes out, joined along the second dimension, and what the caller holds until it has used that: the
    /// results and the parts.
    pub(super) fn through(
        &self,
        t: &Tape,
        whole: [&Tensor; 3],
        attend: impl Fn([&Tensor; 3]) -> Tensor,
    ) -> (Tensor, [Vec<Tensor>; 4]) {
        let run: Vec<u32> = t.fold_runs(&self.runs);
        let length = |&index: &u32| self.lengths[index as usize];
        let lengths: Vec<u64> = run.iter().map(length).collect();
        let [q, k, v] = whole.map(|x| t.parts(x, &lengths, 2));
        let attended: Vec<Tensor> = (run.iter().zip(q.iter().zip(&k).zip(&v)))
            .map(|(&index, ((q, k), v))| t.scoped(Run::NAME, Some(index), || attend([q, k, v])))
            .collect();
        let parts: Vec<&Tensor> = attended.iter().collect();
        let joined = t.cat_of_length(&parts, 1, whole[0].dim(2));
        (joined, [attended, q, k, v])
    }
}

/// The parts of a list in which sequences repeat: images, or rows of each but for its last, which can be cut
/// short, and that, whichever leaves fewer to be run.
fn runs(images: usize, of_one: &[u64], across: usize) -> Vec<Run> {
    let (each, across) = (of_one.len(), across.max(1));
    let alike = |lengths: &[u64]| lengths.windows(2).all(|pair| pair[0] == pair[1]);
    let run = |range: Range<usize>, period: usize| {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Run {
            first: number(range.start),
            count: range.len() as u64,
            repetition: Repetition {
                head: 0,
                period: period as u64,
            },
        }
    };
    let period = if alike(of_one) { 1 } else { each.max(1) };
    let of_images = vec![run(0..images * each, period)];
    // Where an image's last row begins, and that row's last window.
    let [last, corner] = [across, 1].map(|from_end| each.saturating_sub(from_end));
    let rows = &of_one[..last];
    let period = if alike(rows) { 1 } else { across };
    let of_image = |at: usize| {
        [
            run(at..at + last, period),
            run(at + last..at + corner, 1),
            run(at + corner..at + each, 1),
        ]
    };
    let of_rows: Vec<Run> = (0..images).flat_map(|i| of_image(i * each)).collect();
    let built = |runs: &[Run]| runs.iter().map(Run::least).sum::<u64>();
    if built(&of_rows) < built(&of_images) {
        of_rows
    } else {
        of_images
    }
}

#[cfg(test)]
mod tests {
    use super::runs;

    fn of(images: usize, rows: &[&str]) -> Vec<(u32, u64, u64)> {
        let lengths: Vec<u64> = rows
            .iter()
            .flat_map(|row| row.bytes())
            .map(u64::from)
            .collect();
        let runs = runs(images, &lengths, rows[0].len());
        runs.iter()
            .map(|run| (run.first, run.count, run.repetition.period))
            .collect()
    }

    #[test]
    fn rows_repeat_up_to_the_last_and_many_images_do() {
        assert_eq!(of(1, &["aaaa"; 9]), [(0, 36, 1)]);
        assert_eq!(of(4, &["aaaa"; 9]), [(0, 144, 1)]);
        let cut = [&["aaab"; 20][..], &["cccd"]].concat();
        assert_eq!(of(1, &cut), [(0, 80, 4), (80, 3, 1), (83, 1, 1)]);
        let low = [&["aaaa"; 20][..], &["cccc"]].concat();
        assert_eq!(of(1, &low), [(0, 80, 1), (80, 3, 1), (83, 1, 1)]);
        assert_eq!(of(90, &cut), [(0, 90 * 84, 84)]);
    }
}
