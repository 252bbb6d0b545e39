//! The structure of each cell of a grid, with few cells simulated.

use super::alone::Alone;
use super::structure::Structure;
use super::{Cell, each};
use crate::model::ResolvedSpec;
use crate::sim::{backend, simulate, simulate_in_detail};
use std::collections::BTreeMap;

/// The structures of a grid.
pub(super) struct Layout {
    pub(super) structures: Vec<Structure>,
    /// The structure of each cell, `None` where the run is refused.
    pub(super) found: Vec<Option<usize>>,
}

/// The result at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Refused,
    /// It was simulated: the number of its structure.
    Seen(usize),
    /// Cells around it have this structure.
    Taken(usize),
}

impl Found {
    fn structure(self) -> Option<usize> {
        match self {
            Self::Refused => None,
            Self::Seen(structure) | Self::Taken(structure) => Some(structure),
        }
    }
}

/// A grid that is being looked at.
struct Surveyor<'a> {
    size: [usize; 2],
    cells: &'a [Cell],
    specs: &'a [Option<ResolvedSpec>],
    found: Vec<Option<Found>>,
    structures: Vec<Structure>,
    /// Whether a cell that was simulated was another than it was taken to be.
    is_wrong: bool,
}

/// A rectangle of cells, with its edges.
#[derive(Clone, Copy)]
struct Rectangle {
    x: [usize; 2],
    y: [usize; 2],
}

/// Cells that are simulated at a time: what they are is kept until then.
const AT_ONCE: usize = 32;

/// Number of cells, besides corners, that are simulated to check the predicted ones.
const SAMPLES: usize = 16;

/// Cells that are simulated of a structure with few of them, about.
const MORE: usize = 12;

/// The largest distance of the cells that are simulated in any case.
const FARTHEST: usize = 16;

impl Layout {
    /// The structures of the cells of a grid of such a size, row by row. A cell without a spec is refused.
    pub(super) fn of(size: [usize; 2], cells: &[Cell], specs: &[Option<ResolvedSpec>]) -> Self {
        let refused = specs.iter().map(|spec| match spec {
            None => Some(Found::Refused),
            Some(_) => None,
        });
        let mut surveyor = Surveyor {
            size,
            cells,
            specs,
            found: refused.collect(),
            structures: Vec::new(),
            is_wrong: false,
        };
        surveyor.look_at_corners();
        surveyor.simulate_those(|surveyor, at| surveyor.found[at].is_none());
        surveyor.fit();
        surveyor.simulate_until_confirmed();
        surveyor.simulate_one_for_each(|cell| cell.length);
        surveyor.simulate_one_for_each(Cell::tokens);
        surveyor.simulate_those(|surveyor, at| !surveyor.is_known(at));
        surveyor.simulate_samples();
        if surveyor.is_wrong {
            surveyor
                .simulate_those(|surveyor, at| matches!(surveyor.found[at], Some(Found::Taken(_))));
        }
        let found = surveyor.found.iter();
        let found = found
            .map(|found| found.and_then(Found::structure))
            .collect();
        Self {
            found,
            structures: surveyor.structures,
        }
    }
}

