//! Colours as sRGB bytes, with what WCAG says of them.

use plotters::style::RGBColor;
use std::cmp::Ordering;

/// An opaque colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Luminance at which black and white text have the same contrast: `sqrt(1.05 * 0.05) - 0.05`.
const EVEN_LUMINANCE: f64 = 0.179;

impl Rgb {
    /// The colour written as `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        let [_, r, g, b] = rgb.to_be_bytes();
        Self(r, g, b)
    }

    /// `#rrggbb`, as CSS reads it.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// This colour with `share` (0 to 1) of `other` in it.
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let channel = |a: u8, b: u8| {
            let mixed = f64::from(a) + (f64::from(b) - f64::from(a)) * share.clamp(0.0, 1.0);
            // Between two bytes, so it is one.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let byte = mixed.round() as u8;
            byte
        };
        Self(
            channel(self.0, other.0),
            channel(self.1, other.1),
            channel(self.2, other.2),
        )
    }

    /// Red, green and blue as linear light, 0 to 1.
    pub fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|byte| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.040_45 {
                c / 12.92
            } else {
                // To the power of 2.4.
                fifth_root(((c + 0.055) / 1.055).powi(12))
            }
        })
    }

    /// Relative luminance, 0 to 1 (WCAG 2.2).
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Contrast ratio with another colour, 1 to 21 (WCAG 2.2).
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever reads better on this colour.
    #[must_use]
    pub fn text_on(self) -> Self {
        if self.luminance() > EVEN_LUMINANCE {
            Self(0, 0, 0)
        } else {
            Self(255, 255, 255)
        }
    }
}

/// The fifth root of a number above 0 and up to 1, by Newton's method from above: `powf` is two KiB of code, for this alone.
fn fifth_root(of: f64) -> f64 {
    let mut root = 1.0_f64;
    loop {
        let next = (4.0 * root + of / root.powi(4)) / 5.0;
        match next.partial_cmp(&root) {
            Some(Ordering::Less) => root = next,
            _ => return root,
        }
    }
}

impl From<Rgb> for RGBColor {
    fn from(Rgb(r, g, b): Rgb) -> Self {
        Self(r, g, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_much_light_as_the_power_of_srgb_says() {
        for byte in 11..=255 {
            let [light, ..] = Rgb(byte, 0, 0).linear();
            let exact = ((f64::from(byte) / 255.0 + 0.055) / 1.055).powf(2.4);
            assert!((light - exact).abs() < 1e-14, "{byte}: {light} {exact}");
        }
    }

    #[test]
    fn black_on_white_has_the_highest_contrast() {
        let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        assert!((black.contrast(white) - 21.0).abs() < 1e-9);
        assert_eq!(white.text_on(), black);
        assert_eq!(black.text_on(), white);
    }

    #[test]
    fn a_mix_lies_between_its_two_colours() {
        let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        assert_eq!(black.mix(white, 0.0), black);
        assert_eq!(black.mix(white, 1.0), white);
        assert_eq!(black.mix(white, 0.2), Rgb(51, 51, 51));
        assert_eq!(Rgb::hex(0x1e_90_ff).css(), "#1e90ff");
    }
}
