//! The training program.

use super::{Event, Mark, Phase, Storage, Trace};
use crate::device::cublas_workspace;
use crate::nn::{Model, Output};
use crate::optim::{GradScaler, Optimizer, clip_grad_norm};
use crate::spec::{Framework, Loss, Precision, Program, ResolvedSpec};
use crate::tape::{Backend, Category, RawEvent, Tape, Tensor};
use crate::units::DType;
use std::cell::RefCell;
use std::rc::Rc;

/// Steps until the allocator's pools stop growing: in the second the optimizer states are there
/// from the start, the third repeats it with everything cached.
const STEPS: u32 = 3;

/// Micro-batches of a step that are simulated: from the third on each finds and leaves memory as
/// the one before did, so that more of them change no peak (tested below).
const MICRO_BATCHES: u64 = 4;

/// Runs a spec: every allocation and free in program order. Of a step with more than
/// [`MICRO_BATCHES`] micro-batches only so many are run.
pub fn simulate(spec: &ResolvedSpec) -> Trace {
    let accumulation = spec.gradient_accumulation_steps.min(MICRO_BATCHES);
    run(spec, u32::try_from(accumulation).unwrap_or(u32::MAX))
}

fn run(spec: &ResolvedSpec, accumulation: u32) -> Trace {
    let tape = Tape::new(backend(spec));
    let run = Run {
        second: None,
        tape: &tape,
        spec,
        accumulation,
        marks: Vec::new(),
        counts: [0; 3],
    };
    let (marks, counts, repeats) = run.training();
    let (storages, events, scopes) = tape.finish();
    let mut trace = Trace {
        storages: storages
            .into_iter()
            .map(|s| Storage {
                bytes: s.bytes,
                category: s.category,
                op: s.op,
                scope: s.scope,
            })
            .collect(),
        events: events
            .into_iter()
            .map(|event| match event {
                RawEvent::Alloc(id) => Event::Alloc(id),
                RawEvent::Free(id) => Event::Free(id),
                RawEvent::Mark(mark) => Event::Mark(mark),
            })
            .collect(),
        marks,
        scopes,
        num_parameters: counts[0],
        num_trainable: counts[1],
        saved_for_backward: counts[2],
    };
    if let Some(second) = repeats {
        trace.repeat_step(second);
    }
    trace
}

fn backend(spec: &ResolvedSpec) -> Backend {
    let recent = spec.framework == Framework::Torch215Transformers523;
    Backend {
        gemm_workspace: cublas_workspace(spec.device.compute_capability),
        gemm_bias_workspace: 1 << 20,
        gemm_workspace_persistent: !recent,
        multiprocessors: 108,
        sorts_by_needed_bits: recent,
        sdpa_keeps_generator: recent,
        foreach_norm_packs_chunks: recent,
    }
}

/// Where the second step begins.
#[derive(Clone, Copy)]
struct Start {
    mark: usize,
    storage: usize,
    /// Storages that are alive.
    alive: usize,
}

struct Run<'a> {
    /// Where the second step began.
    second: Option<Start>,
    tape: &'a Tape,
    spec: &'a ResolvedSpec,
    accumulation: u32,
    marks: Vec<Mark>,
    counts: [u64; 3],
}

