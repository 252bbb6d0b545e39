//! What `generate` asks of a model, by family and version of transformers.

use crate::ask::Task;
use crate::families::{has_places, takes_logits_to_keep};
use crate::model::{
    Architecture, BartKind, DecoderConfig, DecoderType, ImageConfig, ImageKind, ResolvedSpec,
    Transformers,
};
use crate::nn::build::Facts;
use crate::tape::CacheKind;

/// How `generate` calls a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calling {
    /// Tokens that `generate` has as numbers on the device besides that of padding: those that begin
    /// a text, and a decoder's, as far as its config's class names them (`configuration_*.py`).
    pub special_tokens: u64,
    /// Whether the last token is forced to be the one that ends a text (`forced_eos_token_id`).
    pub forced_end: bool,
    /// Whether tokens that would repeat what its source says are ruled out
    /// (`encoder_no_repeat_ngram_size`).
    pub repeats_nothing: bool,
    /// Whether it hears recordings (Whisper).
    pub hears: bool,
    /// Whether an encoder runs first.
    pub encodes: bool,
    /// Whether it is given token positions.
    pub positions: bool,
    /// Whether it prepares its inputs itself: nothing but the newest token and the mask
    /// (flash-linear-attention 0.2.2).
    pub prepares_inputs: bool,
    /// Whether a mask of ones is dropped before it is called. (It is from every decoder of transformers
    /// 5 where the mask's values can be read, which those of other families were measured without.)
    pub drops_mask: bool,
    /// Whether it makes logits of the last position alone.
    pub last_logits: bool,
    /// What it keeps from one token to the next.
    pub cache: CacheKind,
    /// Whether it returns tuples where no cache is given to it (`return_legacy_cache`).
    pub returns_tuples: bool,
    /// Whether it keeps nothing where it is given labels (BART).
    pub labels_or_cache: bool,
    /// Whether it keeps anything while it trains: in transformers 4 models with a `HybridCache` do not.
    pub keeps: bool,
    /// Kinds of tokens `[B, S]` that come with a prompt with images, and what becomes of them.
    pub kinds: Option<Kinds>,
    /// Squares of images which of a text's tokens see is told, where layers of their own attend to them
    /// (Llama 3.2 Vision).
    pub crossed: Option<u64>,
    /// Whether positions begin with 1 (`PaliGemma`).
    pub later_positions: bool,
    /// The version that calls it.
    pub version: GenerateVersion,
}

/// What becomes of the kinds of tokens as a text grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// They grow by the last one, and the model is given that (`PaliGemma`), or nothing (Gemma 3).
    Repeated {
        /// Whether it is given.
        given: bool,
    },
    /// They grow by that of a text's token.
    OfTexts,
}

impl Kinds {
    /// Those of a model that sees images.
    fn of(images: &ImageConfig, spec: &ResolvedSpec) -> Option<Self> {
        match images.kind() {
            _ if images.packed().is_some() => Some(Self::OfTexts),
            ImageKind::Gemma3 | ImageKind::PaliGemma if spec.images > 0 => Some(Self::Repeated {
                given: images.kind() == ImageKind::PaliGemma,
            }),
            _ => None,
        }
    }
}

/// The versions of `generation/utils.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateVersion {
    /// transformers 4.48.
    V448,
    /// transformers 4.51.
    V451,
    /// transformers 5.23.
    V5,
}

