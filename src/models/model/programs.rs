//! Programs of a family: since which version of transformers, for which tasks, and how it generates.

use super::{Architecture, Family, ImageConfig};
use crate::ask::{Finding, Framework, Scenario, Task};

/// The first version of transformers that has a feature and in which it is estimated. A feature as old as its family
/// says [`Since::V448`]: nothing is older than its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Since {
    /// transformers 4.48.
    V448,
    /// transformers 4.51.
    V451,
    /// transformers 5.23.
    V5,
    /// None of them.
    Never,
}

impl Since {
    /// Whether the feature exists in a version.
    pub fn is_in(self, framework: Framework) -> bool {
        self <= match framework {
            Framework::Torch26Transformers448 => Self::V448,
            Framework::Torch26Transformers451 => Self::V451,
            Framework::Torch215Transformers523
            | Framework::Torch211Transformers523
            | Framework::Torch215MegatronCore016 => Self::V5,
        }
    }
}

/// A check of one family: it refuses settings that the code in transformers does not support, or that are not estimated
/// for it.
pub type Check = fn(&Scenario, &Architecture, Task, &mut Vec<Finding>);

/// Height and width in pixels of the images of a scenario, as a family's processor makes them.
pub type ImageSides = fn(&Scenario, &ImageConfig, &mut Vec<Finding>) -> [u64; 2];

/// The task of decoders with which nothing classifies.
pub const CAUSAL_LM: &[Task] = &[Task::CausalLm];

/// The tasks of most decoders.
pub const CLASSIFYING_DECODER: &[Task] = &[Task::CausalLm, Task::SequenceClassification];

/// The tasks of encoders that look for no answers.
pub const ENCODER: &[Task] = &[
    Task::MaskedLm,
    Task::SequenceClassification,
    Task::TokenClassification,
];

/// The tasks of most encoders.
pub const ANSWERING_ENCODER: &[Task] = &[
    Task::MaskedLm,
    Task::SequenceClassification,
    Task::TokenClassification,
    Task::QuestionAnswering,
];

/// Heads of encoders that classify: version 5 quantizes all of their layers, transformers 4 leaves the last
/// layer whole, and these have no other that PEFT trains.
pub const QUANTIZED_HEADS: &[(Task, Since)] = &[
    (Task::SequenceClassification, Since::V5),
    (Task::TokenClassification, Since::V5),
    (Task::QuestionAnswering, Since::V5),
];

/// Such heads with another layer before the last one of a classifier.
pub const QUANTIZED_INNER_HEADS: &[(Task, Since)] = &[
    (Task::SequenceClassification, Since::V448),
    (Task::TokenClassification, Since::V5),
    (Task::QuestionAnswering, Since::V5),
];

/// Such heads with a layer for answers whose name PEFT does not expect.
pub const QUANTIZED_CLASSIFIERS: &[(Task, Since)] = &[
    (Task::SequenceClassification, Since::V5),
    (Task::TokenClassification, Since::V5),
];

/// How `forward` is told how many last positions get logits (`logits_to_keep`, `num_logits_to_keep` in 4.48;
/// `modeling_*.py` of 4.48.3, 4.51.3 and 5.23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogitsToKeep {
    /// By a parameter, since this version.
    Since(Since),
    /// By a parameter of the decoder alone; an encoder before it leaves none.
    Alone,
}

/// The cache of a model from one token to the next in transformers 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheIn4 {
    /// The `Cache` that it is given or makes.
    Given,
    /// The same, returned as tuples where none was given (`return_legacy_cache`).
    Returned,
    /// Tuples.
    Tuples,
    /// Places that are made beforehand (`HybridCache`, `cache_implementation` of `configuration_*.py`). They
    /// are not compiled for it: `is_compileable` of that class is commented out. While it trains it keeps
    /// nothing.
    Places,
}

/// Kinds of tokens `[B, S]` that come with a prompt with images, and what becomes of them as a text grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKinds {
    /// The kind of the last token is repeated. The model is given the kinds (`PaliGemma`), or not (Gemma 3).
    Repeated {
        /// Whether the model is given the kinds.
        given: bool,
    },
    /// New tokens have the kind of a text's token.
    OfTexts,
}

