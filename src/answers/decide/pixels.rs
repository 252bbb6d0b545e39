//! The most pixels of an image: texts stay, and the sequence follows what the images take of it.

use crate::ask::{Finding, Scenario, message};
use crate::resolve::image_tokens;

/// The key of the most pixels.
pub(super) const MAX_PIXELS: &str = "max_pixels";

/// Pixels of a token: other numbers of pixels make no other images.
pub(super) fn unit(scenario: &Scenario) -> u64 {
    let of_token = image_tokens(scenario).and_then(|images| images.of_token);
    of_token.unwrap_or(1).max(1)
}

/// The scenario with images that are as large as `pixels` pixels allow, and as much text.
pub(super) fn with(scenario: &Scenario, pixels: u64) -> Scenario {
    let taken = |scenario: &Scenario| {
        let images = image_tokens(scenario);
        images.map_or(0, |of| of.tokens.saturating_mul(of.images))
    };
    let text = scenario.seq_len.saturating_sub(taken(scenario)).max(1);
    let mut larger = Scenario {
        image_size: None,
        max_pixels: Some(pixels),
        ..scenario.clone()
    };
    larger.seq_len = taken(&larger).saturating_add(text);
    larger
}

/// Says what became of the sequence.
pub(super) fn followed(scenario: &Scenario) -> Option<Finding> {
    let images = image_tokens(scenario)?;
    let (seq_len, tokens) = (scenario.seq_len, images.tokens);
    let [height, width] = images.sides;
    let said = message!(decide::images_followed, seq_len, tokens, width, height);
    Some(Finding::notice("seq_len", said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decode_json;
    use crate::decide::{Axis, solve};
    use crate::report::estimate;

    const ASKED: &str = r#"{"model": "qwen2.5-vl-3b-instruct", "precision": "bf16", "micro_batch_size": 1,
        "seq_len": 1024, "activation_checkpointing": "full", "optimizer": {"name": "adamw_8bit"},
        "hardware": {"gpu": "rtx-4090"}}"#;

    #[test]
    fn the_largest_images_that_fit_are_found_with_the_same_text() {
        let (scenario, findings) = decode_json(ASKED);
        assert_eq!(findings, []);
        let axis = Axis::named(MAX_PIXELS).expect("an axis");
        let solution = solve(&scenario, &axis).expect("a solution");
        let found = solution.scenario.expect("small images fit");
        let pixels = solution.value.as_u64().expect("a number");
        assert_eq!((found.max_pixels, pixels % 784), (Some(pixels), 0));
        let text = |scenario: &Scenario| {
            let images = image_tokens(scenario).expect("images");
            scenario.seq_len - images.tokens * images.images
        };
        assert_eq!(text(&found), text(&scenario));
        let fits = |of: &Scenario| estimate(of).expect("an estimate").report.verdict.fits;
        assert!(fits(&found));
        assert!(!fits(&with(&scenario, pixels + 784)), "{pixels}");
        assert!(
            solution
                .findings
                .iter()
                .any(|finding| finding.key == "seq_len")
        );
    }
}
