//! A job's ranks along each axis, and the estimated rank.

use serde::Serialize;

/// Ranks along each axis, all at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// Ranks that see different data.
    pub dp: u64,
    /// Ranks among which each matrix is divided.
    pub tp: u64,
    /// Ranks among which the layers are divided.
    pub pp: u64,
    /// Ranks among which the sequence is divided.
    pub cp: u64,
    /// Ranks among which the experts are divided, which are among the others.
    pub ep: u64,
    /// Ranks among which one copy of the parameters is divided by data parallelism: `dp * cp / replicate`.
    pub shard: u64,
    /// Copies of the parameters that are divided so.
    pub replicate: u64,
    /// GPUs of one node.
    pub per_node: u64,
    /// The rank that is looked at.
    pub rank: Place,
}

/// A rank's place along each axis, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Along data parallelism.
    pub dp: u64,
    /// Along pipeline parallelism.
    pub pp: u64,
    /// Along context parallelism.
    pub cp: u64,
}

impl Mesh {
    /// One GPU.
    pub const ONE: Self = Self {
        dp: 1,
        tp: 1,
        pp: 1,
        cp: 1,
        ep: 1,
        shard: 1,
        replicate: 1,
        per_node: 1,
        rank: Place {
            dp: 0,
            pp: 0,
            cp: 0,
        },
    };

    /// All ranks of the job.
    pub const fn world(&self) -> u64 {
        self.dp * self.tp * self.pp * self.cp
    }

    /// The index of this rank among the ranks that one copy of the parameters is divided among: context parallel ranks
    /// of the same data are neighbours.
    pub const fn place_in_shard(&self) -> u64 {
        (self.rank.dp * self.cp + self.rank.cp) % self.shard
    }
}
