//! `llama` (`models/llama, transformers 5.23`).

use super::reader;
use crate::model::{Biases, Family, LLAMA_PLAN, Options, Proof, Sizes};

/// `llama`.
pub(crate) const LLAMA: Family = Family {
    model_types: &["llama"],
    source: "models/llama, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        hidden: 4096,
        inner: 11_008,
        layers: 32,
        heads: 32,
        vocabulary: 32_000,
        ..Sizes::NONE
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::CLASSIFYING_DECODER,
    quantized_heads: &[],
    generation: crate::model::Generation::DECODER,
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU),
    tensor_plan: LLAMA_PLAN,
    fixtures: Proof::of(&["llama_family.jsonl"]),
    published: Proof::of(&[
        ("llama-3-8b-pro", 9_775_157_248),
        ("xgen-7b-8k", 6_895_702_016),
        // `VoxtralConfig` (transformers 5.23); the audio encoder is not counted.
        ("voxtral-mini-3b", 4_014_136_320),
        ("yi-9b", 8_829_407_232),
        ("falcon3-10b", 10_305_653_760),
        ("falcon3-7b", 7_455_550_464),
        ("falcon3-3b", 3_227_655_168),
        ("falcon3-1b", 1_669_408_768),
        ("codellama-70b", 68_976_910_336),
        ("codellama-13b", 13_016_028_160),
        ("llama-3.3-70b", 70_553_706_496),
        ("llama-3.2-1b", 1_235_814_400),
        ("llama-3.2-3b", 3_212_749_824),
        ("llama-3.1-8b", 8_030_261_248),
        ("llama-3.1-70b", 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800),
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-2-70b", 68_976_648_192),
        ("llama-7b", 6_738_415_616),
        ("llama-13b", 13_015_864_320),
        ("llama-65b", 65_285_660_672),
        ("codellama-7b", 6_738_546_688),
        ("codellama-34b", 33_743_970_304),
        ("deepseek-r1-distill-llama-8b", 8_030_261_248),
        ("deepseek-llm-7b", 6_910_365_696),
        ("deepseek-coder-1.3b", 1_346_471_936),
        ("deepseek-coder-6.7b", 6_740_512_768),
        ("smollm2-135m", 134_515_008),
        ("smollm2-360m", 361_821_120),
        ("smollm2-1.7b", 1_711_376_384),
        ("tinyllama-1.1b", 1_100_048_384),
        ("sheared-llama-1.3b", 1_345_423_360),
        ("open-llama-3b", 3_426_473_600),
        ("yi-6b", 6_061_035_520),
        ("yi-34b", 34_388_917_248),
        ("solar-10.7b", 10_731_524_096),
    ]),
    ..Family::of_decoder(reader::read)
};
