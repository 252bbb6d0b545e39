//! Panels of questions that many estimates answer: how far settings can go, which pairs of two of them fit, which
//! changes help.

mod fits;
mod go;
mod gpus;
mod map;
mod plan_table;
mod plans;
mod remedies;
mod steps;

pub(super) use fits::FitsPanel;
pub(super) use go::go_button;
pub(super) use map::MapPanel;
pub(super) use plans::PlansPanel;
pub(super) use remedies::{RemediesPanel, grey, remedy_line};
pub(super) use steps::StepsPanel;
