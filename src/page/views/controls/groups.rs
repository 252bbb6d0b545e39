//! Groups of settings, and the steps that sliders go through.

use crate::ask::Scenario;
use crate::text::{Language, Word};
use crate::views::setting::Setting;

/// Settings that are folded together.
pub(super) struct Group {
    /// The element's id.
    pub id: &'static str,
    /// Its title.
    pub title: Word,
    /// The sentence above its settings, where there is one.
    pub note: Option<fn(&Scenario, Language) -> Option<String>>,
    /// Its settings.
    pub settings: &'static [Setting],
}

/// Numbers of samples that people use.
pub(super) const BATCH_SIZES: &[u64] = &[
    1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256,
];
/// Sequence lengths that people use.
pub(super) const LENGTHS: &[u64] = &[
    64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16_384, 32_768,
];
/// Pixels of an image: 256 to 16384 tokens of 28 by 28 pixels.
pub(super) const PIXELS: &[u64] = &[
    200_704, 401_408, 602_112, 802_816, 1_003_520, 1_605_632, 3_211_264, 6_422_528, 12_845_056,
];
/// Powers of two, for numbers of micro-batches, tokens, ranks and the like.
pub(super) const POWERS: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Small numbers.
pub(super) const FEW: &[u64] = &[1, 2, 3, 4, 6, 8, 10, 12, 16];
/// Small numbers, from none.
pub(super) const FEW_OR_NONE: &[u64] = &[0, 1, 2, 4, 6, 8, 12, 16, 24, 32];
/// Numbers of rows and batches.
pub(super) const COUNTS: &[u64] = &[
    1,
    2,
    3,
    5,
    10,
    20,
    50,
    100,
    1000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];
/// Sizes of memory and of files.
pub(super) const SIZES: &[u64] = &[
    0,
    64 << 20,
    256 << 20,
    512 << 20,
    1 << 30,
    2 << 30,
    4 << 30,
    8 << 30,
    12 << 30,
    16 << 30,
    24 << 30,
    32 << 30,
    48 << 30,
    64 << 30,
    80 << 30,
    96 << 30,
    128 << 30,
    192 << 30,
    256 << 30,
    384 << 30,
    512 << 30,
    768 << 30,
    1 << 40,
    2 << 40,
];
/// MiB of blocks that are never split.
pub(super) const SPLITS: &[u64] = &[21, 32, 64, 128, 256, 512, 1024];
/// Shares of one.
pub(super) const SHARES: &[f64] = &[
    0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99,
];
