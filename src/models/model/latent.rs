//! Attention whose keys and values are kept in low rank, and what chooses the keys that its tokens see.

use super::decoder::DecoderConfig;

/// Sizes of multi-head latent attention, in columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latent {
    /// Of the vector that queries are made from, if there is one.
    pub query_rank: Option<u64>,
    /// Of the vector that keys and values are made from.
    pub rank: u64,
    /// Of a head of queries and keys that are not rotated.
    pub straight: u64,
    /// Of a head of queries and keys that are rotated, if any are; all heads share those of keys.
    pub rotated: u64,
    /// Of a head of values.
    pub value: u64,
    /// How columns are rotated.
    pub rotary: LatentRotary,
    /// The module that chooses the keys that a token sees, if it does not see all.
    pub indexer: Option<Indexer>,
}

/// How columns are rotated by rotary embeddings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatentRotary {
    /// The first half with the second.
    #[default]
    Halves,
    /// Each with its neighbour.
    Pairs,
    /// Each with its neighbour, as complex numbers.
    Complex,
    /// Not at all.
    None,
}

impl Latent {
    /// Columns of a head of queries and keys.
    pub fn head_dim(&self) -> u64 {
        self.straight + self.rotated
    }
}

/// Sizes of an indexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexer {
    /// Heads.
    pub heads: u64,
    /// Columns of a head; as many of them are rotated as attention rotates.
    pub columns: u64,
    /// Keys that a token sees.
    pub kept: u64,
    /// Whether columns are rotated with their neighbors, and layers hand on the chosen keys.
    pub hands_on: bool,
}

impl DecoderConfig {
    /// Whether layer `index` chooses the keys that its tokens see.
    pub fn has_indexer(&self, index: usize) -> bool {
        let indexer = self.latent.and_then(|latent| latent.indexer);
        indexer.is_some() && self.indexed.get(index) != Some(&false)
    }
}
