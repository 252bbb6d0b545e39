//! The figures as SVG: what they show is what the data say.
//!
//! Every figure is also written to the folder that cargo gives to integration tests
//! (`target/tmp/figures`), so that people can look at the tested figures.

#[path = "figures/crossover.rs"]
mod crossover;
#[path = "figures/data.rs"]
mod data;
#[path = "figures/drawing.rs"]
mod drawing;
#[path = "figures/gpus.rs"]
mod gpus;
#[path = "figures/history.rs"]
mod history;
#[path = "figures/map.rs"]
mod map;
#[path = "figures/phases.rs"]
mod phases;
#[path = "figures/schedule.rs"]
mod schedule;
#[path = "figures/segments.rs"]
mod segments;
#[path = "figures/timeline.rs"]
mod timeline;
