//! Images among the tokens of a decoder: how many there are, how large, and how many tokens they take.

use crate::ask::{Finding, Scenario, check};
use crate::model::{Architecture, IMAGES, ImageConfig};
use serde_json::Value;

/// How many images each sample has, and the pixels along their sides.
pub(crate) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> (u64, [u64; 2]) {
    let config = architecture.images();
    if scenario.image_size.is_some() && !config.is_some_and(ImageConfig::sees_any_size) {
        findings.push(
            Finding::notice(
                "image_size",
                "image_size has no effect: the model sees no images, or images of one size only.",
                "image_size 不起作用：该模型不读取图像，或只读取固定尺寸的图像。",
            )
            .with_fix("image_size", Value::Null),
        );
    }
    let Some(config) = config else {
        if scenario.images != 1 {
            findings.push(
                Finding::notice(
                    "images",
                    "images has no effect: the model reads no images among its tokens.",
                    "images 不起作用：该模型不读取夹在文本中的图像。",
                )
                .with_fix("images", 1),
            );
        }
        return (0, [0, 0]);
    };
    check("images", scenario.images, &IMAGES, findings);
    let family = architecture.whole_family();
    let sides = match family.and_then(|family| family.image_sides) {
        Some(sides) => sides(scenario, config, findings),
        None => [0, 0],
    };
    let tokens = config.places(sides);
    let (key, seq_len) = match scenario.usual_lengths() {
        Some([usual, _]) => ("dataset.length_mean", usual),
        None => ("seq_len", scenario.padded(scenario.seq_len)),
    };
    let needed = tokens.saturating_mul(scenario.images);
    if needed >= seq_len && scenario.images > 0 {
        let images = scenario.images;
        let wanted = needed.saturating_add(1);
        findings.push(
            Finding::error(
                key,
                format!("Images take {tokens} tokens each, {needed} in each sample, which {key} counts; with one of text it must be at least {wanted}."),
                format!("{images} 张图像各占 {tokens} 个词元，共 {needed} 个，都计入序列长度；再加至少 1 个文本词元，{key} 不得小于 {wanted}。"),
            )
            .with_fix(key, wanted),
        );
    }
    (scenario.images, sides)
}
