//! Parameters and buffers that `DistributedDataParallel` sends to all ranks when it wraps a model.
//!
//! Source: `torch/distributed/utils.py` (`_sync_module_states`), `torch/csrc/distributed/c10d/comm.cpp`
//! (`broadcast_coalesced`) and `reducer.cpp` (`compute_bucket_assignment_by_size`), torch 2.15.

use crate::tape::{Category, Registered, Role, Tape, Tensor};
use crate::units::{DType, MIB, Shape};
use std::collections::VecDeque;

/// Bytes after which a bucket is full (`broadcast_bucket_size`).
const BUCKET: u64 = 250 * MIB;
/// Buckets that are on their way at once (`max_in_flight`).
const IN_FLIGHT: usize = 2;

/// Tensors of one dtype that are sent as one.
struct Bucket {
    dtype: DType,
    elements: u64,
    tensors: u64,
}

impl Bucket {
    fn is_full(&self) -> bool {
        self.elements * self.dtype.size() >= BUCKET
    }
}

/// Fills buckets, a dtype each, with tensors in their order; that of the buckets is that of their first tensors.
fn buckets(states: impl Iterator<Item = (DType, u64)>) -> Vec<Bucket> {
    let mut all: Vec<Bucket> = Vec::new();
    for (dtype, elements) in states {
        let filling = all
            .iter_mut()
            .find(|bucket| bucket.dtype == dtype && !bucket.is_full());
        match filling {
            Some(bucket) => {
                bucket.elements += elements;
                bucket.tensors += 1;
            }
            None => all.push(Bucket {
                dtype,
                elements,
                tensors: 1,
            }),
        }
    }
    all
}

/// Sends the states of a model, which are joined bucket by bucket: a bucket of one tensor is that tensor.
pub(super) fn states(t: &Tape, registered: &[Registered]) {
    let of = |buffers: bool| {
        let kept = registered.iter();
        let kept = kept.filter(move |entry| (entry.role == Role::Buffer) == buffers);
        let kept: Vec<&Registered> = kept.collect();
        let scopes: Vec<u32> = kept.iter().map(|entry| entry.scope).collect();
        let whole = t.in_whole_lists(&scopes).into_iter();
        let states = whole.map(|(at, _)| (kept[at].tensor.dtype(), kept[at].tensor.numel()));
        states.collect::<Vec<_>>()
    };
    let all = of(false).into_iter().chain(of(true));
    let mut sent: VecDeque<Option<Tensor>> = VecDeque::new();
    for bucket in buckets(all) {
        if sent.len() >= IN_FLIGHT {
            drop(sent.pop_front());
        }
        let shape = Shape::from([bucket.elements]);
        let joined = (bucket.tensors > 1)
            .then(|| t.allocate("cat", shape, bucket.dtype, Category::Communication));
        sent.push_back(joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_full_once_it_has_as_many_bytes_and_each_dtype_has_its_own() {
        let large = BUCKET / 4 - 1;
        let states = [
            (DType::Float32, large),
            (DType::Int64, 3),
            (DType::Float32, 5),
            (DType::Float32, 7),
        ];
        let filled = buckets(states.into_iter());
        let filled: Vec<_> = filled.iter().map(|b| (b.dtype, b.elements)).collect();
        assert_eq!(
            filled,
            [
                (DType::Float32, large + 5),
                (DType::Int64, 3),
                (DType::Float32, 7)
            ]
        );
    }
}
