//! Note [One structure, many sizes]
//!
//! Over micro-batch and sequence length most runs of a scenario do the same: they allocate and free in the same order,
//! and differ in the bytes of their storages alone. So of a grid of cells few are simulated:
//!
//! - The corners of rectangles. Where all four do the same, all cells between do; else the rectangle is cut in two.
//! - The bytes of the storages of some 40 kinds are constants, polynomials in both numbers that all simulated cells of
//!   a structure confirm, or what an operation takes for as many tokens, which is run for itself (`alone.rs`). Where they
//!   are none of these, a cell with as many tokens is simulated.
//! - Cells of which that is not known are simulated.
//!
//! The peaks of live tensors follow exactly, phase by phase (`turns.rs`). Where they are more than the GPU has, nothing
//! else is needed. What the allocator holds beside them does not follow from the structure: cells whose peaks come near
//! what the GPU has are run through it. Far below, a cell is taken to fit until somebody runs it, and its total is a
//! lower bound.

mod alone;
mod lay_out;
mod polynomial;
mod structure;
mod turns;
mod written;

use super::phases::step;
use super::rank_run::is_named;
use super::side_by_side::each;
use super::summarize::{on_device, usable};
use super::{StepReport, SweepPoint, summarize};
use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::units::{Bytes, MIB};
use lay_out::Layout;
use turns::Turns;

/// A cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Samples of a micro-batch.
    pub batch: u64,
    /// Tokens of a sample.
    pub length: u64,
}

impl Cell {
    /// Tokens of a micro-batch.
    fn tokens(self) -> u64 {
        self.batch.saturating_mul(self.length)
    }

    /// A scenario with these numbers.
    pub fn of(self, scenario: &Scenario) -> Scenario {
        Scenario {
            micro_batch_size: self.batch,
            seq_len: self.length,
            ..scenario.clone()
        }
    }
}

/// The need of a run at a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Surveyed {
    /// The run is refused.
    #[default]
    Refused,
    /// The need of the device.
    Needs {
        /// The peaks of live tensors of a steady step, and bytes of the device.
        point: SweepPoint,
        /// The most that live tensors take of a process.
        peak: Bytes,
        /// Whether the run can take more of the device than that says: the allocator has not been asked.
        is_lower_bound: bool,
    },
}

/// Tenths of the bytes of live tensors that the allocator holds at most: 13.5 was the most over maps of
/// the scenarios of `tests/fixtures/inputs/maps.jsonl`.
const ENOUGH: u64 = 14;

/// Bytes that the allocator may hold beyond that in small runs, whose segments are large.
const AT_LEAST: Bytes = Bytes(256 * MIB);

/// The needs of a scenario at all cells of some micro-batch sizes and lengths, length by length. `None` where the rank
/// that is shown is looked for, or a vLLM refuses runs by what they hold.
///
/// The verdicts are those of single estimates, and so are the phases and their peaks.
pub fn survey(scenario: &Scenario, batches: &[u64], lengths: &[u64]) -> Option<Vec<Surveyed>> {
    let row = |&length: &u64| batches.iter().map(move |&batch| Cell { batch, length });
    let cells: Vec<Cell> = lengths.iter().flat_map(row).collect();
    let specs = each(&cells, |cell| resolve(&cell.of(scenario)).spec);
    let first = specs.iter().flatten().next();
    if first.is_some_and(|spec| !is_named(spec) || spec.scenario.objective.uses_vllm()) {
        return None;
    }
    let layout = Layout::of([batches.len(), lengths.len()], &cells, &specs);
    let turns = each(&layout.structures, Turns::of);
    let survey = Survey {
        cells,
        specs,
        layout,
        turns,
    };
    let all: Vec<usize> = (0..survey.cells.len()).collect();
    let peaks = each(&all, |&at| survey.peaks(at));
    let mut surveyed: Vec<Surveyed> = peaks.into_iter().map(Option::unwrap_or_default).collect();
    survey.run_near_ones(&mut surveyed);
    Some(surveyed)
}

/// A grid whose structures are known.
struct Survey {
    cells: Vec<Cell>,
    specs: Vec<Option<ResolvedSpec>>,
    layout: Layout,
    /// The turns of each structure.
    turns: Vec<Turns>,
}

impl Survey {
    /// The bytes of each kind at a cell, with its structure.
    fn bytes(&self, at: usize) -> Option<(usize, Vec<u64>)> {
        let of = self.layout.found[at]?;
        Some((of, self.layout.structures[of].bytes_at(self.cells[at])?))
    }

    /// The need of a cell by its live tensors alone; nothing where it is refused.
    fn peaks(&self, at: usize) -> Option<Surveyed> {
        let (spec, (of, bytes)) = (self.specs[at].as_ref()?, self.bytes(at)?);
        let (others, peaks) = self.turns[of].peaks(&bytes);
        let highest = peaks.iter().map(|peak| peak.live).fold(others, u64::max);
        let last = self.layout.structures[of].trace.steady_step();
        let total = on_device(spec, Bytes(highest));
        Some(Surveyed::Needs {
            point: self.point(at, &step(last, &peaks)?, total)?,
            peak: Bytes(highest),
            is_lower_bound: true,
        })
    }

    fn point(&self, at: usize, steady: &StepReport, total: Bytes) -> Option<SweepPoint> {
        let usable = usable(self.specs[at].as_ref()?);
        let phases = steady.phases.iter();
        Some(SweepPoint {
            micro_batch_size: self.cells[at].batch,
            phases: phases.map(|of| (of.phase, of.peak_tensor)).collect(),
            binding: steady.peak.phase,
            total,
            usable,
            fits: total <= usable,
        })
    }

    /// Replays in the allocator the cells whose peaks are near to the memory of the GPU: cells that fit by their live
    /// tensors, but not with the most that the allocator may hold beside them.
    fn run_near_ones(&self, surveyed: &mut [Surveyed]) {
        let mut enough = ENOUGH;
        loop {
            let is_near = |at: &usize| match (&surveyed[*at], &self.specs[*at]) {
                (
                    Surveyed::Needs {
                        point,
                        peak,
                        is_lower_bound: true,
                    },
                    Some(spec),
                ) => {
                    let most = peak.get().saturating_mul(enough) / 10;
                    point.fits && on_device(spec, Bytes(most) + AT_LEAST) > point.usable
                }
                _ => false,
            };
            let near: Vec<usize> = (0..surveyed.len()).filter(is_near).collect();
            let run = each(&near, |&at| self.run(at));
            let mut most = 0;
            for (at, run) in near.into_iter().zip(run) {
                let (Some((point, reserved)), Surveyed::Needs { peak, .. }) = (run, &surveyed[at])
                else {
                    continue;
                };
                let beyond = reserved.get().saturating_sub(AT_LEAST.get());
                most = most.max(beyond.saturating_mul(10).div_ceil(peak.get().max(1)));
                surveyed[at] = Surveyed::Needs {
                    point,
                    peak: *peak,
                    is_lower_bound: false,
                };
            }
            // With as much again to spare as the most that was seen.
            if most < enough {
                return;
            }
            enough = most + most / 10 + 1;
        }
    }

    /// A cell that is run, with the most that the allocator holds.
    fn run(&self, at: usize) -> Option<(SweepPoint, Bytes)> {
        let (spec, (of, bytes)) = (self.specs[at].as_ref()?, self.bytes(at)?);
        let trace = self.layout.structures[of].resized(&bytes);
        let report = summarize(spec, &trace)?.report;
        let point = self.point(at, &report.steady_step, report.total)?;
        Some((point, report.run.peak_reserved))
    }
}
