//! Images that are seen in squares as large as what a tower sees at once
//! (`models/{idefics3,smolvlm,llava_next}/{image_processing,processing}_*.py` of transformers 5.23).

use crate::ask::{Finding, message};
use crate::model::ConfigFields;
use crate::model::{ARRANGEMENTS, DualConfig, DualKind};
use serde_json::Value;

/// Heights and widths to which an image may be resized; values unlike those of the published models are refused.
pub(crate) fn pinpoints(fields: &mut ConfigFields<'_>, tower: &DualConfig) -> Vec<[u64; 2]> {
    let side = tower.image_size.max(1);
    let usual = ARRANGEMENTS.map(|squares| squares.map(|count| count * side));
    let full = fields.text("vision_feature_select_strategy") == Some("full");
    if full || tower.kind != DualKind::Clip {
        let key = fields.key("vision_feature_select_strategy");
        fields.push(
            Finding::error(&key, message!(image_text::llava_next_tower)).with_fix(&key, "default"),
        );
    }
    let Some(given) = fields
        .get("image_grid_pinpoints")
        .filter(|given| !given.is_null())
    else {
        return usual.to_vec();
    };
    let resolution = |value: &Value| {
        let [height, width] = value.as_array()?.as_slice() else {
            return None;
        };
        let sides = [height.as_u64()?, width.as_u64()?];
        let fit = |length: &u64| length.is_multiple_of(side) && (1..=64).contains(&(length / side));
        sides.iter().all(fit).then_some(sides)
    };
    let read = given
        .as_array()
        .and_then(|all| all.iter().map(resolution).collect());
    read.filter(|all: &Vec<_>| !all.is_empty())
        .unwrap_or_else(|| {
            let key = fields.key("image_grid_pinpoints");
            fields.push(
                Finding::error(&key, message!(image_text::pinpoints, side)).with_fix(
                    &key,
                    usual.map(|sides| Value::from(sides.to_vec())).to_vec(),
                ),
            );
            usual.to_vec()
        })
}

/// Patches along each side of what becomes one token, of `side` patches along each side of a square.
pub(crate) fn merge(fields: &mut ConfigFields<'_>, side: u64) -> u64 {
    let merge = fields.optional("scale_factor", &(1..=1 << 6), 2);
    if side.is_multiple_of(merge) {
        return merge;
    }
    let key = fields.key("scale_factor");
    let nearest = (1..=merge).rev().find(|n| side.is_multiple_of(*n));
    fields.push(
        Finding::error(&key, message!(image_text::merged_patches, side, merge))
            .with_fix(&key, nearest.unwrap_or(1)),
    );
    merge
}