impl Surveyor<'_> {
    /// Simulates some cells that were not simulated before.
    fn simulate(&mut self, cells: &[usize]) {
        let is_new = |at: &usize| !matches!(self.found[*at], Some(Found::Refused | Found::Seen(_)));
        let mut new: Vec<usize> = cells.iter().copied().filter(is_new).collect();
        new.sort_unstable();
        new.dedup();
        for some in new.chunks(AT_ONCE) {
            let traces = each(some, |&at| self.specs[at].as_ref().map(simulate));
            for (&at, trace) in some.iter().zip(traces) {
                let Some(trace) = trace else { continue };
                let cell = self.cells[at];
                let known = self.structures.iter().position(|of| of.is_of(&trace));
                if let Some(Found::Taken(taken)) = self.found[at] {
                    self.is_wrong |=
                        known != Some(taken) || !self.structures[taken].foretells(cell, &trace);
                }
                let structure = known.unwrap_or(self.structures.len());
                match self.structures.get_mut(structure) {
                    Some(known) => known.add(cell, &trace),
                    None => self.structures.push(Structure::of(cell, trace)),
                }
                self.found[at] = Some(Found::Seen(structure));
            }
        }
    }

    fn simulate_those(&mut self, which: impl Fn(&Self, usize) -> bool) {
        let all = 0..self.cells.len();
        let some: Vec<usize> = all.filter(|&at| which(self, at)).collect();
        self.simulate_and_fit(&some);
    }

    fn simulate_and_fit(&mut self, some: &[usize]) {
        if !some.is_empty() {
            self.simulate(some);
            self.fit();
        }
    }

    fn at(&self, x: usize, y: usize) -> usize {
        y * self.size[0] + x
    }

    /// Takes the cells of a rectangle to be what all its corners are, or looks for the number of tokens at which its two
    /// structures part, or cuts it, until nothing is left.
    fn look_at_corners(&mut self) {
        let [columns, rows] = self.size.map(first_edges);
        let mut rectangles: Vec<Rectangle> = columns
            .iter()
            .flat_map(|&x| rows.iter().map(move |&y| Rectangle { x, y }))
            .collect();
        while !rectangles.is_empty() {
            let corners = rectangles.iter().flat_map(|of| self.corners(*of));
            let corners: Vec<usize> = corners.collect();
            self.simulate(&corners);
            let mut left = Vec::new();
            let mut apart: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
            for rectangle in rectangles {
                let corners = self.corners(rectangle).map(|at| self.structure_of(at));
                if let [Some(one), ..] = corners
                    && corners == [Some(one); 4]
                {
                    self.take(rectangle, one);
                } else if let Some(pair) = self.parted_by_tokens(rectangle, corners) {
                    let unknown = self.take_on_both_sides(rectangle, pair);
                    if !unknown.is_empty() {
                        apart.entry(pair).or_default().extend(unknown);
                        left.push(rectangle);
                    }
                } else {
                    left.extend(rectangle.cut(corners));
                }
            }
            let between = apart.into_values().flat_map(|cells| self.amid(cells));
            let between: Vec<usize> = between.collect();
            self.simulate(&between);
            rectangles = left;
        }
    }

    /// The structures of a rectangle with fewer and with more tokens, where all that is known of the two agrees with one
    /// number of tokens at which they part.
    fn parted_by_tokens(
        &self,
        rectangle: Rectangle,
        corners: [Option<usize>; 4],
    ) -> Option<[usize; 2]> {
        let pair = [corners[0]?, corners[3]?];
        let is_one = |of: usize| pair.contains(&of);
        let seen = self.within(rectangle).filter_map(|at| self.seen(at));
        let [below, above] = self.sides(pair);
        let agrees =
            pair[0] != pair[1] && below < above && corners[1].is_some() && corners[2].is_some();
        (agrees && seen.into_iter().all(is_one)).then_some(pair)
    }

    /// The most tokens that are known of the first structure, and the fewest of the second.
    fn sides(&self, [first, second]: [usize; 2]) -> [u64; 2] {
        let tokens = |of: usize| {
            let cells = 0..self.cells.len();
            let cells = cells.filter(move |&at| self.seen(at) == Some(of));
            cells.map(|at| self.cells[at].tokens())
        };
        [
            tokens(first).max().unwrap_or(0),
            tokens(second).min().unwrap_or(0),
        ]
    }

    /// Takes the cells of a rectangle on both sides of where its structures part; the others.
    fn take_on_both_sides(&mut self, rectangle: Rectangle, pair: [usize; 2]) -> Vec<usize> {
        let [below, above] = self.sides(pair);
        let mut unknown = Vec::new();
        let cells: Vec<usize> = self.within(rectangle).collect();
        let all_known = cells.iter().all(|&at| {
            let tokens = self.cells[at].tokens();
            tokens <= below || tokens >= above
        });
        for at in cells {
            let tokens = self.cells[at].tokens();
            if all_known {
                let side = pair[usize::from(tokens > below)];
                self.found[at].get_or_insert(Found::Taken(side));
            } else if tokens > below && tokens < above {
                unknown.push(at);
            }
        }
        unknown
    }

    /// Two of some cells that part the others in thirds by their tokens.
    fn amid(&self, mut cells: Vec<usize>) -> Vec<usize> {
        cells.sort_by_key(|&at| self.cells[at].tokens());
        let thirds = [cells.len() / 3, cells.len() * 2 / 3];
        thirds
            .into_iter()
            .filter_map(|at| cells.get(at).copied())
            .collect()
    }

    /// The cells of a rectangle, without the refused ones.
    fn within(&self, Rectangle { x, y }: Rectangle) -> impl Iterator<Item = usize> {
        let rows = y[0]..=y[1];
        let cells = rows.flat_map(move |y| (x[0]..=x[1]).map(move |x| self.at(x, y)));
        cells.filter(|&at| self.found[at] != Some(Found::Refused))
    }

    /// The structure of a cell that was simulated.
    fn seen(&self, at: usize) -> Option<usize> {
        match self.found[at] {
            Some(Found::Seen(structure)) => Some(structure),
            _ => None,
        }
    }

    fn structure_of(&self, at: usize) -> Option<usize> {
        self.found[at].and_then(Found::structure)
    }

    /// Lower left, lower right, upper left, upper right.
    fn corners(&self, Rectangle { x, y }: Rectangle) -> [usize; 4] {
        [
            self.at(x[0], y[0]),
            self.at(x[1], y[0]),
            self.at(x[0], y[1]),
            self.at(x[1], y[1]),
        ]
    }

    fn take(&mut self, Rectangle { x, y }: Rectangle, structure: usize) {
        for y in y[0]..=y[1] {
            for x in x[0]..=x[1] {
                let at = self.at(x, y);
                self.found[at].get_or_insert(Found::Taken(structure));
            }
        }
    }

    /// Looks for the laws of all structures.
    fn fit(&mut self) {
        for number in 0..self.structures.len() {
            let cells = 0..self.cells.len();
            let taken = cells.filter(|&at| self.found[at] == Some(Found::Taken(number)));
            let tokens = taken.map(|at| self.cells[at].tokens());
            let structure = &mut self.structures[number];
            let first = structure.first_cell();
            let at = self.cells.iter().position(|&cell| cell == first);
            let spec = at.and_then(|at| self.specs[at].as_ref());
            structure.fit(&tokens, |structure| {
                let Some(spec) = spec else { return Vec::new() };
                let detailed = simulate_in_detail(spec);
                Alone::candidates(&detailed, backend(spec), structure.without_polynomial())
            });
        }
    }

    /// Simulates some cells of each structure that has too few of them to find its laws.
    fn simulate_until_confirmed(&mut self) {
        let mut some = Vec::new();
        for number in 0..self.structures.len() {
            if self.structures[number].is_confirmed() {
                continue;
            }
            let cells = 0..self.cells.len();
            let taken = cells.filter(|&at| self.found[at] == Some(Found::Taken(number)));
            let taken: Vec<usize> = taken.collect();
            let distance = (taken.len() / MORE).max(1);
            some.extend(taken.into_iter().step_by(distance));
        }
        self.simulate_and_fit(&some);
    }

    fn is_known(&self, at: usize) -> bool {
        match self.found[at] {
            Some(Found::Taken(structure)) => self.structures[structure]
                .bytes_at(self.cells[at])
                .is_some(),
            _ => true,
        }
    }

    /// Of the cells whose bytes are not known, simulates one for each value of a key.
    fn simulate_one_for_each(&mut self, key: impl Fn(Cell) -> u64) {
        let mut one = BTreeMap::new();
        for at in (0..self.cells.len()).filter(|&at| !self.is_known(at)) {
            one.entry((self.structure_of(at), key(self.cells[at])))
                .or_insert(at);
        }
        self.simulate_and_fit(&one.into_values().collect::<Vec<usize>>());
    }

    /// Simulates some of the cells that were not, and those of each structure with the fewest and the most tokens.
    fn simulate_samples(&mut self) {
        let is_taken = |at: &usize| matches!(self.found[*at], Some(Found::Taken(_)));
        let taken: Vec<usize> = (0..self.cells.len()).filter(is_taken).collect();
        let distance = (taken.len() / SAMPLES).max(1);
        let some = taken.iter().skip(distance / 2).step_by(distance);
        let mut some: Vec<usize> = some.copied().collect();
        for structure in 0..self.structures.len() {
            let of_it = taken
                .iter()
                .filter(|&&at| self.structure_of(at) == Some(structure));
            let tokens = |at: &&usize| self.cells[**at].tokens();
            some.extend(of_it.clone().min_by_key(tokens));
            some.extend(of_it.max_by_key(tokens));
        }
        self.simulate(&some);
    }
}

