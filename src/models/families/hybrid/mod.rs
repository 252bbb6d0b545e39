//! Decoders whose layers mix tokens in more than one way.

mod models;
pub(crate) mod nemotron_h_reader;
pub(crate) mod reader;

mod bamba;
mod falcon_h1;
mod jamba;
mod lfm2;
mod lfm2_moe;
mod nemotron_h;
mod support;
pub(crate) use bamba::BAMBA;
pub(crate) use falcon_h1::FALCON_H1;
pub(crate) use jamba::JAMBA;
pub(crate) use lfm2::LFM2;
pub(crate) use lfm2_moe::LFM2_MOE;
pub(crate) use models::MODELS;
pub(crate) use nemotron_h::NEMOTRON_H;
pub(crate) use support::check_delta_rule;
