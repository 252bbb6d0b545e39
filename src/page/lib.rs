//! The page: its state ([`app`]), what it shows ([`views`], built of [`widgets`]), and the only way to the browser
//! ([`browser`]). Compiled for WebAssembly alone, with the feature `web` of the whole.

#![cfg(target_arch = "wasm32")]

use highwater_answers::{chart, decide, figure, text};
use highwater_engine::{host, report, resolve, sim};
use highwater_formats::{codec, configs, inputs};
use highwater_models::families;
use highwater_scenario::{ask, catalog, exported};
use highwater_torch::{tape, units};

pub mod app;
pub mod browser;
pub mod views;
pub mod widgets;
