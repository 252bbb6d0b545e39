//! How large images are that come in any size.

use crate::ask::{Finding, Scenario, check_range, message};
use crate::model::{ImageConfig, PackedConfig, WholeConfig};

/// Pixels along each side of an image where nothing is said: as many as LLaMA-Factory passes on at
/// most (`image_max_pixels` in `src/llamafactory/hparams/model_args.py` as of commit 00577a8: 768 x 768).
const DEFAULT_SIDE: u64 = 768;

/// The fewest and the most pixels of an image (`min_pixels` and `max_pixels` in
/// `preprocessor_config.json` of `Qwen/Qwen2-VL-7B-Instruct` and `Qwen/Qwen2.5-VL-7B-Instruct`).
const PIXELS: [u64; 2] = [3136, 12_845_056];

/// The fewest and the most pixels of an image of Qwen3-VL (`shortest_edge` and `longest_edge` in
/// `preprocessor_config.json` of `Qwen/Qwen3-VL-8B-Instruct`).
const PIXELS_OF_QWEN3: [u64; 2] = [65_536, 16_777_216];

/// The most pixels along a side of an image that Pixtral sees (`size` in `preprocessor_config.json` of
/// `mistralai/Mistral-Small-3.1-24B-Instruct-2503`).
const LONGEST: u64 = 1540;

/// The most pixels along a side before an image is resized.
const SIDE: u64 = 1 << 16;

/// How many times as long as the other a side may be.
const RATIO: u64 = 200;

/// Height and width in pixels as `text` has them: one number for both, or width and height as in
/// `1920x1080`.
fn parse(text: &str) -> Option<[u64; 2]> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let [width, height] = match text.split_once(['x', '×']) {
        Some((width, height)) => [number(width)?, number(height)?],
        None => [number(text)?; 2],
    };
    let sides = [height, width];
    let [short, long] = [height.min(width), height.max(width)];
    (short > 0 && long <= SIDE && long <= RATIO * short).then_some(sides)
}

/// Height and width in pixels of an image as the processor of Qwen2-VL makes it.
pub(crate) fn packed(
    scenario: &Scenario,
    images: &ImageConfig,
    findings: &mut Vec<Finding>,
) -> [u64; 2] {
    let Some(config) = images.packed() else {
        return fixed(scenario, images, findings);
    };
    let pixels = limits(scenario, config, findings);
    let given = scenario.image_size.as_ref();
    let sides = match scenario.max_pixels {
        Some(_) if given.is_none_or(String::is_empty) => largest(config.factor(), pixels[1]),
        _ => usual(scenario, images, findings),
    };
    resized(sides, config.factor(), pixels)
}

/// The fewest and the most pixels of an image: those of a scenario, or those of the model.
fn limits(scenario: &Scenario, config: &PackedConfig, findings: &mut Vec<Finding>) -> [u64; 2] {
    let [least, most] = match config.deep {
        Some(_) => PIXELS_OF_QWEN3,
        None => PIXELS,
    };
    let [asked_least, asked_most] = [scenario.min_pixels, scenario.max_pixels];
    for (key, asked) in [("min_pixels", asked_least), ("max_pixels", asked_most)] {
        if let Some(asked) = asked {
            check_range(key, asked, &(1..=SIDE * SIDE), findings);
        }
    }
    let pixels = [asked_least.unwrap_or(least), asked_most.unwrap_or(most)];
    if let (Some(least), true) = (asked_least, pixels[0] > pixels[1]) {
        let most = pixels[1];
        let why = message!(image_text::pixels, least, most);
        findings.push(Finding::error("min_pixels", why).with_fix("min_pixels", most));
    }
    pixels.map(|pixels| pixels.clamp(1, SIDE * SIDE))
}

/// Height and width of the image with the most tokens of `factor` pixels along each side that `pixels` pixels
/// allow, the most square one of these with sides no less than half of a square's.
fn largest(factor: u64, pixels: u64) -> [u64; 2] {
    let factor = factor.max(1);
    let tokens = (pixels / (factor * factor)).max(1);
    let square = tokens.isqrt();
    let tall = (square.div_ceil(2)..=square).max_by_key(|rows| (rows * (tokens / rows), *rows));
    let rows = tall.unwrap_or(1);
    [rows, tokens / rows].map(|side| side * factor)
}

/// Height and width in pixels of an image that has one size only.
pub(crate) fn fixed(_: &Scenario, images: &ImageConfig, _: &mut Vec<Finding>) -> [u64; 2] {
    match images {
        ImageConfig::Whole(config) => [config.tower.image_size; 2],
        ImageConfig::Crossed(config) => [config.image_size; 2],
        _ => [DEFAULT_SIDE; 2],
    }
}

/// Height and width in pixels of an image as they are given, or where nothing is said.
pub(crate) fn usual(scenario: &Scenario, _: &ImageConfig, findings: &mut Vec<Finding>) -> [u64; 2] {
    given(scenario, DEFAULT_SIDE, findings)
}

