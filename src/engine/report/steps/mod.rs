//! Many steps of differing lengths, one after the other through one allocator that is never emptied.
//!
//! Each length is simulated once. A step's requests are cut where its micro-batches begin; what lives on
//! where one ends has a place among all that does, in the order in which it came, and is freed by that
//! place. So pieces of runs of different lengths follow each other as they would in one run.
//!
//! Note [Steps from pieces]. That is the same run where, whatever the length, as many storages live on after a
//! piece and those that were freed had the same places; what lives on may differ in size. The third step stands for
//! all that follow where it finds again what it leaves: what it frees of what lived before came last, and as much
//! comes in its place. Both are looked at for every length; a run of which they do not hold is refused.

mod pieces;
mod run;

pub use run::{ManySteps, Running, StepHeld, StepsRun};
