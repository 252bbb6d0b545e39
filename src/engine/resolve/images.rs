//! Images among the tokens of a decoder: how many there are, how large, and how many tokens they take.

use super::Modules;
use crate::ask::{
    ALL_LINEAR, ActivationCheckpointing, Finding, Program, Scenario, check_range, message,
};
use crate::families;
use crate::model::{Architecture, IMAGES, ImageConfig, Module};
use serde_json::Value;

/// The longest sequence that a repair makes for images: of more there are fewer instead, as no model of the catalog that
/// sees images has more positions.
const LONGEST: u64 = 1 << 18;

/// The tokens of the images of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageTokens {
    /// Images of a sample.
    pub images: u64,
    /// Height and width in pixels that the model sees of each.
    pub sides: [u64; 2],
    /// Tokens of the sequence that each takes, with those around it.
    pub tokens: u64,
    /// Patches that the tower sees of each, where they come in one list.
    pub patches: Option<u64>,
    /// Pixels that become one token, where the processor limits the pixels of an image.
    pub of_token: Option<u64>,
}

/// The tokens of the images of a scenario's samples, if its model sees some among tokens.
pub fn image_tokens(scenario: &Scenario) -> Option<ImageTokens> {
    let model = families::read(scenario, &mut Vec::new())?;
    let config = model.architecture.images()?;
    let sides_of = model.architecture.whole_family()?.image_sides?;
    let sides = sides_of(scenario, config, &mut Vec::new());
    let packed = config.packed();
    Some(ImageTokens {
        images: scenario.images,
        sides,
        tokens: config.places(sides),
        patches: packed.map(|packed| packed.grid(sides).into_iter().product()),
        of_token: packed.map(|packed| packed.factor() * packed.factor()),
    })
}

/// How many images each sample has, and the pixels along their sides.
pub(crate) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> (u64, [u64; 2]) {
    let config = architecture.images();
    if scenario.image_size.is_some() && !config.is_some_and(ImageConfig::sees_any_size) {
        findings.push(
            Finding::notice("image_size", message!(images::image_size_without_effect))
                .with_fix("image_size", Value::Null),
        );
    }
    let packed = config.is_some_and(|config| config.packed().is_some());
    for (key, asked) in [
        ("min_pixels", scenario.min_pixels),
        ("max_pixels", scenario.max_pixels),
    ] {
        if asked.is_some() && !packed {
            let why = message!(images::pixels_without_effect, key);
            findings.push(Finding::notice(key, why).with_fix(key, Value::Null));
        }
    }
    let Some(config) = config else {
        if scenario.images != 1 {
            findings.push(
                Finding::notice("images", message!(images::without_effect)).with_fix("images", 1),
            );
        }
        return (0, [0, 0]);
    };
    check_range("images", scenario.images, &IMAGES, findings);
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
        let (fixed, fix) = if wanted <= LONGEST {
            (key, wanted)
        } else {
            ("images", (seq_len.saturating_sub(1) / tokens.max(1)).max(1))
        };
        findings.push(
            Finding::error(
                key,
                message!(
                    images::sequence_too_short,
                    tokens,
                    needed,
                    key,
                    wanted,
                    images
                ),
            )
            .with_fix(fixed, fix),
        );
    }
    (scenario.images, sides)
}

/// Refuses batches without images where only the modules that see images are trained: their loss has no gradient,
/// unless re-entrant checkpoints ask for one of the embeddings.
pub(crate) fn check_trained(
    scenario: &Scenario,
    architecture: &Architecture,
    modules: &Modules<'_>,
    findings: &mut Vec<Finding>,
) {
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    let Some(images) = architecture.images().filter(|_| scenario.images == 0) else {
        return;
    };
    let untrained = scenario.lora.is_none() && scenario.frozen.is_empty();
    if reentrant || untrained || scenario.program != Program::Training {
        return;
    }
    let decoder = images.kind().text_model();
    let of_texts =
        |path: &str| path.starts_with(decoder) || path.split('.').any(|part| part == "lm_head");
    let trained = |module: &Module| match &scenario.lora {
        Some(lora) => {
            let adapted = |name: &String| name == ALL_LINEAR || module.is_called(name);
            let linear = module.kind.is_linear();
            linear && lora.target_modules.iter().any(adapted) || lora.saves(&module.path)
        }
        None => module.parameter_paths().any(|path| {
            !scenario
                .frozen
                .iter()
                .any(|part| path.contains(part.as_str()))
        }),
    };
    let matrices = scenario
        .lora
        .as_ref()
        .is_some_and(|lora| !lora.target_parameters.is_empty());
    if matrices
        || modules
            .iter()
            .any(|module| of_texts(&module.path) && trained(module))
    {
        return;
    }
    findings.push(
        Finding::error("images", message!(image_text::nothing_trained)).with_fix("images", 1),
    );
}
