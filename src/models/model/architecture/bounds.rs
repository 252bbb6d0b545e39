//! The sizes by which limits bound what a model makes.

use crate::model::{
    BeitConfig, ConvNetConfig, DecoderConfig, DualConfig, EuroBertConfig, ModernBertConfig,
    SpeechConfig, SwinConfig, T5GemmaConfig, TowerConfig, VitConfig,
};

/// The sizes of a transformer that bound its tensors.
pub(super) struct Bounds {
    /// H.
    pub(super) hidden: u64,
    /// F.
    pub(super) intermediate: u64,
    /// V.
    pub(super) vocab_size: u64,
    /// A.
    pub(super) heads: u64,
    /// D.
    pub(super) head_dim: u64,
    /// Tokens that a layer sees at most.
    pub(super) window: Option<u64>,
    /// Rows of tables of positions.
    pub(super) position_rows: u64,
}

pub(super) fn of_modernbert(c: &ModernBertConfig) -> Bounds {
    Bounds {
        hidden: c.hidden_size,
        intermediate: (2 * c.intermediate_size).max(3 * c.hidden_size),
        vocab_size: c.vocab_size,
        heads: c.num_attention_heads,
        head_dim: c.head_dim,
        window: Some(c.window),
        position_rows: 0,
    }
}

pub(super) fn of_eurobert(c: &EuroBertConfig) -> Bounds {
    Bounds {
        hidden: c.hidden_size,
        intermediate: c.intermediate_size,
        vocab_size: c.vocab_size,
        heads: c.num_attention_heads,
        head_dim: c.head_dim,
        window: None,
        position_rows: 0,
    }
}

/// Bounds of a vision transformer.
pub(super) fn of_images(c: &VitConfig) -> Bounds {
    let pixels = c.num_channels * c.patch_size * c.patch_size;
    let inner = c.intermediate_size.max(pixels);
    let heads = c.num_attention_heads;
    Bounds {
        hidden: c.hidden_size,
        intermediate: inner,
        vocab_size: c.num_labels,
        heads,
        head_dim: c.head_dim,
        window: None,
        position_rows: c.tokens(),
    }
}

/// Bounds of Swin: of its last stage, which reads four patches at once.
pub(super) fn of_windows(c: &SwinConfig) -> Bounds {
    let heads = c.stages.iter().map(|[_, heads]| *heads).max();
    let pixels = c.num_channels * c.patch_size * c.patch_size;
    let hidden = 4 * c.last_width();
    let inner = c.inner(c.stages.len() - 1).max(pixels);
    Bounds {
        hidden,
        intermediate: inner,
        vocab_size: c.num_labels,
        heads: heads.unwrap_or(1),
        head_dim: hidden,
        window: None,
        position_rows: 0,
    }
}

/// Bounds of `BEiT`.
pub(super) fn of_beit(c: &BeitConfig) -> Bounds {
    let inner = c
        .intermediate_size
        .max(c.num_channels * c.patch_size.pow(2));
    let heads = c.num_attention_heads;
    Bounds {
        hidden: c.hidden_size,
        intermediate: inner,
        vocab_size: c.num_labels,
        heads,
        head_dim: c.head_dim,
        window: None,
        position_rows: c.tokens(),
    }
}

/// Bounds of a network of convolutions, in which nothing attends.
pub(super) fn of_convolutions(c: &ConvNetConfig) -> Bounds {
    Bounds {
        hidden: c.widest(),
        intermediate: 4 * c.last_width(),
        vocab_size: c.num_labels,
        heads: 1,
        head_dim: 1,
        window: None,
        position_rows: 0,
    }
}

/// Bounds of a model that hears waveforms.
pub(super) fn of_speech(c: &SpeechConfig) -> Bounds {
    Bounds {
        hidden: c.hidden_size,
        intermediate: c.intermediate_size.max(c.widest()),
        vocab_size: c.vocab_size.max(c.num_labels),
        heads: c.num_attention_heads,
        head_dim: c.head_dim,
        window: None,
        position_rows: 0,
    }
}

/// Bounds of a model that sees images and reads texts: the larger ones of both.
pub(super) fn of_pairs(c: &DualConfig) -> Bounds {
    let text = c.text.as_ref();
    let larger = |size: fn(&TowerConfig) -> u64| {
        let read = text.map_or(0, |text| size(&text.tower));
        size(&c.vision).max(read)
    };
    let pixels = c.num_channels * c.patch_size * c.patch_size;
    Bounds {
        hidden: larger(|tower| tower.hidden_size),
        intermediate: larger(|tower| tower.intermediate_size)
            .max(pixels)
            .max(c.projection),
        vocab_size: text.map_or(c.num_labels, |text| text.vocab_size),
        heads: larger(|tower| tower.num_attention_heads),
        head_dim: larger(|tower| tower.head_dim),
        window: None,
        position_rows: text.map_or_else(|| c.image_tokens(), |text| text.max_position_embeddings),
    }
}

/// The larger of both stacks in each.
pub(super) fn of_t5gemma(c: &T5GemmaConfig) -> Bounds {
    let larger = |size: fn(&DecoderConfig) -> u64| size(&c.encoder).max(size(&c.decoder));
    Bounds {
        hidden: larger(|c| c.hidden_size),
        intermediate: larger(|c| c.intermediate_size),
        vocab_size: larger(|c| c.vocab_size),
        heads: larger(|c| c.num_attention_heads),
        head_dim: larger(|c| c.head_dim),
        window: c.decoder.sliding_window,
        position_rows: 0,
    }
}
