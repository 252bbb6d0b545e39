//! DeepSpeed's `ZeRO`: stages 1 and 2 divide optimizer states and gradients, stage 3 parameters, too.
//!
//! Source: `deepspeed/runtime/zero/{stage_1_and_2,stage3}.py` and `deepspeed/runtime/engine.py`,
//! DeepSpeed 0.19.8; methods name the function they mirror. One group of parameters, as `torch.optim` is
//! given `model.parameters()`.

mod buckets;
mod coordinator;
mod flat;
mod gathered;
mod init;
mod norm;
mod stage3;
mod stage_1_and_2;
mod sub_groups;

use crate::ask::{AdapterDtype, ModelLoading, OptimizerName};
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Wait};
use std::cell::Cell;

pub(super) use gathered::Gathered;
pub(super) use init::Parts;
pub(super) use stage_1_and_2::Stage1And2;
pub(super) use stage3::Stage3;

/// `engine.backward`: the loss is divided by the number of micro-batches, unless the caller has, and scaled.
fn scaled(t: &Tape, loss: &Tensor, divides: bool) -> Vec<Tensor> {
    let divided = divides.then(|| t.div_scalar(loss));
    let scaled = t.mul_scalar(divided.as_ref().unwrap_or(loss));
    divided.into_iter().chain([scaled]).collect()
}

/// The engine's timer (`ThroughputTimer`, `deepspeed/utils/timer.py`): from the third step on the host waits for the device
/// when a forward pass begins and when a micro-batch has ended.
#[derive(Default)]
struct Timer {
    steps: Cell<u32>,
}

impl Timer {
    fn reads(&self, t: &Tape) {
        if self.steps.get() >= 2 {
            t.wait(Wait::Device);
        }
    }

    fn step_ended(&self, t: &Tape) {
        self.reads(t);
        self.steps.set(self.steps.get() + 1);
    }
}

/// The states that `torch.optim.Adagrad` makes for the model's parameters before the engine divides these: they stay
/// beside the states of the engine's partitions.
fn states_of_model(t: &Tape, spec: &ResolvedSpec) -> Vec<Tensor> {
    let mut states = Vec::new();
    let there = match spec.around.loading {
        ModelLoading::None | ModelLoading::DeviceMap => true,
        // The model is on the host then.
        ModelLoading::Cpu => false,
        // Divided parameters have no data of their own.
        ModelLoading::ZeroInit => spec.lora.is_some(),
    };
    // The engine casts adapters afterwards; TRL's trainers have PEFT leave them in the model's dtype under ZeRO 3.
    let of_trl = spec.objective.is_on() && spec.parallelism.dp.partitions_parameters();
    let lora = spec.lora.as_ref();
    let in_float32 = !of_trl && lora.is_some_and(|lora| lora.adapter_dtype == AdapterDtype::Fp32);
    if there && spec.optimizer.name == OptimizerName::Adagrad {
        t.for_each_parameter(|_, parameter, _| {
            let dtype = if in_float32 {
                DType::Float32
            } else {
                parameter.dtype()
            };
            states.push(t.allocate(
                "full_like",
                *parameter.shape(),
                dtype,
                Category::OptimizerStates,
            ));
        });
    }
    states
}

/// The states that `torch.optim.Adagrad` makes for the engine's partitions `masters` as soon as these exist. This
/// matters where a model is loaded, since they are there beside the rest; in other runs the optimizer makes them before
/// its first step.
fn states_of_parts<'a>(
    t: &Tape,
    spec: &ResolvedSpec,
    masters: impl Iterator<Item = &'a Tensor>,
) -> Vec<Tensor> {
    let makes = spec.around.loads() && spec.optimizer.name == OptimizerName::Adagrad;
    let state = |master: &Tensor| {
        let (shape, dtype) = (*master.shape(), master.dtype());
        t.allocate("full_like", shape, dtype, Category::OptimizerStates)
    };
    masters.filter(|_| makes).map(state).collect()
}

/// `communication_data_type` of gradients, that of the engine: float32 where sequences are divided among ranks
/// (`seq_parallel_communication_data_type`, `deepspeed/runtime/config.py`).
fn communicated(spec: &ResolvedSpec) -> DType {
    if spec.mesh.cp > 1 {
        DType::Float32
    } else {
        spec.weights
    }
}