/// The same, where nothing is said as large as the processors of Idefics3 and its like make all images.
pub(crate) fn tiled(
    scenario: &Scenario,
    images: &ImageConfig,
    findings: &mut Vec<Finding>,
) -> [u64; 2] {
    let side = images.whole().map_or(DEFAULT_SIDE, WholeConfig::usual_side);
    given(scenario, side, findings)
}

/// Height and width in pixels of an image that Pixtral's processor makes as many squares as
/// cover it (`get_resize_output_image_size`,
/// `models/pixtral/image_processing_pixtral.py`, transformers 5.23).
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides have 16 bits"
)]
pub(crate) fn covering(
    scenario: &Scenario,
    images: &ImageConfig,
    findings: &mut Vec<Finding>,
) -> [u64; 2] {
    let factor = match images {
        ImageConfig::Joined(config) => config.factor(),
        _ => 1,
    };
    let sides = usual(scenario, images, findings);
    let ratio = sides[0].max(sides[1]) as f64 / LONGEST as f64;
    let within = sides.map(|side| {
        if ratio > 1.0 {
            (side as f64 / ratio).floor() as u64
        } else {
            side
        }
    });
    within.map(|side| side.max(1).next_multiple_of(factor.max(1)))
}

/// Height and width in pixels of an image as they are given, `usual` both where nothing is said.
fn given(scenario: &Scenario, usual: u64, findings: &mut Vec<Finding>) -> [u64; 2] {
    let given = scenario.image_size.as_ref();
    let Some(text) = given.filter(|text| !text.is_empty()) else {
        return [usual; 2];
    };
    parse(text).unwrap_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        findings.push(
            Finding::error(
                "image_size",
                message!(image_text::image_size, shown, side = SIDE, ratio = RATIO),
            )
            .with_fix("image_size", usual.to_string()),
        );
        [usual; 2]
    })
}

/// `smart_resize` (`models/qwen2_vl/image_processing_qwen2_vl.py`, transformers 5.23): both sides
/// multiples of `factor`, not too few and not too many pixels.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides have 16 bits"
)]
fn resized(sides: [u64; 2], factor: u64, [least, most]: [u64; 2]) -> [u64; 2] {
    let factor = factor.max(1);
    let nearest = sides.map(|side| (side as f64 / factor as f64).round_ties_even() as u64 * factor);
    let area = sides[0] as f64 * sides[1] as f64;
    let pixels = nearest[0] * nearest[1];
    if pixels > most {
        let beta = (area / most as f64).sqrt();
        sides.map(|side| factor.max((side as f64 / beta / factor as f64).floor() as u64 * factor))
    } else if pixels < least {
        let beta = (least as f64 / area).sqrt();
        sides.map(|side| (side as f64 * beta / factor as f64).ceil() as u64 * factor)
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_made_multiples_as_the_processor_makes_them() {
        // From transformers 5.23.
        for (sides, expected) in [
            ([768, 768], [756, 756]),
            ([1080, 1920], [1092, 1932]),
            ([14, 42], [56, 112]),
            ([42, 70], [56, 56]),
            ([10, 10], [56, 56]),
            ([6000, 8000], [3080, 4116]),
        ] {
            assert_eq!(resized(sides, 28, PIXELS), expected, "{sides:?}");
        }
    }

    #[test]
    fn sides_keep_to_the_pixels_that_a_scenario_allows() {
        // From transformers 5.23.
        for (sides, factor, pixels, expected) in [
            ([1080, 1920], 28, [3136, 1_003_520], [728, 1316]),
            ([1080, 1920], 28, [3136, 200_704], [336, 588]),
            ([3000, 200], 28, [3136, 50_176], [840, 56]),
            ([50, 60], 28, [100_352, 1_003_520], [308, 364]),
            ([768, 768], 28, [65_536, 262_144], [504, 504]),
            ([100, 100], 28, [3136, 400], [28, 28]),
            ([1080, 1920], 32, [3136, 200_704], [320, 576]),
            ([3000, 200], 32, [3136, 50_176], [864, 32]),
            ([4000, 6000], 32, [65_536, 1_048_576], [832, 1248]),
        ] {
            assert_eq!(resized(sides, factor, pixels), expected, "{sides:?}");
        }
    }

    #[test]
    fn the_largest_image_is_left_as_it_is_and_has_about_all_pixels() {
        for tokens in [1, 2, 7, 256, 1280, 1281, 16_384] {
            let pixels = tokens * 28 * 28 + 27;
            let sides = largest(28, pixels);
            assert_eq!(resized(sides, 28, [1, pixels]), sides, "{tokens}");
            let found = sides[0] * sides[1] / (28 * 28);
            assert!(
                found <= tokens && found * 100 >= tokens * 85,
                "{tokens}: {found}"
            );
        }
        assert_eq!(largest(28, 1280 * 784), [32 * 28, 40 * 28]);
    }

    #[test]
    fn a_size_is_one_number_or_width_and_height() {
        assert_eq!(parse("448"), Some([448, 448]));
        assert_eq!(parse("1920x1080"), Some([1080, 1920]));
        for text in ["", "x", "0", "10x3000", "1e3", "100000"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
