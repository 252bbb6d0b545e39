//! Requests of `generate` to a model, by family and version of transformers.

use crate::ask::Task;
use crate::model::{
    Architecture, CacheIn4, DecoderConfig, Generation, ImageConfig, ResolvedSpec, TokenKinds,
    Transformers,
};
use crate::nn::build::Facts;
use crate::tape::CacheKind;

/// How `generate` calls a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calling {
    /// Tokens that `generate` has as numbers on the device besides the padding token: the tokens that begin a text, and
    /// a decoder's, as far as its config's class names them (`configuration_*.py`).
    pub special_tokens: u64,
    /// Whether the last token is forced to be the end-of-text token (`forced_eos_token_id`).
    pub forced_end: bool,
    /// Whether tokens that would repeat what its source says are ruled out
    /// (`encoder_no_repeat_ngram_size`).
    pub repeats_nothing: bool,
    /// Whether it reads recordings (Whisper).
    pub reads_audio: bool,
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
    /// Its cache from one token to the next.
    pub cache: CacheKind,
    /// Whether it returns tuples where no cache is given to it (`return_legacy_cache`).
    pub returns_tuples: bool,
    /// Whether it keeps nothing where it is given labels (BART).
    pub labels_or_cache: bool,
    /// Whether it keeps anything while it trains: in transformers 4 models with a `HybridCache` do not.
    pub keeps: bool,
    /// Kinds of tokens `[B, S]` that come with a prompt with images, and what becomes of them.
    pub kinds: Option<TokenKinds>,
    /// Squares of images which of a text's tokens see is told, where layers of their own attend to them
    /// (Llama 3.2 Vision).
    pub crossed: Option<u64>,
    /// Whether positions begin with 1 (`PaliGemma`).
    pub later_positions: bool,
    /// The version that calls it.
    pub version: GenerateVersion,
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
        let generation = spec.architecture.generation();
        let whole = spec.architecture.whole_family();
        let of_whole = whole.map_or(Generation::NONE, |family| family.generation);
        let images = spec.architecture.images();
        let recent = version == Transformers::V5;
        let kept = generation.cache_in(spec.framework);
        let encodes = spec.task == Task::Seq2SeqLm;
        Self {
            special_tokens: match &spec.architecture {
                Architecture::Decoder(DecoderConfig {
                    starts: Some(starts),
                    ..
                }) => u64::from(*starts),
                _ => generation.special_tokens.max(of_whole.special_tokens),
            },
            forced_end: generation.forced_end,
            repeats_nothing: spec.architecture.repeats_nothing(),
            reads_audio: encodes && spec.architecture.reads_spectrograms(),
            encodes,
            positions: generation.positions,
            last_logits: spec.architecture.takes_logits_to_keep(spec.framework),
            prepares_inputs: !generation.prepares_as_usual.is_in(spec.framework),
            drops_mask: (generation.drops_mask || images.is_some()) && recent && !spec.padding_mask,
            cache: match kept {
                _ if recent => CacheKind::Joined,
                CacheIn4::Tuples => CacheKind::Tuples,
                CacheIn4::Places => CacheKind::Fixed,
                CacheIn4::Given | CacheIn4::Returned => CacheKind::Given,
            },
            returns_tuples: matches!(kept, CacheIn4::Returned | CacheIn4::Tuples),
            labels_or_cache: generation.labels_or_cache && encodes,
            keeps: kept != CacheIn4::Places,
            kinds: of_whole
                .kinds
                .filter(|&kinds| kinds == TokenKinds::OfTexts || spec.images > 0),
            crossed: match images {
                Some(ImageConfig::Crossed(c)) if spec.images > 0 => Some(c.tiles * spec.images),
                _ => None,
            },
            later_positions: of_whole.later_positions,
            version: match version {
                Transformers::V448 => GenerateVersion::V448,
                Transformers::V451 => GenerateVersion::V451,
                Transformers::V5 => GenerateVersion::V5,
            },
        }
    }
}
