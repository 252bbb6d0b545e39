//! Memory of a run whose device lags behind the host.
//!
//! A block that another stream uses when it is freed returns to the pool when that stream is done with it. An estimate
//! takes the stream to be done at once; here a device does nothing before the host waits for it
//! ([`Timing::WhenAwaited`]), which it does once a step at least, to look at the loss. A real one is between the two.
//! Both are equal if no stream uses memory of another.

use super::rank_run::of_binding_rank;
use super::replayed::unlimited;
use super::watch::watch;
use crate::ask::Scenario;
use crate::device::{Held, Settings, Timing};
use crate::model::ResolvedSpec;
use crate::sim::{Trace, simulate_with_waits};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// Peaks of a steady step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lagging {
    /// `torch.cuda.max_memory_allocated()`.
    pub peak_allocated: Bytes,
    /// `active_bytes.all.peak` of `torch.cuda.memory_stats()`: including blocks that were freed while other streams use
    /// them.
    pub peak_active: Bytes,
    /// `torch.cuda.max_memory_reserved()`.
    pub peak_reserved: Bytes,
}

/// A scenario's peaks on a device that lags behind the host as far as it can; nothing where that changes nothing, or for a
/// scenario without an answer. It takes longer than an estimate: ask where one says that streams share memory.
pub fn lagging(scenario: &Scenario) -> Option<Lagging> {
    let [at_once, awaited] = bounds(scenario)?;
    (awaited != at_once).then_some(awaited)
}

/// A scenario's peaks where the device does everything at once, and where it lags behind as far as it can; nothing for a
/// scenario without an answer.
pub fn bounds(scenario: &Scenario) -> Option<[Lagging; 2]> {
    let spec = of_binding_rank(crate::resolve::resolve(scenario).spec?);
    let trace = simulate_with_waits(&spec);
    let at_once = peaks(&spec, &trace, Timing::AtOnce)?;
    let awaited = peaks(&spec, &trace, Timing::WhenAwaited)?;
    Some([at_once, awaited])
}

/// Peaks of the steady step of a run.
fn peaks(spec: &ResolvedSpec, trace: &Trace, timing: Timing) -> Option<Lagging> {
    let settings = Settings {
        timing,
        ..unlimited(spec)
    };
    let emptied = spec.allocator.empty_cache_after_loading;
    let phases = watch(trace, settings, emptied, None).phases;
    let last = trace.steady_step();
    let of_step = phases.iter().filter(|phase| phase.span.step == last);
    let highest = of_step.map(|phase| phase.held).reduce(Held::max_of_each)?;
    Some(Lagging {
        peak_allocated: Bytes(highest.allocated),
        peak_active: Bytes(highest.active),
        peak_reserved: Bytes(highest.reserved),
    })
}
