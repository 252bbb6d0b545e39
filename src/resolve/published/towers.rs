//! Numbers of parameters of what sees images.

use crate::model::{
    BeitConfig, ConvNetConfig, ConvNetKind, CrossedConfig, DualConfig, DualKind, ImageConfig,
    ImageKind, InternConfig, JoinedConfig, PackedConfig, ROWS_OF_IMAGES, SwinConfig, TowerConfig,
    VitConfig, VitKind,
};

fn feed_forward(t: &TowerConfig) -> u64 {
    2 * t.hidden_size * t.intermediate_size + t.intermediate_size
}

/// Those of layers over images or texts, and of the norm after them.
fn tower_parameters(t: &TowerConfig) -> u64 {
    let h = t.hidden_size;
    t.num_hidden_layers * (4 * (h * h + h) + feed_forward(t) + h + 4 * h) + 2 * h
}

/// Those of what sees images.
fn vision_parameters(c: &DualConfig) -> u64 {
    let seen = c.vision.hidden_size;
    let patches = c.num_channels * c.patch_size * c.patch_size * seen;
    let head = 4 * (seen * seen + seen) + feed_forward(&c.vision) + 4 * seen;
    patches
        + c.image_tokens() * seen
        + tower_parameters(&c.vision)
        + match c.kind {
            DualKind::Clip => 3 * seen,
            _ => seen + if c.pools { head } else { 0 },
        }
}

/// Those of a tower and of two layers between it and a decoder of `hidden` columns.
pub(crate) fn image_parameters(c: &ImageConfig, hidden: u64) -> u64 {
    let c = match c {
        ImageConfig::Whole(c) => c,
        ImageConfig::Crossed(c) => return crossed_parameters(c, hidden),
        ImageConfig::Intern(c) => return intern_parameters(c, hidden),
        ImageConfig::Joined(c) => return joined_parameters(c, hidden),
        ImageConfig::Packed(c) => return packed_parameters(c, hidden),
    };
    let seen = c.tower.vision.hidden_size;
    if c.kind.is_idefics() {
        return vision_parameters(&c.tower) + seen * c.merge * c.merge * hidden;
    }
    if c.kind == ImageKind::Gemma3 {
        return vision_parameters(&c.tower) + seen * hidden + seen;
    }
    let second = match c.kind {
        ImageKind::PaliGemma => 0,
        ImageKind::LlavaNext => (hidden + 2) * hidden,
        _ => (hidden + 1) * hidden,
    };
    vision_parameters(&c.tower) + (seen + 1) * hidden + second
}

/// Those of Mllama's tower, of what stands between it and a decoder of `hidden` columns in heads of 128,
/// and what layers that attend to images have besides a decoder's own.
fn crossed_parameters(c: &CrossedConfig, hidden: u64) -> u64 {
    let h = c.tower.hidden_size;
    let layer = 4 * h * h + feed_forward(&c.tower) + h + 4 * h;
    let of_layers = c.tower.num_hidden_layers * layer + c.global_layers * (layer + 2);
    let patches = (c.channels * c.patch_size * c.patch_size + 1) * h;
    let tables = (c.ratios + 1) * c.tiles * (c.patches() + 2) * h + c.patches() * h + 3;
    let decoder = ROWS_OF_IMAGES * hidden + c.crossing.len() as u64 * (2 * 128 + 2);
    patches + tables + 4 * h + of_layers + (c.columns() + 1) * hidden + decoder
}

/// Those of `InternVL`'s tower with biases and norms with both weights, and of what stands between it
/// and a decoder of `hidden` columns.
fn intern_parameters(c: &InternConfig, hidden: u64) -> u64 {
    let (h, side) = (c.tower.hidden_size, c.side());
    // Of attention, its norms, those of the layer, and the numbers that results are multiplied by.
    let biases = if c.attention_bias { 4 } else { 1 };
    let norms = 2 * u64::from(c.qk_norm) + if c.root_norms { 2 } else { 4 };
    let layer = 4 * h * h + feed_forward(&c.tower) + h + (biases + norms + 2) * h;
    let patches = c.channels * c.patch_size * c.patch_size * h + h;
    let merged = h * c.merge * c.merge;
    let projector = 2 * merged + (merged + 1) * hidden + (hidden + 1) * hidden;
    patches + (side * side + 2) * h + c.tower.num_hidden_layers * layer + projector
}

/// Those of Pixtral's tower and of what stands between it and a decoder of `hidden` columns, without
/// biases.
fn joined_parameters(c: &JoinedConfig, hidden: u64) -> u64 {
    let (h, inner) = (c.tower.hidden_size, c.tower.intermediate_size);
    let layer = 4 * h * h + 3 * h * inner + 2 * h;
    let patches = c.channels * c.patch_size * c.patch_size * h;
    let merged = h * c.merge * c.merge * h;
    patches + h + c.tower.num_hidden_layers * layer + h + merged + h * hidden + hidden * hidden
}

/// Those of a tower over patches in one list before a decoder of `hidden` columns.
fn packed_parameters(c: &PackedConfig, hidden: u64) -> u64 {
    let (h, inner) = (c.tower.hidden_size, c.tower.intermediate_size);
    let windowed = c.window.is_some();
    let norm = if windowed { h } else { 2 * h };
    let mlp = if windowed {
        3 * h * inner + 2 * inner + h
    } else {
        2 * h * inner + inner + h
    };
    let layer = 2 * norm + 4 * (h * h + h) + mlp;
    let merged = h * c.merge * c.merge;
    let merger = (merged + 1) * (merged + hidden);
    let deep = c.deep.as_ref().map_or(0, |deep| {
        h + deep.positions * h + deep.layers.len() as u64 * (2 * merged + merger)
    });
    c.columns() * h + c.tower.num_hidden_layers * layer + norm + merger + deep
}

