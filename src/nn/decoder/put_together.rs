//! How each family of [`DecoderLayer`](super::layer::DecoderLayer)s and the model around them are
//! put together (`models/*/modeling_*.py` of transformers 5.23).

use super::layer::{Holds, Parts};
use super::style::{EmbeddingScale, Masks, Style};
use crate::model::{DecoderConfig, DecoderType, ImageKind, Latent, LatentRotary, LayerNames};
use crate::nn::attention::{Gate, Grids, HeadNorm, Sinks, Turn};
use crate::nn::build::{Facts, MaskStyle, NormKind, Transformers};

/// What differs from Llama.
pub(crate) fn of(c: &DecoderConfig, facts: Facts) -> (Style, Parts) {
    let recent = facts.transformers == Transformers::V5;
    let mut style = Style::llama(facts);
    let mut parts = plain();
    match c.model_type {
        DecoderType::Gemma
        | DecoderType::Gemma2
        | DecoderType::Gemma3
        | DecoderType::Gemma3n
        | DecoderType::Gemma4
        | DecoderType::VaultGemma => {
            gemma(c.model_type, recent, &mut style, &mut parts);
        }
        DecoderType::Olmo | DecoderType::Olmo2 | DecoderType::Olmo3 | DecoderType::FlexOlmo => {
            olmo(c.model_type, recent, &mut style, &mut parts);
        }
        DecoderType::DeepseekV32 | DecoderType::GlmMoeDsa => {
            style.masks = Masks::Always;
            parts.gives_weights = !c.indexed.is_empty();
        }
        DecoderType::DeepseekV2
        | DecoderType::DeepseekV3
        | DecoderType::Glm4MoeLite
        | DecoderType::AxK1 => {
            let complex = |latent: &Latent| latent.rotary == LatentRotary::Complex;
            style.complex_rotary = c.latent.as_ref().is_some_and(complex);
        }
        DecoderType::MiniCpm3 => {
            style.embedding_scale = EmbeddingScale::Buffer;
            style.scaled_hidden = true;
            parts.multiplied = true;
        }
        DecoderType::Granite
        | DecoderType::GraniteMoe
        | DecoderType::GraniteMoeShared
        | DecoderType::HyperClovaX => {
            let sparse = c.experts.is_some();
            style.embedding_scale = if sparse && recent {
                EmbeddingScale::Replaced
            } else {
                EmbeddingScale::Number
            };
            style.widened_for_loss = sparse && !recent;
            style.whole_head = style.widened_for_loss;
            style.scaled_logits = true;
            parts.multiplied = true;
            parts.contiguous_for_mask = !recent && sparse;
        }
        DecoderType::GptOss => {
            style.norm = NormKind::Olmo2;
            style.masks = Masks::Both;
            style.rotary_by_pair = true;
            parts.turn = Turn::Parts;
            parts.sinks = Some(Sinks::Score);
        }
        DecoderType::GraniteSwa | DecoderType::GraniteMoeSwa => {
            style.embedding_scale = EmbeddingScale::Number;
            style.scaled_logits = true;
            style.masks = Masks::Both;
            parts.multiplied = true;
            parts.sinks = Some(Sinks::Scale);
        }
        DecoderType::Cohere | DecoderType::Cohere2 | DecoderType::Cohere2Moe => {
            cohere(c, recent, &mut style, &mut parts);
        }
        DecoderType::StableLm | DecoderType::Persimmon => {
            partly_turned(c, recent, &mut style, &mut parts);
        }
        _ if !c.mixers.is_empty() => hybrid(c, &mut style, &mut parts),
        DecoderType::Nemotron => {
            style.norm = NormKind::OnePlus;
            parts.turn = Turn::Part;
        }
        DecoderType::Helium => {
            style.norm = NormKind::Helium;
            parts.turn = Turn::Pairs;
        }
        DecoderType::Glm | DecoderType::Glm4 => parts.turn = Turn::PartPairs,
        DecoderType::Llama4 => {
            style.norm = NormKind::Llama4;
            style.masks = Masks::Chunked;
            style.complex_rotary = true;
            parts.turns_rows = true;
            parts.narrow_softmax = true;
            parts.holds = Holds::Result;
        }
        DecoderType::Ernie45 | DecoderType::Ernie45Moe => {
            style.head_bias = c.head_bias;
            style.wide_rotary = true;
            parts.turn = Turn::WideNeighbours;
        }
        DecoderType::Glm4Moe => {
            parts.turn = Turn::FirstColumns;
            if c.head_norms {
                parts.head_norm = HeadNorm::Together(NormKind::Llama);
            }
        }
        _ => kin(c, facts, &mut style, &mut parts),
    }
    among_images(c, &mut style, &mut parts);
    (style, parts)
}

