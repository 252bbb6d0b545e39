//! One buffer for parameters and one for their gradients (`core/distributed/param_and_grad_buffer.py`).

use crate::model::ParameterMarks;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::ops::Range;

/// Elements that a bucket is padded to a multiple of, where ranks have shards of it.
const BUCKET_DIVISOR: u64 = 128;
/// Elements that a parameter begins at a multiple of there.
const PARAMETER_DIVISOR: u64 = 64;

/// A parameter in a buffer.
pub(super) struct Placed {
    /// The parameter.
    pub(super) tensor: Tensor,
    /// Its marks.
    pub(super) marks: ParameterMarks,
    /// Its place in the buffer, in elements.
    pub(super) range: Range<u64>,
}

/// How buffers are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferOptions {
    /// Ranks that divide a buffer, or see different data.
    pub(super) ranks: u64,
    /// Elements of a bucket, where there are several.
    pub(super) bucket_size: Option<u64>,
    /// Whether ranks have shards of it.
    pub(super) is_sharded: bool,
    /// The dtype of gradients.
    pub(super) gradients: DType,
}

/// `_ParamAndGradBuffer`.
pub(super) struct Buffer {
    /// Its parameters, from the last to the first.
    pub(super) parameters: Vec<Placed>,
    /// Places of its buckets.
    pub(super) buckets: Vec<Range<u64>>,
    /// The gradients.
    pub(super) gradients: Tensor,
    /// The parameters' data, where ranks have shards of it.
    pub(super) data: Option<Tensor>,
}

/// Places of parameters and buckets.
struct Layout {
    options: BufferOptions,
    buckets: Vec<Range<u64>>,
    /// The beginning of the bucket that is being filled, and whether something is in it.
    open: (u64, bool),
}

impl Layout {
    /// `_update_bucket_metadata`: the bucket ends here; gives where it ends with its padding.
    fn close(&mut self, end: u64) -> u64 {
        let divisor = least_common_multiple(self.options.ranks, BUCKET_DIVISOR);
        let end = if self.options.is_sharded {
            end.next_multiple_of(divisor)
        } else {
            end
        };
        self.buckets.push(self.open.0..end);
        self.open = (end, false);
        end
    }

    /// Places `parameters` by their elements, which may want a bucket of their own, one after the other.
    fn place(&mut self, parameters: &[(u64, bool)]) -> Vec<Range<u64>> {
        let mut ranges = Vec::with_capacity(parameters.len());
        let mut end: u64 = 0;
        for &(elements, own_bucket) in parameters {
            let own_bucket = own_bucket && self.options.is_sharded;
            let mut start = end;
            if self.options.is_sharded {
                start = start.next_multiple_of(PARAMETER_DIVISOR);
            }
            if own_bucket && self.open.1 {
                start = self.close(start);
            }
            end = start + elements;
            ranges.push(start..end);
            self.open.1 = true;
            let is_full = self
                .options
                .bucket_size
                .is_some_and(|size| end - self.open.0 >= size);
            if is_full || own_bucket {
                end = self.close(end);
            }
        }
        if self.open.1 {
            self.close(end);
        }
        ranges
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}

impl Buffer {
    /// The buffers of parameters of one dtype, which lie in them from the last to the first. Where ranks have
    /// shards, the parameters' own memory goes.
    pub(super) fn new(
        t: &Tape,
        parameters: &[(Tensor, ParameterMarks)],
        options: BufferOptions,
    ) -> Self {
        let reversed = || parameters.iter().rev();
        let sizes: Vec<(u64, bool)> = reversed()
            .map(|(tensor, marks)| (tensor.numel(), marks.is_shared_embedding))
            .collect();
        let mut layout = Layout {
            options,
            buckets: Vec::new(),
            open: (0, false),
        };
        let ranges = layout.place(&sizes);
        let whole = Shape::from([layout.open.0]);
        let dtype = parameters
            .first()
            .map_or(DType::Float32, |(p, _)| p.dtype());
        let data =
            (options.is_sharded).then(|| t.allocate("zeros", whole, dtype, Category::Parameters));
        let gradients = t.allocate("zeros", whole, options.gradients, Category::Gradients);
        let place = |((tensor, marks), range): (&(Tensor, ParameterMarks), Range<u64>)| {
            if data.is_some() {
                tensor.free_storage();
            }
            Placed {
                tensor: tensor.clone(),
                marks: *marks,
                range,
            }
        };
        let parameters = reversed().zip(ranges).map(place).collect();
        Self {
            parameters,
            buckets: layout.buckets,
            gradients,
            data,
        }
    }

    /// The part of each parameter of which the rank at `place` among `ranks` has a shard, bucket by bucket
    /// (`_build_gbuf_range_map`).
    pub(super) fn shards(&self, place: u64, ranks: u64) -> Vec<(&Placed, u64)> {
        let mut shards = Vec::new();
        for bucket in &self.buckets {
            let each = (bucket.end - bucket.start) / ranks;
            let own = bucket.start + place * each..bucket.start + (place + 1) * each;
            for parameter in &self.parameters {
                let start = parameter.range.start.max(own.start);
                let end = parameter.range.end.min(own.end);
                if end > start {
                    shards.push((parameter, end - start));
                }
            }
        }
        shards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(is_sharded: bool, bucket_size: Option<u64>) -> Layout {
        let options = BufferOptions {
            ranks: 4,
            bucket_size,
            is_sharded,
            gradients: DType::Float32,
        };
        Layout {
            options,
            buckets: Vec::new(),
            open: (0, false),
        }
    }

    #[test]
    fn parameters_lie_close_together_unless_ranks_have_shards() {
        let mut close = layout(false, None);
        assert_eq!(close.place(&[(10, false), (20, false)]), [0..10, 10..30]);
        assert_eq!(close.buckets.as_slice(), std::slice::from_ref(&(0..30)));
        let mut padded = layout(true, None);
        assert_eq!(padded.place(&[(10, false), (20, false)]), [0..10, 64..84]);
        assert_eq!(padded.buckets.as_slice(), std::slice::from_ref(&(0..128)));
    }

    #[test]
    fn a_bucket_ends_when_it_is_full_and_around_an_embedding_that_stages_share() {
        let mut full = layout(true, Some(100));
        full.place(&[(100, false), (10, false)]);
        assert_eq!(full.buckets, [0..128, 128..256]);
        let mut shared = layout(true, None);
        shared.place(&[(10, false), (20, true), (10, false)]);
        assert_eq!(shared.buckets, [0..128, 128..256, 256..384]);
    }
}
