//! The need of a run over two numbers of its scenario: a field of cells, each an estimate.
//!
//! Over micro-batch and sequence length a survey says all verdicts at once, with totals that are lower bounds where no
//! verdict depends on them; those cells are estimated afterwards.

use super::axis::{Along, Axis};
use super::number::{Named, Number};
use super::question::{Estimator, Grid, Progress, Question, Survey};
use crate::ask::{Message, Scenario, message};
use crate::codec::{Kind, value_at, values};
use crate::report::{Cell, Surveyed, SweepPoint};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// How many times a scenario's own value a map reaches.
const REACH: u64 = 4;

/// The keys of the edges of a map that can be surveyed.
const BATCH: &str = "micro_batch_size";
const LENGTH: &str = "seq_len";

/// Steps of numbers of tokens, so that cells are lengths that people train with.
const TOKENS: u64 = 8;

/// One edge of a map.
#[derive(Clone, Debug)]
pub struct MapEdge {
    /// The key of the setting that varies along it.
    pub key: &'static str,
    /// Its values, the least first.
    pub values: Vec<u64>,
    number: Number,
}

impl MapEdge {
    /// About `count` values of an axis around a scenario's own.
    ///
    /// # Errors
    /// Where it is no number.
    fn new(scenario: &Scenario, axis: &Axis, count: usize) -> Result<Self, Message> {
        let (Along::Largest(key) | Along::Least(key)) = &axis.along else {
            let name = axis.name();
            return Err(message!(decide::no_number, name));
        };
        let number = Number::of(scenario, Named::Setting(key), false);
        let [least, most] = number.range();
        let own = value_at(&values(scenario), key.path).as_u64();
        let count = (count as u64).max(2);
        let reach = own.unwrap_or(least).saturating_mul(REACH);
        let in_tokens = matches!(key.kind, Kind::Tokens);
        let grain = if in_tokens { TOKENS } else { 1 };
        let step = reach.div_ceil(count).next_multiple_of(grain).max(grain);
        let values = (1..=count).map(|place| step.saturating_mul(place));
        let mut values: Vec<u64> = values.map(|value| value.clamp(least, most)).collect();
        values.dedup();
        Ok(Self {
            key: key.path,
            values,
            number,
        })
    }

    /// The place whose value is nearest to a number.
    pub fn nearest(&self, to: u64) -> Option<usize> {
        let away = |place: &usize| self.values[*place].abs_diff(to);
        (0..self.values.len()).min_by_key(away)
    }
}

/// A field of estimates over two numbers. Cells far apart come first, then those between them, so that there is a
/// picture at once.
#[derive(Clone, Debug)]
pub struct MemoryMap {
    scenario: Scenario,
    /// To the right, and upwards.
    pub edges: [MapEdge; 2],
    cells: Vec<Option<MapCell>>,
    /// Whether the total of each cell is a lower bound.
    bounds: Vec<bool>,
    /// The cells that were not estimated, the next one first.
    left: VecDeque<usize>,
    /// The grid that a survey is asked of, until there is one.
    grid: Option<Grid>,
}

/// A cell that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum MapCell {
    /// The need of the run.
    Needs(SweepPoint),
    /// The run is refused.
    Refused,
}

/// The stride with which a map begins.
const COARSE: usize = 16;

/// Cells of a map.
#[derive(Clone, Copy, Debug)]
pub struct CellCounts {
    /// Cells that were looked at.
    pub known: u64,
    /// Cells of them that fit.
    pub fitting: u64,
    /// Cells of them whose totals are exact.
    pub exact: u64,
}

impl MemoryMap {
    /// A map of which nothing is known yet, with about `count` values along each edge.
    ///
    /// # Errors
    /// Where an axis is no number, or both are the same.
    pub fn new(scenario: &Scenario, axes: [&Axis; 2], count: usize) -> Result<Self, Message> {
        let [x, y] = axes.map(|axis| MapEdge::new(scenario, axis, count));
        let edges = [x?, y?];
        if edges[0].key == edges[1].key {
            return Err(message!(decide::same_axis));
        }
        let left = coarse_first([0, 1].map(|edge: usize| edges[edge].values.len()));
        let mut map = Self {
            scenario: scenario.clone(),
            edges,
            cells: vec![None; left.len()],
            bounds: vec![false; left.len()],
            left,
            grid: None,
        };
        map.grid = map.surveyed_grid();
        Ok(map)
    }

    /// The edge along which the micro-batch varies, and that of the length, where the edges are these two.
    fn batch_and_length(&self) -> Option<[usize; 2]> {
        match [0, 1].map(|edge: usize| self.edges[edge].key) {
            [BATCH, LENGTH] => Some([0, 1]),
            [LENGTH, BATCH] => Some([1, 0]),
            _ => None,
        }
    }

