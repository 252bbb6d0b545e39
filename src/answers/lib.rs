//! Answers made of many reports, and how they are shown: solver, maps, plans and advice ([`decide`]), drawings
//! ([`chart`]), the facts behind the page's figures ([`figure`]), and every sentence in English and Chinese ([`text`]).
//! Page and command line show the same answers.

use highwater_engine::{host, report, resolve, sim};
use highwater_formats::{codec, configs, inputs};
use highwater_models::families;
use highwater_scenario::{ask, catalog, lengths};
use highwater_torch::{tape, units};

pub mod chart;
pub mod decide;
pub mod figure;
pub mod text;
