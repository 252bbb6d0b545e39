//! From a `Scenario` to a `ResolvedSpec`.
//!
//! [`resolve`] checks a `Scenario` against the catalog and the families and turns it into a
//! `ResolvedSpec`: every default filled in, every limit checked, every name looked up. Nothing below this
//! room ever sees a scenario that was not resolved.
//!
//! Invariants: a `ResolvedSpec` exists only if `resolve` made it; a finding of severity error means that
//! there is no spec.

mod activations;
mod adapters;
mod allocator;
mod around;
mod attention_masks;
mod attention_support;
mod chunked_loss;
mod classifier;
mod complete;
mod decided;
pub(crate) mod evaluation;
mod expert_adapters;
pub(crate) mod expert_support;
mod exported;
mod frozen;
mod hardware;
mod idle;
mod images;
mod lengths;
mod liger;
mod neftune;
mod objective;
mod offers;
mod offload;
mod optimizer;
mod packing;
mod parallelism;
mod places;
mod quantization;
pub(crate) mod refused;
mod sizes;
mod support;
mod target_pattern;
mod task;
mod teacher;
#[cfg(test)]
mod tests;
pub(crate) mod training;
mod versions;
pub(crate) mod weights;

use crate::model::Module;
use std::ops::Deref;

pub use complete::{Resolution, resolve};
pub use decided::decided_by;
pub use frozen::usual_frozen;
pub use idle::{Idle, idle};
pub use images::{ImageTokens, image_tokens};
pub use offers::{linear_layers, offers, parameter_names, usual_adapters};

/// The modules of a model, which is built dry when they are first asked for.
type Modules<'a> = dyn Deref<Target = Vec<Module>> + 'a;
