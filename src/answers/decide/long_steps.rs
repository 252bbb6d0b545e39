//! Many steps whose lengths are drawn, through an allocator that is never emptied: what it comes to hold, with and
//! without expandable segments, and where PyTorch would run out.

use super::question::{Estimator, Progress, Question};
use crate::ask::{Finding, Scenario};
use crate::lengths::Batches;
use crate::report::{ManySteps, Running, StepHeld, StepsRun};
use crate::resolve::image_tokens;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Steps that are drawn.
const STEPS: usize = 1000;
/// Lengths that these have at most: each is simulated once.
const DIFFERENT: u64 = 24;
/// The seed of the drawn lengths.
const SEED: u64 = 1;
/// Steps of the longest batch alone, after which the allocator has what it needs for it.
const ALONE: usize = 3;
/// Steps that are run at a time.
const AT_A_TIME: usize = 16;
/// Tokens of the shortest sample with something to predict.
const SHORTEST: u64 = 2;

/// The step in which PyTorch runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutOfMemoryAt {
    /// The step, from 1.
    pub step: u64,
    /// Tokens of its longest batch.
    pub length: u64,
    /// "Tried to allocate ...".
    pub tried: Bytes,
    /// Bytes of tensors.
    pub allocated: Bytes,
    /// Bytes of segments.
    pub reserved: Bytes,
}

/// Many steps with one kind of segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentsRun {
    /// Whether segments can grow.
    pub expandable_segments: bool,
    /// The most that tensors held.
    pub peak_allocated: Bytes,
    /// The most that segments held.
    pub peak_reserved: Bytes,
    /// The peak where every batch is as long as the longest.
    pub longest_alone: Bytes,
    /// Whether the device has less than that, so that PyTorch gives cached segments back before it runs out.
    pub gives_back: bool,
    /// The step in which it ends on the scenario's device, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_memory: Option<OutOfMemoryAt>,
    /// Every step, with as much memory as it asks for.
    #[serde(skip)]
    pub steps: Vec<StepHeld>,
    /// The steps in which segments came to hold more than ever before, from 1, with what they held then.
    pub growth: Vec<(u64, Bytes)>,
}

impl SegmentsRun {
    /// Reserved bytes beyond the need of the longest batch alone.
    pub fn beyond(&self) -> Bytes {
        self.peak_reserved - self.longest_alone
    }
}

/// Results of many steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LongSteps {
    /// How many.
    pub count: u64,
    /// How many lengths their batches have.
    pub lengths: u64,
    /// The longest batch that came.
    pub longest: u64,
    /// Without expandable segments, and with them.
    pub runs: Vec<SegmentsRun>,
}

impl LongSteps {
    /// It as text with every step, for another thread.
    pub fn written(&self) -> Option<String> {
        let steps: Vec<&[StepHeld]> = self.runs.iter().map(|run| &run.steps[..]).collect();
        serde_json::to_string(&(self, steps)).ok()
    }

    /// Reads what another thread has written; `None` where it is none.
    pub fn read(text: &str) -> Option<Self> {
        let (mut read, steps): (Self, Vec<Vec<StepHeld>>) = serde_json::from_str(text).ok()?;
        for (run, steps) in read.runs.iter_mut().zip(steps) {
            run.steps = steps;
        }
        Some(read)
    }
}

/// Looks for that a little at a time. It runs the steps itself: what they take together is more than figures.
pub struct LongStepsSearch {
    work: Work,
    order: Vec<u64>,
    found: Vec<SegmentsRun>,
    /// Why such steps are not estimated.
    refused: Option<Vec<Finding>>,
}

/// How far the work has come.
enum Work {
    Simulating(Box<ManySteps>),
    Running(Arc<ManySteps>, Box<Stage>),
    Done,
}

