//! Plan search: which settings of a training run fit, and which of them nobody else dominates.
//!
//! The model, the length of its sequences and the samples of an optimizer step stay as the scenario says. What may
//! change is in [`Freedom`]; each setting can be locked ([`PlanOptions`]). Plans are compared by GPUs, GPU memory, host
//! RAM, floating-point operations and bytes sent, all as the report counts them: nothing is said of time. A plan that
//! alters the result of training ([`Altered`]) never dominates one that does not.

mod candidates;
mod catalog;
mod front;
mod options;
mod planner;
mod rejected;
mod strategies;
mod table;

pub(super) use candidates::{in_8_bits, keeps_whole_gradients, with_batches};
pub use front::{Altered, RunPlan};
pub use options::{Adapters, Freedom, GpuModel, Gpus, PlanOptions};
pub use planner::{Nearest, Planner, Plans, plans};
pub use rejected::{NearMiss, Rejection, Why};
pub use table::{Looked, LookedPart, PlanColumn, PlanOrder, PlanTable};

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
