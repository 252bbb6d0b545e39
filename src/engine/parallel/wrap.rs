//! The wrapper of a model, and how the model is built for it.

use super::broadcast;
use super::ddp::Ddp;
use super::fsdp1::{self, Fsdp1};
use super::fsdp2::{Fsdp2, Fsdp2Stages};
use super::tensor::TensorParallel;
use super::wrapper::Wrapper;
use super::zero::{Gathered, Parts, Stage1And2, Stage3};
use crate::ask::{BackwardPrefetch, DataParallelKind, Plan};
use crate::model::ResolvedSpec;
use crate::tape::{OwnHooks, Registered, Tape, by_module};
use std::rc::Rc;

/// Whether the model of a run is wrapped.
pub fn is_wrapped(spec: &ResolvedSpec) -> bool {
    matches!(
        spec.parallelism.dp.kind,
        DataParallelKind::Ddp
            | DataParallelKind::Fsdp1
            | DataParallelKind::Fsdp2
            | DataParallelKind::DeepSpeedZero
    )
}

/// Whether forward and backward passes under a wrapper are the same when the optimizer steps after the passes of all
/// steps.
pub fn optimizer_may_wait(spec: &ResolvedSpec) -> bool {
    let dp = &spec.parallelism.dp;
    match dp.kind {
        DataParallelKind::DeepSpeedZero => false,
        // Copies of whole parameters on the device are under way between a step and the next: the record would take
        // them for storages that the passes in between have found.
        DataParallelKind::Fsdp1 => !dp.fsdp.cpu_offload || fsdp1::shards(spec),
        _ => true,
    }
}

/// Whether a step under a wrapper differs from the one before.
pub fn steps_differ(spec: &ResolvedSpec) -> bool {
    let kind = spec.parallelism.dp.kind;
    matches!(kind, DataParallelKind::Ddp | DataParallelKind::Fsdp1)
}

/// Whether a step under a wrapper repeats the second one, with the storages that the second has left.
pub fn steps_come_again(spec: &ResolvedSpec) -> bool {
    spec.parallelism.dp.kind == DataParallelKind::DeepSpeedZero
}

/// Builds a model and wraps it, where several ranks train it.
pub fn wrapped<M>(
    t: &Tape,
    spec: &ResolvedSpec,
    build: impl FnOnce() -> M,
) -> (M, Option<Rc<dyn Wrapper>>) {
    match spec.parallelism.dp.kind {
        DataParallelKind::Ddp => {
            if !spec.around.loads() {
                return (build(), Some(Ddp::new(t, spec)));
            }
            t.register_parameters(false);
            let model = build();
            broadcast::states(t, &t.take_registered());
            (model, Some(Ddp::new(t, spec)))
        }
        DataParallelKind::Fsdp1 => {
            let (model, registered) = for_fsdp1(t, spec, build);
            (model, Some(Fsdp1::new(t, spec, registered)))
        }
        DataParallelKind::Fsdp2 => {
            let (model, registered) = for_fsdp2(t, spec, build);
            let wrapper: Rc<dyn Wrapper> = if spec.is_pipelined() {
                Fsdp2Stages::new(t, spec, &registered)
            } else {
                Fsdp2::wrapping(t, spec, &registered)
            };
            (model, Some(wrapper))
        }
        DataParallelKind::DeepSpeedZero => {
            t.register_parameters(false);
            let parts = Parts::of_built(t, spec);
            let model = build();
            let mut registered = t.take_registered();
            by_module(&mut registered);
            let wrapper: Rc<dyn Wrapper> = if spec.parallelism.dp.zero.stage == 3 {
                Stage3::new(t, spec, registered, &parts)
            } else {
                Stage1And2::new(t, spec)
            };
            // Measurements begin with an empty cache, but for a model that is loaded.
            if !spec.around.loads() {
                t.empty_cache();
            }
            (model, Some(wrapper))
        }
        _ if spec.divides_modules() => {
            t.register_parameters(false);
            let model = t.without_memory(build);
            let registered = t.take_registered();
            (model, Some(TensorParallel::new(t, &registered)))
        }
        _ => (build(), None),
    }
}