/// The edges of the rectangles with which a survey begins: close together at first, where most thresholds are.
fn first_edges(count: usize) -> Vec<[usize; 2]> {
    let last = count.saturating_sub(1);
    let mut edges = Vec::new();
    let (mut from, mut distance) = (0, 1);
    while from < last {
        let to = (from + distance).min(last);
        edges.push([from, to]);
        (from, distance) = (to, (2 * distance).min(FARTHEST));
    }
    if edges.is_empty() {
        edges.push([0, 0]);
    }
    edges
}

impl Rectangle {
    /// Its two parts: cut across the direction in which its corners differ, or across the longer edge. None where there
    /// is nothing between the corners.
    fn cut(self, [one, right, up, both]: [Option<usize>; 4]) -> Vec<Self> {
        let Self { x, y } = self;
        let [wide, high] = [x, y].map(|edge| edge[1] - edge[0]);
        if wide <= 1 && high <= 1 {
            return Vec::new();
        }
        // Both edges alone.
        if wide == 1 {
            return x.map(|x| Self { x: [x; 2], y }).into();
        }
        if high == 1 {
            return y.map(|y| Self { x, y: [y; 2] }).into();
        }
        let across_x = if one == up && right == both && wide > 1 {
            true
        } else if one == right && up == both && high > 1 {
            false
        } else {
            wide >= high
        };
        let halves = |[from, to]: [usize; 2]| {
            let middle = from.midpoint(to);
            [[from, middle], [middle, to]]
        };
        if across_x {
            halves(x).map(|x| Self { x, y }).into()
        } else {
            halves(y).map(|y| Self { x, y }).into()
        }
    }
}
