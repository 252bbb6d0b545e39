//! Settings that people set together: the settings of a training method, a number of GPUs.

use super::gpus::{gpus_of, with_gpus};
use super::plan::Adapters;
use crate::ask::{
    ActivationCheckpointing, ComputeDtype, DataParallelKind, Optimizer, OptimizerName, Precision,
    Quantization, Scenario,
};
use crate::catalog::rented_host_ram;
use crate::resolve::usual_frozen;
use crate::units::names;

names! {
    /// The weights that are trained, and how the others are held.
    Method {
        /// All weights.
        Full = "full",
        /// Adapters over weights in 16 bits.
        Lora = "lora",
        /// Adapters over weights in four bits.
        Qlora = "qlora",
        /// Some of the weights, while the others are frozen.
        Frozen = "frozen",
    }
}

impl Method {
    /// The method of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        match (&scenario.lora, scenario.quantization.is_on()) {
            (None, _) if !scenario.frozen.is_empty() => Self::Frozen,
            (None, _) => Self::Full,
            (Some(_), false) => Self::Lora,
            (Some(_), true) => Self::Qlora,
        }
    }

    /// The scenario with this method as its users set it: adapters on all linear layers; computation in bf16 over weights
    /// of 16 bits; with `QLoRA` nf4 with double quantization, all layers checkpointed and bitsandbytes' paged optimizer
    /// (Dettmers et al. 2023, section 4, and the examples of axolotl 0.19 and TRL 1.16); with frozen parts those of
    /// [`usual_frozen`].
    pub fn set(self, scenario: &Scenario) -> Scenario {
        let mut to = scenario.clone();
        if self == Self::of(scenario) {
            return to;
        }
        to.quantization = Quantization::default();
        to.lora = None;
        to.wide_embeddings = false;
        to.frozen = Vec::new();
        let paged = OptimizerName::PagedAdamW8bit;
        match self {
            Self::Full | Self::Frozen => {
                if self == Self::Frozen {
                    to.frozen = usual_frozen(scenario);
                }
                if scenario.optimizer.name == paged {
                    to.optimizer = Optimizer::default();
                }
                to.weights = None;
            }
            Self::Lora => {
                Adapters::Lora.add_to(&mut to);
                if to.precision != Precision::Bf16 {
                    to.precision = Precision::AmpBf16;
                    to.weights = Some(ComputeDtype::Bf16);
                }
            }
            Self::Qlora => {
                Adapters::Qlora.add_to(&mut to);
                to.weights = None;
                to.precision = Precision::AmpBf16;
                if to.activation_checkpointing == ActivationCheckpointing::None {
                    to.activation_checkpointing = ActivationCheckpointing::Full;
                }
                to.optimizer = Optimizer {
                    name: paged,
                    implementation: paged.implementations()[0],
                    ..Optimizer::default()
                };
            }
        }
        to
    }
}

/// The scenario on `gpus` GPUs as its users set it: among several `fully_shard` divides what nothing divides yet, and a
/// machine has the RAM that it is rented with.
pub fn on_gpus(scenario: &Scenario, gpus: u64) -> Scenario {
    if gpus == gpus_of(scenario) {
        return scenario.clone();
    }
    let ranks = scenario.parallelism.model_ranks();
    let mut to = scenario.clone();
    if !gpus.is_multiple_of(ranks) {
        let parallelism = &mut to.parallelism;
        (
            parallelism.tp.size,
            parallelism.pp.size,
            parallelism.cp.size,
        ) = (1, 1, 1);
    }
    let mut to = with_gpus(&to, gpus);
    let dp = &mut to.parallelism.dp;
    match (gpus, dp.kind) {
        (1, _) => {
            dp.kind = DataParallelKind::None;
            dp.shard_size = None;
            dp.replicate_size = None;
        }
        (_, DataParallelKind::None) => dp.kind = DataParallelKind::Fsdp2,
        _ => {}
    }
    let hardware = &mut to.hardware;
    if let Some(ram) = rented_host_ram(&hardware.gpu, hardware.gpus_per_node) {
        hardware.host_ram = ram.value.get();
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ModelRef;
    use crate::report::estimate;

    fn llama() -> Scenario {
        Scenario {
            model: ModelRef::Catalog("llama-3.1-8b".to_owned()),
            micro_batch_size: 1,
            seq_len: 512,
            ..Scenario::default()
        }
    }

    #[test]
    fn each_method_is_one_that_runs_and_the_way_back_leads_to_all_weights() {
        let need = |scenario: &Scenario| {
            let report = estimate(scenario).expect("an answer").report;
            report.verdict.device.needed
        };
        let full = llama();
        let lora = Method::Lora.set(&full);
        let qlora = Method::Qlora.set(&lora);
        for (method, scenario) in [
            (Method::Full, &full),
            (Method::Lora, &lora),
            (Method::Qlora, &qlora),
        ] {
            assert_eq!(Method::of(scenario), method);
            assert_eq!(method.set(scenario), *scenario);
        }
        assert!(need(&qlora) < need(&lora) && need(&lora) < need(&full));
        let frozen = Method::Frozen.set(&qlora);
        assert_eq!(Method::of(&frozen), Method::Frozen);
        assert!(need(&frozen) < need(&full));
        assert!(Method::Full.set(&frozen).frozen.is_empty());
        let back = Method::Full.set(&qlora);
        assert_eq!(back.optimizer, full.optimizer);
        assert!(back.lora.is_none() && !back.quantization.is_on());
        assert!(estimate(&back).is_ok());
    }

    #[test]
    fn several_gpus_divide_the_training_state_and_have_their_machines_ram() {
        let mut one = llama();
        one.hardware.gpu = "h100-80gb".to_owned();
        let eight = on_gpus(&one, 8);
        assert_eq!(gpus_of(&eight), 8);
        assert_eq!(eight.parallelism.dp.kind, DataParallelKind::Fsdp2);
        assert_eq!(eight.hardware.host_ram, 2048 << 30);
        assert!(estimate(&eight).is_ok());
        assert_eq!(on_gpus(&eight, 16).hardware.nodes, 2);
        let back = on_gpus(&eight, 1);
        assert_eq!(back.parallelism.dp.kind, DataParallelKind::None);
        assert_eq!(gpus_of(&back), 1);
        assert!(estimate(&back).is_ok());
        let mut mesh = eight;
        mesh.parallelism.tp.size = 8;
        assert!(estimate(&on_gpus(&mesh, 2)).is_ok());
    }
}