    /// The grid that can be surveyed as a whole.
    fn surveyed_grid(&self) -> Option<Grid> {
        let [batches, lengths] = self.batch_and_length()?;
        let values = |edge: usize| self.edges[edge].values.clone();
        let grid = Grid {
            scenario: self.scenario.clone(),
            batches: values(batches),
            lengths: values(lengths),
        };
        let is_asked = |place: [usize; 2]| {
            let batch = *grid.batches.get(place[batches])?;
            let length = *grid.lengths.get(place[lengths])?;
            Some(self.scenario(place)? == Cell { batch, length }.of(&grid.scenario))
        };
        let [width, height] = self.size();
        let ends = [[0, 0], [width.checked_sub(1)?, height.checked_sub(1)?]];
        ends.into_iter()
            .all(|place| is_asked(place) == Some(true))
            .then_some(grid)
    }

    /// Takes in a survey of all cells.
    fn told(&mut self, surveyed: Vec<Surveyed>) {
        let Some([batches, lengths]) = self.batch_and_length() else {
            return;
        };
        let count = self.edges[batches].values.len();
        for (at, surveyed) in surveyed.into_iter().enumerate() {
            let mut place = [0; 2];
            (place[batches], place[lengths]) = (at % count.max(1), at / count.max(1));
            let at = place[1] * self.size()[0] + place[0];
            let Some(cell) = self.cells.get_mut(at).filter(|cell| cell.is_none()) else {
                continue;
            };
            let (found, is_bound) = match surveyed {
                Surveyed::Refused => (MapCell::Refused, false),
                Surveyed::Needs {
                    point,
                    is_lower_bound,
                    ..
                } => (MapCell::Needs(point), is_lower_bound),
            };
            *cell = Some(found);
            self.bounds[at] = is_bound;
        }
        let (cells, bounds) = (&self.cells, &self.bounds);
        self.left.retain(|&at| cells[at].is_none() || bounds[at]);
    }

    /// Whether the run at a place may take more than its total says: it fits by far, or not even its live tensors do.
    pub fn is_lower_bound(&self, [x, y]: [usize; 2]) -> bool {
        let [width, _] = self.size();
        self.bounds.get(y * width + x).copied().unwrap_or(false)
    }

    /// How many cells there are along each edge.
    pub fn size(&self) -> [usize; 2] {
        [0, 1].map(|edge| self.edges[edge].values.len())
    }

    /// The number of a cell, row by row.
    pub fn number_of(&self, [x, y]: [usize; 2]) -> u64 {
        (y * self.size()[0] + x) as u64
    }

    /// The cell with a number.
    pub fn place_of(&self, number: u64) -> [usize; 2] {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let [width, _] = self.size();
        [at % width.max(1), at / width.max(1)]
    }

    /// The scenario of a cell.
    pub fn scenario(&self, [x, y]: [usize; 2]) -> Option<Scenario> {
        let [right, up] = &self.edges;
        let along = right.number.with(&self.scenario, *right.values.get(x)?)?;
        up.number.with(&along, *up.values.get(y)?)
    }

    /// A cell, where it was looked at.
    pub fn cell(&self, [x, y]: [usize; 2]) -> Option<&MapCell> {
        let [width, _] = self.size();
        self.cells.get(y * width + x)?.as_ref()
    }

    /// A cell, or where it was not looked at yet one of those around it.
    pub fn about(&self, place: [usize; 2]) -> Option<&MapCell> {
        let strides = std::iter::successors(Some(1), |stride| Some(stride * 2));
        strides
            .take_while(|&stride| stride <= COARSE)
            .find_map(|stride| self.cell(place.map(|at| at - at % stride)))
    }

    /// How many cells are known.
    pub fn counts(&self) -> CellCounts {
        let known = self.cells.iter().flatten();
        let fits = |cell: &&MapCell| matches!(cell, MapCell::Needs(point) if point.fits);
        let all = known.clone().count() as u64;
        let bounds = self.bounds.iter().filter(|is_bound| **is_bound).count();
        CellCounts {
            known: all,
            fitting: known.filter(fits).count() as u64,
            exact: all - bounds as u64,
        }
    }
}

