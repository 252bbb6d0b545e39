//! Decoders that read images among their tokens (`models/{llava,llava_next,gemma3,paligemma,qwen2_vl,qwen2_5_vl,
//! qwen3_vl,qwen3_vl_moe,idefics3,smolvlm,mistral3,internvl,mllama}/configuration_*.py` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::image_size;
use super::image_text_crossed::{self as crossed, CrossedConfig};
use super::image_text_decoder as reading;
use super::image_text_intern::{self as intern, InternConfig};
use super::image_text_joined::{self as joined, JoinedConfig};
use super::image_text_packed::{self as packed, PackedConfig};
use super::image_text_refused as refused;
use super::image_text_whole::{self as whole, WholeConfig};
use super::limits::check;
use super::modules::{Module, other};
use super::{DecoderConfig, Finding, Scenario, decoder, dual, training};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Images of a sample.
const IMAGES: RangeInclusive<u64> = 0..=1 << 12;

/// The models that are read into an [`ImageConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// `LLaVA` 1.5: two layers between a tower and a decoder.
    Llava,
    /// `LLaVA` 1.6: the same over an image in squares and all of it.
    LlavaNext,
    /// Gemma 3: the mean of patches that lie together, and a matrix.
    Gemma3,
    /// `PaliGemma`: a matrix, and texts that see all of what stands before an answer.
    PaliGemma,
    /// Idefics3, and the first `SmolVLM`: images in squares, and patches that lie together in one token.
    Idefics3,
    /// `SmolVLM` 2: the same.
    SmolVlm,
    /// Llama 3.2 Vision: layers of their own attend to images.
    Mllama,
    /// `InternVL`: a vision transformer of its own.
    InternVl,
    /// Mistral 3: Pixtral's tower.
    Mistral3,
    /// Qwen2-VL: the patches of all images in one list.
    Qwen2,
    /// Qwen2.5-VL: the same, most layers seeing windows of an image.
    Qwen25,
    /// Qwen3-VL: as Qwen2-VL, with features of several depths, added after a decoder's first layers.
    Qwen3,
    /// The same with experts.
    Qwen3Moe,
}

impl ImageKind {
    /// Whether it is Idefics3 or what is made like it.
    pub fn is_idefics(self) -> bool {
        matches!(self, Self::Idefics3 | Self::SmolVlm)
    }

    /// Where the decoder stands.
    pub fn text_model(self) -> &'static str {
        if self.is_idefics() {
            "model.text_model"
        } else {
            "model.language_model"
        }
    }
}

/// What sees images for a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageConfig {
    /// Images of one size.
    Whole(WholeConfig),
    /// Images that layers of their own attend to.
    Crossed(CrossedConfig),
    /// Images in squares, which `InternVL`'s tower sees.
    Intern(InternConfig),
    /// Images of any size, each in patches by itself.
    Joined(JoinedConfig),
    /// Images of any size, whose patches come in one list.
    Packed(PackedConfig),
}

impl ImageConfig {
    /// Which one.
    pub fn kind(&self) -> ImageKind {
        match self {
            Self::Whole(config) => config.kind,
            Self::Crossed(_) => ImageKind::Mllama,
            Self::Intern(_) => ImageKind::InternVl,
            Self::Joined(_) => ImageKind::Mistral3,
            Self::Packed(config) => config.kind,
        }
    }

    /// What sees images of one size.
    pub fn whole(&self) -> Option<&WholeConfig> {
        match self {
            Self::Whole(config) => Some(config),
            _ => None,
        }
    }

    /// What sees images of any size.
    pub fn packed(&self) -> Option<&PackedConfig> {
        match self {
            Self::Packed(config) => Some(config),
            _ => None,
        }
    }

    /// Whether images may have any size.
    pub fn sees_any_size(&self) -> bool {
        match self {
            Self::Whole(config) => config.is_tiled(),
            Self::Crossed(_) => false,
            _ => true,
        }
    }

    /// Layers of a decoder after which features are added.
    pub fn depths(&self) -> u64 {
        let deep = self.packed().and_then(|config| config.deep.as_ref());
        deep.map_or(0, |deep| deep.layers.len() as u64)
    }

