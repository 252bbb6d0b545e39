//! Batch sizes as a horizontal axis.

use crate::chart::geometry::pixel;

/// Batch sizes to the right: linear, since memory then grows along straight lines, or logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchScale {
    /// The smallest size.
    pub min: u64,
    /// The largest size.
    pub max: u64,
    /// Whether equal distances are equal ratios.
    pub logarithmic: bool,
    /// Left edge in CSS pixels.
    pub left: i32,
    /// Right edge in CSS pixels.
    pub right: i32,
}

impl BatchScale {
    fn place(&self, size: f64) -> f64 {
        if self.logarithmic {
            size.max(1.0).log2()
        } else {
            size
        }
    }

    /// The place of a size, in CSS pixels.
    pub fn x(&self, size: u64) -> i32 {
        let (low, high) = (self.place(self.min as f64), self.place(self.max as f64));
        let wide = f64::from(self.right - self.left);
        if high <= low {
            return self.left + pixel(wide / 2.0);
        }
        self.left + pixel((self.place(size as f64) - low) / (high - low) * wide)
    }

    /// The size nearest to a place.
    pub fn size_at(&self, x: i32) -> u64 {
        let (low, high) = (self.place(self.min as f64), self.place(self.max as f64));
        let along = f64::from(x - self.left) / f64::from((self.right - self.left).max(1));
        let place = low + along.clamp(0.0, 1.0) * (high - low);
        let size = if self.logarithmic {
            place.exp2()
        } else {
            place
        };
        // Between the two ends, which are whole sizes.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let size = size.round() as u64;
        size.clamp(self.min, self.max)
    }

    /// Round sizes at least `distance` CSS pixels apart.
    pub fn ticks(&self, distance: i32) -> Vec<u64> {
        let wanted = ((self.right - self.left) / distance.max(1))
            .max(1)
            .unsigned_abs();
        if self.logarithmic {
            let octaves = self.max.max(1).ilog2() - self.min.max(1).ilog2();
            let every = (octaves / wanted + 1).max(1);
            return (self.min.max(1).ilog2()..=self.max.max(1).ilog2())
                .step_by(every as usize)
                .map(|power| 1_u64 << power)
                .filter(|&size| size >= self.min)
                .collect();
        }
        let rough = (self.max - self.min).div_ceil(u64::from(wanted)).max(1);
        let power = 10_u64.pow(rough.ilog10());
        let factor = [1, 2, 5, 10]
            .into_iter()
            .find(|f| f * power >= rough)
            .unwrap_or(10);
        let step = factor * power;
        (self.min.div_ceil(step)..=self.max / step)
            .map(|n| n * step)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(max: u64, logarithmic: bool, right: i32) -> BatchScale {
        BatchScale {
            min: 1,
            max,
            logarithmic,
            left: 0,
            right,
        }
    }

    #[test]
    fn sizes_and_places_lead_to_each_other() {
        for logarithmic in [false, true] {
            for max in [1, 2, 12, 23, 24, 64] {
                let scale = scale(max, logarithmic, 1600);
                for size in 1..=max {
                    assert_eq!(scale.size_at(scale.x(size)), size, "{size} of {max}");
                }
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(scale(64, true, 600).ticks(40), [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(
            scale(12, false, 600).ticks(40),
            (1..=12).collect::<Vec<_>>()
        );
        assert_eq!(
            scale(20, false, 600).ticks(60),
            [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
        );
    }

    #[test]
    fn ticks_keep_their_distance_at_any_width() {
        for logarithmic in [false, true] {
            for max in [1, 5, 12, 64, 4096] {
                for right in [1, 60, 280, 1200] {
                    let scale = scale(max, logarithmic, right);
                    let at: Vec<i32> = scale.ticks(24).iter().map(|&n| scale.x(n)).collect();
                    let apart = at.windows(2).all(|pair| pair[1] - pair[0] >= 20);
                    assert!(apart, "{max} {right} {at:?}");
                }
            }
        }
    }
}
