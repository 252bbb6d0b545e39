//! The words of a name that decide no size.

use super::words::{Words, is_size};

/// The words that are left out of a name; each level leaves out those of the levels before, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// None.
    Nothing,
    /// How weights are stored.
    Packing,
    /// How they were tuned.
    Tuning,
    /// When they were published.
    Dates,
}

impl Level {
    /// The levels in order.
    pub(super) const ALL: [Self; 4] = [Self::Nothing, Self::Packing, Self::Tuning, Self::Dates];
}

/// How weights are stored.
const PACKING: &[&str] = &[
    "hf",
    "bf16",
    "fp16",
    "fp32",
    "f16",
    "bnb",
    "nf4",
    "fp4",
    "2bit",
    "3bit",
    "4bit",
    "6bit",
    "8bit",
    "int4",
    "int8",
    "w4a16",
    "w8a8",
    "w8a16",
    "g128",
    "g32",
    "128g",
    "awq",
    "gptq",
    "gguf",
    "exl2",
    "mlx",
    "unsloth",
    "dynamic",
    "quantized",
    "prequantized",
    "dequantized",
    "fp8",
    "nvfp4",
    "mxfp4",
    "aqlm",
    "autoround",
    "1x16",
    "2x8",
    "linearized",
    "source",
    "converted",
    "sharded",
    "safetensors",
    "qat",
    "torchao",
    "float8",
    "quantization",
    "marlin",
    "hqq",
    "q4.0",
    "unquantized",
];

/// How they were tuned.
const TUNING: &[&str] = &[
    "instruct",
    "it",
    "chat",
    "base",
    "pt",
    "sft",
    "dpo",
    "orpo",
    "rlhf",
    "rl",
    "thinking",
    "reasoning",
    "preview",
    "pretrained",
    "latest",
    "deduped",
    "checkpoint",
    "checkpoints",
    "merged",
    "finetuned",
    "finetune",
    "ft",
    "tuned",
    "uncensored",
    "abliterated",
    "text",
    "4k",
    "exp",
    "hybrid",
];

/// Words beside a model's name that say that sizes or parts differ from those of that model.
pub(super) const DECIDING: &[&str] = &[
    "vl",
    "vision",
    "visual",
    "omni",
    "audio",
    "speech",
    "asr",
    "tts",
    "ocr",
    "video",
    "image",
    "multimodal",
    "mm",
    "clip",
    "siglip",
    "llava",
    "vila",
    "minicpm",
    "ultravox",
    "vlm",
    "v",
    "moe",
    "mixture",
    "frankenmoe",
    "pro",
    "expanded",
    "upscaled",
    "depth",
    "width",
    "pruned",
    "minitron",
    "nemotron",
    "layers",
    "mamba",
    "linear",
    "eagle",
    "medusa",
    "draft",
    "dflash",
    "mtp",
    "speculator",
    "assistant",
    "embed",
    "embedding",
    "embeddings",
    "reranker",
    "encoder",
    "guard",
    "vq",
    "tiny",
    "mini",
    "small",
    "large",
    "nano",
    "micro",
    "random",
    "dummy",
    "test",
    "tester",
    "debug",
    "internal",
    "testing",
    "swallow",
    "chinese",
    "japanese",
    "korean",
    "ko",
    "ja",
    "jp",
    "zh",
    "thai",
    "arabic",
    "german",
    "french",
    "turkish",
    "indic",
    "hindi",
    "polish",
    "persian",
    "greek",
    "hebrew",
    "vietnamese",
    "coder",
    "code",
    "math",
    "open",
    "pixtral",
    "janus",
    "bitnet",
    "merge",
    "x",
    "plus",
    "ultra",
    "super",
    "llm2vec",
    "diffusion",
    "dream",
    "next",
    "scout",
    "maverick",
    "distill",
    "distilled",
    "prune",
    "tied",
    "untied",
    "extended",
    "vocab",
    "fast",
    "lite",
];

/// A name without what a level leaves out. `base` stays where no number names the model (`roberta-base`), as do
/// all words where nothing else is left.
pub(super) fn strip(words: &Words, level: Level) -> Words {
    let numbered = words.iter().any(|word| is_size(word) || is_number(word));
    let left_out = |at: usize, word: &str| {
        let packing = level >= Level::Packing
            && (PACKING.contains(&word) || at == 0 && word == "meta" && words.len() > 1);
        let tuning =
            level >= Level::Tuning && TUNING.contains(&word) && (word != "base" || numbered);
        packing || tuning || level >= Level::Dates && at > 0 && is_date(word)
    };
    let stripped = words.filtered(|at, word| !left_out(at, word));
    if stripped.len() == 0 {
        return words.clone();
    }
    stripped
}

/// Whether a word is a number or a version.
fn is_number(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    !number.is_empty()
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a word is a date of publication: year and month (2507), or month and day (0324).
fn is_date(word: &str) -> bool {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let pair = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    let (Some(first), Some(second)) = (pair(word.get(..2)), pair(word.get(2..))) else {
        return false;
    };
    let month = |number: u32| (1..=12).contains(&number);
    digits
        && ((23..=30).contains(&first) && month(second)
            || month(first) && (1..=31).contains(&second))
}
