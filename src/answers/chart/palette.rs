//! The colours and textures themselves, as `0xRRGGBB`.

use super::texture::Texture;
use crate::host::HostPart;
use crate::sim::Phase;
use crate::tape::Category;

const CATEGORIES: usize = Category::ALL.len();
const PARTS: usize = HostPart::ALL.len();
const PHASES: usize = Phase::ALL.len();

// In the order of `Category::ALL`. Hues alternate in lightness along the stack so that
// neighbours stay apart for every kind of colour vision; every fill has 3:1 against its
// background (WCAG 1.4.11). The theme's tests hold both.
pub(super) const LIGHT_CATEGORIES: [u32; CATEGORIES] = [
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
    0x2a_93_ab, // vllm: cyan
];

pub(super) const DARK_CATEGORIES: [u32; CATEGORIES] = [
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
    0x3f_8f_a8, // vllm
];

pub(super) const CATEGORY_TEXTURES: [Texture; CATEGORIES] = [
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
    Texture::Upright(14),
];

// In the order of `HostPart::ALL`.
pub(super) const LIGHT_PARTS: [u32; PARTS] = [
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
    0x0f_79_6b, // training
    0x8e_3a_a6, // predictions
    0x8f_30_30, // saving
    0x6e_6e_6e, // page_tables
    0x8c_84_78, // other_processes
];

pub(super) const DARK_PARTS: [u32; PARTS] = [
    0x6d_9d_be, 0xa9_bc_cb, 0x5f_b9_83, 0xc0_90_5e, 0xee_86_66, 0xa5_85_d8, 0xe0_b6_50, 0x55_bf_cd,
    0xd8_76_a0, 0x82_90_e8, 0x4f_c0_ad, 0xc9_85_de, 0xd0_6a_6a, 0x9a_9a_9a, 0xb5_ad_a0,
];

pub(super) const PART_TEXTURES: [Texture; PARTS] = [
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
    Texture::Rising(12),
    Texture::Dots(14),
    Texture::Crossed(7),
    Texture::Level(8),
    Texture::Dots(10),
];

// In the order of `Phase::ALL`. A phase is of the hue of the category that it makes grow:
// forward of activations, backward of gradients, the optimizer's step of its states.
pub(super) const LIGHT_PHASES: [u32; PHASES] = [
    0x2f_6a_2d, // loading
    0x4a_4f_57, // data
    0x00_6f_86, // generation
    0x8e_3a_a6, // forward
    0x1f_47_88, // reference_forward
    0xb8_4a_0c, // backward
    0x8a_5a_2b, // clip
    0x0f_79_6b, // optimizer_step
    0x5c_68_78, // zero_grad
    0xb0_2a_40, // evaluation
    0x6b_4f_9e, // saving
];

pub(super) const DARK_PHASES: [u32; PHASES] = [
    0x86_c9_7f, // loading
    0xa0_a6_ae, // data
    0x5f_c8_e0, // generation
    0xc9_85_de, // forward
    0x8f_b4_f5, // reference_forward
    0xf5_9a_5c, // backward
    0xd8_ac_78, // clip
    0x46_cf_ba, // optimizer_step
    0x98_a6_ba, // zero_grad
    0xf2_7c_8c, // evaluation
    0xb5_a1_e0, // saving
];
