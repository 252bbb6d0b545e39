//! Readers of the texts that people have: links and scenario files ([`codec`]), configuration files and scripts of
//! trainers ([`configs`]), and error texts and memory snapshots ([`inputs`]). All of them are lenient, bounded in time,
//! and say what they took a text for.

use highwater_engine::resolve;
use highwater_models::families;
use highwater_scenario::{ask, catalog, exported};
use highwater_torch::units;

pub mod codec;
pub mod configs;
pub mod inputs;
