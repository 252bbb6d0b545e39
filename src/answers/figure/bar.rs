//! A stacked bar against a capacity.

use crate::report::Fit;
use crate::units::Bytes;

/// Room beyond the capacity, so that its line never lies on the bar's end.
const MARGIN: f64 = 1.06;

/// Parts smaller than this share of the total are shown as one, where there are several.
pub const SMALL: f64 = 0.01;

/// One part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<K> {
    /// Its key.
    pub key: K,
    /// How much it is.
    pub bytes: Bytes,
    /// How long it is, as a share of the bar's scale.
    pub width: f64,
}

/// The standing of a need against a capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It fits with room to spare.
    Fits,
    /// It fits with less than a tenth to spare.
    Tight,
    /// It does not fit.
    Exceeds,
}

impl Standing {
    /// The standing of `needed` against `capacity`.
    pub fn of(needed: Bytes, capacity: Bytes) -> Self {
        Self::of_fit(&Fit::new(needed, capacity))
    }

    /// The standing of a run against its machine; the worse memory counts.
    pub fn of_run(device: &Fit, host: &Fit) -> Self {
        Self::of_fit(device).max(Self::of_fit(host))
    }

    fn of_fit(fit: &Fit) -> Self {
        match (fit.fits, fit.is_tight()) {
            (false, _) => Self::Exceeds,
            (true, true) => Self::Tight,
            (true, false) => Self::Fits,
        }
    }

    /// A stable name for style sheets and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::Exceeds => "exceeds",
        }
    }
}

/// A stacked bar against a capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityBar<K> {
    /// The parts that count, end to end; they add up to `total`.
    pub parts: Vec<Part<K>>,
    /// The small parts that one part of the bar shows together.
    pub few: Vec<(K, Bytes)>,
    /// The part after them that is shown without being counted.
    pub uncounted: Option<Part<K>>,
    /// The sum of the counted parts.
    pub total: Bytes,
    /// The capacity.
    pub capacity: Bytes,
    /// The place of the capacity line, as a share of the scale.
    pub capacity_at: f64,
    /// The standing of the total against the capacity.
    pub standing: Standing,
    /// Bytes at the scale's end.
    scale: f64,
}

/// Parts that are shown one by one, and parts that are too small for it; a single small part is shown.
pub fn parted<K>(parts: impl IntoIterator<Item = (K, Bytes)>) -> [Vec<(K, Bytes)>; 2] {
    let parts: Vec<(K, Bytes)> = parts.into_iter().collect();
    let total: Bytes = parts.iter().map(|(_, bytes)| *bytes).sum();
    let limit = total.get() as f64 * SMALL;
    let is_small = |(_, bytes): &(K, Bytes)| bytes.get() > 0 && (bytes.get() as f64) < limit;
    if parts.iter().filter(|part| is_small(part)).count() < 2 {
        return [parts, Vec::new()];
    }
    let (few, shown) = parts.into_iter().partition(is_small);
    [shown, few]
}

impl<K> CapacityBar<K> {
    /// A bar of parts in their order; empty ones are left out.
    pub fn new(parts: impl IntoIterator<Item = (K, Bytes)>, capacity: Bytes) -> Self {
        let parts: Vec<(K, Bytes)> = parts
            .into_iter()
            .filter(|(_, bytes)| bytes.get() > 0)
            .collect();
        let total: Bytes = parts.iter().map(|(_, bytes)| *bytes).sum();
        let scale = (total.max(capacity).get() as f64 * MARGIN).max(1.0);
        let part = |(key, bytes): (K, Bytes)| Part {
            key,
            bytes,
            width: bytes.get() as f64 / scale,
        };
        let parts = parts.into_iter().map(part).collect();
        Self {
            parts,
            few: Vec::new(),
            uncounted: None,
            total,
            capacity,
            capacity_at: capacity.get() as f64 / scale,
            standing: Standing::of(total, capacity),
            scale,
        }
    }

    /// A bar whose smallest parts are taken together as `small`, which comes last.
    pub fn folded(parts: impl IntoIterator<Item = (K, Bytes)>, small: K, capacity: Bytes) -> Self {
        let [mut shown, few] = parted(parts);
        shown.push((small, few.iter().map(|(_, bytes)| *bytes).sum()));
        Self {
            few,
            ..Self::new(shown, capacity)
        }
    }

