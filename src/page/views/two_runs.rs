//! Two runs over their events, side by side: a figure's source.

use super::plot::{Move, Plot, Sheet, Spot};
use super::surface::{Area, Surface};
use crate::chart::{
    Drawn, HeldAt, History, HistoryFigure, HistoryHit, HistoryLayout, Look, draw_history,
};
use crate::widgets::Place;

/// The memory of two runs over time, and the sentences about it.
pub(super) struct TwoRuns<R, S> {
    /// The name of each, and its moments.
    pub runs: R,
    /// The function that gives the sentence about both runs, or about the moment at the cursor.
    pub say: S,
}

/// A moment as a number: the runs take turns.
fn spot(HistoryHit { run, place }: HistoryHit) -> Spot {
    Spot {
        at: HistoryLayout::number(run, place),
        target: None,
    }
}

impl<R, S> TwoRuns<R, S>
where
    R: Fn() -> [(&'static str, Vec<HeldAt>); 2],
{
    fn with<T>(&self, spot: Option<Spot>, f: impl FnOnce(&HistoryFigure) -> T) -> T {
        let runs = (self.runs)();
        f(&HistoryFigure {
            runs: runs
                .each_ref()
                .map(|(title, moments)| History { title, moments }),
            cursor: spot.map(|spot| HistoryLayout::hit_of(spot.at)),
        })
    }

    fn layout(&self, sheet: &Sheet) -> HistoryLayout {
        self.with(None, |figure| {
            HistoryLayout::new(figure, &sheet.theme, sheet.unit, sheet.size)
        })
    }
}

impl<R, S> Plot for TwoRuns<R, S>
where
    R: Fn() -> [(&'static str, Vec<HeldAt>); 2] + Send + Sync,
    S: Fn(&HistoryFigure) -> String + Send + Sync,
{
    fn draw(&self, look: &Look, spot: Option<Spot>, area: &Area) -> Drawn<Surface<'static>> {
        self.with(spot, |figure| draw_history(figure, look, area))
    }

    fn is_there(&self) -> bool {
        self.with(None, |figure| {
            figure.runs.iter().any(|run| !run.moments.is_empty())
        })
    }

    fn hit(&self, sheet: &Sheet, (x, _): Place) -> Option<Spot> {
        self.layout(sheet).hit(x).map(spot)
    }

    fn go(&self, sheet: &Sheet, from: Option<Spot>, to: Move) -> Option<Spot> {
        let layout = self.layout(sheet);
        let peak = |run: usize| {
            self.with(None, |figure| {
                HistoryLayout::peak(run, figure.runs[run].moments)
            })
        };
        let from = from.map(|spot| HistoryLayout::hit_of(spot.at));
        let from = from.or_else(|| peak(0))?;
        let next = match to {
            Move::Along(by) | Move::Leap(by) => Some(layout.step(from, by)),
            Move::Across(_) => peak(from.other_run()),
            Move::Start => Some(layout.step(from, isize::MIN)),
            Move::End => Some(layout.step(from, isize::MAX)),
        };
        next.map(spot)
    }

    fn pick(&self, _spot: Spot) {}

    fn say(&self, spot: Option<Spot>) -> String {
        self.with(spot, &self.say)
    }
}
