//! The end of building a model: loaded weights come to the device, then adapters are made.

use super::builder::Plan;
use super::expert_weights::Joined;
use super::facts::Facts;
use super::recast;
use crate::ask::{AdapterDtype, DataParallelKind, LogProbs, MasterWeights, ModelLoading};
use crate::model::Transformers;
use crate::nn::adapters::{Made, Used, lora};
use crate::tape::Tensor;

/// Facts of a model once it is built.
pub(crate) struct Finished {
    /// Elements of all parameters, trained or not, each once.
    pub(crate) parameters: u64,
    /// Parameters that no module computes with.
    pub(crate) copied: Vec<Tensor>,
    /// Modules that have a copy of the table with which scales are quantized.
    pub(crate) scale_codes: u64,
    /// Weights of experts that are copied apart when a checkpoint is written.
    pub(crate) joined: Vec<Joined>,
}

impl Plan<'_> {
    /// Ends the building of a model: its adapters come last.
    pub(crate) fn finish(mut self) -> Finished {
        self.untied.take();
        if let Some(loading) = self.loading.take() {
            loading.run(self.tape);
        }
        self.tape.modules_are_made();
        let quantization = self.spec.quantization;
        let prepares = quantization.is_on() && quantization.prepare_for_kbit_training;
        let empties = prepares && Facts::of(self.spec).transformers == Transformers::V5;
        if prepares || !self.loaded.borrow().is_empty() {
            recast::cast(self.tape, self.loaded.take(), empties);
        }
        let (adapters, places) = self.spec.lora.as_ref().map_or((0, Vec::new()), |options| {
            // DeepSpeed's engine casts whatever the model holds to half precision, and FSDP gathers all in
            // one dtype.
            let spec = self.spec;
            let engine = spec.optimizer.master_weights == MasterWeights::DeepSpeed
                || (spec.parallelism.dp.kind == DataParallelKind::DeepSpeedZero
                    && spec.weights.is_half()
                    // Parameters that were divided before are left as they are.
                    && spec.around.loading != ModelLoading::ZeroInit)
                || spec.parallelism.dp.compute_dtype().is_some() && !spec.adapts_shards();
            let divided = spec.divides_modules() || spec.adapts_shards();
            let fully_sharded = spec.builds_on_meta() && !divided;
            // A model that is loaded has its adapters made on the host.
            let fully_sharded = fully_sharded && !spec.around.loads();
            let on_meta = fully_sharded || spec.is_pipelined();
            // Trainers of TRL do so beside what bitsandbytes quantized.
            // Trainers of LLaMA-Factory pass over TRL's own beginning.
            let of_factory = spec.objective.log_probs() == LogProbs::LogSoftmax;
            let of_trl = !of_factory && !spec.objective.is_of_recipe();
            let narrowed = spec.objective.is_on() && spec.quantization.is_on() && of_trl;
            let stays = options.adapter_dtype == AdapterDtype::Base && !on_meta && !narrowed;
            let mut targets = self.targets.take();
            if spec.adapts_shards() {
                // Not in the dtype in which their layers' weights are gathered.
                for target in &mut targets {
                    target.dtype = spec.stored_weights();
                }
            }
            lora::attach(
                self.tape,
                options,
                targets,
                Used {
                    facts: Facts::of(self.spec),
                    call: &self.call,
                    dropout_is_off: spec.objective.disables_dropout(),
                    torchtune: spec.is_of_torchtune(),
                },
                Made {
                    on_host: spec.around.loading.fills_modules(),
                    at_last: engine.then_some(spec.weights),
                    stays,
                    narrowed,
                },
            )
        });
        let copies = self.copies.take();
        for (scope, copy, _) in &copies {
            self.tape
                .in_scope(*scope, || self.tape.give_storage("clone", copy));
        }
        if !(copies.is_empty() && places.is_sorted()) {
            // The model has them by module.
            let copies = copies.iter().map(|(_, _, before)| 2 * before);
            let adapters = places.iter().map(|at| 2 * at + 1);
            self.tape.sort_parameters(copies.chain(adapters));
        }
        let parameters = self.parameters.take().into_iter();
        let elements = parameters.map(|(scope, n)| n * self.tape.multiplicity(scope));
        let with_codes = self.own_scale_codes.take().into_iter();
        Finished {
            parameters: elements.sum::<u64>() + adapters,
            copied: self.copied.take(),
            joined: self.saved_apart(),
            scale_codes: with_codes.map(|scope| self.tape.multiplicity(scope)).sum(),
        }
    }
}
