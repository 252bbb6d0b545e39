//! The stacked areas of the timeline.

use super::TimelineFigure;
use super::layout::TimelineLayout;
use crate::chart::look::Look;
use crate::chart::pen::{Drawn, Pen};
use crate::chart::texture::Column;
use plotters::prelude::DrawingBackend;

/// The areas' edges, computed once.
pub(super) struct Stacks<'a> {
    layout: &'a TimelineLayout,
    /// For each run, the base and the tops of all layers.
    edges: Vec<i32>,
}

impl<'a> Stacks<'a> {
    pub fn new(figure: &TimelineFigure, layout: &'a TimelineLayout) -> Self {
        let points = &figure.timeline.points;
        let edges = layout
            .runs
            .iter()
            .flat_map(|run| layout.stack(&points[run.point]))
            .collect();
        Self { layout, edges }
    }

    /// The edge below layer `layer` at run `run`; that above it has the next number.
    fn edge(&self, run: usize, layer: usize) -> i32 {
        self.edges[run * (self.layout.layers.len() + 1) + layer]
    }

    /// From the top layer down, each from its upper edge to the base, so that no gap shows.
    pub fn draw<DB: DrawingBackend>(&self, pen: &Pen<DB>, look: &Look) -> Drawn<DB> {
        let runs = &self.layout.runs;
        for (layer, &category) in self.layout.layers.iter().enumerate().rev() {
            let ink = look.ink(category, None);
            let mut begin = 0;
            for step in runs.chunk_by(|a, b| a.step == b.step) {
                let end = begin + step.len();
                pen.polygon(self.outline(begin..end, layer + 1), ink.fill)?;
                if pen.theme.outlined {
                    let edge = self.outline(begin..end, layer + 1);
                    pen.line(edge, 1, ink.mark)?;
                }
                begin = end;
            }
        }
        for (layer, &category) in self.layout.layers.iter().enumerate() {
            let columns: Vec<Column> = (0..runs.len())
                .map(|i| Column {
                    x0: runs[i].x0,
                    x1: runs[i].x1,
                    top: self.edge(i, layer + 1),
                    bottom: self.edge(i, layer),
                })
                .collect();
            pen.texture(look.ink(category, None), &columns)?;
        }
        Ok(())
    }

    /// The area under an edge, with as few corners as it has.
    fn outline(&self, runs: std::ops::Range<usize>, edge: usize) -> Vec<(i32, i32)> {
        let all = &self.layout.runs;
        let bottom = self.layout.plot.bottom;
        let (Some(first), Some(last)) = (all.get(runs.start), all.get(runs.end - 1)) else {
            return Vec::new();
        };
        let mut points = vec![(first.x0, bottom)];
        for i in runs {
            let y = self.edge(i, edge);
            if points.last().is_some_and(|&(_, before)| before != y) {
                if let Some(&(_, before)) = points.last()
                    && points.len() > 1
                {
                    points.push((all[i].x0, before));
                }
                points.push((all[i].x0, y));
            }
        }
        if let Some(&(_, y)) = points.last() {
            points.push((last.x1, y));
        }
        points.push((last.x1, bottom));
        points
    }
}
