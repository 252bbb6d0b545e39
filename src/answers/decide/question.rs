//! Common parts of all questions: estimates, one after the other, that somebody makes.

use crate::ask::{Finding, Scenario};
use crate::report::{Figures, Surveyed, each, survey, threads};

/// The figures of a scenario, or the reason of its refusal.
pub type Answer = Result<Figures, Vec<Finding>>;

/// Who makes the estimates.
pub trait Estimator {
    /// The figures of a scenario; `None` while that is being worked out elsewhere.
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer>;

    /// Announces scenarios that will be asked for next, unless earlier answers make them needless: as many as possible
    /// are worked out meanwhile.
    fn prepare(&mut self, _coming: &mut dyn Iterator<Item = Scenario>) {}

    /// The needs of all cells of a grid, from the runs of a few.
    fn survey(&mut self, _grid: &Grid) -> Survey {
        Survey::Never
    }
}

/// A scenario with each of some micro-batch sizes and lengths, the least first.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The scenario, of which all but the two numbers counts.
    pub scenario: Scenario,
    /// Micro-batch sizes.
    pub batches: Vec<u64>,
    /// Sequence lengths.
    pub lengths: Vec<u64>,
}

/// The result of a survey of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Survey {
    /// There is none: each cell is estimated for itself.
    Never,
    /// It is being worked out elsewhere.
    Waits,
    /// The need of each cell, length by length.
    Known(Vec<Surveyed>),
}

/// Works them out at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

impl Estimator for AtOnce {
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
        Some(Figures::of(scenario))
    }
}

/// Works out the scenarios that will be asked for next beside the current one, where there are threads.
#[derive(Clone, Debug, Default)]
struct SideBySide {
    coming: Vec<Scenario>,
    known: Vec<(Scenario, Answer)>,
}

/// Number of scenarios for each thread that are worked out together: one that takes long leaves the other threads
/// enough to do.
const EACH_THREAD: usize = 4;

impl Estimator for SideBySide {
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
        let coming = std::mem::take(&mut self.coming);
        let is_it = |(of, _): &(Scenario, Answer)| of == scenario;
        if let Some(at) = self.known.iter().position(is_it) {
            return Some(self.known.swap_remove(at).1);
        }
        // Answers that came meanwhile may have made other scenarios needless.
        self.known.retain(|(of, _)| coming.contains(of));
        let mut asked = vec![scenario.clone()];
        let is_new =
            |of: &Scenario| of != scenario && self.known.iter().all(|(known, _)| known != of);
        asked.extend(coming.into_iter().filter(is_new));
        let mut found = each(&asked, Figures::of).into_iter();
        let answer = found.next();
        self.known.extend(asked.into_iter().skip(1).zip(found));
        answer
    }

    fn prepare(&mut self, coming: &mut dyn Iterator<Item = Scenario>) {
        self.coming.clear();
        if threads() > 1 {
            self.coming.extend(coming.take(EACH_THREAD * threads()));
        }
    }

    fn survey(&mut self, grid: &Grid) -> Survey {
        let found = survey(&grid.scenario, &grid.batches, &grid.lengths);
        found.map_or(Survey::Never, Survey::Known)
    }
}

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    Further,
    /// An estimate is being worked out: it is as if nothing had been done, and to be gone on with when that is known.
    Waits,
    /// Nothing is left to do.
    Done,
}

/// A question that many estimates answer, one at a time, so that a page can spread them.
pub trait Question {
    /// Goes on by one estimate.
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress;

    /// Goes on to the end.
    fn settle(&mut self) {
        let mut by = SideBySide::default();
        while self.advance(&mut by) == Progress::Further {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::DataParallelKind;
    use crate::decide::{
        Adviser, Axis, GpusCurves, MemoryMap, PlanOptions, Planner, Solver, Sweeper,
    };
    use crate::report::Ranks;
    use serde_json::json;

    /// Knows a scenario only when it is asked for it again.
    #[derive(Default)]
    struct Later {
        asked: Option<Scenario>,
    }

    impl Estimator for Later {
        fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
            if self.asked.as_ref() == Some(scenario) {
                self.asked = None;
                return Some(Figures::of(scenario));
            }
            assert_eq!(self.asked, None, "nobody waits for two");
            self.asked = Some(scenario.clone());
            None
        }
    }

    /// Two of a question, one of which has estimates made side by side and the other waits for every one; how often
    /// that waited.
    fn both<Q: Question + Clone>(question: &Q) -> (Q, Q, usize) {
        let (mut beside, mut later) = (question.clone(), question.clone());
        beside.settle();
        let (mut by, mut waited) = (Later::default(), 0);
        loop {
            match later.advance(&mut by) {
                Progress::Further => {}
                Progress::Waits => waited += 1,
                Progress::Done => return (beside, later, waited),
            }
        }
    }

    #[test]
    fn questions_that_wait_for_every_estimate_find_the_same() {
        let asked = json!({"model": "qwen2.5-0.5b", "precision": "bf16", "micro_batch_size": 24, "seq_len": 1024,
            "model_overrides": {"num_hidden_layers": 2}, "hardware": {"gpu": "rtx-4090", "gpus_per_node": 2}});
        let scenario = crate::codec::decode_json(&asked.to_string()).0;
        let axes = [
            "micro_batch_size",
            "seq_len",
            "gpus",
            "gpu",
            "model",
            "hardware.host_ram",
        ];
        for name in axes {
            let axis = Axis::named(name).expect(name);
            let solver = Solver::new(&scenario, &axis).expect(name);
            let (one, other, waited) = both(&solver);
            assert_eq!(one.solution(), other.solution(), "{name}");
            assert!(waited > 0, "{name}");
        }
        let (one, other, waited) = both(&Sweeper::around(&scenario));
        assert_eq!(one.sweep(), other.sweep());
        assert!(waited > 6, "{waited}");
        let (one, other, _) = both(&GpusCurves::of(&scenario));
        assert_eq!(one.found(), other.found());
        let figures = Figures::of(&scenario).expect("figures");
        let (one, other, _) = both(&Adviser::new(&scenario, &figures));
        assert_eq!(one.advice(), other.advice());
        assert!(!one.advice().remedies.is_empty());
        let (one, other, _) = both(&Planner::new(&scenario, &PlanOptions::default()));
        assert_eq!(one.found(), other.found());
        let mut pipeline = scenario.clone();
        (
            pipeline.parallelism.pp.size,
            pipeline.hardware.gpus_per_node,
        ) = (2, 6);
        pipeline.parallelism.dp.kind = DataParallelKind::Fsdp2;
        let (one, other, waited) = both(&Ranks::of(&pipeline).expect("ranks"));
        assert_eq!(one.found(), other.found());
        assert!(waited > 1 && one.found().len() > 1, "{waited}");
        let edges = ["micro_batch_size", "seq_len"].map(|name| Axis::named(name).expect(name));
        let map = MemoryMap::new(&scenario, [&edges[0], &edges[1]], 5).expect("a map");
        let (one, other, waited) = both(&map);
        assert_eq!(waited, 25);
        for place in (0..25).map(|cell| one.place_of(cell)) {
            assert_eq!(one.cell(place), other.cell(place));
        }
    }
}