/// The run of one kind of segments.
struct Stage {
    expandable_segments: bool,
    /// The longest batch alone; then all steps with as much memory as they ask for; then on the device.
    alone: Option<StepsRun>,
    all: Option<StepsRun>,
    running: Running,
}

impl LongStepsSearch {
    /// A search that has done nothing yet; nothing where a scenario does not say how long its samples are.
    ///
    /// # Errors
    /// Why such steps are not estimated.
    pub fn new(scenario: &Scenario) -> Option<Result<Self, Vec<Finding>>> {
        let batches = Batches::of(scenario)?;
        let micro_batches = scenario.gradient_accumulation_steps.clamp(1, STEPS as u64);
        let micro_batches = usize::try_from(micro_batches).unwrap_or(STEPS);
        let count = batches.steps().clamp(1, STEPS as u64);
        let count = usize::try_from(count)
            .unwrap_or(STEPS)
            .saturating_mul(micro_batches);
        let drawn = batches.drawn(count, DIFFERENT, SEED);
        // Images are whole, and something follows them.
        let images = image_tokens(scenario);
        let taken = images.map_or(0, |of| of.tokens.saturating_mul(of.images));
        let shortest = SHORTEST.max(taken.saturating_add(1));
        let order: Vec<u64> = drawn
            .into_iter()
            .map(|length| length.max(shortest))
            .collect();
        let many = ManySteps::new(scenario, &order);
        Some(many.map(|many| Self {
            work: Work::Simulating(Box::new(many)),
            order,
            found: Vec::new(),
            refused: None,
        }))
    }

    /// Does a little more.
    fn go_on(&mut self) -> Result<(), Vec<Finding>> {
        self.work = match std::mem::replace(&mut self.work, Work::Done) {
            Work::Simulating(mut many) => {
                if many.advance()? {
                    Work::Simulating(many)
                } else {
                    self.begin(Arc::new(*many), false)
                }
            }
            Work::Running(many, mut stage) => {
                if (0..AT_A_TIME).all(|_| stage.running.advance()) {
                    Work::Running(many, stage)
                } else {
                    self.next(many, *stage)
                }
            }
            Work::Done => Work::Done,
        };
        Ok(())
    }

    /// The results of the steps that were run.
    ///
    /// # Errors
    /// Why such steps are not estimated.
    pub fn found(&self) -> Result<LongSteps, Vec<Finding>> {
        if let Some(findings) = &self.refused {
            return Err(findings.clone());
        }
        let mut lengths = self.order.clone();
        let count = self.found.first().map_or(0, |run| run.steps.len() as u64);
        lengths.sort_unstable();
        lengths.dedup();
        Ok(LongSteps {
            count,
            lengths: lengths.len() as u64,
            longest: lengths.last().copied().unwrap_or(0),
            runs: self.found.clone(),
        })
    }

    fn begin(&self, many: Arc<ManySteps>, expandable_segments: bool) -> Work {
        let longest = self.order.iter().copied().max().unwrap_or(0);
        let alone = vec![longest; ALONE * many.micro_batches()];
        let running = Running::new(Arc::clone(&many), alone, expandable_segments, false);
        let stage = Stage {
            expandable_segments,
            alone: None,
            all: None,
            running,
        };
        Work::Running(many, Box::new(stage))
    }

    /// The work after a run that has ended.
    fn next(&mut self, many: Arc<ManySteps>, stage: Stage) -> Work {
        let Stage {
            expandable_segments,
            alone,
            all,
            running,
        } = stage;
        let run = |on_device| {
            let order = self.order.clone();
            Running::new(Arc::clone(&many), order, expandable_segments, on_device)
        };
        let ended = running.complete();
        let (alone, all) = match (alone, all) {
            (None, _) => {
                let running = run(false);
                let stage = Stage {
                    expandable_segments,
                    alone: Some(ended),
                    all: None,
                    running,
                };
                return Work::Running(many, Box::new(stage));
            }
            (Some(alone), None) if peak(&ended).reserved > many.capacity() => {
                let running = run(true);
                let stage = Stage {
                    expandable_segments,
                    alone: Some(alone),
                    all: Some(ended),
                    running,
                };
                return Work::Running(many, Box::new(stage));
            }
            (Some(alone), None) => (alone, ended),
            (Some(alone), Some(all)) => {
                self.keep(expandable_segments, &alone, all, Some(&ended));
                return self.after(many, expandable_segments);
            }
        };
        self.keep(expandable_segments, &alone, all, None);
        self.after(many, expandable_segments)
    }

