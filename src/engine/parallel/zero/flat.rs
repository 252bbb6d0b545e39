//! The flat tensor of all parameters that stages 1 and 2 make: on the device where it fits beside them, else by way of
//! the host.
//!
//! Source: `DeepSpeedZeroOptimizer.__init__` (`deepspeed/runtime/zero/stage_1_and_2.py`), DeepSpeed 0.19.8. Versions
//! before 0.18.7 go by way of the host always.

use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// The unit in which `torch.cuda.memory_allocated` counts a tensor.
const BLOCK: u64 = 512;

/// Puts the parameters into a tensor of `elements` and `dtype`, of which they become parts.
pub(super) fn flatten(
    t: &Tape,
    spec: &ResolvedSpec,
    parameters: &[Tensor],
    (elements, dtype): (u64, DType),
) -> Tensor {
    t.empty_cache();
    let shape = Shape::from([elements]);
    if fits(t, spec, elements.saturating_mul(dtype.size())) {
        let given: u64 = parameters.iter().map(Tensor::numel).sum();
        let padding = elements - given;
        let padding = (padding > 0).then(|| t.empty("zeros", Shape::from([padding]), dtype));
        let flat = t.allocate("cat", shape, dtype, Category::Parameters);
        drop(padding);
        for parameter in parameters {
            parameter.free_storage();
        }
        return flat;
    }
    // `param.data = torch.empty(1).to(param.device)`, until the parameters become parts.
    let stands_in = parameters.iter().map(|parameter| {
        let stands_in = t.empty("_to_copy", Shape::from([1]), DType::Float32);
        parameter.free_storage();
        stands_in
    });
    let stand_in: Vec<Tensor> = stands_in.collect();
    t.empty_cache();
    let flat = t.allocate("_to_copy", shape, dtype, Category::Parameters);
    stand_in.into_iter().for_each(drop);
    flat
}

/// Whether the device has room for `bytes` more (`available_memory`, `accelerator/cuda_accelerator.py`): its whole
/// memory less that of tensors. Where the package `pynvml` is installed, which DeepSpeed does not ask for, it is the
/// free memory of the driver, which the CUDA context lessens.
fn fits(t: &Tape, spec: &ResolvedSpec, bytes: u64) -> bool {
    let allocated: u64 = t.with_storages(|storages| {
        let living = storages.living();
        living
            .map(|(_, storage)| storage.bytes.next_multiple_of(BLOCK))
            .sum()
    });
    let flattens_here = spec.framework.has_transformers_5();
    flattens_here && allocated.saturating_add(bytes) <= spec.device.usable.get()
}