impl Run<'_> {
    fn mark(&mut self, step: u32, micro_batch: u32, phase: Phase) {
        self.tape
            .mark(u32::try_from(self.marks.len()).unwrap_or(u32::MAX));
        self.marks.push(Mark {
            step,
            micro_batch,
            phase,
        });
    }

    /// The dtype of the autocast region, if there is one.
    fn autocast(&self) -> Option<DType> {
        match self.spec.precision {
            Precision::AmpBf16 => Some(DType::BFloat16),
            Precision::AmpFp16 => Some(DType::Float16),
            Precision::Fp32 | Precision::Bf16 | Precision::Fp16 => None,
        }
    }

    /// Whether the second step freed just what it had allocated, so that the third repeats it. If
    /// so, where it began.
    fn repeats(&self) -> Option<Start> {
        let second = self.second?;
        self.tape.with_storages(|storages| {
            let (before, during) = storages.split_at(second.storage);
            let kept = before.iter().filter(|s| s.alive).count();
            (kept == second.alive && !during.iter().any(|s| s.alive)).then_some(second)
        })
    }

    /// The start of a step is here.
    fn start(&self) -> Start {
        let alive = self
            .tape
            .with_storages(|all| all.iter().filter(|s| s.alive).count());
        Start {
            mark: self.marks.len(),
            storage: self.tape.storage_count(),
            alive,
        }
    }

    fn training(mut self) -> (Vec<Mark>, [u64; 3], Option<Start>) {
        let (t, spec) = (self.tape, self.spec);
        let model = Model::new(t, spec);
        self.counts[0] = model.num_parameters();
        t.for_each_parameter(|_, parameter, _| {
            self.counts[1] += parameter.numel();
        });
        let forward_only = spec.program != Program::Training;
        // Without a loss the forward pass of training runs alone, its graph kept.
        let trains = !forward_only && spec.loss != Loss::None;
        let optimizer = Rc::new(RefCell::new(Optimizer::new(t, spec.optimizer)));
        if spec.optimizer.in_backward {
            let optimizer = Rc::clone(&optimizer);
            t.on_gradient(move |t| {
                classify_gradients(t);
                optimizer.borrow_mut().step(t);
                t.drop_gradients();
            });
        }
        let mut scaler = (spec.precision == Precision::AmpFp16).then(GradScaler::default);
        let accumulation = self.accumulation;
        // What the caller holds of the last outputs: replaced when the next are there.
        let mut kept = None;
        let mut repeats = None;
        for step in 0..STEPS {
            if step == 1 {
                self.second = Some(self.start());
            } else if step == 2 {
                repeats = self.repeats();
                if repeats.is_some() {
                    break;
                }
            }
            let mut batch = None;
            for micro_batch in 0..accumulation {
                self.mark(step, micro_batch, Phase::Data);
                batch.replace(model.fetch(t, spec));
                let Some(batch) = &batch else { continue };
                self.mark(step, micro_batch, Phase::Forward);
                let grad_mode = t.set_grad_enabled(!forward_only);
                if let Some(dtype) = self.autocast() {
                    t.enter_autocast(dtype);
                }
                let Output { logits, loss } = model.forward(t, batch);
                t.classify_autocast_copies();
                t.exit_autocast();
                t.set_grad_enabled(grad_mode);
                let mut loss = loss;
                if accumulation > 1 {
                    loss = loss.map(|loss| t.div_scalar(&loss));
                }
                if spec.keep_outputs {
                    logits.set_category(Category::Logits);
                    kept = Some((logits, loss.clone()));
                } else {
                    drop(logits);
                }
                self.forward_ended(step, loss.as_ref());
                if !trains {
                    continue;
                }
                self.mark(step, micro_batch, Phase::Backward);
                if let Some(loss) = &loss {
                    match &mut scaler {
                        Some(scaler) => t.backward(&scaler.scale(t, loss)),
                        None => t.backward(loss),
                    }
                }
                classify_gradients(t);
                drop(loss);
            }
            if trains {
                if spec.clip_grad_norm {
                    self.mark(step, accumulation - 1, Phase::Clip);
                    if let Some(scaler) = &mut scaler {
                        scaler.unscale(t);
                    }
                    clip_grad_norm(t);
                }
                self.mark(step, accumulation - 1, Phase::OptimizerStep);
                if let Some(scaler) = &mut scaler {
                    scaler.step(t, &mut optimizer.borrow_mut());
                    scaler.update();
                } else {
                    optimizer.borrow_mut().step(t);
                }
                self.mark(step, accumulation - 1, Phase::ZeroGrad);
                if spec.zero_grad_set_to_none {
                    t.drop_gradients();
                }
            }
            drop(batch);
        }
        drop(kept);
        t.close();
        (self.marks, self.counts, repeats)
    }

    /// What is alive when the forward pass has ended is kept for backward.
    fn forward_ended(&mut self, step: u32, loss: Option<&Tensor>) {
        if let Some(loss) = loss {
            loss.set_category(Category::Logits);
        }
        let saved = self.tape.with_storages(|storages| {
            let mut saved = 0;
            for storage in storages.iter_mut().filter(|s| s.alive) {
                if storage.category == Category::Temporaries {
                    storage.category = Category::Activations;
                }
                if matches!(
                    storage.category,
                    Category::Activations | Category::AutocastWeights
                ) {
                    saved += storage.bytes;
                }
            }
            saved
        });
        if step > 0 {
            self.counts[2] = saved;
        }
    }
}

impl Trace {
    /// Appends the last step, which began at `start`, once more.
    fn repeat_step(&mut self, start: Start) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let first_mark = number(start.mark);
        let Some(from) = self
            .events
            .iter()
            .rposition(|&e| e == Event::Mark(first_mark))
        else {
            return;
        };
        let storages = number(self.storages.len() - start.storage);
        let marks = number(self.marks.len() - start.mark);
        self.storages.extend_from_within(start.storage..);
        for i in start.mark..self.marks.len() {
            let mark = self.marks[i];
            self.marks.push(Mark {
                step: mark.step + 1,
                ..mark
            });
        }
        for i in from..self.events.len() {
            self.events.push(match self.events[i] {
                Event::Alloc(id) => Event::Alloc(id + storages),
                Event::Free(id) => Event::Free(id + storages),
                Event::Mark(mark) => Event::Mark(mark + marks),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Scenario, resolve};
    use std::collections::BTreeMap;

    /// The highest sum of live storages in each phase of each step.
    fn peaks(trace: &Trace) -> BTreeMap<(u32, Phase), u64> {
        let (mut live, mut phase, mut peaks) = (0, None, BTreeMap::new());
        for &event in &trace.events {
            match event {
                Event::Alloc(id) => live += trace.storages[id as usize].bytes,
                Event::Free(id) => live -= trace.storages[id as usize].bytes,
                Event::Mark(mark) => {
                    let mark = trace.marks[mark as usize];
                    phase = Some((mark.step, mark.phase));
                }
            }
            if let Some(phase) = phase {
                let peak = peaks.entry(phase).or_insert(live);
                *peak = live.max(*peak);
            }
        }
        peaks
    }

    #[test]
    fn more_micro_batches_than_are_simulated_change_no_peak() {
        for (precision, keep_outputs) in [("fp32", false), ("amp_fp16", true), ("bf16", true)] {
            let scenario: Scenario = serde_json::from_value(serde_json::json!({
                "model": "smollm2-135m", "model_overrides": {"num_hidden_layers": 2},
                "gradient_accumulation_steps": 100, "precision": precision,
                "keep_outputs": keep_outputs, "clip_grad_norm": true,
            }))
            .expect("a scenario");
            let spec = resolve(&scenario).spec.expect("a spec");
            assert_eq!(
                peaks(&simulate(&spec)),
                peaks(&run(&spec, 9)),
                "{precision}"
            );
        }
    }
}

/// Says of every gradient that there is what it is.
fn classify_gradients(t: &Tape) {
    t.for_each_parameter(|_, _, grad| {
        if let Some(grad) = grad {
            grad.set_category(Category::Gradients);
        }
    });
}