    fn after(&self, many: Arc<ManySteps>, expandable_segments: bool) -> Work {
        if expandable_segments {
            Work::Done
        } else {
            self.begin(many, true)
        }
    }

    fn keep(
        &mut self,
        expandable_segments: bool,
        alone: &StepsRun,
        all: StepsRun,
        on_device: Option<&StepsRun>,
    ) {
        let most_held = peak(&all);
        let failed = on_device.and_then(|run| run.failure.map(|failure| (run, failure)));
        let out_of_memory = failed.map(|(run, failure)| {
            let at = run.steps.len();
            OutOfMemoryAt {
                step: at as u64 + 1,
                length: all.steps.get(at).map_or(0, |step| step.length),
                tried: Bytes(failure.tried),
                allocated: Bytes(failure.allocated),
                reserved: Bytes(failure.reserved),
            }
        });
        let mut most = Bytes::ZERO;
        let mut growth = Vec::new();
        for (at, step) in all.steps.iter().enumerate() {
            if step.peak_reserved > most {
                most = step.peak_reserved;
                growth.push((at as u64 + 1, most));
            }
        }
        self.found.push(SegmentsRun {
            expandable_segments,
            peak_allocated: most_held.allocated,
            peak_reserved: most_held.reserved,
            longest_alone: peak(alone).reserved,
            gives_back: on_device.is_some(),
            out_of_memory,
            steps: all.steps,
            growth,
        });
    }
}

/// The most that a run held.
struct MostHeld {
    /// In tensors.
    allocated: Bytes,
    /// In segments.
    reserved: Bytes,
}

fn peak(run: &StepsRun) -> MostHeld {
    let most = |of: fn(&StepHeld) -> Bytes| run.steps.iter().map(of).max().unwrap_or_default();
    MostHeld {
        allocated: most(|step| step.peak_allocated),
        reserved: most(|step| step.peak_reserved),
    }
}

impl Question for LongStepsSearch {
    fn advance(&mut self, _: &mut dyn Estimator) -> Progress {
        self.refused = self.go_on().err();
        if matches!(self.work, Work::Done) {
            Progress::Done
        } else {
            Progress::Further
        }
    }
}