    /// Adds a part that takes at most the rest of the capacity.
    #[must_use]
    pub fn with_uncounted(mut self, key: K, bytes: Bytes) -> Self {
        let shown = bytes.min(self.capacity - self.total);
        if shown.get() > 0 {
            self.uncounted = Some(Part {
                key,
                bytes,
                width: shown.get() as f64 / self.scale,
            });
        }
        self
    }

    /// Two bars on the larger of their scales.
    #[must_use]
    pub fn beside(self, other: Self) -> [Self; 2] {
        let scale = self.scale.max(other.scale);
        [self.on_scale(scale), other.on_scale(scale)]
    }

    /// The bar on a scale that has room for this much at `least`.
    #[must_use]
    pub fn holding(self, least: Bytes) -> Self {
        let scale = (least.get() as f64 * MARGIN).max(self.scale);
        self.on_scale(scale)
    }

    fn on_scale(mut self, scale: f64) -> Self {
        let shrink = self.scale / scale;
        for part in self.parts.iter_mut().chain(&mut self.uncounted) {
            part.width *= shrink;
        }
        self.capacity_at *= shrink;
        self.scale = scale;
        self
    }

    /// The place of an amount on the scale; beyond its end above 1.
    pub fn at(&self, bytes: Bytes) -> f64 {
        bytes.get() as f64 / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_end_to_end_and_add_up() {
        let bar = CapacityBar::new(
            [('a', Bytes(300)), ('b', Bytes(0)), ('c', Bytes(200))],
            Bytes(1000),
        );
        assert_eq!(bar.total, Bytes(500));
        assert_eq!(bar.parts.len(), 2);
        let end: f64 = bar.parts.iter().map(|part| part.width).sum();
        assert!((end - bar.at(bar.total)).abs() < 1e-12);
        assert!(bar.capacity_at < 1.0);
        assert_eq!(bar.standing, Standing::Fits);
    }

    #[test]
    fn a_bar_longer_than_the_capacity_still_fits_its_scale() {
        let bar = CapacityBar::new([('a', Bytes(3000))], Bytes(1000));
        assert!(bar.parts[0].width < 1.0);
        assert_eq!(bar.standing, Standing::Exceeds);
    }

    #[test]
    fn a_bar_is_held_on_a_scale_that_is_larger_than_its_own() {
        let bar = || CapacityBar::new([('a', Bytes(500))], Bytes(1000));
        let held = bar().holding(Bytes(4000));
        assert!((held.capacity_at * 4.0 - bar().capacity_at).abs() < 1e-12);
        assert!((held.at(held.total) - held.parts[0].width).abs() < 1e-12);
        assert_eq!(bar().holding(Bytes(700)), bar());
    }

    #[test]
    fn page_cache_takes_only_what_is_left() {
        let bar =
            CapacityBar::new([('a', Bytes(950))], Bytes(1000)).with_uncounted('p', Bytes(5000));
        let cache = bar.uncounted.expect("there is room for some");
        assert_eq!(cache.bytes, Bytes(5000));
        let end = bar.parts[0].width + cache.width;
        assert!((end - bar.capacity_at).abs() < 1e-12);
        assert_eq!(bar.standing, Standing::Tight);
    }

    #[test]
    fn several_small_parts_are_one_and_a_single_one_keeps_its_name() {
        let parts = [('a', Bytes(990)), ('b', Bytes(4)), ('c', Bytes(6))];
        let bar = CapacityBar::folded(parts, 's', Bytes(2000));
        let keys: Vec<char> = bar.parts.iter().map(|part| part.key).collect();
        assert_eq!(keys, ['a', 's']);
        assert_eq!(bar.few, [('b', Bytes(4)), ('c', Bytes(6))]);
        assert_eq!(bar.total, Bytes(1000));
        let bar = CapacityBar::folded([parts[0], parts[1]], 's', Bytes(2000));
        assert_eq!(bar.parts[1].key, 'b');
        assert!(bar.few.is_empty());
    }

    #[test]
    fn nothing_at_all_is_a_bar_without_parts() {
        let bar = CapacityBar::new([('a', Bytes(0))], Bytes(0));
        assert!(bar.parts.is_empty());
        assert!(bar.capacity_at.is_finite());
    }
}
