//! The page's panels, one file each.
//!
//! A panel reads the [`crate::app::Store`], turns reports into words and plain figures with the
//! pure rooms, and hands them to widgets. No arithmetic here: numbers are made by `report`,
//! `figure`, `chart` and `text`.

mod assumptions;
mod bar_row;
mod bars;
mod below;
mod breakdown;
mod compare;
mod controls;
mod crossover;
mod decisions;
mod drawer;
mod embedded;
mod explanation;
mod gallery;
mod glossary;
mod history;
mod keys;
mod look;
mod masthead;
mod near;
mod node;
mod notices;
mod others;
mod page;
mod peak;
mod phases;
mod pin;
mod plot;
mod purposes;
mod question;
mod ranks;
mod schedule;
mod seen;
mod segments;
mod setting;
mod setting_control;
mod share;
mod sight;
mod situations;
mod surface;
mod tensors;
mod timeline;
mod tour;
mod two_runs;
mod value;
mod verdict;

pub use page::page;
