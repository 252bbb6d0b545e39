//! The part that sees images of one size for a decoder
//! (`models/{llava,llava_next,gemma3,paligemma,idefics3,smolvlm}/configuration_*.py` of transformers 5.23).

use super::tiles;
use crate::ask::{Finding, WIDTH, message};
use crate::families::clip::reader as dual;
use crate::families::clip::{CLIP, SIGLIP};
use crate::model::ConfigFields;
use crate::model::{DualKind, ImageKind, WholeConfig};

/// Reads the tower and the projector between it and a decoder of `hidden` columns.
pub(crate) fn read(
    kind: ImageKind,
    hidden: u64,
    fields: &mut ConfigFields<'_>,
    mut seen: ConfigFields<'_>,
) -> WholeConfig {
    let next = kind == ImageKind::LlavaNext;
    let llava = next || kind == ImageKind::Llava;
    let of_clip = llava && seen.text("model_type") != Some("siglip_vision_model");
    let tower = dual::read_vision(
        if of_clip { &CLIP } else { &SIGLIP },
        match kind {
            _ if of_clip => DualKind::Clip,
            _ if kind.is_idefics() => DualKind::Idefics3,
            _ => DualKind::Siglip,
        },
        &mut seen,
    );
    for finding in seen.into_findings() {
        fields.push(finding);
    }
    let layers = tower.vision.num_hidden_layers;
    let layers_after = if llava {
        layers_after(fields, layers)
    } else {
        0
    };
    let side = tower.image_size / tower.patch_size.max(1);
    let pooled_tokens = if kind == ImageKind::Gemma3 {
        pooled_tokens(fields, side)
    } else {
        0
    };
    if kind == ImageKind::PaliGemma {
        check_projection(fields, hidden);
    }
    let merge = if kind.is_idefics() {
        tiles::merge(fields, side)
    } else {
        1
    };
    let pinpoints = if next {
        tiles::pinpoints(fields, &tower)
    } else {
        Vec::new()
    };
    WholeConfig {
        kind,
        tower,
        layers_after,
        with_class: fields.text("vision_feature_select_strategy") == Some("full"),
        projector_bias: fields.flag("multimodal_projector_bias", true),
        activation: fields.activation("projector_hidden_act", "gelu"),
        pooled_tokens,
        merge,
        pinpoints,
    }
}

/// Refuses a projection to other columns than the decoder's.
fn check_projection(fields: &mut ConfigFields<'_>, hidden: u64) {
    let given = fields.optional("projection_dim", &WIDTH, 2048);
    if given == hidden {
        return;
    }
    let key = fields.key("projection_dim");
    fields.push(
        Finding::error(&key, message!(image_text::tower_columns, given, hidden))
            .with_fix(&key, hidden),
    );
}

/// Tokens of an image of `side` by `side` patches, squares of which are pooled.
fn pooled_tokens(fields: &mut ConfigFields<'_>, side: u64) -> u64 {
    let tokens = fields.optional("mm_tokens_per_image", &(1..=1 << 24), 256);
    let root = tokens.isqrt();
    if root * root == tokens && root <= side && (side / root).pow(2) * tokens == side * side {
        return tokens;
    }
    let key = fields.key("mm_tokens_per_image");
    let nearest = (1..=side)
        .filter(|root| side.is_multiple_of(*root))
        .min_by_key(|other| (other * other).abs_diff(tokens))
        .unwrap_or(1);
    fields.push(
        Finding::error(&key, message!(image_text::pooled_patches, side, tokens))
            .with_fix(&key, nearest * nearest),
    );
    tokens
}

/// Number of layers after the layer that `vision_feature_layer` names: -1 is the last one's result, 1 the first's.
fn layers_after(fields: &mut ConfigFields<'_>, layers: u64) -> u64 {
    let given = fields.get("vision_feature_layer").cloned();
    let number = match &given {
        None => Some(-2),
        Some(value) => value.as_i64(),
    };
    let after = number.and_then(|number| {
        let after = if number < 0 {
            number.checked_neg()?.checked_sub(1)
        } else {
            i64::try_from(layers).ok()?.checked_sub(number)
        };
        after.and_then(|after| u64::try_from(after).ok())
    });
    after.filter(|&after| after < layers).unwrap_or_else(|| {
        let key = fields.key("vision_feature_layer");
        fields.push(
            Finding::error(&key, message!(image_text::feature_layer, layers)).with_fix(&key, -1),
        );
        0
    })
}
