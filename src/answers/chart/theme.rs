//! Colours, textures and sizes: one ink for each category, host part and phase, everywhere.

use super::color::Rgb;
use super::palette::{
    CATEGORY_TEXTURES, DARK_CATEGORIES, DARK_PARTS, DARK_PHASES, LIGHT_CATEGORIES, LIGHT_PARTS,
    LIGHT_PHASES, PART_TEXTURES,
};
use super::texture::Texture;
use crate::host::HostPart;
use crate::sim::Phase;
use crate::tape::Category;
use std::fmt::Write as _;

/// How a thing is drawn: a fill, and a texture on it for those who cannot tell the fills apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The area's colour.
    pub fill: Rgb,
    /// The texture's colour.
    pub mark: Rgb,
    /// The texture.
    pub texture: Texture,
}

/// Everything that a figure needs to know of the page's look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Behind the figure.
    pub background: Rgb,
    /// Text and the strongest lines.
    pub text: Rgb,
    /// Secondary text.
    pub muted: Rgb,
    /// Grid lines.
    pub grid: Rgb,
    /// The peak and whatever binds.
    pub accent: Rgb,
    /// The capacity and what lies beyond it.
    pub limit: Rgb,
    /// Size of a label, in CSS pixels.
    pub font_size: u32,
    /// Families, as in CSS.
    pub font_family: String,
    /// Whether areas have an outline because their fill is the background (forced colours).
    pub outlined: bool,
    categories: [Ink; Category::ALL.len()],
    parts: [Ink; HostPart::ALL.len()],
    phases: [Ink; Phase::ALL.len()],
}

/// Share of black or white in a texture's colour.
const MARK_SHARE: f64 = 0.26;
/// Share by which marks that are not highlighted recede into the background.
const DIM_SHARE: f64 = 0.74;
/// The label size in CSS pixels unless the page asks for another.
const FONT_SIZE: u32 = 12;
/// The page's own stack; it must be what style/ uses.
const FONT_FAMILY: &str = "system-ui, sans-serif";

impl Theme {
    /// Dark text on a light background.
    pub fn light() -> Self {
        let inks = |hexes: &[u32]| -> Vec<Rgb> { hexes.iter().map(|&h| Rgb::hex(h)).collect() };
        Self::build(
            Rgb::hex(0xff_ff_ff),
            Rgb::hex(0x1b_1f_24),
            &inks(&LIGHT_CATEGORIES),
            &inks(&LIGHT_PARTS),
            &inks(&LIGHT_PHASES),
            Rgb::hex(0x0b_5c_d6),
            Rgb::hex(0xc0_23_2b),
        )
    }

    /// Light text on a dark background.
    pub fn dark() -> Self {
        let inks = |hexes: &[u32]| -> Vec<Rgb> { hexes.iter().map(|&h| Rgb::hex(h)).collect() };
        Self::build(
            Rgb::hex(0x14_17_1c),
            Rgb::hex(0xe8_ea_ed),
            &inks(&DARK_CATEGORIES),
            &inks(&DARK_PARTS),
            &inks(&DARK_PHASES),
            Rgb::hex(0x7a_b4_ff),
            Rgb::hex(0xff_7b_72),
        )
    }

    /// The reader's own colours: fills are the background, textures and outlines carry the meaning.
    pub fn forced(background: Rgb, text: Rgb, accent: Rgb) -> Self {
        let plain = |n: usize| vec![background; n];
        let mut theme = Self::build(
            background,
            text,
            &plain(Category::ALL.len()),
            &plain(HostPart::ALL.len()),
            &vec![text; Phase::ALL.len()],
            accent,
            text,
        );
        theme.muted = text;
        theme.outlined = true;
        for ink in theme.categories.iter_mut().chain(&mut theme.parts) {
            ink.mark = text;
        }
        theme
    }

    fn build(
        background: Rgb,
        text: Rgb,
        categories: &[Rgb],
        parts: &[Rgb],
        phases: &[Rgb],
        accent: Rgb,
        limit: Rgb,
    ) -> Self {
        let ink = |fill: Rgb, texture| Ink {
            fill,
            mark: fill.mix(fill.text_on(), MARK_SHARE),
            texture,
        };
        Self {
            background,
            text,
            muted: text.mix(background, 0.36),
            grid: text.mix(background, 0.87),
            accent,
            limit,
            font_size: FONT_SIZE,
            font_family: FONT_FAMILY.to_owned(),
            outlined: false,
            categories: std::array::from_fn(|i| ink(categories[i], CATEGORY_TEXTURES[i])),
            parts: std::array::from_fn(|i| ink(parts[i], PART_TEXTURES[i])),
            phases: std::array::from_fn(|i| ink(phases[i], Texture::Solid)),
        }
    }

    /// The ink of a category.
    pub fn category(&self, category: Category) -> Ink {
        self.categories[category as usize]
    }

    /// The ink of a part of host memory.
    pub fn part(&self, part: HostPart) -> Ink {
        self.parts[part as usize]
    }

    /// The ink of a phase.
    pub fn phase(&self, phase: Phase) -> Ink {
        self.phases[phase as usize]
    }

    /// The ink of something that is not what the reader looks at.
    #[must_use]
    pub fn dimmed(&self, ink: Ink) -> Ink {
        Ink {
            fill: ink.fill.mix(self.background, DIM_SHARE),
            mark: ink.mark.mix(self.background, DIM_SHARE),
            ..ink
        }
    }

    /// The colours and textures as CSS custom properties, so that style sheets and figures cannot
    /// disagree: `--category-NAME`, `--part-NAME`, `--phase-NAME` (fills) and the same with
    /// `-texture` (values for `background`).
    pub fn custom_properties(&self) -> String {
        let categories = Category::ALL
            .iter()
            .map(|&c| ("category", c.name(), self.category(c)));
        let parts = HostPart::ALL
            .iter()
            .map(|&p| ("part", p.name(), self.part(p)));
        let phases = Phase::ALL
            .iter()
            .map(|&p| ("phase", p.name(), self.phase(p)));
        let mut css = String::new();
        for (kind, name, ink) in categories.chain(parts).chain(phases) {
            let (fill, texture) = (ink.fill.css(), ink.texture.css(ink.mark));
            let _ = write!(
                css,
                "--{kind}-{name}:{fill};--{kind}-{name}-texture:{texture};"
            );
        }
        css
    }

    /// The size of secondary labels, in CSS pixels.
    pub fn small(&self) -> u32 {
        (self.font_size - self.font_size / 12).max(10)
    }

    /// Height of a line of text, in CSS pixels.
    pub fn line_height(&self) -> i32 {
        (self.font_size * 4 / 3).cast_signed()
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
