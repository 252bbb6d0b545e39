//! Places of tokens in time, height and width in texts with images
//! (`get_rope_index` in `models/{qwen2_vl,qwen2_5_vl,qwen3_vl}/modeling_*.py` of transformers 5.23).

use crate::model::{PackedConfig, ResolvedSpec};
use crate::nn::masks::BatchShape;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// The rules that decide them.
pub(crate) struct Places {
    /// Images of a sample.
    images: u64,
    /// Pixels along the sides of an image.
    sides: [u64; 2],
    /// Tokens along them.
    grid: [u64; 2],
    /// Whether places in time are computed as real numbers.
    real_times: bool,
    /// How far a text's last place is from its length, `[B, 1]`, which the model keeps.
    deltas: RefCell<Option<Tensor>>,
}

impl Places {
    pub(crate) fn new(c: &PackedConfig, spec: &ResolvedSpec) -> Self {
        let sides = spec.image_size;
        Self {
            images: spec.images,
            sides,
            grid: c.grid(sides).map(|patches| patches / c.merge),
            real_times: c.deep.is_some(),
            deltas: RefCell::default(),
        }
    }

    /// Images of a batch of `samples` samples, and the pixels along their sides.
    pub(crate) fn images(&self, samples: u64) -> (u64, [u64; 2]) {
        (samples * self.images, self.sides)
    }

    /// Tokens of each of them.
    pub(crate) fn tokens(&self, samples: u64) -> Vec<u64> {
        let images = usize::try_from(samples * self.images).unwrap_or(0);
        vec![self.grid[0] * self.grid[1]; images]
    }

    /// The places `[4, B, S]` of a prompt with positions `[B, S]`, which come first. A prompt has a mask,
    /// and where it is `padded`, all but one of the tokens of each sample are none of padding.
    pub(crate) fn of_prompt(&self, t: &Tape, positions: Tensor, padded: bool) -> Tensor {
        let size = BatchShape::of(&positions);
        drop(t.empty("any", Shape::new(&[]), DType::Bool));
        let places = if self.images > 0 {
            self.forward(t, size, Some(size.s - u64::from(padded)))
        } else {
            self.deltas.replace(Some(numbers(t, "zeros", &[size.b, 1])));
            positions.clone()
        };
        let all = numbers(t, "cat", &[4, size.b, size.s]);
        drop((places, positions));
        all
    }

    /// Positions `[3, B, S]`. If a mask comes with the batch, `kept` tokens of each sample are no padding.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        BatchShape { b, s }: BatchShape,
        kept: Option<u64>,
    ) -> Tensor {
        let (masked, seen) = (kept.is_some(), kept.unwrap_or(s));
        let places = numbers(t, "zeros", &[3, b, s]);
        let mut deltas = Vec::new();
        let mut left = Left::default();
        for _ in 0..b {
            let ids = masked.then(|| {
                let kept = || seen_tokens(t, [s, seen], || numbers(t, "index", &[seen]));
                left.ids = None;
                [kept(), kept()]
            });
            left.ids = ids;
            left.at = None;
            // A list lets go of its last element first.
            while left.parts.pop().is_some() {}
            left.parts = self.of_sample(t, seen, &mut left);
            let all = numbers(t, "cat", &[3, seen]);
            left.all = Some(all.clone());
            if masked {
                seen_tokens(t, [s, seen], || ());
            }
            let largest = t.reduce("max", &all, Shape::new(&[]), DType::Int64);
            let next = numbers(t, "add", &[]);
            drop(largest);
            deltas.push(numbers(t, "sub", &[]));
            drop(next);
        }
        let all = numbers(t, "_to_copy", &[b]);
        drop((deltas, left));
        self.deltas.replace(Some(all));
        places
    }

    /// The places `[3, ..]` of texts and images of a sample with `tokens` tokens.
    fn of_sample(&self, t: &Tape, tokens: u64, left: &mut Left) -> Vec<Tensor> {
        let [down, across] = self.grid;
        let shifted = |count: u64, shape: &[u64]| {
            let _range = numbers(t, "arange", &[count]);
            numbers(t, "add", shape)
        };
        let of_text = |length: u64| shifted(length, &[3, length]);
        let mut parts = Vec::new();
        let mut rest = tokens;
        for i in 0..self.images {
            // Where an image starts, after where the one before ends.
            let around = if i == 0 { 1 } else { 2 };
            parts.push(of_text(around));
            let times = if self.real_times {
                let _scaled = {
                    let _range = numbers(t, "arange", &[1]);
                    t.empty("mul", Shape::from([1]), DType::Float32)
                };
                numbers(t, "_to_copy", &[1])
            } else {
                shifted(1, &[1])
            };
            let lines = [down, across].map(|count| shifted(count, &[count]));
            let all = numbers(t, "stack", &[3, down, across]);
            drop((times, lines));
            left.image = Some(all.clone());
            parts.push(all);
            drop(t.empty("gt", Shape::new(&[]), DType::Bool));
            let _step = numbers(t, "floor_divide", &[]);
            if left.at.is_none() {
                left.at = Some(numbers(t, "add", &[]));
            }
            rest = rest.saturating_sub(around + down * across);
        }
        parts.extend((rest > 0).then(|| of_text(rest)));
        parts
    }
}

/// Tensors that the loop's variables refer to from one sample to the next.
#[derive(Default)]
struct Left {
    /// Tokens that are no padding, and their kinds.
    ids: Option<[Tensor; 2]>,
    /// The place that is next.
    at: Option<Tensor>,
    parts: Vec<Tensor>,
    image: Option<Tensor>,
    all: Option<Tensor>,
}

fn numbers(t: &Tape, op: &'static str, shape: &[u64]) -> Tensor {
    t.empty(op, Shape::new(shape), DType::Int64)
}

/// Runs `read` on the `seen` tokens of a sample of `s` tokens whose mask `[S]` says that they are no padding.
fn seen_tokens<R>(t: &Tape, [s, seen]: [u64; 2], read: impl FnOnce() -> R) -> R {
    let _flags = t.empty("_to_copy", Shape::from([s]), DType::Bool);
    let _found = t.nonzero(s, Shape::from([seen, 1]));
    read()
}

/// The places of `[4, B, S]` without positions in the text.
pub(crate) fn without_text(t: &Tape, all: &Tensor) -> Tensor {
    t.slice(all, 0, 1, all.dim(0))
}