    /// Tokens of a text that an image takes whose sides are so many pixels: its own and those that
    /// stand around it.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        match self {
            Self::Whole(config) => config.places(sides),
            Self::Crossed(_) => 1,
            Self::Intern(config) => config.places(sides),
            Self::Joined(config) => config.places(sides),
            Self::Packed(config) => config.tokens(sides) + packed::AROUND,
        }
    }

    /// Pixels of what is seen of an image with such sides, in all channels.
    pub fn pixels(&self, sides: [u64; 2]) -> u64 {
        let (pictures, [height, width]) = match self {
            Self::Whole(config) => (
                config
                    .tiles(sides)
                    .saturating_mul(config.tower.num_channels),
                [config.tower.image_size; 2],
            ),
            Self::Crossed(config) => (config.tiles * config.channels, [config.image_size; 2]),
            Self::Intern(config) => (
                config.tiles(sides) * config.channels,
                [config.image_size; 2],
            ),
            Self::Joined(config) => (config.channels, sides),
            Self::Packed(config) => (config.channels * config.temporal_patch_size, sides),
        };
        [pictures, height, width]
            .into_iter()
            .fold(1, u64::saturating_mul)
    }
}

/// The part `name` of a config.
pub(super) fn part<'a>(
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
pub(super) fn flat_text_part(config: &Map<String, Value>) -> Option<Map<String, Value>> {
    let given = config.get("model_type").and_then(Value::as_str)?;
    ["qwen2_vl", "qwen2_5_vl"].contains(&given).then(|| {
        let mut text = config.clone();
        text.insert("model_type".to_owned(), "qwen2".into());
        text
    })
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(kind: ImageKind, fields: &mut ConfigFields<'_>) -> DecoderConfig {
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
    let model_type = reading::text_type(kind, &mut text);
    let mut config = decoder::read(model_type, &mut text);
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
pub(super) fn modules(images: &ImageConfig, text: Vec<Module>) -> Vec<Module> {
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
pub(super) fn resolve(
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
    let (key, seq_len) = match training::usual_lengths(scenario) {
        Some([usual, _]) => ("dataset.length_mean", usual),
        None => ("seq_len", training::padded(scenario, scenario.seq_len)),
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
    refused::check(scenario, config, findings);
    (scenario.images, sides)
}

#[cfg(test)]
mod tests {
    use crate::spec::{
        Attention, Framework, Idle, ModelRef, Precision, Scenario, Task, idle, resolve,
    };

    fn of(seq_len: u64, images: u64) -> Scenario {
        Scenario {
            model: ModelRef::Catalog("llava-1.5-7b-hf".to_owned()),
            seq_len,
            images,
            ..Scenario::default()
        }
    }

    #[test]
    fn the_tokens_of_images_are_part_of_the_sequence() {
        let spec = resolve(&of(577, 1)).spec.expect("one image and one token");
        assert_eq!(spec.task, Task::ImageTextToText);
        assert_eq!(spec.images, 1);
        let refused = resolve(&of(1152, 2));
        assert!(refused.spec.is_none());
        let fix = refused.findings[0].fix.as_ref().expect("a fix");
        assert_eq!(
            (fix.key.as_str(), fix.value.as_u64()),
            ("seq_len", Some(1153))
        );
        assert!(resolve(&of(16, 0)).spec.is_some(), "texts alone");
    }

    #[test]
    fn of_a_pasted_config_the_text_part_is_estimated_where_transformers_4_is_asked_for() {
        let config = serde_json::json!({
            "model_type": "gemma3",
            "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 2},
            "vision_config": {"num_hidden_layers": 2},
            "mm_tokens_per_image": 49,
        });
        let hf_config = config.as_object().expect("an object").clone();
        let of = |framework| Scenario {
            model: ModelRef::HfConfig {
                hf_config: hf_config.clone(),
            },
            seq_len: 1024,
            framework,
            ..Scenario::default()
        };
        let old = resolve(&of(Framework::Torch26Transformers451));
        assert_eq!(old.spec.expect("the text part").images, 0);
        assert!(
            old.findings
                .iter()
                .any(|found| found.key == "model.hf_config.text_config")
        );
        let new = resolve(&of(Framework::Torch215Transformers523));
        assert_eq!(new.spec.expect("all parts").images, 1);
    }

    #[test]
    fn of_the_catalog_the_text_part_is_estimated_in_versions_that_have_the_model() {
        let of = |model: &str, framework| {
            resolve(&Scenario {
                model: ModelRef::Catalog(model.to_owned()),
                framework,
                ..of(1024, 1)
            })
        };
        let old = of("llava-1.5-7b-hf", Framework::Torch26Transformers448);
        assert_eq!(old.spec.expect("the text part").images, 0);
        let fix = old.findings[0].fix.as_ref().expect("a fix");
        assert_eq!(fix.key, "framework");
        let qwen = |framework| of("qwen2.5-vl-7b-instruct", framework).spec;
        assert!(qwen(Framework::Torch26Transformers451).is_some());
        assert!(qwen(Framework::Torch26Transformers448).is_none());
    }

    #[test]
    fn images_of_any_size_take_tokens_by_their_size() {
        let of = |seq_len, image_size: Option<&str>| Scenario {
            model: ModelRef::Catalog("qwen2.5-vl-3b-instruct".to_owned()),
            image_size: image_size.map(str::to_owned),
            ..of(seq_len, 1)
        };
        // 27 x 27 tokens of 28 pixels, and those that stand around them.
        assert!(resolve(&of(731, None)).spec.is_none());
        assert!(resolve(&of(732, None)).spec.is_some());
        let wide = resolve(&of(128, Some("448x140"))).spec.expect("80 tokens");
        assert_eq!(wide.image_size, [140, 448]);
        assert!(resolve(&of(128, Some("large"))).spec.is_none());
    }

    #[test]
    fn qwen3_vl_sees_images_of_more_and_of_fewer_pixels_than_those_before_it() {
        let of = |image_size: &str| Scenario {
            model: ModelRef::Catalog("qwen3-vl-4b-instruct".to_owned()),
            image_size: Some(image_size.to_owned()),
            ..of(20_000, 1)
        };
        let sides = |image_size| resolve(&of(image_size)).spec.expect("a spec").image_size;
        assert_eq!(sides("64"), [256, 256]);
        assert_eq!(sides("1920x1080"), [1088, 1920]);
        assert_eq!(sides("6000"), [4096, 4096]);
    }

    #[test]
    fn llama_3_2_vision_alone_does_not_take_the_flash_attn_package() {
        let of = |model: &str| Scenario {
            model: ModelRef::Catalog(model.to_owned()),
            attention: Attention::FlashAttention2,
            precision: Precision::Bf16,
            ..of(1024, 1)
        };
        assert!(resolve(&of("llava-1.5-7b-hf")).spec.is_some());
        let blind = resolve(&of("gemma-3-4b"));
        assert!(blind.spec.is_some());
        assert!(blind.findings.iter().any(|found| found.key == "attention"));
        let refused = resolve(&of("llama-3.2-11b-vision"));
        let fix = refused.findings[0].fix.as_ref().expect("a fix");
        assert_eq!(
            (fix.key.as_str(), fix.value.as_str()),
            ("attention", Some("sdpa"))
        );
    }

    #[test]
    fn without_images_what_sees_them_cannot_be_trained_alone() {
        let frozen = |images: u64, frozen: &[&str]| Scenario {
            frozen: frozen.iter().map(|&part| part.to_owned()).collect(),
            ..of(1024, images)
        };
        let texts = ["language_model", "lm_head"];
        assert!(resolve(&frozen(1, &texts)).spec.is_some());
        assert!(resolve(&frozen(0, &texts[..1])).spec.is_some());
        let refused = resolve(&frozen(0, &texts));
        assert!(refused.spec.is_none());
        assert_eq!(refused.findings[0].key, "images");
    }

    #[test]
    fn images_are_idle_where_nothing_sees_them() {
        assert_eq!(idle(&of(1024, 1), "images"), None);
        assert_eq!(idle(&Scenario::default(), "images"), Some(Idle::NoImages));
        assert_eq!(idle(&of(1024, 1), "image_size"), Some(Idle::Images));
    }
}