/// Qwen2 in Qwen2-VL, or Qwen3 in Qwen3-VL, whose tokens have places in images.
fn among_images(c: &DecoderConfig, style: &mut Style, parts: &mut Parts) {
    let images = c.images.as_ref();
    // Llama 3.2 Vision's layers part heads when all are projected.
    if images.is_some_and(|images| images.kind() == ImageKind::Mllama) {
        parts.projects_first = true;
    }
    if let Some(packed) = images.and_then(|images| images.packed()) {
        style.grids = match packed.deep {
            Some(_) => Grids::InTurn,
            None => Grids::Sections,
        };
        parts.projects_first = packed.deep.is_none();
    }
}

/// Command R and what came after it.
fn cohere(c: &DecoderConfig, recent: bool, style: &mut Style, parts: &mut Parts) {
    if !c.root_norms {
        style.norm = NormKind::Cohere;
    }
    style.scaled_logits = true;
    parts.turn = Turn::WidePairs;
    parts.head_norm = HeadNorm::Each.when(c.head_norms);
    if c.model_type != DecoderType::Cohere {
        style.masks = if recent { Masks::Both } else { Masks::Narrowed };
    }
}

/// `StableLM` and Persimmon, of whose heads the first columns are turned.
fn partly_turned(c: &DecoderConfig, recent: bool, style: &mut Style, parts: &mut Parts) {
    style.norm = NormKind::Layer;
    parts.turn = Turn::Part;
    let head_norm = if c.model_type == DecoderType::Persimmon {
        style.names[2] = LayerNames::of(c).last_norm;
        parts.holds = Holds::Turned;
        HeadNorm::Rows(NormKind::Layer)
    } else {
        parts.holds = Holds::Both;
        parts.unread_rotary = !recent;
        HeadNorm::Apart
    };
    parts.head_norm = head_norm.when(c.head_norms);
}

/// Llama's parts.
const fn plain() -> Parts {
    Parts {
        head_norm: HeadNorm::None,
        turn: Turn::Halves,
        drops_attended: false,
        holds: Holds::Nothing,
        gives_weights: false,
        adds_to_normalized: false,
        multiplied: false,
        contiguous_for_mask: false,
        sinks: None,
        unread_rotary: false,
        projects_first: false,
        scales_keys: false,
        gate: Gate::None,
        turns_rows: false,
        narrow_softmax: false,
    }
}

/// What differs from Llama in masks, norms of heads and dropout at most, Starcoder 2 and Phi-3.5-MoE in their norms too.
fn kin(c: &DecoderConfig, facts: Facts, style: &mut Style, parts: &mut Parts) {
    let recent = facts.transformers == Transformers::V5;
    (style.masks, style.masking) = masks(c, facts);
    parts.head_norm = match c.model_type {
        DecoderType::Qwen3 | DecoderType::Qwen3Moe | DecoderType::Dots1 | DecoderType::Mellum => {
            HeadNorm::Rows(NormKind::Llama)
        }
        DecoderType::Exaone4
        | DecoderType::ExaoneMoe
        | DecoderType::Apertus
        | DecoderType::HyV3 => HeadNorm::Heads(NormKind::Llama),
        DecoderType::HunyuanDense | DecoderType::HunyuanMoe => HeadNorm::Turned(NormKind::Llama),
        DecoderType::Olmoe | DecoderType::MiniMaxM2 => HeadNorm::Whole(NormKind::Llama),
        _ => HeadNorm::None,
    };
    if c.model_type == DecoderType::Starcoder2 {
        style.norm = NormKind::Layer;
        // transformers 4 runs the layers without looking at `gradient_checkpointing`.
        style.checkpoints = recent;
    }
    style.local_rotary = c.model_type == DecoderType::Mellum;
    if c.model_type == DecoderType::Jais2 {
        style.norm = NormKind::Layer;
    }
    if c.model_type == DecoderType::MiniMaxM2 {
        parts.turn = Turn::FirstColumns;
    }
    if c.model_type == DecoderType::PhiMoe {
        style.norm = NormKind::Layer;
        style.head_bias = c.head_bias;
        style.remade_rotary = true;
    }
    match c.model_type {
        DecoderType::Afmoe => {
            style.norm = NormKind::Olmo2;
            style.masks = Masks::Both;
            parts.head_norm = HeadNorm::Together(NormKind::Olmo2);
            parts.gate = Gate::Own;
            if c.scales_embedding {
                style.embedding_scale = EmbeddingScale::Late;
            }
        }
        DecoderType::NanoChat => {
            style.norm = NormKind::BareRoot;
            style.norm_before = true;
            parts.turn = Turn::Backwards;
            parts.head_norm = HeadNorm::Turned(NormKind::BareRoot);
        }
        _ => {}
    }
    parts.drops_attended = c.dropout.residual;
    if !recent {
        let qwen = c.model_type == DecoderType::Qwen2Moe;
        parts.contiguous_for_mask = qwen || c.model_type == DecoderType::Olmoe;
        parts.unread_rotary = qwen;
    }
}

