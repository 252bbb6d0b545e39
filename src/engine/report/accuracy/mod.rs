//! How exact the estimates are: scenarios whose memory was measured, estimated and compared.
//!
//! Reads lines of `{"id", "scenario", "expect"}`, runs each scenario, and makes one table of the
//! errors by family and by option. The same code serves `highwater check` and the project's own
//! tests. It decides nothing about which cases exist: what the engine refuses is counted and
//! named, never dropped.

mod case;
mod groups;
mod host;
mod measure;
mod pair;
mod published;
mod table;
mod worst;

pub use case::{Case, Expected, read_cases};
pub use host::{ExpectedHost, HostErrors};

pub use pair::Pair;
pub use published::Published;
pub use table::{Accuracy, ComparedPeak, Goal, Selection, percentile};
