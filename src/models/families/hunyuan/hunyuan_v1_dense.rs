//! `hunyuan_v1_dense` (`models/hunyuan_v1_dense, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, HeadNorm, LayerNames, NormKind, Options, Parts, Proof, Reader, Sizes,
};

/// `hunyuan_v1_dense`.
pub(crate) const HUNYUAN_V1_DENSE: Family = Family {
    model_types: &["hunyuan_v1_dense"],
    source: "models/hunyuan_v1_dense, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 290_943,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        head_norms: ["query_layernorm", "key_layernorm"],
        ..LayerNames::LLAMA
    },
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::AfterRotary(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU_SINCE_5),
    tensor_plan: &[],
    fixtures: Proof::of(&["hunyuan_ernie_moe.jsonl"]),
    published: Proof::of(&[
        ("hunyuan-7b", 7_504_568_320),
        ("hunyuan-4b", 4_221_757_440),
        ("hunyuan-0.5b", 539_010_048),
        ("hunyuan-1.8b", 1_791_080_448),
    ]),
    ..LLAMA
};
