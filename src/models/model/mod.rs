//! The vocabulary of models as plain data: architectures with all their sizes, the names of their parts, and
//! [`ResolvedSpec`], all that is true of a run.
//!
//! Nothing here reads a config (`families`), checks one (`resolve`) or computes (`nn`).
//!
//! Invariants: only `resolve` makes a `ResolvedSpec`; all its products of sizes fit in `u64` with room to
//! spare; a field that a model does not have is at its neutral value.

mod activation;
mod architecture;
mod bart;
mod beit;
mod bert;
pub(crate) mod config_fields;
mod conv_nets;
pub(crate) mod decoder;
mod distilbert;
mod division;
mod dual;
mod eurobert;
mod expert_rule;
pub(crate) mod experts;
mod exported;
mod family;
mod fla;
mod gemma_layers;
mod held;
mod images;
mod input;
mod latent;
mod layer_names;
mod modernbert;
mod modules;
mod options;
mod parts;
mod programs;
mod repetition;
mod resolved;
mod routing;
mod sizes;
mod speech;
mod style;
mod support;
mod swin;
mod t5;
mod versions;
mod vit;
mod vllm;
mod window;

pub use activation::Activation;
pub use architecture::{Architecture, Dimensions, Uniform};
pub use bart::{BartConfig, BartKind, BartStack, Recordings};
pub use beit::BeitConfig;
pub use bert::{BertConfig, BertKind, Esm, PreNorm, Relative};
pub(crate) use config_fields::shortened;
#[cfg(test)]
pub(crate) use config_fields::{ASKED, Asked};
pub use config_fields::{AttributeMap, ConfigFields};
pub use conv_nets::{ConvNetConfig, ConvNetKind};
pub use decoder::{
    DecoderConfig, FusedHeads, InnerNorms, LAMBDAS, Mixing, RESIDUALS, ScanHeads, StateSpace,
};
pub use distilbert::DistilBertConfig;
pub use division::{
    EXPERTS_PLAN, FUSED_MLP_PLAN, GATHERED_EXPERTS_PLAN, GATHERED_PLAN, LLAMA_PLAN, LocalStage,
    MIXED_PLAN, PLAIN_MLP_PLAN, ParameterMarks, SHARED_EXPERTS_PLAN, TensorPart, TensorPlan,
    TensorStyle, style_of,
};
pub use dual::{DualConfig, DualKind, TextTower, TowerConfig};
pub use eurobert::{EuroBertConfig, Pooling};
pub use expert_rule::{ExpertRule, SharedWidth, SparseLayers};
pub(crate) use experts::EXPERTS;
pub use experts::{AFTER_EXPERTS, ExpertForm, Experts, LATENT, PLAIN, SharedForm, StoredExperts};
pub use exported::ExportedConfig;
pub use family::{ConfigParts, Family, Proof, Reader};
pub(crate) use fla::NORM_WIDTH;
pub use fla::{FlaAttention, FlaConfig, FlaFused, FlaMixer, FlaStateSpace};
pub use gemma_layers::{AltUp, GEMMA_NORMS, GemmaLayers, KeysAndValues};
pub use held::HeldConfig;
pub(crate) use images::ARRANGEMENTS;
pub use images::IMAGES;
pub use images::{
    CrossedConfig, DeepConfig, InternConfig, JoinedConfig, PackedConfig, ROWS_OF_IMAGES,
    WholeConfig,
};
pub use images::{ImageConfig, ImageKind};
pub use input::Input;
pub use latent::{Indexer, Latent, LatentRotary};
pub use layer_names::{BESIDE, LayerNames, MlpNames, Piece, SPARSE};
pub use modernbert::{ModernBertBiases, ModernBertConfig};
pub use modules::{Module, ModuleKind, Parameter};
pub use options::{
    Biases, Dropout, DropoutFields, Flag, MlpFunction, Options, RotaryColumns, RotaryLayers,
};
pub use parts::{
    AttentionKind, DeltaRule, Gate, Grids, HeadNorm, Holds, Parts, PutTogether, RotaryKind, Sinks,
};
pub use programs::{
    ANSWERING_ENCODER, CAUSAL_LM, CLASSIFYING_DECODER, CacheIn4, Check, ENCODER, Generation,
    ImageSides, LogitsToKeep, QUANTIZED_CLASSIFIERS, QUANTIZED_HEADS, QUANTIZED_INNER_HEADS, Since,
    TokenKinds,
};
pub use resolved::{DeviceFacts, HostFacts, ResolvedSpec, SavedOperations};
pub use routing::{Correction, Groups, LogitsDtype, Routing, SigmoidScores};
pub use sizes::{HeadDim, Sizes};
pub use speech::{SpeechConfig, SpeechKind};
pub use style::{EmbeddingScale, MaskStyle, MaskingIn4, Masks, NormKind, Style};
pub use support::{
    AdapterSupport, AttentionSupport, CacheSupport, FlashRefusal, LigerSupport, QuantizedSupport,
    SupportCheck, Versions,
};
pub use swin::SwinConfig;
pub use t5::{T5Config, T5GemmaConfig, T5Kind};
pub use versions::Transformers;
pub use vit::{Spectrogram, VitConfig, VitKind};
pub use vllm::VllmShare;
pub use window::{Window, WindowLayers, WindowOn};