/// How a family generates and keeps keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Since which version the cache that a model keeps from one token to the next is estimated.
    pub caches: Since,
    /// Since which version `generate` with that cache is estimated.
    pub generates: Since,
    /// Whether `generate` with the cache is estimated with beams.
    pub beams: bool,
    /// Whether that is estimated with the flash-attn package.
    pub flash: bool,
    /// Whether its decoder keeps keys and values unless it is told not to, whatever `use_cache` is by default.
    pub keeps_by_default: bool,
    /// How many positions get logits.
    pub logits_to_keep: LogitsToKeep,
    /// Its caches in transformers 4.48 and in 4.51.
    pub caches_in_4: [CacheIn4; 2],
    /// Whether it keeps nothing where it is given labels.
    pub labels_or_cache: bool,
    /// Tokens that `generate` has as numbers on the device besides the padding token: the tokens that begin a text, and
    /// a decoder's, as far as its config's class names them (`configuration_*.py`).
    pub special_tokens: u64,
    /// Whether the last token is forced to be the end-of-text token (`forced_eos_token_id`).
    pub forced_end: bool,
    /// Whether it is given token positions.
    pub positions: bool,
    /// Since when it prepares its inputs as transformers does, if it does: before, it is given nothing but the
    /// newest token and the mask (flash-linear-attention 0.2.2).
    pub prepares_as_usual: Since,
    /// Whether a mask of ones is dropped before it is called, in transformers 5. (It is from every decoder
    /// where the mask's values can be read, which those of other families were measured without.)
    pub drops_mask: bool,
    /// Kinds of tokens that come with a prompt with images.
    pub kinds: Option<TokenKinds>,
    /// Whether positions begin with 1, where there are images.
    pub later_positions: bool,
}

impl Generation {
    /// Models that generate nothing: encoders, and models that are not estimated.
    pub const NONE: Self = Self {
        caches: Since::Never,
        generates: Since::Never,
        beams: true,
        flash: false,
        keeps_by_default: false,
        logits_to_keep: LogitsToKeep::Since(Since::Never),
        caches_in_4: [CacheIn4::Given; 2],
        labels_or_cache: false,
        special_tokens: 0,
        forced_end: false,
        positions: false,
        prepares_as_usual: Since::V448,
        drops_mask: false,
        kinds: None,
        later_positions: false,
    };

    /// The program of most decoders.
    pub const DECODER: Self = Self {
        caches: Since::V448,
        generates: Since::V448,
        logits_to_keep: LogitsToKeep::Since(Since::V448),
        special_tokens: 1,
        positions: true,
        ..Self::NONE
    };
}

impl Family {
    /// The task that it is trained for unless another one is asked for.
    pub fn own_task(&self) -> Task {
        self.tasks.first().copied().unwrap_or(Task::CausalLm)
    }

    /// The tasks that are estimated of it in a version, its own first.
    pub fn tasks_in(&self, framework: Framework) -> Vec<Task> {
        let comes = |task: &Task| match self.later_tasks.iter().find(|(later, _)| later == task) {
            Some((_, since)) => since.is_in(framework),
            None => true,
        };
        self.tasks.iter().copied().filter(comes).collect()
    }

    /// Whether it reads texts at once and keeps nothing of them.
    pub fn encodes_texts(&self) -> bool {
        self.own_task() == Task::MaskedLm
    }
}

impl Generation {
    /// Its cache in a version; transformers 5 gives every model a `Cache`.
    pub fn cache_in(&self, framework: Framework) -> CacheIn4 {
        match framework {
            Framework::Torch26Transformers448 => self.caches_in_4[0],
            Framework::Torch26Transformers451 => self.caches_in_4[1],
            Framework::Torch215Transformers523
            | Framework::Torch211Transformers523
            | Framework::Torch215MegatronCore016 => CacheIn4::Given,
        }
    }
}

impl Architecture {
    /// How it generates; one linear layer does not.
    pub fn generation(&self) -> Generation {
        self.family()
            .map_or(Generation::NONE, |family| family.generation)
    }

    /// Whether `forward` has a parameter for how many last positions get logits.
    pub fn takes_logits_to_keep(&self, framework: Framework) -> bool {
        match self.generation().logits_to_keep {
            LogitsToKeep::Since(since) => since.is_in(framework),
            LogitsToKeep::Alone => !self.is_encoder_decoder(),
        }
    }

    /// Whether `generate` rules out tokens that would repeat what its source says
    /// (`encoder_no_repeat_ngram_size`).
    pub fn repeats_nothing(&self) -> bool {
        matches!(self, Self::Bart(config) if config.repeats_nothing)
    }

    /// Tokens that each layer of a decoder sees; `None` for layers that see all.
    pub fn windows(&self) -> Vec<Option<u64>> {
        let (windowed, window) = match self {
            Self::Decoder(config) => (&config.windowed, config.sliding_window),
            Self::T5Gemma(config) => (&config.decoder.windowed, config.decoder.sliding_window),
            Self::ModernBert(config) => (&config.windowed, Some(config.window)),
            _ => return Vec::new(),
        };
        let seen = |&near: &bool| window.filter(|_| near);
        windowed.iter().map(seen).collect()
    }
}
