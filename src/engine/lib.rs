//! From a scenario to a report: checks and completes the scenario ([`resolve`]), runs the job's phases on the tape
//! ([`sim`], with [`optim`] and [`parallel`]), follows the host's RAM ([`host`]), and replays and sums up ([`report`]).
//! The functions are pure: the same scenario gives the same bytes on every machine.

use highwater_models::{families, model, nn};
use highwater_scenario::{ask, catalog, exported, lengths};
use highwater_torch::{device, tape, units};

pub mod host;
pub mod optim;
pub mod parallel;
pub mod report;
pub mod resolve;
pub mod sim;