/// Bamba, LFM2, Falcon-H1, Granite 4 and Jamba, whose layers mix tokens in more than one way.
fn hybrid(c: &DecoderConfig, style: &mut Style, parts: &mut Parts) {
    let names = LayerNames::of(c);
    style.names = ["model", names.embedding(), names.last_norm];
    style.looks_for_padding = true;
    match c.model_type {
        DecoderType::Jamba => {}
        DecoderType::MiniMax => parts.adds_to_normalized = true,
        DecoderType::OlmoHybrid => {
            style.norm = NormKind::Olmo2;
            style.wide_rotary = true;
            style.turns_alone = true;
            parts.turn = Turn::WideHalves;
            parts.head_norm = HeadNorm::Whole(style.norm);
        }
        DecoderType::NemotronH => {
            style.norm = NormKind::Helium;
            style.wide_logits = true;
        }
        _ if c.model_type.follows_delta_rule() => {
            style.norm = NormKind::Gemma;
            if c.model_type != DecoderType::Qwen3Next {
                style.grids = Grids::InTurn;
            }
            parts.turn = Turn::FirstColumns;
            parts.head_norm = HeadNorm::Rows(NormKind::Gemma);
            parts.gate = Gate::BesideQueries;
        }
        DecoderType::Bamba => {
            parts.turn = Turn::FirstColumns;
            parts.gives_weights = true;
        }
        DecoderType::Lfm2 | DecoderType::Lfm2Moe => {
            parts.head_norm = HeadNorm::Rows(NormKind::Llama);
        }
        DecoderType::GraniteMoeHybrid => {
            style.passes_positions = false;
            style.embedding_scale = EmbeddingScale::Number;
            style.scaled_logits = true;
            parts.multiplied = true;
        }
        _ => {
            style.embedding_scale = EmbeddingScale::Number;
            style.scaled_logits = true;
            parts.scales_keys = true;
        }
    }
}

/// `OLMo`, `OLMo` 2, `OLMo` 3 and `FlexOlmo`.
fn olmo(model_type: DecoderType, recent: bool, style: &mut Style, parts: &mut Parts) {
    if recent {
        // Weights of norms and rotary embeddings are applied in float32.
        style.wide_rotary = true;
        parts.turn = Turn::WideHalves;
    }
    style.norm = match model_type {
        DecoderType::Olmo => NormKind::Bare,
        _ if recent => NormKind::Olmo2,
        _ => NormKind::Llama,
    };
    if model_type != DecoderType::Olmo {
        parts.head_norm = HeadNorm::Whole(style.norm);
    }
    if model_type == DecoderType::Olmo3 {
        style.masks = Masks::Both;
        style.local_rotary = true;
    }
}

/// Gemma, Gemma 2, the text parts of Gemma 3, 3n and 4, and `VaultGemma`.
fn gemma(model_type: DecoderType, recent: bool, style: &mut Style, parts: &mut Parts) {
    let third = model_type == DecoderType::Gemma3;
    let fourth = matches!(model_type, DecoderType::Gemma3n | DecoderType::Gemma4);
    style.norm = if fourth {
        NormKind::Power
    } else {
        NormKind::Gemma
    };
    style.embedding_scale = if recent || third {
        EmbeddingScale::Buffer
    } else {
        EmbeddingScale::Late
    };
    if model_type == DecoderType::Gemma {
        return;
    }
    style.masks = if recent { Masks::Both } else { Masks::Narrowed };
    style.local_rotary = third || fourth;
    if third {
        parts.head_norm = HeadNorm::Heads(NormKind::Gemma);
    }
}

/// How a member of Llama's family makes its masks. Those that can have a window compare positions
/// in transformers 4; since transformers 5 Qwen's has one mask a kind of layer.
fn masks(c: &DecoderConfig, facts: Facts) -> (Masks, MaskStyle) {
    let style = match (facts.transformers, c.model_type) {
        (Transformers::V5, _) | (_, DecoderType::Llama) => facts.mask_style(),
        (Transformers::V448, DecoderType::Qwen2) => MaskStyle::Triangle,
        (_, DecoderType::Mistral | DecoderType::Starcoder2) => {
            facts.compared_mask_style(c.sliding_window.is_some())
        }
        _ => MaskStyle::Window,
    };
    let masks = match c.model_type {
        _ if facts.transformers != Transformers::V5 => Masks::One,
        DecoderType::Doge => Masks::Always,
        DecoderType::Qwen2Moe | DecoderType::Ministral | DecoderType::Cwm => Masks::Both,
        DecoderType::Qwen2
        | DecoderType::Qwen3
        | DecoderType::SmolLm3
        | DecoderType::Dots1
        | DecoderType::Exaone4
        | DecoderType::ExaoneMoe
        | DecoderType::Mellum
            if c.windowed.contains(&true) =>
        {
            Masks::Both
        }
        _ => Masks::One,
    };
    (masks, style)
}
