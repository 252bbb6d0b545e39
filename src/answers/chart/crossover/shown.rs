//! The part of a sweep that is worth showing.

use super::CrossoverFigure;
use crate::report::SweepPoint;
use crate::units::Bytes;

/// The picture reaches this many times as far as the last thing that happens, as a fraction.
const BEYOND: (u64, u64) = (5, 4);

/// The points up to where nothing more is to be seen. The last one may lie between two sizes
/// that were estimated, on the straight line between them: it only ends the lines of the drawing.
pub(super) fn shown(figure: &CrossoverFigure) -> Vec<SweepPoint> {
    let points = &figure.sweep.points;
    let fits_all = figure.sweep.largest_fitting.is_none_or(|largest| {
        points
            .last()
            .is_none_or(|last| last.micro_batch_size <= largest)
    });
    if figure.capacity.is_none() || fits_all {
        return points.clone();
    }
    let switches = figure
        .sweep
        .switches
        .iter()
        .map(|switch| switch.micro_batch_size);
    let happens = switches
        .chain(figure.sweep.largest_fitting)
        .chain([figure.current]);
    let end = happens
        .max()
        .unwrap_or(1)
        .saturating_mul(BEYOND.0)
        .div_ceil(BEYOND.1);
    let inside = points.partition_point(|point| point.micro_batch_size <= end);
    let mut shown = points[..inside].to_vec();
    if let (Some(last), Some(next)) = (points[..inside].last(), points.get(inside))
        && last.micro_batch_size < end
    {
        shown.push(between(last, next, end));
    }
    shown
}

fn between(a: &SweepPoint, b: &SweepPoint, size: u64) -> SweepPoint {
    let along = u128::from(size - a.micro_batch_size);
    let whole = u128::from(b.micro_batch_size - a.micro_batch_size).max(1);
    let mix = |a: Bytes, b: Bytes| {
        let (a, b) = (u128::from(a.get()), u128::from(b.get()));
        let mixed = (a * (whole - along) + b * along) / whole;
        Bytes(u64::try_from(mixed).unwrap_or(u64::MAX))
    };
    let other = |phase| {
        b.phases
            .iter()
            .find(|(of, _)| *of == phase)
            .map(|&(_, bytes)| bytes)
    };
    SweepPoint {
        micro_batch_size: size,
        phases: a
            .phases
            .iter()
            .map(|&(phase, bytes)| (phase, mix(bytes, other(phase).unwrap_or(bytes))))
            .collect(),
        binding: b.binding,
        total: mix(a.total, b.total),
        usable: b.usable,
        fits: b.fits,
    }
}
