//! The parts of the training program that are run, and the copies in place of the others.

use super::backend::backend;
use super::evaluate::evaluation;
use super::fold::{Batches, Counts, Recorded, keeps_masks};
use super::megatron::megatron;
use super::precision::converts_outputs;
use super::training::{Run, STEPS, trains};
use super::{Mark, Phase, Trace, activations};
use crate::ask::{Attention, EvaluationKind, MasterWeights, OptimizerName, Program};
use crate::model::{Architecture, ImageConfig, ResolvedSpec};
use crate::parallel::{self, is_wrapped};
use crate::tape::{Backend, Built, HostCopies, Tape, Which};
use std::ops::Range;

/// Micro-batches of a step that are simulated: from the third on each finds and leaves memory as
/// the one before did, so that more of them change no peak (tested below).
const MICRO_BATCHES: u64 = 4;

/// Runs a spec: every allocation and free in program order. Of a step's micro-batches at most [`MICRO_BATCHES`] are
/// run.
pub fn simulate(spec: &ResolvedSpec) -> Trace {
    begun(spec, run(spec, accumulation(spec), Tape::new))
}

/// Simulates with the operation, the shape and the type of each tensor, which takes a little longer.
pub fn simulate_in_detail(spec: &ResolvedSpec) -> Trace {
    begun(spec, run(spec, accumulation(spec), Tape::with_details))
}

/// Simulates with the waits of streams and of the host, on which memory depends only where a device lags behind.
pub fn simulate_with_waits(spec: &ResolvedSpec) -> Trace {
    begun(spec, run(spec, accumulation(spec), Tape::with_waits))
}

/// A trace with where its run begins. A model that `ZeRO` 3 divides is built within `deepspeed.zero.Init` as a rule
/// (`from_pretrained`, transformers 5.23), so that no rank ever has all of it.
fn begun(spec: &ResolvedSpec, trace: Trace) -> Trace {
    let divided = spec.parallelism.dp.partitions_parameters();
    Trace {
        begins_loaded: divided && !spec.around.loads(),
        ..trace
    }
}

fn accumulation(spec: &ResolvedSpec) -> u32 {
    let accumulation = spec.gradient_accumulation_steps.min(MICRO_BATCHES);
    u32::try_from(accumulation).unwrap_or(u32::MAX)
}

/// In how many steps the micro-batches differ from those before (Note [One forward pass for all steps],
/// `fold.rs`): the last of these stand for all later ones.
fn steps_apart(spec: &ResolvedSpec) -> u32 {
    let each = spec.usual_lengths.is_some()
        || spec.program == Program::Forward
        || spec.keep_outputs
        || spec.objective.is_of_recipe()
        // The completions of the step before live until those for the next are there.
        || spec.objective.trains_on_generated()
        || keeps_joined_outputs(spec)
        || spec.optimizer.in_backward
        || spec.offload.gradients
        || keeps_masks(spec)
        || parallel::steps_differ(spec)
        || (spec.has_own_reference() && parallel::keeps_reference_gathered(spec));
    match (each, spec.zero_grad_set_to_none) {
        (true, _) => STEPS,
        (false, false) if trains(spec) => 2,
        (false, _) => 1,
    }
}

/// Whether the caller holds the outputs of a pipeline's last stage until it has those of the next step.
fn keeps_joined_outputs(spec: &ResolvedSpec) -> bool {
    let stages = spec.local_stages();
    spec.parallelism.pp.return_outputs && stages.iter().any(|stage| stage.is_last)
}

/// How a record begins.
type NewTape = fn(Backend) -> Tape;