/// The whole search at once; nothing where a scenario does not say how long its samples are.
///
/// # Errors
/// Why such steps are not estimated.
pub fn long_steps(scenario: &Scenario) -> Option<Result<LongSteps, Vec<Finding>>> {
    let search = LongStepsSearch::new(scenario)?;
    Some(search.and_then(|mut search| {
        search.settle();
        search.found()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decode_json;

    fn found(text: &str) -> Result<LongSteps, Vec<Finding>> {
        let (scenario, findings) = decode_json(text);
        assert_eq!(findings, []);
        long_steps(&scenario).expect("lengths")
    }

    const SMALL: &str = r#"{"model": "qwen2.5-0.5b", "model_overrides": {"num_hidden_layers": 2},
        "precision": "bf16", "micro_batch_size": 4, "seq_len": 2048,
        "dataset": {"lengths": {"mean": 300, "p95": 900, "longest": 2048}, "rows": 400}"#;

    #[test]
    fn segments_come_to_hold_more_than_the_longest_batch_alone() {
        let found = found(&format!("{SMALL}}}")).expect("steps");
        assert_eq!(found.count, 100);
        let [plain, expandable] = &found.runs[..] else {
            panic!("two runs");
        };
        assert!(!plain.expandable_segments && expandable.expandable_segments);
        assert!(plain.peak_reserved > plain.longest_alone, "{plain:?}");
        assert!(expandable.beyond() < plain.beyond());
        // Blocks that are not split count whole.
        let [a, b] = [plain, expandable].map(|run| run.peak_allocated.get());
        assert!(a.abs_diff(b) * 100 < a, "{a} {b}");
        assert_eq!(plain.out_of_memory, None);
        let (_, last) = plain.growth.last().expect("it grows");
        assert_eq!(*last, plain.peak_reserved);
        let written = found.written().expect("text");
        assert_eq!(LongSteps::read(&written), Some(found));
    }

    #[test]
    fn steps_of_one_length_hold_what_an_estimate_says_however_the_model_came() {
        for more in [
            "",
            r#", "around": {"loading": "cpu"}"#,
            r#", "around": {"loading": "device_map", "saving": true}"#,
        ] {
            let text = format!(
                r#"{{"model": "qwen2.5-0.5b", "model_overrides": {{"num_hidden_layers": 2}}, "precision": "bf16",
                    "seq_len": 512, "dataset": {{"lengths": [[512, 40]]}},
                    "allocator": {{"empty_cache_after_loading": true}}{more}}}"#
            );
            let (scenario, findings) = decode_json(&text);
            assert_eq!(findings, []);
            let run = crate::report::estimate(&scenario).expect("an estimate");
            let run = run.report.device.run;
            let steps = found(&text).expect("steps");
            assert_eq!(steps.runs[0].peak_reserved, run.peak_reserved, "{more}");
            assert_eq!(steps.runs[0].peak_allocated, run.peak_allocated, "{more}");
        }
    }

    #[test]
    fn on_a_small_device_it_ends_at_a_long_batch() {
        let first = found(&format!("{SMALL}}}")).expect("steps");
        let limit = first.runs[1].peak_allocated.get() * 9 / 10;
        let found = found(&format!("{SMALL}, \"memory_limit\": {limit}}}")).expect("steps");
        for run in &found.runs {
            let out = run.out_of_memory.expect("not enough");
            assert!(out.step > 1 && out.step <= found.count, "{out:?}");
            assert!(out.reserved.get() + out.tried.get() > limit, "{out:?}");
        }
    }

    #[test]
    fn gradients_live_on_between_micro_batches_of_differing_length() {
        let of = |extra: &str| found(&format!("{SMALL}, {extra}}}")).expect("steps");
        let one = of("\"gradient_accumulation_steps\": 1");
        let many = of("\"gradient_accumulation_steps\": 6");
        assert!(many.runs[0].peak_allocated > one.runs[0].peak_allocated);
        assert_eq!(many.count, 17);
    }

    #[test]
    fn images_are_whole_in_the_shortest_batch() {
        let found = found(
            r#"{"model": "qwen2.5-vl-3b-instruct", "model_overrides": {"num_hidden_layers": 2}, "precision": "bf16",
                "seq_len": 1024, "image_size": "448",
                "dataset": {"lengths": {"mean": 200, "p95": 600, "longest": 1024}, "rows": 40}}"#,
        );
        let found = found.expect("steps");
        let shortest = found.runs[0].steps.iter().map(|step| step.length).min();
        assert!(shortest > Some(256), "{shortest:?}");
    }

    #[test]
    fn a_pipeline_of_differing_lengths_is_refused() {
        let text = format!(
            "{SMALL}, \"hardware\": {{\"gpus_per_node\": 2}}, \"parallelism\": {{\"pp\": {{\"size\": 2}}}}}}"
        );
        let findings = found(&text).expect_err("not estimated");
        assert!(
            findings
                .iter()
                .any(|finding| finding.key == "dataset.length_mean")
        );
    }
}
