//! Plans as a table: what all share, what each has of its own, columns on one scale, and an order.

use super::front::RunPlan;
use super::planner::Plans;
use super::rejected::Why;
use crate::report::Memory;
use crate::sim::Phase;
use crate::units::names;
use serde_json::Value;
use std::cmp::Reverse;

names! {
    /// A column of the table.
    PlanColumn {
        /// Changes of a plan; ordered by them, plans come as the search ranks them.
        Changes = "changes",
        /// GPUs.
        Gpus = "gpus",
        /// Memory of a GPU.
        Device = "device",
        /// RAM of a node.
        Host = "host",
        /// Operations of a step.
        Compute = "compute",
        /// Bytes sent in a step.
        Sent = "sent",
    }
}

impl PlanColumn {
    /// A plan's number in the column; none of what it changes.
    pub fn number(self, plan: &RunPlan) -> u64 {
        match self {
            Self::Changes => 0,
            Self::Gpus => plan.gpus,
            Self::Device => plan.device.get(),
            Self::Host => plan.host.get(),
            Self::Compute => plan.computed(),
            Self::Sent => plan.communication.total().get(),
        }
    }

    /// The number at which a plan's bar in the column would be full: of memory, all of it.
    fn full(self, plan: &RunPlan) -> u64 {
        match self {
            Self::Device => (plan.device + plan.free).get(),
            Self::Host => (plan.host + plan.host_free).get(),
            _ => self.number(plan),
        }
    }
}

/// The order of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOrder {
    /// The column that it goes by.
    pub by: PlanColumn,
    /// Whether the most comes first.
    pub descending: bool,
}

impl Default for PlanOrder {
    fn default() -> Self {
        Self {
            by: PlanColumn::Changes,
            descending: false,
        }
    }
}

impl PlanOrder {
    /// The order after a column's head was clicked: the least first, then the most first.
    #[must_use]
    pub fn clicked(self, by: PlanColumn) -> Self {
        Self {
            by,
            descending: self.by == by && !self.descending,
        }
    }

    /// The places of plans in this order; plans that are alike stay as the search ranks them.
    pub fn places(self, plans: &[RunPlan]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..plans.len()).collect();
        let number = |&place: &usize| self.by.number(&plans[place]);
        match (self.by, self.descending) {
            (PlanColumn::Changes, false) => {}
            (PlanColumn::Changes, true) => places.reverse(),
            (_, false) => places.sort_by_key(number),
            (_, true) => places.sort_by_key(|place| Reverse(number(place))),
        }
        places
    }
}

/// Plans side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanTable {
    /// Changes that all plans make; none where there is one plan.
    pub shared: Vec<(&'static str, Value)>,
    /// The phase in which all plans need most.
    pub phase: Option<Phase>,
    /// The changes of each plan beside the shared ones.
    pub own: Vec<Vec<(&'static str, Value)>>,
    /// Full bars, by column.
    full: Vec<u64>,
    /// The least numbers, by column.
    least: Vec<u64>,
}

impl PlanTable {
    /// The table of some plans.
    pub fn of(plans: &[RunPlan]) -> Self {
        let (first, others) = match plans {
            [first, others @ ..] if !others.is_empty() => (Some(first), others),
            _ => (None, &[][..]),
        };
        let is_shared = |change: &&(&'static str, Value)| {
            others.iter().all(|plan| plan.changes.contains(change))
        };
        let changes = first.iter().flat_map(|plan| &plan.changes);
        let shared: Vec<_> = changes.filter(is_shared).cloned().collect();
        let own = plans.iter().map(|plan| {
            let own = plan.changes.iter();
            own.filter(|change| !shared.contains(change))
                .cloned()
                .collect()
        });
        let phase = first.map(|plan| plan.phase);
        let full = PlanColumn::ALL.iter().map(|column| {
            let all = plans.iter().map(|plan| column.full(plan));
            all.max().unwrap_or(0)
        });
        let least = PlanColumn::ALL.iter().map(|column| {
            let all = plans.iter().map(|plan| column.number(plan));
            all.min().unwrap_or(0)
        });
        Self {
            own: own.collect(),
            phase: phase.filter(|phase| others.iter().all(|plan| plan.phase == *phase)),
            full: full.collect(),
            least: least.collect(),
            shared,
        }
    }

    /// The number at which bars of a column are full: one scale for all plans.
    pub fn full(&self, column: PlanColumn) -> u64 {
        of_column(&self.full, column)
    }

    /// The least number of a column, of which the others are multiples.
    pub fn least(&self, column: PlanColumn) -> u64 {
        of_column(&self.least, column)
    }
}

/// A column's number among those of all columns.
fn of_column(numbers: &[u64], column: PlanColumn) -> u64 {
    let mut columns = PlanColumn::ALL.iter().zip(numbers);
    let own = columns.find(|(own, _)| **own == column);
    own.map_or(0, |(_, number)| *number)
}

names! {
    /// Outcomes of candidates.
    Looked {
        /// They are plans.
        Plans = "plans",
        /// They fit, and another is as good in everything.
        Dominated = "dominated",
        /// They need more than a GPU has.
        DeviceShort = "device_short",
        /// They need more than a node's RAM.
        HostShort = "host_short",
        /// They are refused.
        Refused = "refused",
    }
}

/// Some of the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookedPart {
    /// Their outcome.
    pub what: Looked,
    /// How many.
    pub count: u64,
}

impl Plans {
    /// The candidates by their outcome, without outcomes that no candidate has.
    pub fn strip(&self) -> Vec<LookedPart> {
        let of = |what: Looked| {
            let rejected = self.rejected.iter().filter(|group| {
                what == match &group.why {
                    Why::Short {
                        memory: Memory::Device,
                        ..
                    } => Looked::DeviceShort,
                    Why::Short { .. } => Looked::HostShort,
                    Why::Refused(_) => Looked::Refused,
                    Why::Dominated => Looked::Dominated,
                }
            });
            let count: u64 = rejected.map(|group| group.count).sum();
            match what {
                Looked::Plans => self.plans.len() as u64,
                _ => count,
            }
        };
        let parts = Looked::ALL.iter().map(|&what| LookedPart {
            what,
            count: of(what),
        });
        parts.filter(|part| part.count > 0).collect()
    }
}
