//! `qwen2` (`models/qwen2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Family, Flag, MaskingIn4, Masks, Options, Proof, Sizes, Style, Window, WindowLayers,
    WindowOn,
};

/// `qwen2`.
pub(crate) const QWEN2: Family = Family {
    model_types: &["qwen2"],
    source: "models/qwen2, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 22_016,
        vocabulary: 151_936,
        kv_heads: Some(32),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::qkv(Flag::Always),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Asked,
        layers: WindowLayers::From(28),
        idle: true,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        only_needed_masks: true,
        masking_in_4: MaskingIn4::WindowSince451,
        ..Style::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU),
    fixtures: Proof::of(&["llama_family.jsonl"]),
    published: Proof::of(&[
        // Without the layer that predicts further tokens (`MiMoMTPLayers`), which training leaves out.
        ("mimo-7b", 7_622_619_136),
        ("qwen1.5-72b", 72_287_920_128),
        ("qwen1.5-32b", 32_512_218_112),
        ("qwen1.5-14b", 14_167_290_880),
        ("qwen1.5-7b", 7_721_324_544),
        ("qwen1.5-4b", 3_950_369_280),
        ("qwen1.5-0.5b", 463_987_712),
        ("qwen2.5-0.5b", 494_032_768),
        ("qwen2.5-1.5b", 1_543_714_304),
        ("qwen2.5-3b", 3_085_938_688),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen2.5-14b", 14_770_033_664),
        ("qwen2.5-32b", 32_763_876_352),
        ("qwen2.5-72b", 72_706_203_648),
        ("qwen2-0.5b", 494_032_768),
        ("qwen2-1.5b", 1_543_714_304),
        ("qwen2-7b", 7_615_616_512),
        ("qwen2-72b", 72_706_203_648),
        ("qwen1.5-1.8b", 1_836_828_672),
        ("deepseek-r1-distill-qwen-1.5b", 1_777_088_000),
    ]),
    ..LLAMA
};
