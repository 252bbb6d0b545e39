//! Highwater: how much GPU memory and host RAM a training run takes, at which moment, and what
//! to change so that it fits.
//!
//! The flow is a chain of pure functions, one room each:
//! `text -> codec -> Scenario -> resolve::resolve -> ResolvedSpec -> sim::simulate -> Trace ->
//! report::summarize -> Report -> chart, text -> page`.
//! `src/README.md` says what lives in which room and which rooms may use which.

pub mod ask;
pub mod catalog;
pub mod chart;
pub mod codec;
pub mod configs;
pub mod decide;
pub mod device;
pub mod exported;
pub mod families;
pub mod figure;
pub mod host;
pub mod inputs;
pub mod lengths;
pub mod model;
pub mod nn;
pub mod optim;
pub mod parallel;
pub mod report;
pub mod resolve;
pub mod sim;
pub mod tape;
pub mod text;
pub mod units;

#[cfg(feature = "web")]
pub mod app;
#[cfg(feature = "web")]
pub mod browser;
#[cfg(feature = "web")]
pub mod views;
#[cfg(feature = "web")]
pub mod widgets;
