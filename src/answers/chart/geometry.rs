//! Boxes and scales in CSS pixels.

use crate::units::Bytes;

/// A box: `left <= x < right`, `top <= y < bottom`, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Left edge.
    pub left: i32,
    /// Upper edge.
    pub top: i32,
    /// Right edge.
    pub right: i32,
    /// Lower edge.
    pub bottom: i32,
}

impl Frame {
    /// Its width.
    pub const fn width(&self) -> i32 {
        self.right - self.left
    }

    /// Its height.
    pub const fn height(&self) -> i32 {
        self.bottom - self.top
    }

    /// Whether a point lies in it.
    pub const fn contains(&self, x: i32, y: i32) -> bool {
        self.left <= x && x < self.right && self.top <= y && y < self.bottom
    }

    /// Whether two boxes share a pixel.
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// A number of pixels that came out of a computation with floats.
pub(super) fn pixel(value: f64) -> i32 {
    // Canvases are far smaller than 2^31, and `as` saturates.
    #[allow(clippy::cast_possible_truncation)]
    let whole = value.round() as i32;
    whole
}

/// Bytes upwards: 0 at the bottom, `max` at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByteScale {
    /// Bytes at the top; at least 1.
    pub max: f64,
    /// The top, in CSS pixels.
    pub top: i32,
    /// The bottom, in CSS pixels.
    pub bottom: i32,
}

impl ByteScale {
    /// The place of a size, in CSS pixels.
    pub fn y(&self, bytes: f64) -> i32 {
        let height = f64::from(self.bottom - self.top);
        self.bottom - pixel(bytes / self.max * height)
    }

    /// The place of whole bytes.
    pub fn at(&self, bytes: Bytes) -> i32 {
        self.y(bytes.get() as f64)
    }
}

/// The capacity is shown as a line when it is at most this many times the need; beyond that the bars would shrink to
/// nothing and it is named at the edge instead.
const CAPACITY_IN_RANGE: f64 = 1.35;
/// Room above the highest value, as a share of it.
const HEADROOM: f64 = 0.04;

/// The top of a scale that shows `need` bytes and, when it is near enough, the capacity.
pub(super) fn scale_top(need: Bytes, capacity: Option<Bytes>) -> f64 {
    let need = (need.get() as f64).max(1.0);
    let shown = capacity
        .map(|bytes| bytes.get() as f64)
        .filter(|&bytes| bytes <= need * CAPACITY_IN_RANGE)
        .map_or(need, |bytes| bytes.max(need));
    shown * (1.0 + HEADROOM)
}

/// A former value widens the scale to at most this many times the need, as a fraction; a value beyond that is named at
/// the edge.
const GHOST_IN_RANGE: (u64, u64) = (3, 2);

/// The most that a scale shows where a former value is marked, too.
pub(super) fn with_ghost(need: Bytes, ghost: Option<Bytes>) -> Bytes {
    let (times, of) = GHOST_IN_RANGE;
    let most = Bytes(need.get().saturating_mul(times) / of);
    ghost.map_or(
        need,
        |ghost| {
            if ghost <= most { need.max(ghost) } else { need }
        },
    )
}

/// Moves labels of height `height`, given by their wanted middles from top to bottom, apart so
/// that none overlaps and all stay between `top` and `bottom` where they fit at all.
pub(super) fn spread(middles: &mut [i32], height: i32, top: i32, bottom: i32) {
    let half = height / 2;
    let mut lowest = top + half;
    for middle in middles.iter_mut() {
        *middle = (*middle).max(lowest);
        lowest = *middle + height;
    }
    let mut highest = bottom - half;
    for middle in middles.iter_mut().rev() {
        *middle = (*middle).min(highest);
        highest = *middle - height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_at_the_bottom_and_the_maximum_at_the_top() {
        let scale = ByteScale {
            max: 100.0,
            top: 10,
            bottom: 210,
        };
        assert_eq!(
            (scale.y(0.0), scale.y(100.0), scale.y(50.0)),
            (210, 10, 110)
        );
    }

    #[test]
    fn a_far_capacity_does_not_shrink_the_picture() {
        let near = scale_top(Bytes::gib(10), Some(Bytes::gib(12)));
        let far = scale_top(Bytes::gib(10), Some(Bytes::gib(80)));
        assert!(near > Bytes::gib(12).get() as f64);
        assert!(far < Bytes::gib(11).get() as f64);
    }

    #[test]
    fn a_former_value_widens_the_scale_by_half_at_most() {
        let shown = |ghost| with_ghost(Bytes::gib(10), Some(Bytes::gib(ghost)));
        assert_eq!(shown(4), Bytes::gib(10));
        assert_eq!(shown(15), Bytes::gib(15));
        assert_eq!(shown(16), Bytes::gib(10));
    }

    #[test]
    fn labels_that_would_overlap_are_moved_apart_and_stay_inside() {
        let mut middles = [20, 22, 24, 90, 99];
        spread(&mut middles, 14, 0, 100);
        assert!(
            middles.windows(2).all(|pair| pair[1] - pair[0] >= 14),
            "{middles:?}"
        );
        assert!(middles[0] >= 7 && middles[4] <= 93, "{middles:?}");
    }
}