/// All weights of a network of convolutions with its classifier.
pub(crate) fn conv_net_parameters(c: &ConvNetConfig) -> u64 {
    let classifier = (c.last_width() + 1) * c.num_labels;
    if c.kind == ConvNetKind::ResNet {
        return resnet_parameters(c) + classifier;
    }
    let first = c.stages[0][0];
    let mut before = first;
    let embedding = first * (c.num_channels * c.patch_size.pow(2) + 3);
    let stages = (0..).zip(&c.stages).map(|(stage, [width, layers])| {
        let downsampling = if stage > 0 {
            2 * before + width * (4 * before + 1)
        } else {
            0
        };
        before = *width;
        let inside = match (c.kind, c.scales) {
            (ConvNetKind::ConvNextV2, _) => 8 * width,
            (_, true) => *width,
            _ => 0,
        };
        // The convolution of each channel, a norm, and two linear layers.
        downsampling
            + layers * ((49 + 1) * width + 2 * width + 8 * width * width + 5 * width + inside)
    });
    embedding + stages.sum::<u64>() + 2 * c.last_width() + classifier
}

/// Those of `ResNet` before the classifier, each convolution with the two numbers of its norm.
fn resnet_parameters(c: &ConvNetConfig) -> u64 {
    let seen = |inputs: u64, outputs: u64, kernel: u64| outputs * (inputs * kernel * kernel + 2);
    let mut before = c.embedding_size;
    let mut all = seen(c.num_channels, before, 7);
    for (stage, [width, layers]) in (0..).zip(&c.stages) {
        for layer in 0..*layers {
            let strides = layer == 0 && (stage > 0 || c.first_stage_strides);
            if strides || before != *width {
                all += seen(before, *width, 1);
            }
            all += if c.bottleneck {
                let inner = width / 4;
                seen(before, inner, 1) + seen(inner, inner, 3) + seen(inner, *width, 1)
            } else {
                seen(before, *width, 3) + seen(*width, *width, 3)
            };
            before = *width;
        }
    }
    all
}

/// All weights of `BEiT` with its classifier.
pub(crate) fn beit_parameters(c: &BeitConfig) -> u64 {
    let (h, f) = (c.hidden_size, c.intermediate_size);
    let table = (c.distances().pow(2) + 3) * c.num_attention_heads;
    let own = 2 * h * u64::from(c.scales) + table * u64::from(c.relative);
    // Keys have no biases.
    let layer = 4 * h * h + 3 * h + 2 * h * f + f + h + 4 * h + own;
    let positions = c.tokens() * h * u64::from(c.absolute) + table * u64::from(c.shared);
    let tokens = h * (1 + u64::from(c.mask_token));
    let patches = (c.num_channels * c.patch_size.pow(2) + 1) * h;
    tokens + patches + positions + c.num_hidden_layers * layer + 2 * h + (h + 1) * c.num_labels
}

pub(crate) fn vit_parameters(c: &VitConfig) -> u64 {
    let h = c.hidden_size;
    let read = if c.kind.of_dino() { 2 * h } else { h };
    let patches = c.num_channels * c.patch_size * c.patch_size * h + h;
    let attention = 4 * (h * h + h);
    let layer = attention + 2 * h * c.intermediate_size + c.intermediate_size + h + 4 * h;
    let (embeddings, layer) = match c.kind {
        VitKind::Vit | VitKind::Msn => (h, layer),
        VitKind::Deit => (2 * h, layer),
        // And the norm before its classifier.
        VitKind::Ast => (4 * h, layer),
        VitKind::Dinov2 | VitKind::Dinov2Registers => (2 * h, layer + 2 * h),
    };
    let embeddings = embeddings + c.tokens() * h + patches;
    embeddings + c.num_hidden_layers * layer + 2 * h + c.num_labels * (read + 1)
}

pub(crate) fn dual_parameters(c: &DualConfig) -> u64 {
    let text = c.text.as_ref().expect("a model that reads texts");
    let (read, seen) = (text.tower.hidden_size, c.vision.hidden_size);
    let tables = (text.vocab_size + text.max_position_embeddings) * read;
    tables
        + tower_parameters(&text.tower)
        + vision_parameters(c)
        + match c.kind {
            DualKind::Clip => c.projection * (read + seen) + 1,
            _ => (read + 1) * c.projection + 2,
        }
}

pub(crate) fn swin_parameters(c: &SwinConfig) -> u64 {
    let distances = (2 * c.window_size - 1).pow(2);
    let stage = |(stage, [depth, heads]): (usize, &[u64; 2])| {
        let (h, inner) = (c.width(stage), c.inner(stage));
        let (attention, normed) = if c.second {
            // Keys have no biases; then a factor for each head, and the network that makes biases.
            let network = 3 * 512 + 512 * heads;
            (4 * h * h + 3 * h + heads + network, 4 * h)
        } else {
            (4 * (h * h + h) + distances * heads, 8 * h)
        };
        let layer = attention + 2 * h * inner + inner + h + 4 * h;
        let merging = if stage + 1 < c.stages.len() {
            8 * h * h + normed
        } else {
            0
        };
        depth * layer + merging
    };
    let layers: u64 = c.stages.iter().enumerate().map(stage).sum();
    let embeddings = (c.num_channels * c.patch_size * c.patch_size + 3) * c.embed_dim;
    let last = c.last_width();
    embeddings + layers + 2 * last + (last + 1) * c.num_labels
}
