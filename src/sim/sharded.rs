//! The device's side of FSDP and DeepSpeed where they keep the optimizer on the host: gradients
//! leave, no optimizer steps here.
//!
//! Source: `deepspeed/runtime/zero/stage_1_and_2.py`, DeepSpeed 0.19.8. Of ZeRO-1 and 2 every
//! buffer is there; of ZeRO-3 and FSDP, which keep parameters in shards too, parameters are taken
//! to stay.

use super::ModelParameter;
use crate::ask::DataParallelKind;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The parameters, in the order in which they were made; what is not trained is in `weights`.
pub(super) fn parameters(t: &Tape, weights: DType) -> Vec<ModelParameter> {
    let mut trained = BTreeMap::new();
    t.for_each_parameter(|_, parameter, _| {
        trained.insert(parameter.storage_id(), parameter.numel());
    });
    let made = t.with_storages(|storages| {
        let all = (0..).zip(storages.iter());
        let kept = all.filter(|(_, s)| s.alive && s.category == Category::Parameters);
        kept.map(|(id, s)| (id, s.bytes, s.scope))
            .collect::<Vec<(u32, u64, u32)>>()
    });
    let (mut last, mut layers) = (String::new(), 0);
    made.into_iter()
        .map(|(id, bytes, scope)| {
            let path = t.scope_path(scope);
            let found = layer(&path);
            if let Some(found) = found.filter(|&found| found != last) {
                found.clone_into(&mut last);
                layers += 1;
            }
            let elements = trained.get(&id).copied();
            ModelParameter {
                elements: elements.unwrap_or(bytes / weights.size()),
                bytes,
                layer: if found.is_some() { layers } else { 0 },
                trained: elements.is_some(),
            }
        })
        .collect()
}

/// The layer that a module is in: its path up to the first number.
fn layer(path: &str) -> Option<&str> {
    let mut end = 0;
    for part in path.split('.') {
        end += part.len();
        if part.parse::<u32>().is_ok() {
            return path.get(..end);
        }
        end += 1;
    }
    None
}

/// Buffers through which gradients go to the host.
pub(super) struct Gradients {
    /// Whether they leave as soon as they are there, not only after backward (ZeRO-1).
    pub(super) leave_at_once: bool,
    /// Elements of the flat buffer that gradients wait in (`reduce_bucket_size`), if there is one.
    bucket_size: Option<u64>,
    low: DType,
    /// `temp_grad_buffer_for_gpu_offload`.
    _copy: Option<Tensor>,
    bucket: RefCell<Option<Tensor>>,
    /// Elements of each gradient in it.
    waiting: RefCell<Vec<u64>>,
    filled: Cell<u64>,
}

impl Gradients {
    /// What there is before the first step, if gradients leave the device.
    pub(super) fn new(t: &Tape, spec: &ResolvedSpec) -> Option<Self> {
        let dp = spec.parallelism.dp;
        if dp.kind != DataParallelKind::DeepSpeedZero || !dp.offloads() {
            return None;
        }
        let buckets = dp.kind == DataParallelKind::DeepSpeedZero && dp.zero.stage < 3;
        let mut largest = 0;
        t.for_each_parameter(|_, parameter, _| largest = largest.max(parameter.numel()));
        let low = spec.weights;
        Some(Self {
            leave_at_once: !(buckets && dp.zero.stage == 1),
            bucket_size: buckets.then_some(dp.zero.reduce_bucket_size),
            low,
            _copy: buckets.then(|| flat(t, largest, low)),
            bucket: RefCell::default(),
            waiting: RefCell::default(),
            filled: Cell::new(0),
        })
    }

    /// Takes what gradients there are; they live until the caller drops them.
    pub(super) fn take(&self, t: &Tape) -> Vec<Tensor> {
        let gradients = t.take_gradients();
        let Some(size) = self.bucket_size else {
            return gradients;
        };
        for gradient in &gradients {
            let elements = gradient.numel();
            self.bucket
                .borrow_mut()
                .get_or_insert_with(|| flat(t, size, self.low));
            if self.filled.get() + elements > size {
                self.flush(t);
            }
            self.waiting.borrow_mut().push(elements);
            self.filled.set(self.filled.get() + elements);
        }
        gradients
    }

    /// Backward has ended: what is left goes, all at once, and the bucket with it.
    pub(super) fn finish(&self, t: &Tape) {
        let last = self.take(t);
        self.flush(t);
        drop(last);
        self.bucket.take();
    }

    /// Each gradient is converted to fp32 on its way.
    fn flush(&self, t: &Tape) {
        for elements in self.waiting.take() {
            if self.low != DType::Float32 {
                let shape = Shape::from([elements]);
                drop(t.allocate("to", shape, DType::Float32, Category::Temporaries));
            }
        }
        self.filled.set(0);
    }
}

fn flat(t: &Tape, elements: u64, dtype: DType) -> Tensor {
    let shape = Shape::from([elements]);
    t.allocate("bucket", shape, dtype, Category::Communication)
}
