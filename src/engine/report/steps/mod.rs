//! Many steps of differing lengths, one after the other through one allocator that is never emptied.
//!
//! Each length is simulated once. A step's requests are cut into pieces where its micro-batches begin. A storage that
//! outlives its piece is known by its place among all such storages, in the order of their allocation, and is freed by
//! that place. So pieces of runs of different lengths can follow each other as they would in one run.
//!
//! Note [Steps from pieces]. This equals a single run if, for every length, the same number of storages outlives a
//! piece, and the storages that it frees had the same places; their sizes may differ. The third step represents all
//! later ones if it leaves what it found: the older storages that it frees were the last ones, and as many come in
//! their place. Both are checked for every length, and a run that fails the check is refused.

mod pieces;
mod run;

pub use run::{ManySteps, Running, StepHeld, StepsRun};
