//! Growth of parts with batch, workers and ranks: asked of the model itself, with a little more of each.

use super::estimate::{HostPart, HostPhase};
use super::job::HostJob;
use crate::units::{Bytes, names};
use serde::{Deserialize, Serialize};

names! {
    /// A quantity with which host memory grows.
    HostDriver {
        /// Samples per batch.
        MicroBatchSize = "micro_batch_size",
        /// Workers of each data loader.
        NumWorkers = "num_workers",
        /// Training processes on the node.
        Ranks = "ranks",
    }
}

/// The parts that one driver makes grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// The quantity that grows: a batch twice as large, one more worker in each rank, one more rank.
    pub driver: HostDriver,
    /// Bytes that the node needs more for it.
    pub total: Bytes,
    /// The parts that grow, and by how much, in the order of [`HostPart::ALL`].
    #[serde(with = "super::estimate::as_map")]
    pub parts: Vec<(HostPart, Bytes)>,
}

/// The job with a little more of something.
fn with_more(job: &HostJob, driver: HostDriver) -> HostJob {
    let mut more = job.clone();
    match driver {
        HostDriver::MicroBatchSize => {
            for tensor in &mut more.batch {
                *tensor += *tensor;
            }
        }
        HostDriver::NumWorkers => {
            more.loader.num_workers = more.loader.num_workers.saturating_add(1);
        }
        HostDriver::Ranks => more.ranks = more.ranks.saturating_add(1),
    }
    more
}

/// Growth of the parts in a phase, where `parts` gives the need of a node in it.
pub(super) fn growth(
    job: &HostJob,
    phase: HostPhase,
    parts: impl Fn(&HostJob, HostPhase) -> [Bytes; HostPart::ALL.len()],
) -> Vec<Growth> {
    let now = parts(job, phase);
    HostDriver::ALL
        .iter()
        .map(|&driver| {
            let more = parts(&with_more(job, driver), phase);
            let grown = more.iter().zip(now).map(|(&more, now)| more - now);
            let parts: Vec<(HostPart, Bytes)> = HostPart::ALL
                .iter()
                .copied()
                .zip(grown)
                .filter(|(_, bytes)| *bytes > Bytes::ZERO)
                .collect();
            let sum = |all: [Bytes; HostPart::ALL.len()]| all.into_iter().sum::<Bytes>();
            Growth {
                driver,
                total: sum(more) - sum(now),
                parts,
            }
        })
        .collect()
}