impl Question for MemoryMap {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        if let Some(grid) = &self.grid {
            match by.survey(grid) {
                Survey::Waits => {}
                Survey::Never => self.grid = None,
                Survey::Known(surveyed) => {
                    self.grid = None;
                    self.told(surveyed);
                    return Progress::Further;
                }
            }
        }
        let scenario = |at: &usize| self.scenario(self.place_of(*at as u64));
        by.prepare(&mut self.left.iter().filter_map(scenario));
        let Some(at) = self.left.front().copied() else {
            return Progress::Done;
        };
        let needs = match scenario(&at).map(|scenario| (by.figures(&scenario), scenario)) {
            None => None,
            Some((None, _)) => return Progress::Waits,
            Some((Some(answer), scenario)) => {
                let figures = answer.ok();
                figures.map(|figures| figures.point(scenario.micro_batch_size))
            }
        };
        self.cells[at] = Some(needs.map_or(MapCell::Refused, MapCell::Needs));
        self.bounds[at] = false;
        self.left.pop_front();
        Progress::Further
    }
}

/// The cells of `width` columns and `height` rows: those far apart first, then those between them.
fn coarse_first([width, height]: [usize; 2]) -> VecDeque<usize> {
    let apart = |at: &usize| {
        let strides = std::iter::successors(Some(COARSE), |stride| Some(stride / 2));
        let on_grid = |stride: &usize| {
            [at % width, at / width]
                .iter()
                .all(|place| place.is_multiple_of(*stride))
        };
        strides.take_while(|&stride| stride > 0).find(on_grid)
    };
    let mut all: Vec<usize> = (0..width * height).collect();
    all.sort_by_key(|at| Reverse(apart(at)));
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::AtOnce;
    use serde_json::json;

    fn scenario() -> Scenario {
        let asked = json!({"model": "qwen2.5-0.5b", "precision": "bf16", "micro_batch_size": 3,
            "seq_len": 256, "model_overrides": {"num_hidden_layers": 2},
            "hardware": {"gpu": "t4"}});
        serde_json::from_value(asked).expect("a scenario")
    }

    fn map(axes: [&str; 2], count: usize) -> Result<MemoryMap, Message> {
        let [x, y] = axes.map(|name| Axis::named(name).expect("an axis"));
        MemoryMap::new(&scenario(), [&x, &y], count)
    }

    #[test]
    fn every_cell_is_the_estimate_of_its_scenario() {
        let mut map = map(["micro_batch_size", "seq_len"], 8).expect("a map");
        map.settle();
        let [width, height] = map.size();
        assert_eq!([width, height], [8, 8]);
        let CellCounts { known, fitting, .. } = map.counts();
        assert_eq!(known, 64);
        assert!(fitting > 0, "{fitting}");
        for number in 0..known {
            let place = map.place_of(number);
            assert_eq!(map.number_of(place), number);
            let scenario = map.scenario(place).expect("a scenario");
            assert_eq!(scenario.micro_batch_size, map.edges[0].values[place[0]]);
            assert_eq!(scenario.seq_len, map.edges[1].values[place[1]]);
            let report = crate::report::estimate(&scenario)
                .expect("an estimate")
                .report;
            let Some(MapCell::Needs(point)) = map.cell(place) else {
                panic!("{place:?} is refused");
            };
            assert_eq!(point.total, report.device.total, "{place:?}");
            assert_eq!(point.fits, report.verdict.device.fits, "{place:?}");
        }
    }

    #[test]
    fn there_is_a_picture_before_all_is_known() {
        let mut map = map(["micro_batch_size", "seq_len"], 32).expect("a map");
        for _ in 0..4 {
            assert_eq!(map.advance(&mut AtOnce), Progress::Further);
        }
        let [width, height] = map.size();
        for y in 0..height {
            for x in 0..width {
                assert!(map.about([x, y]).is_some(), "{x}, {y}");
            }
        }
        assert_eq!(map.counts().known, 4);
    }

    #[test]
    fn edges_are_two_different_numbers() {
        let same = map(["seq_len", "seq_len"], 4).expect_err("one edge");
        assert_eq!(same.code, "decide.same_axis");
        let name = map(["model", "seq_len"], 4).expect_err("no number");
        assert_eq!(name.code, "decide.no_number");
    }

    #[test]
    fn what_is_refused_is_an_empty_cell() {
        let mut on_three = scenario();
        // Nine heads cannot be shared between two.
        on_three.model = crate::ask::ModelRef::Catalog("smollm2-135m".to_owned());
        on_three.hardware.gpus_per_node = 6;
        on_three.parallelism.tp.size = 3;
        let axes = ["parallelism.tp.size", "seq_len"].map(|name| Axis::named(name).expect(name));
        let mut map = MemoryMap::new(&on_three, [&axes[0], &axes[1]], 12).expect("a map");
        map.settle();
        let [width, _] = map.size();
        let refused = (0..width).filter(|&x| map.cell([x, 0]) == Some(&MapCell::Refused));
        assert!(refused.count() > 0);
    }
}
