//! Highwater: how much GPU memory and host RAM a training run takes, at which moment, and what
//! to change so that it fits.
//!
//! The flow is a chain of pure functions, one room each:
//! `text -> codec -> Scenario -> resolve::resolve -> ResolvedSpec -> sim::simulate -> Trace ->
//! report::summarize -> Report -> chart, text -> page`.
//! `src/README.md` says what lives in which room and which rooms may use which.

pub use highwater_answers::{chart, decide, figure, text};
pub use highwater_engine::{host, optim, parallel, report, resolve, sim};
pub use highwater_formats::{codec, configs, inputs};
pub use highwater_models::{families, model, nn};
#[cfg(all(feature = "web", target_arch = "wasm32"))]
pub use highwater_page::{app, browser, views, widgets};
pub use highwater_scenario::{ask, catalog, exported, lengths};
pub use highwater_torch::{device, tape, units};
