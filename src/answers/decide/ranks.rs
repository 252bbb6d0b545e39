//! All ranks that differ, an estimate each.

use super::question::{Estimator, Progress, Question};
use crate::report::{Figures, Ranks};

impl Question for Ranks {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let Some(scenario) = self.next_scenario() else {
            return Progress::Done;
        };
        by.prepare(&mut std::iter::once(scenario.clone()).chain(self.coming()));
        let Some(answer) = by.figures(&scenario) else {
            return Progress::Waits;
        };
        self.told(answer.ok().as_ref().map(Figures::of_rank));
        Progress::Further
    }
}
