//! How long samples are, and so how long batches become that are padded to their longest.
//!
//! [`Samples`] is the distribution that a scenario says: listed lengths, or three numbers between which a
//! log-normal distribution is assumed that ends at the longest. [`Batches`] is that of the longest of N samples:
//! its quantiles, how often a batch is longer than some length, how probable one is within an epoch.
//! [`Batches::drawn`] draws lengths from it, always the same.
//!
//! Nothing here knows how much memory a batch takes.
//!
//! Invariants: no sample is longer than `seq_len`; drawn lengths depend on the scenario and the seed alone.
//!
//! # Known limitations
//! - The lengths of samples are taken to be independent of each other and of when they come. Mean, p95 and
//!   longest are taken to be of a log-normal distribution (as lengths of posts are: P. Sobkowicz et al., Lognormal
//!   distributions of user post lengths in Internet discussions, EPJ Data Science 2:2, 2013): assumed.

mod batches;
mod draw;
mod fit;
mod normal;
mod samples;

pub use batches::{Batches, Excess};
pub use fit::nearest_shape;
pub use samples::Samples;
