//! The stages of a pipeline, each of which `fully_shard` wraps as a root of its own.

use super::Fsdp2;
use super::group::State;
use super::modules::Modules;
use crate::ask::Mesh;
use crate::model::ResolvedSpec;
use crate::parallel::pipeline::StagePlaces;
use crate::parallel::wrapper::{ModelParameter, OnRank, StageWrapper, Wrapper};
use crate::tape::{ModuleHooks, Registered, Tape, Tensor};
use std::cell::Cell;
use std::rc::Rc;

/// The stages of a rank.
pub(in crate::parallel) struct Fsdp2Stages {
    /// Each with its place in the pipeline.
    stages: Vec<(u64, Rc<Fsdp2>)>,
    /// The index of the running stage.
    current: Cell<usize>,
}

impl Fsdp2Stages {
    /// Shards the stages whose parameters and buffers were registered.
    pub(in crate::parallel) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: &[Registered],
    ) -> Rc<Self> {
        let mut places = StagePlaces::of(spec);
        let of: Vec<Option<u64>> = (registered.iter())
            .map(|entry| places.stage_of(t, entry.scope))
            .collect();
        let own = (0..).zip(spec.local_stages()).map(|(root, stage)| {
            let entries = registered.iter().zip(&of);
            let entries = entries.filter(|(_, of)| **of == Some(stage.index));
            let entries: Vec<Registered> = entries.map(|(entry, _)| entry.clone()).collect();
            (
                stage.index,
                Fsdp2::new(t, spec, &entries, Modules::of, root),
            )
        });
        let stages = Rc::new(Self {
            stages: own.collect(),
            current: Cell::new(0),
        });
        t.wrap_modules(Rc::clone(&stages) as Rc<dyn ModuleHooks>);
        stages
    }

    fn stage(&self, index: u64) -> Option<&Fsdp2> {
        let at = self.stages.iter().position(|(own, _)| *own == index)?;
        self.current.set(at);
        self.stages.get(at).map(|(_, stage)| &**stage)
    }

    /// The stage that has a module; the module around them all is the one of the stage that runs.
    fn having(&self, module: u32) -> Option<&Fsdp2> {
        let mut stages = self.stages.iter().map(|(_, stage)| &**stage);
        if module == 0 {
            return stages.nth(self.current.get());
        }
        stages.find(|stage| stage.modules.group_of(module).is_some())
    }
}

impl ModuleHooks for Fsdp2Stages {
    fn before(&self, t: &Tape, module: u32, inputs: &mut [&mut Tensor]) {
        if let Some(stage) = self.having(module) {
            stage.before(t, module, inputs);
        }
    }

    fn after(&self, t: &Tape, module: u32, outputs: &mut [&mut Tensor]) {
        if let Some(stage) = self.having(module) {
            stage.after(t, module, outputs);
        }
    }
}

impl StageWrapper for Fsdp2Stages {
    fn forward_begins(&self, stage: u64) {
        if let Some(stage) = self.stage(stage) {
            stage.finalized_by_caller.set(true);
        }
    }

    fn backward_begins(&self, stage: u64) {
        if let Some(stage) = self.stage(stage) {
            stage.reshards.set(false);
            stage.sync(false);
        }
    }

    fn gather(&self, t: &Tape, stage: u64) {
        if let Some(stage) = self.stage(stage) {
            for (at, group) in stage.groups.iter().enumerate() {
                t.in_scope(group.layer(t), || stage.unshard(t, at));
            }
        }
    }

    fn gathered(&self, t: &Tape, stage: u64) {
        if let Some(stage) = self.stage(stage) {
            for (at, group) in stage.groups.iter().enumerate() {
                t.in_scope(group.layer(t), || stage.wait_for_unshard(t, at));
            }
        }
    }

    fn give_back(&self, stage: u64) {
        if let Some(stage) = self.stage(stage) {
            stage.groups.iter().for_each(super::group::Group::reshard);
        }
    }

    /// `start_gradient_reduction` and `wait_for_gradient_reduction`.
    fn reduce(&self, t: &Tape, stage: u64) {
        let Some(stage) = self.stage(stage) else {
            return;
        };
        stage.sync(true);
        stage.reshards.set(true);
        for at in (0..stage.groups.len()).rev() {
            let group = &stage.groups[at];
            t.in_scope(group.layer(t), || {
                if group.pending.get() {
                    stage.post_backward(t, at);
                } else {
                    group.reshard();
                }
            });
            group.state.set(State::Idle);
        }
        stage.end_iteration();
        stage.finalized_by_caller.set(false);
    }
}

impl Wrapper for Fsdp2Stages {
    fn of_stages(&self) -> Option<&dyn StageWrapper> {
        Some(self)
    }

    fn alike_until(&self, mesh: &Mesh) -> u64 {
        let stages = self.stages.iter().map(|(_, stage)| stage.alike_until);
        stages.fold(mesh.shard, u64::min)
    }

    fn hand_over(&self, t: &Tape) -> bool {
        let own = self.stages.iter().flat_map(|(_, stage)| stage.own());
        t.replace_parameters(own.collect::<Vec<_>>().into_iter());
        for (_, stage) in &self.stages {
            stage.drop_gradients(t);
            stage.handed_over.set(true);
        }
        true
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        if self.stages.iter().any(|(_, stage)| stage.handed_over.get()) {
            return run(t);
        }
        let own = self.stages.iter().flat_map(|(_, stage)| stage.own());
        let own: Vec<(Tensor, Option<Tensor>)> = own.collect();
        t.with_parameters(&own, |t| run(t));
    }

    fn drop_gradients(&self, t: &Tape) {
        for (_, stage) in &self.stages {
            stage.drop_gradients(t);
        }
    }

    fn parameters(&self) -> Option<Vec<(u32, ModelParameter)>> {
        let all = self.stages.iter().map(|(_, stage)| stage.parameters());
        Some(all.flatten().flatten().collect())
    }

    fn trainable(&self, t: &Tape) -> Option<u64> {
        let own = self.stages.iter().map(|(_, stage)| stage.trainable(t));
        Some(own.flatten().sum())
    }
}