fn run(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> Trace {
    if spec.program == Program::Evaluation {
        return evaluation(spec, tape(backend(spec)));
    }
    if spec.is_of_megatron_core() {
        return megatron(spec, tape(backend(spec)));
    }
    repeated(spec)
        .then(|| {
            let folded = |layers| folded(spec, accumulation, tape, layers);
            let has_lists = has_lists_within_layers(spec) && !is_wrapped(spec) || has_runs(spec);
            let both = Built::ALL.map(Layers::FoldedWithin).into_iter();
            let within = both.chain([Layers::OnlyWithin]).filter(|_| has_lists);
            let layers = Built::ALL.map(Layers::Folded);
            within.chain(layers).find_map(folded)
        })
        .flatten()
        .or_else(|| folded(spec, accumulation, tape, Layers::All))
        .or_else(|| {
            let within = || steps_folded(spec, accumulation, tape);
            has_runs(spec).then(within).flatten()
        })
        .unwrap_or_else(|| unfolded(spec, accumulation, tape))
}

/// The layers of a model that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layers {
    All,
    /// Layers that a long list of them is made of (Note [Layers that repeat], `tape/folds.rs`).
    Folded(Built),
    /// The same, and of long lists within each of those.
    FoldedWithin(Built),
    /// All, but few modules of long lists within each.
    OnlyWithin,
}

/// Whether the layers of a model pass one after the other, and are all gone when the optimizer steps: the keys
/// and values of all could be converted after the last.
fn repeated(spec: &ResolvedSpec) -> bool {
    let splits_backward = spec.is_pipelined() && spec.parallelism.pp.schedule.splits_backward();
    // A trainer of TRL's evaluates its reference, too, which is not built once more.
    let evaluates_both = spec.objective.is_on() && spec.evaluation.kind != EvaluationKind::None;
    let gathers_whole = spec.has_own_reference() && parallel::gathers_reference_whole(spec);
    // Weights that are loaded come by the names of modules, not one by one as they are made.
    // A graph says what each of its modules runs.
    let graph = matches!(spec.architecture, Architecture::Exported(_));
    !(splits_backward
        || graph
        || evaluates_both
        || gathers_whole
        || parallel::mixes_layers(spec)
        || (spec.use_cache && converts_outputs(spec))
        || spec.around.loads())
}

/// Whether experts run one after another.
fn has_lists_within_layers(spec: &ResolvedSpec) -> bool {
    let experts = spec.architecture.experts().is_some();
    experts && !spec.framework.has_transformers_5()
}

/// Whether long lists of windows, or of images, attend to themselves one after another.
fn has_runs(spec: &ResolvedSpec) -> bool {
    let packed = spec.architecture.images().and_then(ImageConfig::packed);
    packed.is_some() && spec.attention != Attention::FlashAttention2
}

/// Whether the third step does what the second has done, with what that has left (Note [A step that comes again],
/// `tape/steps.rs`).
fn steps_come_again(spec: &ResolvedSpec) -> bool {
    parallel::steps_come_again(spec)
        && spec.evaluation.kind == EvaluationKind::None
        && !spec.around.saving
        && spec.usual_lengths.is_none()
        && spec.program == Program::Training
        // Else only the third generates.
        && spec.objective.num_iterations == 1
        && !spec.keep_outputs
        && !spec.objective.is_of_recipe()
        && !keeps_masks(spec)
}

