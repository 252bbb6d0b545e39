//! Decoders that read images among their tokens (`models/{llava,llava_next,gemma3,paligemma,qwen2_vl,qwen2_5_vl,
//! qwen3_vl,qwen3_vl_moe,idefics3,smolvlm,mistral3,internvl,mllama}/configuration_*.py` of transformers 5.23).

use super::image_size;
use super::{decoder as reading, whole};
use crate::ask::{Finding, Scenario, check};
use crate::families::clip::reader as dual;
use crate::families::internvl::reader as intern;
use crate::families::mistral3::reader as joined;
use crate::families::mllama::reader as crossed;
use crate::families::qwen_vl::reader as packed;
use crate::families::reading::decoder;
use crate::model::ConfigFields;
use crate::model::{DecoderConfig, Family, IMAGES, ImageConfig, ImageKind, Module, other};
use serde_json::{Map, Value};

/// The part `name` of a config.
pub(crate) fn part<'a>(
    fields: &ConfigFields<'a>,
    name: &str,
    nothing: &'a Map<String, Value>,
) -> &'a Map<String, Value> {
    match fields.get(name) {
        Some(Value::Object(part)) => part,
        _ => nothing,
    }
}

/// The text part of a config whose fields lie beside those of what sees images.
pub(crate) fn flat_text_part(config: &Map<String, Value>) -> Option<Map<String, Value>> {
    let given = config.get("model_type").and_then(Value::as_str)?;
    ["qwen2_vl", "qwen2_5_vl"].contains(&given).then(|| {
        let mut text = config.clone();
        text.insert("model_type".to_owned(), "qwen2".into());
        text
    })
}

/// Reads a config of the family. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: ImageKind,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    DecoderConfig {
        whole: Some(family),
        ..read_kind(kind, fields)
    }
}

fn read_kind(kind: ImageKind, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    if kind == ImageKind::Mllama {
        return crossed::read(fields);
    }
    if let Some(decoder) = packed::decoder(kind) {
        return packed::read(kind, decoder, fields);
    }
    let nothing = Map::new();
    let mut text = ConfigFields::new(
        part(fields, "text_config", &nothing),
        &nothing,
        "model.hf_config.text_config",
    );
    let family = reading::text_type(kind, &mut text);
    let mut config = decoder::read(family, &mut text);
    // That of the whole; LLaVA's takes over what the text part says.
    let tied = fields.flag(
        "tie_word_embeddings",
        matches!(
            kind,
            ImageKind::Gemma3 | ImageKind::PaliGemma | ImageKind::Mistral3 | ImageKind::InternVl
        ),
    );
    config.tie_word_embeddings = tied || kind == ImageKind::Llava && config.tie_word_embeddings;
    let seen = part(fields, "vision_config", &nothing);
    let seen = ConfigFields::new(seen, &nothing, "model.hf_config.vision_config");
    if kind == ImageKind::PaliGemma {
        reading::check_image_token(fields, config.vocab_size);
    }
    let images = match kind {
        ImageKind::Mistral3 => ImageConfig::Joined(joined::read(fields, seen)),
        ImageKind::InternVl => ImageConfig::Intern(intern::read(fields, seen)),
        _ => ImageConfig::Whole(whole::read(kind, config.hidden_size, fields, seen)),
    };
    for finding in text.into_findings() {
        fields.push(finding);
    }
    config.images = Some(Box::new(images));
    config
}

/// The modules of the whole model around those of its decoder.
pub(crate) fn modules(images: &ImageConfig, text: Vec<Module>) -> Vec<Module> {
    let decoder = images.kind().text_model();
    let inside = |module: Module| match module.path.strip_prefix("model.") {
        Some(rest) => Module {
            path: format!("{decoder}.{rest}"),
            ..module
        },
        None => module,
    };
    let mut all = match images {
        ImageConfig::Whole(images) => dual::vision_modules(&images.tower, images.tower_path()),
        ImageConfig::Crossed(images) => {
            return crossed::modules(images, text.into_iter().map(inside).collect());
        }
        ImageConfig::Intern(images) => intern::modules(images),
        ImageConfig::Joined(images) => joined::modules(images),
        ImageConfig::Packed(images) => packed::modules(images),
    };
    let projector = images.whole().map(whole::projector);
    for module in &mut all {
        // PEFT's adapters of tables and modules trained as a whole are the decoder's.
        if !module.kind.is_linear() {
            *module = Module {
                parameters: module.parameters,
                ..other(std::mem::take(&mut module.path))
            };
        }
    }
    all.extend(projector.into_iter().flatten());
    all.extend(text.into_iter().map(inside));
    all
}

/// How many images each sample has, and the pixels along their sides; and what is not estimated of
/// models that see them.
pub(crate) fn resolve(
    scenario: &Scenario,
    config: Option<&ImageConfig>,
    findings: &mut Vec<Finding>,
) -> (u64, [u64; 2]) {
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
    let sides = match config {
        ImageConfig::Whole(config) if config.kind == ImageKind::LlavaNext => {
            image_size::usual(scenario, findings)
        }
        ImageConfig::Whole(config) if config.is_tiled() => {
            image_size::given(scenario, config.usual_side(), findings)
        }
        ImageConfig::Whole(config) => [config.tower.image_size; 2],
        ImageConfig::Crossed(config) => [config.image_size; 2],
        ImageConfig::Intern(_) => image_size::usual(scenario, findings),
        ImageConfig::Joined(config) => image_size::covering(scenario, config.factor(), findings),
        ImageConfig::Packed(config) => image_size::resolve(scenario, config, findings),
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
    if let ImageConfig::Packed(config) = config {
        packed::check_windows(scenario, config, sides, findings);
    }
    (scenario.images, sides)
}
