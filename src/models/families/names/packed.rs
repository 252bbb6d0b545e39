//! How a checkpoint's weights are stored, by its name or its config.

use super::words::Words;
use crate::ask::QuantizationType;
use crate::catalog::Model;
use serde_json::Value;

/// How a checkpoint's weights are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// By bitsandbytes: with which type, whether its scales are quantized too, and whether layers chosen by
    /// the publisher are left in 16 bits.
    Bitsandbytes {
        /// The type.
        kind: QuantizationType,
        /// `bnb_4bit_use_double_quant`.
        double: bool,
        /// Whether some linear layers are left as they are.
        mixed: bool,
    },
    /// Four bits and a scale for each group of weights: GPTQ, AWQ, `AutoRound`, `compressed-tensors`.
    Groups(&'static str),
    /// MXFP4, in which gpt-oss is published.
    Mxfp4,
    /// Another format, of which trainers make 16 bits or which they do not train.
    Other(&'static str),
}

/// Names in a repository's name, the format, and whether it is four bits in groups.
const FORMATS: &[(&str, &str, bool)] = &[
    ("gptq", "GPTQ", true),
    ("awq", "AWQ", true),
    ("autoround", "AutoRound", true),
    ("w4a16", "compressed-tensors", true),
    ("aqlm", "AQLM", false),
    ("nvfp4", "NVFP4", false),
    ("fp8", "FP8", false),
    ("float8", "FP8", false),
    ("w8a8", "compressed-tensors", false),
    ("w8a16", "compressed-tensors", false),
    ("hqq", "HQQ", false),
    ("exl2", "EXL2", false),
];

/// Reads the words of a name.
pub(super) fn of_words(words: &Words) -> Option<Packing> {
    if words.contain("dequantized") {
        return None;
    }
    if words.contain("mxfp4") {
        return Some(Packing::Mxfp4);
    }
    if let Some((_, name, groups)) = FORMATS.iter().find(|(word, ..)| words.contain(word)) {
        return Some(format(name, *groups));
    }
    let [nf4, fp4, bnb, four, eight] =
        ["nf4", "fp4", "bnb", "4bit", "8bit"].map(|word| words.contain(word));
    let eight = eight || words.contain("int8");
    let kind = match (eight, fp4, nf4 || bnb || four) {
        (true, ..) => QuantizationType::Int8,
        (_, true, _) => QuantizationType::Fp4,
        (_, _, true) => QuantizationType::Nf4,
        _ => return None,
    };
    // Unsloth's quantize the scales, too; of its dynamic ones some layers stay.
    let unsloth = words.contain("unsloth");
    Some(Packing::Bitsandbytes {
        kind,
        double: !eight && (unsloth || bnb && four),
        mixed: unsloth,
    })
}

/// How the publisher's own repository of a model stores it, named with its owner.
pub(super) fn of_repository(name: &str, model: &Model) -> Option<Packing> {
    name.contains('/').then(|| published(model)).flatten()
}

/// How a copy of a published model stores its weights, unless its name says that they have 16 bits.
pub(super) fn as_published(words: &Words, model: &Model) -> Option<Packing> {
    const PLAIN: [&str; 4] = ["bf16", "fp16", "dequantized", "16bit"];
    let plain = PLAIN.into_iter().any(|word| words.contain(word));
    (!plain).then(|| published(model)).flatten()
}

/// Models that are published in fewer than 16 bits (`quantization_config` of their `config.json`).
fn published(model: &Model) -> Option<Packing> {
    const FP8: [&str; 4] = [
        "deepseek-v3",
        "deepseek-v3.2",
        "minimax-m2",
        "ministral-3-8b",
    ];
    if model.id.starts_with("gpt-oss-") {
        return Some(Packing::Mxfp4);
    }
    let base = model.source.contains("-Base");
    (FP8.contains(&model.id) && !base).then_some(Packing::Other("FP8"))
}

fn format(name: &'static str, groups: bool) -> Packing {
    if groups {
        Packing::Groups(name)
    } else {
        Packing::Other(name)
    }
}

/// Reads `quantization_config` of a `config.json`.
pub fn packing_of_config(config: &Value) -> Packing {
    let text = |key: &str| config[key].as_str().unwrap_or_default();
    let flag = |key: &str| config[key].as_bool() == Some(true);
    let skips = config["llm_int8_skip_modules"].as_array();
    let mixed = skips.is_some_and(|modules| modules.len() > 1);
    let method = text("quant_method");
    if flag("load_in_8bit") {
        return Packing::Bitsandbytes {
            kind: QuantizationType::Int8,
            double: false,
            mixed,
        };
    }
    if method == "bitsandbytes" || flag("load_in_4bit") {
        let fp4 = text("bnb_4bit_quant_type") != "nf4";
        let kind = if fp4 {
            QuantizationType::Fp4
        } else {
            QuantizationType::Nf4
        };
        let double = flag("bnb_4bit_use_double_quant");
        return Packing::Bitsandbytes {
            kind,
            double,
            mixed,
        };
    }
    let method = method.to_ascii_lowercase();
    if method == "mxfp4" {
        return Packing::Mxfp4;
    }
    let four = config["bits"].as_u64().is_none_or(|bits| bits == 4);
    let found = FORMATS
        .iter()
        .find(|(word, ..)| *word == method.replace('-', ""));
    match found {
        Some((_, name, groups)) => format(name, *groups && four),
        None => Packing::Other(match method.as_str() {
            "modelopt" => "ModelOpt",
            "compressed-tensors" => "compressed-tensors",
            "torchao" => "torchao",
            "bitnet" => "BitNet",
            _ => "quantization_config",
        }),
    }
}