/// Runs every step, or the steps that are not like others.
pub(super) fn unfolded(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> Trace {
    steps_run(spec, accumulation, tape).0
}

/// Runs the steps; the trace, and the number of steps that were run, not written from another one.
pub(super) fn steps_run(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> (Trace, u32) {
    let (steps, ran) = Steps::run(tape(backend(spec)), spec, accumulation);
    (steps.trace(), ran)
}

/// The same, where of long lists within each layer a few modules are run; nothing where they do not stand for all.
pub(super) fn steps_folded(spec: &ResolvedSpec, accumulation: u32, tape: NewTape) -> Option<Trace> {
    let tape = tape(backend(spec));
    let [layers, within] = [false, true];
    tape.allow_folds(Built::FEW, Which { layers, within });
    let (steps, _) = Steps::run(tape, spec, accumulation);
    steps.tape.unfold_record()?;
    Some(steps.trace())
}

/// A run in which every step was run.
struct Steps {
    tape: Tape,
    marks: Vec<Mark>,
    counts: Counts,
}

impl Steps {
    /// Runs the steps; returns them, and how many were run.
    fn run(tape: Tape, spec: &ResolvedSpec, accumulation: u32) -> (Self, u32) {
        let mut run = Run::new(&tape, spec, accumulation);
        run.begin_optimizer();
        let mut second = None;
        let mut ran = 0;
        for step in 0..STEPS {
            if let Some(second) = &second
                && tape.step_comes_again(second, run.marks.len())
            {
                let marks = run.marks[second.marks()..].to_vec();
                run.marks
                    .extend(marks.into_iter().map(|mark| Mark { step, ..mark }));
                break;
            }
            if step == 1 && steps_come_again(spec) {
                second = Some(tape.step_begins(run.marks.len()));
            }
            ran += 1;
            let batch = run.micro_batches(step);
            run.update(step);
            run.zero_gradients();
            run.evaluate(step);
            run.save(step);
            drop(batch);
        }
        tape.close();
        (run.kept, run.last_loss) = (None, None);
        let Run { marks, counts, .. } = run;
        let steps = Self {
            tape,
            marks,
            counts,
        };
        (steps, ran)
    }

    fn trace(self) -> Trace {
        Recorded::of(self.tape, self.marks).trace(self.counts)
    }
}

/// Runs the micro-batches of as few steps as stand for all (Note [One forward pass for all steps],
/// `fold.rs`).
pub(super) fn folded(
    spec: &ResolvedSpec,
    accumulation: u32,
    tape: NewTape,
    layers: Layers,
) -> Option<Trace> {
    let evaluates = spec.evaluation.kind != EvaluationKind::None;
    if !parallel::optimizer_may_wait(spec)
        || spec.optimizer.master_weights != MasterWeights::None
        || (evaluates && (keeps_masks(spec) || is_wrapped(spec)))
        || (spec.around.saving && is_wrapped(spec))
        || (spec.optimizer.in_backward && spec.optimizer.name == OptimizerName::Adagrad)
        || spec.optimizer.name.fuses_backward()
        || activations::host_copies(spec).is_some_and(HostCopies::is_streamed)
    {
        return None;
    }
    let tape = tape(backend(spec));
    let (built, which) = match layers {
        Layers::All => (None, [false, false]),
        Layers::Folded(built) => (Some(built), [true, false]),
        Layers::FoldedWithin(built) => (Some(built), [true, true]),
        Layers::OnlyWithin => (Some(Built::FEW), [false, true]),
    };
    if let Some(built) = built {
        let [layers, within] = which;
        tape.allow_folds(built, Which { layers, within });
    }
    let mut run = Run::new(&tape, spec, accumulation);
    let since = tape.storage_count();
    let count = steps_apart(spec);
    let mut batches: Vec<Batches> = Vec::new();
    let mut batch = None;
    for step in 0..count {
        if let Some(before) = batches.last_mut() {
            run.zero_gradients();
            before.dropped = run.dropped(batch.take());
        }
        let first = run.marks.len();
        batch = run.micro_batches(step);
        batches.push(Batches {
            first,
            end: run.marks.len(),
            dropped: 0,
        });
        run.mark(step, 0, Phase::ZeroGrad);
    }
    let evaluates = evaluates && layers != Layers::All;
    if evaluates && (spec.is_pipelined() || run.leaves_more_than_gradients(since)) {
        return None;
    }
    if built.is_some() {
        run.unfold()?;
    }
    let start = tape.event_count();
    let before = tape.with_storages(|storages| storages.count());
    run.begin_optimizer();
    let begun = start..tape.event_count();
    let mut updates: Vec<Range<usize>> = Vec::new();
    for step in 0..STEPS {
        let start = tape.event_count();
        if let [_, .., last] = &updates[..]
            && tape.leaves_nothing(last.start)
        {
            updates.push(last.clone());
            continue;
        }
        run.update(step);
        updates.push(start..tape.event_count());
        run.keep_what_lives();
    }
    run.steps_ended(before);
    run.zero_gradients();
    let zeroed = tape.event_count();
    if evaluates {
        run.evaluate_unfolded()?;
    } else {
        run.evaluate(0);
    }
    run.save(0);
    if let Some(last) = batches.last_mut() {
        last.dropped = run.dropped(batch);
    }
    tape.close();
    let Run { marks, counts, .. } = run;
    Recorded::of(tape, marks)
        .fold(&batches, begun, &updates, zeroed)
        .map(|record| record.trace(counts))
}

#[cfg(test)]
mod tests;