/// Builds a model for FSDP1: on the device, or on the host.
fn for_fsdp1<M>(t: &Tape, spec: &ResolvedSpec, build: impl FnOnce() -> M) -> (M, Vec<Registered>) {
    t.register_parameters(true);
    let dtypes = [spec.weights, spec.stored_weights()];
    let build = || t.with_memory_of(dtypes, build);
    let model = match spec.parallelism.dp.fsdp.built_on_cpu {
        false => build(),
        // Each weight is quantized on the device, where its scales stay.
        true if spec.quantization.is_on() => t.with_parameters_elsewhere(build),
        true => t.without_memory(build),
    };
    (model, t.take_registered())
}

/// Builds a model for FSDP2: on the meta device, or where it is quantized.
fn for_fsdp2<M>(t: &Tape, spec: &ResolvedSpec, build: impl FnOnce() -> M) -> (M, Vec<Registered>) {
    t.register_parameters(false);
    let model = if spec.builds_on_meta() {
        t.without_memory(build)
    } else {
        build()
    };
    (model, t.take_registered())
}

/// Whether a rank may gather all of a model that it compares the trained one with at once.
pub fn gathers_reference_whole(spec: &ResolvedSpec) -> bool {
    spec.parallelism.dp.kind == DataParallelKind::Fsdp2
}

/// Whether units of neighbouring layers mix in the backward pass: FSDP1's `_auto_wrap` with a unit for each trainable
/// leaf, of which `BackwardPrefetch.BACKWARD_POST` gathers the next one while the one before is being reduced. Layers
/// then do not come one after the other.
pub fn mixes_layers(spec: &ResolvedSpec) -> bool {
    let fsdp = &spec.parallelism.dp.fsdp;
    spec.parallelism.dp.kind == DataParallelKind::Fsdp1
        && fsdp.wrap_trainable_leaves
        && fsdp.backward_prefetch == BackwardPrefetch::Post
}

/// Whether such a model is divided as it is loaded, as transformers plans it (`from_pretrained(distributed_config=..)`,
/// transformers 5.23): accelerate has nothing to wrap then.
fn loads_divided(spec: &ResolvedSpec) -> bool {
    spec.parallelism.dp.fsdp.plan == Plan::Transformers
}

/// Whether parameters that a rank gathers of such a model in the first step stay gathered for all others.
pub fn keeps_reference_gathered(spec: &ResolvedSpec) -> bool {
    let keeps_last = loads_divided(spec);
    let reshards = spec.parallelism.dp.fsdp.reshard_after_forward && !keeps_last;
    gathers_reference_whole(spec) && !reshards
}

/// Whether references are whole on each rank under the wrapper of the trained model.
pub fn keeps_references_whole(spec: &ResolvedSpec) -> bool {
    let dp = &spec.parallelism.dp;
    let sharded = matches!(dp.kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
    !(sharded || dp.partitions_parameters())
}

/// Builds a model that the trained one is compared with, as TRL prepares it: whole under DDP and the first stages of
/// `ZeRO` (`accelerator.prepare_model(evaluation_mode=True)`, `prepare_deepspeed`), one group under FSDP2, and divided
/// as the trained one under FSDP1 (`prepare_fsdp`, `models/utils.py`, trl 1.16) and where transformers divides both.
pub fn wrapped_reference<M>(
    t: &Tape,
    spec: &ResolvedSpec,
    build: impl FnOnce() -> M,
) -> (M, OwnHooks) {
    match spec.parallelism.dp.kind {
        DataParallelKind::Fsdp2 => {
            let (model, registered) = for_fsdp2(t, spec, build);
            let fsdp = if loads_divided(spec) {
                Fsdp2::beside(t, spec, &registered)
            } else {
                Fsdp2::whole(t, spec, &registered)
            };
            (model, OwnHooks::of_modules(fsdp))
        }
        DataParallelKind::Fsdp1 => {
            let (model, registered) = for_fsdp1(t, spec, build);
            let fsdp = Fsdp1::sharding(t, spec, registered);
            (model, OwnHooks::of_modules(fsdp))
        }
        DataParallelKind::DeepSpeedZero if spec.parallelism.dp.zero.stage == 3 => {
            t.register_parameters(false);
            let model = build();
            let gathered = Gathered::new(t, spec, t.take_registered());
            (model, OwnHooks::of_parameters(gathered))
        }
        _ => (build(), OwnHooks::default()),
    }
}
