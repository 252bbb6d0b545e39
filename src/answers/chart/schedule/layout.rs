//! Places of ranks and their slots: geometry for drawing, pointing and keys.

use super::ScheduleFigure;
use crate::chart::geometry::{Frame, pixel};
use crate::chart::theme::Theme;
use crate::sim::Slot;

/// The least width of a unit of time, in CSS pixels: what does not fit then is cut off.
const NARROWEST_UNIT: f64 = 3.0;
/// Width of a rank's name in label sizes: "rank 15".
const NAME_LETTERS: i32 = 5;
/// Width of how many micro-batches a rank holds, in label sizes: "… 8 in flight".
const HELD_LETTERS: i32 = 7;
/// Shares of a row: of the computation, and of the held micro-batches under it.
const SHARES: [f64; 2] = [0.62, 0.22];
/// Share of a row between them.
const BETWEEN: f64 = 0.06;

/// Something that a rank computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The action and its time.
    pub slot: Slot,
    /// Its box.
    pub frame: Frame,
}

/// A rank's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its actions, as far as there is room.
    pub cells: Vec<Cell>,
    /// How many micro-batches it holds: boxes as high as their share of the most of all ranks.
    pub held: Vec<Frame>,
    /// The most micro-batches that it holds.
    pub most_in_flight: u64,
    /// The whole row.
    pub frame: Frame,
}

/// A rank, and something that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleHit {
    /// The rank.
    pub rank: usize,
    /// The index of its slot.
    pub slot: usize,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleLayout {
    /// The frame in which time runs.
    pub plot: Frame,
    /// The ranks in order.
    pub rows: Vec<Row>,
    /// Whether everything fits.
    pub whole: bool,
}

/// More than the slots of a rank, in a hit's number.
const SLOTS: u64 = 1 << 32;

impl ScheduleHit {
    /// It as a number.
    pub const fn number(self) -> u64 {
        self.rank as u64 * SLOTS + self.slot as u64
    }

    /// The hit of a number.
    pub fn from_number(number: u64) -> Option<Self> {
        Some(Self {
            rank: usize::try_from(number / SLOTS).ok()?,
            slot: usize::try_from(number % SLOTS).ok()?,
        })
    }
}

impl ScheduleLayout {
    /// The geometry of a figure of `width` by `height` CSS pixels.
    pub fn new(figure: &ScheduleFigure, theme: &Theme, (width, height): (u32, u32)) -> Self {
        let letter = theme.small().cast_signed();
        let (width, height) = (width.cast_signed(), height.cast_signed());
        let plot = Frame {
            left: (letter * NAME_LETTERS).min(width / 4),
            top: 2,
            right: width - (letter * HELD_LETTERS).min(width / 4),
            bottom: height - 2,
        };
        let schedule = figure.schedule;
        let room = f64::from(plot.width().max(1));
        let all = schedule.end.max(1) as f64;
        let unit = (room / all).max(NARROWEST_UNIT);
        let x = |time: u64| {
            let along = (time as f64 * unit).min(room);
            plot.left + pixel(along)
        };
        let count = schedule.ranks.len().max(1) as f64;
        let row_height = f64::from(plot.height().max(0)) / count;
        let most = schedule.most_in_flight.max(1) as f64;
        let rows = schedule.ranks.iter().enumerate().map(|(at, rank)| {
            let top = f64::from(plot.top) + row_height * at as f64;
            let y = |share: f64| pixel(top + row_height * share);
            let cells = rank.slots.iter().filter_map(|&slot| {
                let frame = Frame {
                    left: x(slot.start),
                    top: y(0.0),
                    right: x(slot.end),
                    bottom: y(SHARES[0]),
                };
                (frame.width() > 0).then_some(Cell { slot, frame })
            });
            let ends = rank.in_flight.iter().skip(1).map(|&(at, _)| at);
            let ends = ends.chain([schedule.end]);
            let held = rank
                .in_flight
                .iter()
                .zip(ends)
                .filter_map(|(&(from, now), to)| {
                    let bottom = SHARES[0] + BETWEEN + SHARES[1];
                    let frame = Frame {
                        left: x(from),
                        top: y(bottom - SHARES[1] * now as f64 / most),
                        right: x(to),
                        bottom: y(bottom),
                    };
                    (now > 0 && frame.width() > 0).then_some(frame)
                });
            Row {
                cells: cells.collect(),
                held: held.collect(),
                most_in_flight: rank.most_in_flight(),
                frame: Frame {
                    left: 0,
                    top: y(0.0),
                    right: width,
                    bottom: y(1.0),
                },
            }
        });
        Self {
            plot,
            rows: rows.collect(),
            whole: unit * all <= room + 0.5,
        }
    }

    /// The element at a point.
    pub fn hit(&self, x: i32, y: i32) -> Option<ScheduleHit> {
        let rank = self.rows.iter().position(|row| row.frame.contains(x, y))?;
        let cells = &self.rows[rank].cells;
        let slot = cells
            .iter()
            .position(|cell| (cell.frame.left..cell.frame.right).contains(&x))?;
        Some(ScheduleHit { rank, slot })
    }

    /// So many slots further on the same rank; from nowhere its first.
    pub fn along(&self, from: Option<ScheduleHit>, by: isize) -> Option<ScheduleHit> {
        let (rank, slot) =
            from.map_or((0, 0), |hit| (hit.rank, hit.slot.saturating_add_signed(by)));
        let last = self.rows.get(rank)?.cells.len().checked_sub(1)?;
        let slot = slot.min(last);
        Some(ScheduleHit { rank, slot })
    }

    /// The slot of another rank at that time: `by` ranks further down.
    pub fn across(&self, from: Option<ScheduleHit>, by: isize) -> Option<ScheduleHit> {
        let Some(hit) = from else {
            return self.along(None, 0);
        };
        let last = self.rows.len().checked_sub(1)?;
        let rank = hit.rank.saturating_add_signed(by).min(last);
        let start = self.rows.get(hit.rank)?.cells.get(hit.slot)?.slot.start;
        let cells = &self.rows[rank].cells;
        let slot = cells.partition_point(|cell| cell.slot.end <= start);
        let slot = slot.min(cells.len().checked_sub(1)?);
        Some(ScheduleHit { rank, slot })
    }
}
