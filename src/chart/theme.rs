//! Colours, textures and sizes: one ink for each category, host part and phase, everywhere.

use super::color::Rgb;
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
/// How far what is not highlighted recedes into the background.
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
            (Rgb::hex(0x0b_5c_d6), Rgb::hex(0xc0_23_2b)),
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
            (Rgb::hex(0x7a_b4_ff), Rgb::hex(0xff_7b_72)),
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
            (accent, text),
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
        (accent, limit): (Rgb, Rgb),
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

// In the order of `Category::ALL`. Hues alternate in lightness along the stack so that
// neighbours stay apart for every kind of colour vision; every fill has 3:1 against its
// background (WCAG 1.4.11). The tests below hold both.
const LIGHT_CATEGORIES: [u32; 13] = [
    0x1f_47_88, // parameters: blue
    0x6b_7a_90, // buffers: slate
    0x4a_4f_57, // inputs: graphite
    0x2f_9f_8e, // optimizer_states: teal
    0x0f_5c_55, // master_weights: deep teal
    0xe0_70_2c, // gradients: orange
    0xb0_61_c4, // activations: orchid
    0x6a_8f_e0, // autocast_weights: light blue
    0xa8_47_6f, // logits: berry
    0x6e_54_10, // temporaries: bronze
    0x8f_82_6c, // workspaces: sand
    0x4d_7c_2f, // communication: leaf
    0xc2_3b_4e, // kv_cache: crimson
];

const DARK_CATEGORIES: [u32; 13] = [
    0x8f_b4_f5, // parameters
    0x93_a1_b5, // buffers
    0x7d_83_8c, // inputs
    0x1f_99_85, // optimizer_states
    0x4f_d0_c0, // master_weights
    0xe5_7a_3c, // gradients
    0xa4_58_c0, // activations
    0x5f_86_e6, // autocast_weights
    0xe0_78_a8, // logits
    0xf2_d5_6a, // temporaries
    0xa8_99_80, // workspaces
    0x7f_b3_58, // communication
    0xf0_6a_7c, // kv_cache
];

const CATEGORY_TEXTURES: [Texture; 13] = [
    Texture::Solid,
    Texture::Dots(6),
    Texture::Level(4),
    Texture::Rising(8),
    Texture::Rising(5),
    Texture::Falling(8),
    Texture::Upright(7),
    Texture::Dots(10),
    Texture::Level(6),
    Texture::Crossed(12),
    Texture::Level(10),
    Texture::Falling(5),
    Texture::Crossed(7),
];

// In the order of `HostPart::ALL`.
const LIGHT_PARTS: [u32; 13] = [
    0x35_5f_7c, // libraries
    0x7d_93_a6, // shared_libraries
    0x2e_7d_4f, // cuda_context
    0x8a_5a_2b, // tokenizer
    0xc7_5b_39, // dataset
    0x6d_4a_a0, // workers
    0xb0_83_1a, // prefetched_batches
    0x1f_8a_99, // pinned_memory
    0xa8_3f_6b, // model_loading
    0x3d_4c_a8, // offload
    0x8f_30_30, // saving
    0x6e_6e_6e, // page_tables
    0x8c_84_78, // other_processes
];

const DARK_PARTS: [u32; 13] = [
    0x6d_9d_be, 0xa9_bc_cb, 0x5f_b9_83, 0xc0_90_5e, 0xee_86_66, 0xa5_85_d8, 0xe0_b6_50, 0x55_bf_cd,
    0xd8_76_a0, 0x82_90_e8, 0xd0_6a_6a, 0x9a_9a_9a, 0xb5_ad_a0,
];

const PART_TEXTURES: [Texture; 13] = [
    Texture::Solid,
    Texture::Dots(6),
    Texture::Rising(5),
    Texture::Level(4),
    Texture::Falling(8),
    Texture::Rising(8),
    Texture::Upright(7),
    Texture::Crossed(12),
    Texture::Falling(5),
    Texture::Upright(4),
    Texture::Crossed(7),
    Texture::Level(8),
    Texture::Dots(10),
];

// In the order of `Phase::ALL`. A phase is of the hue of the category that it makes grow:
// forward of activations, backward of gradients, the optimizer's step of its states.
const LIGHT_PHASES: [u32; 7] = [
    0x4a_4f_57, // data
    0x8e_3a_a6, // forward
    0xb8_4a_0c, // backward
    0x8a_5a_2b, // clip
    0x0f_79_6b, // optimizer_step
    0x5c_68_78, // zero_grad
    0xb0_2a_40, // evaluation
];

const DARK_PHASES: [u32; 7] = [
    0xa0_a6_ae, // data
    0xc9_85_de, // forward
    0xf5_9a_5c, // backward
    0xd8_ac_78, // clip
    0x46_cf_ba, // optimizer_step
    0x98_a6_ba, // zero_grad
    0xf2_7c_8c, // evaluation
];

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
