//! The part that sees images among the tokens of a decoder.

mod crossed;
mod intern;
mod joined;
mod packed;
mod whole;

pub use crossed::{CrossedConfig, ROWS_OF_IMAGES};
pub use intern::InternConfig;
pub use joined::JoinedConfig;
pub use packed::{DeepConfig, PackedConfig};
pub(crate) use whole::ARRANGEMENTS;
pub use whole::WholeConfig;

use std::ops::RangeInclusive;

/// Images of a sample.
pub const IMAGES: RangeInclusive<u64> = 0..=1 << 12;

/// The models that are read into an [`ImageConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// `LLaVA` 1.5: two layers between a tower and a decoder.
    Llava,
    /// `LLaVA` 1.6: two layers between a tower and a decoder, over the squares of an image and all of it.
    LlavaNext,
    /// Gemma 3: the mean of patches that lie together, and a matrix.
    Gemma3,
    /// `PaliGemma`: a matrix, and texts whose tokens see everything before an answer.
    PaliGemma,
    /// Idefics3, and the first `SmolVLM`: images in squares, and patches that lie together in one token.
    Idefics3,
    /// `SmolVLM` 2: as Idefics3.
    SmolVlm,
    /// Llama 3.2 Vision: layers of their own attend to images.
    Mllama,
    /// `InternVL`: a vision transformer of its own.
    InternVl,
    /// Mistral 3: Pixtral's tower.
    Mistral3,
    /// Qwen2-VL: the patches of all images in one list.
    Qwen2,
    /// Qwen2.5-VL: the same, most layers seeing windows of an image.
    Qwen25,
    /// Qwen3-VL: as Qwen2-VL, with features of several depths, added after a decoder's first layers.
    Qwen3,
    /// Qwen3-VL with experts.
    Qwen3Moe,
}

impl ImageKind {
    /// Whether it is Idefics3 or a model made like it.
    pub fn is_idefics(self) -> bool {
        matches!(self, Self::Idefics3 | Self::SmolVlm)
    }

    /// Whether squares of an image are put together row by row, each with a token that ends it.
    pub fn has_rows(self) -> bool {
        self == Self::LlavaNext
    }

    /// Whether tokens of one image see each other in the decoder, by the kinds of tokens that are given.
    pub fn groups_tokens(self) -> bool {
        matches!(self, Self::Gemma3 | Self::PaliGemma)
    }

    /// Whether tokens see everything before an answer.
    pub fn sees_prefix(self) -> bool {
        self == Self::PaliGemma
    }

    /// Whether the tokens of images are found by what they are embedded as.
    pub fn compares_embeddings(self) -> bool {
        self == Self::SmolVlm
    }

    /// Whether sdpa is given masks for `images` images.
    pub fn makes_masks(self, images: u64) -> bool {
        let with_images = matches!(self, Self::Mistral3 | Self::Mllama);
        self.groups_tokens() || with_images && images > 0
    }

    /// The path of the decoder.
    pub fn text_model(self) -> &'static str {
        if self.is_idefics() {
            "model.text_model"
        } else {
            "model.language_model"
        }
    }
}

/// The part that sees images for a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageConfig {
    /// Images of one size.
    Whole(WholeConfig),
    /// Images that layers of their own attend to.
    Crossed(CrossedConfig),
    /// Images in squares, which `InternVL`'s tower sees.
    Intern(InternConfig),
    /// Images of any size, each in patches by itself.
    Joined(JoinedConfig),
    /// Images of any size, whose patches come in one list.
    Packed(PackedConfig),
}

impl ImageConfig {
    /// Its kind.
    pub fn kind(&self) -> ImageKind {
        match self {
            Self::Whole(config) => config.kind,
            Self::Crossed(_) => ImageKind::Mllama,
            Self::Intern(_) => ImageKind::InternVl,
            Self::Joined(_) => ImageKind::Mistral3,
            Self::Packed(config) => config.kind,
        }
    }

    /// The part that sees images of one size.
    pub fn whole(&self) -> Option<&WholeConfig> {
        match self {
            Self::Whole(config) => Some(config),
            _ => None,
        }
    }

    /// The part that sees images of any size.
    pub fn packed(&self) -> Option<&PackedConfig> {
        match self {
            Self::Packed(config) => Some(config),
            _ => None,
        }
    }

    /// Whether images may have any size.
    pub fn sees_any_size(&self) -> bool {
        match self {
            Self::Whole(config) => config.is_tiled(),
            Self::Crossed(_) => false,
            _ => true,
        }
    }

    /// Layers of a decoder after which features are added.
    pub fn depths(&self) -> u64 {
        let deep = self.packed().and_then(|config| config.deep.as_ref());
        deep.map_or(0, |deep| deep.layers.len() as u64)
    }

    /// Tokens of a text that an image takes whose `sides` are in pixels: its own tokens and the special tokens around
    /// them.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        match self {
            Self::Whole(config) => config.places(sides),
            Self::Crossed(_) => 1,
            Self::Intern(config) => config.places(sides),
            Self::Joined(config) => config.places(sides),
            Self::Packed(config) => config.tokens(sides) + packed::AROUND,
        }
    }

    /// Pixels of an image with such sides as the model sees it, in all channels.
    pub fn pixels(&self, sides: [u64; 2]) -> u64 {
        let (pictures, [height, width]) = match self {
            Self::Whole(config) => (
                config
                    .tiles(sides)
                    .saturating_mul(config.tower.num_channels),
                [config.tower.image_size; 2],
            ),
            Self::Crossed(config) => (config.tiles * config.channels, [config.image_size; 2]),
            Self::Intern(config) => (
                config.tiles(sides) * config.channels,
                [config.image_size; 2],
            ),
            Self::Joined(config) => (config.channels, sides),
            Self::Packed(config) => (config.channels * config.temporal_patch_size, sides),
        };
        [pictures, height, width]
            .into_iter()
            .fold(1, u64::saturating_mul)
    }
}
