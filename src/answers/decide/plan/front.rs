//! Plans, and the front of plans that no other dominates.

use crate::ask::Scenario;
use crate::codec::differences;
use crate::decide::gpus::gpus_of;
use crate::report::{Communication, Compute, Effort, Figures};
use crate::sim::Phase;
use crate::units::{Bytes, names};
use serde_json::Value;

names! {
    /// A setting that changes what is learnt.
    Altered {
        /// A lower precision.
        Precision = "precision",
        /// Another optimizer, as one with states in 8 bits.
        Optimizer = "optimizer",
        /// Adapters are trained instead of all weights.
        Lora = "lora",
        /// The weights that stay are held in fewer bits.
        Quantization = "quantization",
    }
}

/// A training run that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// The run.
    pub scenario: Scenario,
    /// Differences from the scenario: keys with their values.
    pub changes: Vec<(&'static str, Value)>,
    /// Changes that alter the result of training.
    pub altered: Vec<Altered>,
    /// GPUs.
    pub gpus: u64,
    /// Bytes of a GPU by which plans are compared: the bytes that the plan takes or, where any GPU may be used, the
    /// bytes that the GPU has.
    pub compared: Bytes,
    /// When a GPU needs most.
    pub phase: Phase,
    /// Bytes that nvidia-smi shows of a GPU then.
    pub device: Bytes,
    /// Bytes of it that programs could still have.
    pub free: Bytes,
    /// The peak of a node's RAM.
    pub host: Bytes,
    /// Bytes of the node's RAM that programs could still have.
    pub host_free: Bytes,
    /// Floating-point operations in a step of the rank that computes most.
    pub compute: Compute,
    /// As many as it could compute while it waits for the other stages of a pipeline.
    pub idle: u64,
    /// Bytes that the rank sends that sends most.
    pub communication: Communication,
}

impl RunPlan {
    /// The plan of a `scenario` that was made of the `asked` one.
    pub(super) fn new(asked: &Scenario, scenario: Scenario, figures: &Figures) -> Self {
        let Effort {
            compute,
            communication,
        } = figures.most;
        let changes = differences(asked, &scenario);
        let alters = |altered: &Altered| match altered {
            Altered::Precision => asked.precision != scenario.precision,
            Altered::Optimizer => asked.optimizer.name != scenario.optimizer.name,
            Altered::Lora => asked.lora != scenario.lora,
            Altered::Quantization => asked.quantization != scenario.quantization,
        };
        Self {
            changes: changes
                .into_iter()
                .map(|change| (change.key.path, change.b))
                .collect(),
            altered: Altered::ALL.iter().copied().filter(alters).collect(),
            gpus: gpus_of(&scenario),
            compared: figures.total,
            phase: figures.binding.phase,
            device: figures.total,
            free: figures.device.capacity - figures.total,
            host: figures.host.needed,
            host_free: figures.host.capacity - figures.host.needed,
            compute,
            idle: idle(&scenario, compute.total()),
            communication,
            scenario,
        }
    }

    /// Operations of the rank that computes most, plus the operations that it could do while it waits.
    pub fn computed(&self) -> u64 {
        self.compute.total().saturating_add(self.idle)
    }

    /// The costs by which plans are compared, the less the better: GPUs, bytes of a GPU and of a node's RAM,
    /// floating-point operations and bytes sent.
    pub fn costs(&self) -> [u64; 5] {
        [
            self.gpus,
            self.compared.get(),
            self.host.get(),
            self.computed(),
            self.communication.total().get(),
        ]
    }

    /// Whether this plan is at least as good in all, and alters nothing that the other does not. Of plans that are
    /// alike the one with fewer changes is.
    pub fn dominates(&self, other: &Self) -> bool {
        let alters_less = self.altered.iter().all(|one| other.altered.contains(one));
        let (own, others) = (self.costs(), other.costs());
        let costs_less = own.iter().zip(&others).all(|(own, other)| own <= other);
        let alike = own == others && self.altered.len() == other.altered.len();
        alters_less && costs_less && (!alike || self.changes.len() <= other.changes.len())
    }
}

/// Operations that a rank could compute while it waits in a pipeline, given the operations that it computes: a stage is
/// idle for as many micro-batches as there are other ranks (`(p - 1) / m`, with v stages a rank `(p - 1) / (v m)`:
/// Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, 2021, section 2.2), where gradients
/// of weights do not fill the time.
pub(super) fn idle(scenario: &Scenario, computed: u64) -> u64 {
    let pp = &scenario.parallelism.pp;
    if pp.size <= 1 || pp.schedule.splits_backward() {
        return 0;
    }
    let passes = u128::from(pp.in_a_step()) * u128::from(pp.stages());
    let idle = u128::from(computed) * u128::from(pp.size - 1) / passes.max(1);
    u64::try_from(idle).unwrap_or(u64::MAX)
}

/// Plans that no other dominates.
#[derive(Clone, Debug, Default)]
pub(super) struct Front(Vec<RunPlan>);

impl Front {
    /// Adds a plan unless another dominates it; how many are dominated now.
    pub(super) fn add(&mut self, plan: RunPlan) -> u64 {
        if self.0.iter().any(|other| other.dominates(&plan)) {
            return 1;
        }
        let before = self.0.len();
        self.0.retain(|other| !plan.dominates(other));
        let dominated = before - self.0.len();
        self.0.push(plan);
        dominated as u64
    }

    /// Whether a plan dominates whatever alters the same as another plan and costs at least so much.
    pub(super) fn dominates(&self, costs: [u64; 5], altered: &[Altered]) -> bool {
        self.0.iter().any(|plan| {
            let alters_less = plan.altered.iter().all(|one| altered.contains(one));
            alters_less
                && plan
                    .costs()
                    .iter()
                    .zip(&costs)
                    .all(|(own, other)| own <= other)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The plans that alter least first, then plans on the fewest GPUs that compute and send least, then plans that
    /// take least of the node's RAM: tensors there have to come back.
    pub(super) fn sorted(&self) -> Vec<RunPlan> {
        let mut plans = self.0.clone();
        plans.sort_by_key(|plan| {
            let [gpus, device, host, compute, sent] = plan.costs();
            (plan.altered.len(), gpus, compute, sent, host, device)
        });
        plans
    }
}
