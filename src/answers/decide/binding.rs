//! The stage of a pipeline that needs most, an estimate for each.

use super::question::{Estimator, Progress, Question};
use crate::ask::Scenario;
use crate::report::Figures;
use crate::units::Bytes;

/// The stage of a pipeline whose rank takes most of its GPU, the first of equal ones: the stage that
/// [`estimate`](crate::report::estimate) shows.
#[derive(Clone, Debug)]
pub struct BindingStage {
    scenario: Scenario,
    /// Stages that were looked at.
    looked_at: u64,
    most: Option<(Bytes, u64)>,
}

impl BindingStage {
    /// The search for the binding stage of a scenario; `None` where it has no pipeline, or names the stage.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let pipeline = &scenario.parallelism.pp;
        (pipeline.size > 1 && pipeline.rank.is_none()).then(|| Self {
            scenario: scenario.clone(),
            looked_at: 0,
            most: None,
        })
    }

    /// The scenario that names the stage that needs most of the estimated ones.
    pub fn scenario(&self) -> Scenario {
        self.at(self.most.map_or(0, |(_, stage)| stage))
    }

    /// The scenario that names a stage.
    fn at(&self, stage: u64) -> Scenario {
        let mut scenario = self.scenario.clone();
        scenario.parallelism.pp.rank = Some(stage);
        scenario
    }

    /// The stages that were not looked at, the next one first.
    fn left(&self) -> impl Iterator<Item = Scenario> + use<'_> {
        (self.looked_at..self.scenario.parallelism.pp.size).map(|stage| self.at(stage))
    }
}

impl Question for BindingStage {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        by.prepare(&mut self.left());
        let Some(next) = self.left().next() else {
            return Progress::Done;
        };
        let Some(answer) = by.figures(&next) else {
            return Progress::Waits;
        };
        let total = answer.ok().map(|figures| Figures::of_rank(&figures).total);
        if let Some(total) = total
            && self.most.is_none_or(|(most, _)| total > most)
        {
            self.most = Some((total, self.looked_at));
        }
        self.looked_at += 1;
        Progress::Further
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decode_json;
    use crate::report::{Detail, estimate};

    #[test]
    fn the_stage_that_binds_is_the_one_that_the_estimate_shows() {
        for (schedule, size) in [("1f1b", 4), ("gpipe", 4), ("interleaved", 2)] {
            let asked = format!(
                r#"{{"model": "llama-3.2-1b", "precision": "bf16", "seq_len": 256,
                    "model_overrides": {{"num_hidden_layers": 8}},
                    "hardware": {{"gpus_per_node": {size}}},
                    "parallelism": {{"pp": {{"size": {size}, "schedule": "{schedule}", "microbatches": 8}}}}}}"#
            );
            let scenario = decode_json(&asked).0;
            let mut binding = BindingStage::of(&scenario).expect("a pipeline");
            binding.settle();
            let whole = estimate(&scenario).expect("an answer");
            assert_eq!(
                estimate(&binding.scenario()).as_ref(),
                Ok(&whole),
                "{schedule}"
            );
            let event = whole.timeline.points[whole.timeline.peak].event;
            let tensors = |scenario| Detail::of(scenario).map(|detail| detail.tensors_at(event));
            assert_eq!(tensors(&binding.scenario()), tensors(&scenario));
            let totals = (0..size).map(|stage| estimate(&binding.at(stage)).expect("an answer"));
            let totals = totals.map(|of| of.report.device.total);
            assert!(totals.min() < Some(whole.report.device.total), "{schedule}");
        }
    }

    #[test]
    fn no_stage_is_looked_for_where_one_is_named_or_there_is_no_pipeline() {
        assert!(BindingStage::of(&Scenario::default()).is_none());
        let named =
            r#"{"hardware": {"gpus_per_node": 2}, "parallelism": {"pp": {"size": 2, "rank": 1}}}"#;
        assert!(BindingStage::of(&decode_json(named).0).is_none());
    }
}
