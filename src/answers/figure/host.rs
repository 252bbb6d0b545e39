//! The host's bar.

use super::CapacityBar;
use crate::host::{HostEstimate, HostPart};
use crate::units::Bytes;

/// A part of the host's memory as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostBarPart {
    /// Memory in use.
    Used(HostPart),
    /// Parts too small to be shown one by one.
    Small,
    /// Page cache: the kernel gives it up when memory is needed.
    PageCache,
}

impl HostBarPart {
    /// A stable name for style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Used(part) => part.name(),
            Self::Small => "small",
            Self::PageCache => "page_cache",
        }
    }
}

/// The parts of host memory at its own peak.
pub fn host_parts(host: &HostEstimate) -> impl Iterator<Item = (HostBarPart, Bytes)> {
    let parts = host.peak.composition.iter();
    parts.map(|&(part, bytes)| (HostBarPart::Used(part), bytes))
}

/// Host memory at its own peak, against the RAM of the node.
pub fn host_bar(host: &HostEstimate, ram: Bytes) -> CapacityBar<HostBarPart> {
    CapacityBar::folded(host_parts(host), HostBarPart::Small, ram)
        .with_uncounted(HostBarPart::PageCache, host.page_cache)
}

/// The most ranks of a node that have a row of their own.
const ROWS: usize = 8;

/// The owner of a row of the node's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeRow {
    /// The training process with this number, its workers included.
    Rank(usize),
    /// Each of `n` more processes like the last one.
    MoreRanks(usize),
    /// The part of the node that exists once.
    Shared,
}

/// A node at its peak, row by row on one scale.
pub fn node_rows(host: &HostEstimate, ram: Bytes) -> Vec<(NodeRow, CapacityBar<HostBarPart>)> {
    let scale = ram.max(host.peak.total);
    let (savers, saving) = host.saving;
    let bar = |parts: &[(HostPart, Bytes)], saves: bool| {
        let saving = (
            host.peak.phase.of_few(),
            if saves { saving } else { Bytes::ZERO },
        );
        let all = parts.iter().copied().chain([saving]);
        let all = all.map(|(part, bytes)| (HostBarPart::Used(part), bytes));
        CapacityBar::folded(all, HostBarPart::Small, scale)
    };
    let ranks = host.per_rank.len();
    let saves = |rank: usize| (rank as u64) < savers;
    let mut rows: Vec<_> = (0..ranks.min(ROWS))
        .map(|rank| (NodeRow::Rank(rank), bar(&host.rank, saves(rank))))
        .collect();
    if ranks > ROWS {
        rows.push((
            NodeRow::MoreRanks(ranks - ROWS),
            bar(&host.rank, saves(ROWS)),
        ));
    }
    let shared = bar(&host.shared, false);
    let cache = host.page_cache.min(ram - host.peak.total);
    rows.push((
        NodeRow::Shared,
        shared.with_uncounted(HostBarPart::PageCache, cache),
    ));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::host::{HostInputs, estimate};
    use crate::resolve::resolve;

    fn node(ranks: u64) -> HostEstimate {
        let mut scenario = Scenario::default();
        scenario.hardware.gpus_per_node = ranks;
        let spec = resolve(&scenario).spec.expect("a spec");
        estimate(&spec, &HostInputs::default())
    }

    #[test]
    fn a_node_has_a_row_for_each_rank_and_one_for_what_is_there_once() {
        let rows = node_rows(&node(3), Bytes::gib(128));
        let names: Vec<NodeRow> = rows.iter().map(|(row, _)| *row).collect();
        let rank = NodeRow::Rank;
        assert_eq!(names, [rank(0), rank(1), rank(2), NodeRow::Shared]);
        let total: Bytes = rows.iter().map(|(_, bar)| bar.total).sum();
        assert_eq!(total, node(3).peak.total);
    }

    #[test]
    fn many_ranks_share_a_row() {
        let rows = node_rows(&node(14), Bytes::gib(128));
        assert_eq!(rows.len(), 10);
        assert_eq!(rows[8].0, NodeRow::MoreRanks(6));
    }
}