impl Calling {
    pub(crate) fn of(spec: &ResolvedSpec) -> Self {
        let version = Facts::of(spec).transformers;
        let family = match &spec.architecture {
            Architecture::Decoder(config) => Some(config.model_type),
            _ => None,
        };
        let linear = matches!(spec.architecture, Architecture::Fla(_));
        let images = spec.architecture.images();
        let is = |families: &[DecoderType]| family.is_some_and(|own| families.contains(&own));
        let recent = version == Transformers::V5;
        let early = version == Transformers::V448;
        let bart =
            matches!(&spec.architecture, Architecture::Bart(config) if config.recordings.is_none());
        let hears = !bart && matches!(&spec.architecture, Architecture::Bart(_));
        let legacy = is(&[
            DecoderType::Bloom,
            DecoderType::CodeGen,
            DecoderType::Falcon,
            DecoderType::GptNeo,
            DecoderType::GptJ,
            DecoderType::GraniteMoe,
            DecoderType::Olmoe,
            DecoderType::PhiMoe,
            DecoderType::Qwen2Moe,
            DecoderType::StableLm,
        ]) || is(if early {
            &[DecoderType::GptNeox]
        } else {
            &[DecoderType::GraniteMoeShared, DecoderType::Opt]
        });
        let tuples = bart
            || is(&[DecoderType::Gpt2, DecoderType::Mpt])
            || (early && is(&[DecoderType::Opt]));
        let hybrid = family.is_some_and(has_places);
        let encodes = spec.task == Task::Seq2SeqLm;
        Self {
            special_tokens: match &spec.architecture {
                Architecture::Bart(_) if hears => 3,
                Architecture::Bart(_) | Architecture::T5Gemma(_) => 2,
                Architecture::T5(_) | Architecture::ModernBert(_) => 1,
                Architecture::Decoder(config) => u64::from(starts(config)),
                _ => u64::from(linear),
            },
            forced_end: matches!(&spec.architecture, Architecture::Bart(config)
                if bart && config.kind != BartKind::M2m100),
            repeats_nothing: matches!(&spec.architecture, Architecture::Bart(config)
                if config.repeats_nothing),
            hears,
            encodes,
            positions: !encodes
                && !linear
                && !bart
                && !is(&[
                    DecoderType::Bloom,
                    DecoderType::Mpt,
                    DecoderType::Mamba,
                    DecoderType::FalconMamba,
                    DecoderType::Mamba2,
                ]),
            last_logits: takes_logits_to_keep(&spec.architecture, spec.framework),
            prepares_inputs: linear && !recent,
            drops_mask: (linear || images.is_some()) && recent && !spec.padding_mask,
            cache: match (recent, tuples) {
                (true, _) => CacheKind::Joined,
                (false, true) => CacheKind::Tuples,
                (false, false) if hybrid => CacheKind::Fixed,
                (false, false) => CacheKind::Given,
            },
            returns_tuples: !recent && (legacy || tuples || encodes),
            labels_or_cache: bart && encodes,
            keeps: recent || !hybrid,
            kinds: images.and_then(|images| Kinds::of(images, spec)),
            crossed: match images {
                Some(ImageConfig::Crossed(c)) if spec.images > 0 => Some(c.tiles * spec.images),
                _ => None,
            },
            later_positions: images.is_some_and(|images| images.kind() == ImageKind::PaliGemma),
            version: match version {
                Transformers::V448 => GenerateVersion::V448,
                Transformers::V451 => GenerateVersion::V451,
                Transformers::V5 => GenerateVersion::V5,
            },
        }
    }
}

/// Whether a token with which texts begin is made for a decoder, because its config names one
/// (`bos_token_id`).
fn starts(config: &DecoderConfig) -> bool {
    let images = config.images.as_ref().map(|images| images.kind());
    // The text part of Qwen2-VL names it, which Qwen2 does not.
    let qwen_vl = matches!(images, Some(ImageKind::Qwen2 | ImageKind::Qwen25));
    let without = [
        DecoderType::Qwen2,
        DecoderType::Qwen3,
        DecoderType::Qwen2Moe,
        DecoderType::Qwen3Moe,
        DecoderType::Olmo,
        DecoderType::Olmo2,
        DecoderType::Olmo3,
        DecoderType::Olmoe,
        DecoderType::FlexOlmo,
        DecoderType::Glm,
        DecoderType::Glm4,
        DecoderType::Glm4Moe,
        DecoderType::Dots1,
        DecoderType::OlmoHybrid,
        DecoderType::GptOss,
        DecoderType::Mpt,
    ];
    let named = config.starts;
    named.unwrap_or(qwen_vl || !without.contains(&config.model_type))
}

/// Tokens that each layer of a decoder sees, of those that do not see all.
pub(crate) fn windows(architecture: &Architecture) -> Vec<Option<u64>> {
    let config = match architecture {
        Architecture::Decoder(config) => config,
        Architecture::T5Gemma(config) => &config.decoder,
        Architecture::ModernBert(config) => {
            let window = |&near: &bool| near.then_some(config.window);
            return config.windowed.iter().map(window).collect();
        }
        _ => return Vec::new(),
    };
    let window = |&near: &bool| config.sliding_window.filter(|_| near);
    config.windowed.iter().map(window).collect()
}
