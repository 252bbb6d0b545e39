//! Decoders that read images among their tokens (`models/{llava,gemma3,qwen2_vl,qwen2_5_vl}/configuration_*.py`
//! of transformers 5.23).

use super::config_fields::ConfigFields;
use super::image_size;
use super::image_text_packed::{self as packed, PackedConfig};
use super::limits::check;
use super::modules::{Module, linear, other};
use super::{
    Activation, Attention, DecoderConfig, DecoderType, DualConfig, DualKind, EvaluationKind,
    Finding, Scenario, decoder, dual, evaluation, model, training,
};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Images of a sample.
const IMAGES: RangeInclusive<u64> = 0..=1 << 12;

/// The models that are read into an [`ImageConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// `LLaVA` 1.5: two layers between a tower and a decoder.
    Llava,
    /// Gemma 3: the mean of patches that lie together, and a matrix.
    Gemma3,
    /// Qwen2-VL: the patches of all images in one list.
    Qwen2,
    /// Qwen2.5-VL: the same, most layers seeing windows of an image.
    Qwen25,
}

/// What sees images for a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageConfig {
    /// Images of one size.
    Whole(WholeConfig),
    /// Images of any size.
    Packed(PackedConfig),
}

impl ImageConfig {
    /// Which one.
    pub fn kind(&self) -> ImageKind {
        match self {
            Self::Whole(config) => config.kind,
            Self::Packed(config) => config.kind,
        }
    }

    /// What sees images of one size.
    pub fn whole(&self) -> Option<&WholeConfig> {
        match self {
            Self::Whole(config) => Some(config),
            Self::Packed(_) => None,
        }
    }

    /// What sees images of any size.
    pub fn packed(&self) -> Option<&PackedConfig> {
        match self {
            Self::Packed(config) => Some(config),
            Self::Whole(_) => None,
        }
    }

    /// Tokens of a text that an image takes whose sides are so many pixels: its own and those that
    /// stand around it.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        match self {
            Self::Whole(config) => config.tokens(),
            Self::Packed(config) => config.tokens(sides) + packed::AROUND,
        }
    }

    /// Pixels of an image in all its channels.
    pub fn pixels(&self, [height, width]: [u64; 2]) -> u64 {
        let channels = match self {
            Self::Whole(config) => config.tower.num_channels,
            Self::Packed(config) => config.channels * config.temporal_patch_size,
        };
        [channels, height, width]
            .into_iter()
            .fold(1, u64::saturating_mul)
    }
}

/// What sees images of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeConfig {
    /// Which one.
    pub kind: ImageKind,
    /// The tower.
    pub tower: DualConfig,
    /// Layers of the tower after the one whose hidden states are read.
    pub layers_after: u64,
    /// Whether the token that stands for all of an image is read, too.
    pub with_class: bool,
    /// Whether the layers between tower and decoder have biases.
    pub projector_bias: bool,
    /// The function between them.
    pub activation: Activation,
    /// Tokens of an image where patches are pooled.
    pub pooled_tokens: u64,
}

impl WholeConfig {
    /// Tokens of an image.
    pub fn tokens(&self) -> u64 {
        if self.kind == ImageKind::Gemma3 {
            return self.pooled_tokens;
        }
        let class = self.tower.kind == DualKind::Clip;
        self.tower.image_tokens() - u64::from(class && !self.with_class)
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

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(kind: ImageKind, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    if matches!(kind, ImageKind::Qwen2 | ImageKind::Qwen25) {
        return packed::read(kind, fields);
    }
    let nothing = Map::new();
    let mut text = ConfigFields::new(
        part(fields, "text_config", &nothing),
        &nothing,
        "model.hf_config.text_config",
    );
    let model_type = text_type(kind, &mut text);
    let mut config = decoder::read(model_type, &mut text);
    config.tie_word_embeddings |= fields.flag("tie_word_embeddings", false);
    let seen = part(fields, "vision_config", &nothing);
    let seen = ConfigFields::new(seen, &nothing, "model.hf_config.vision_config");
    let images = images(kind, fields, seen);
    for finding in text.into_findings() {
        fields.push(finding);
    }
    config.images = Some(Box::new(ImageConfig::Whole(images)));
    config
}

/// Which decoder reads the tokens.
fn text_type(kind: ImageKind, text: &mut ConfigFields<'_>) -> DecoderType {
    if kind == ImageKind::Gemma3 {
        return DecoderType::Gemma3;
    }
    let given = text.text("model_type").unwrap_or("llama");
    let found = model::decoder_type(given).filter(|found| {
        matches!(
            found,
            DecoderType::Llama | DecoderType::Mistral | DecoderType::Qwen2
        )
    });
    found.unwrap_or_else(|| {
        let key = text.key("model_type");
        text.push(
            Finding::error(
                &key,
                format!(
                    "LLaVA is estimated over decoders of type llama, mistral or qwen2, not {given}."
                ),
                format!("LLaVA 目前支持 llama、mistral 或 qwen2 类型的解码器，不支持 {given}。"),
            )
            .with_fix(&key, "llama"),
        );
        DecoderType::Llama
    })
}

/// The tower and what stands between it and the decoder.
fn images(
    kind: ImageKind,
    fields: &mut ConfigFields<'_>,
    mut seen: ConfigFields<'_>,
) -> WholeConfig {
    let llava = kind == ImageKind::Llava;
    let of_clip = llava && seen.text("model_type") != Some("siglip_vision_model");
    let tower = dual::read_vision(
        if of_clip {
            DualKind::Clip
        } else {
            DualKind::Siglip
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
    let pooled_tokens = if llava {
        0
    } else {
        pooled_tokens(fields, side)
    };
    WholeConfig {
        kind,
        tower,
        layers_after,
        with_class: fields.text("vision_feature_select_strategy") == Some("full"),
        projector_bias: fields.flag("multimodal_projector_bias", true),
        activation: fields.activation("projector_hidden_act", "gelu"),
        pooled_tokens,
    }
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
        Finding::error(
            &key,
            format!("An image of {side} x {side} patches cannot be pooled to {tokens} tokens: their number must be the square of a number that divides {side}."),
            format!("{side} x {side} 个图块无法池化为 {tokens} 个词元：词元数必须是 {side} 的某个因数的平方。"),
        )
        .with_fix(&key, nearest * nearest),
    );
    tokens
}

/// Layers after the one that `vision_feature_layer` names: -1 is the last one's result, 1 the first's.
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
            Finding::error(
                &key,
                format!("vision_feature_layer must be one number, the hidden states after one of the tower's {layers} layers: from 1 to {layers}, or -1 for the last."),
                format!("vision_feature_layer 必须是一个数，即图像编码器 {layers} 层中某一层的输出：1 到 {layers}，或以 -1 表示最后一层。"),
            )
            .with_fix(&key, -1),
        );
        0
    })
}

/// The modules of the whole model around those of its decoder.
pub(super) fn modules(images: &ImageConfig, text: Vec<Module>) -> Vec<Module> {
    let inside = |module: Module| match module.path.strip_prefix("model.") {
        Some(rest) => Module {
            path: format!("model.language_model.{rest}"),
            ..module
        },
        None => module,
    };
    let mut all = match images {
        ImageConfig::Whole(images) => dual::vision_modules(&images.tower, "model.vision_tower"),
        ImageConfig::Packed(images) => packed::modules(images),
    };
    let projector = images.whole().map(projector);
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

/// What stands between the tower and the decoder.
fn projector(images: &WholeConfig) -> [Module; 2] {
    let at = |name: &str| format!("model.multi_modal_projector{name}");
    if images.kind == ImageKind::Gemma3 {
        let own = Module {
            parameters: &["mm_input_projection_weight"],
            ..other(at(""))
        };
        return [own, other(at(".mm_soft_emb_norm"))];
    }
    [".linear_1", ".linear_2"].map(|name| linear(at(name), images.projector_bias))
}

/// How many images each sample has, and the pixels along their sides; and what is not estimated of
/// models that see them.
pub(super) fn resolve(
    scenario: &Scenario,
    config: Option<&ImageConfig>,
    findings: &mut Vec<Finding>,
) -> (u64, [u64; 2]) {
    if scenario.image_size.is_some() && config.and_then(ImageConfig::packed).is_none() {
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
        ImageConfig::Whole(config) => [config.tower.image_size; 2],
        ImageConfig::Packed(config) => image_size::resolve(scenario, config.factor(), findings),
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
                format!("{images} images of {tokens} tokens each are {needed} tokens, which {key} counts; with one of text it must be at least {wanted}."),
                format!("{images} 张图像各占 {tokens} 个词元，共 {needed} 个，都计入序列长度；再加至少 1 个文本词元，{key} 不得小于 {wanted}。"),
            )
            .with_fix(key, wanted),
        );
    }
    if let ImageConfig::Packed(config) = config {
        packed::check_windows(scenario, config, sides, findings);
    }
    refuse(scenario, config.kind(), findings);
    (scenario.images, sides)
}

/// What is not estimated yet.
fn refuse(scenario: &Scenario, kind: ImageKind, findings: &mut Vec<Finding>) {
    if kind == ImageKind::Gemma3 && training::padding_mask(scenario) {
        findings.push(
            Finding::error(
                "padding_mask",
                "Of Gemma 3 with images batches without padding are estimated only.",
                "目前只支持估算不含填充的 Gemma 3 图文批次。",
            )
            .with_fix("padding_mask", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "flash_attention_2 of models that see images is not supported yet; sdpa uses the same kernel where it can.",
                "暂不支持图文模型的 flash_attention_2；sdpa 会在可能时使用同样的内核。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    if evaluation::resolve(scenario).kind == EvaluationKind::Generate {
        findings.push(
            Finding::error(
                "evaluation.kind",
                "Generation by models that see images is not estimated yet.",
                "暂不支持估算图文模型的生成。",
            )
            .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::{Framework, Idle, ModelRef, Scenario, Task, idle, resolve};

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
    fn images_are_idle_where_nothing_sees_them() {
        assert_eq!(idle(&of(1024, 1), "images"), None);
        assert_eq!(idle(&Scenario::default(), "images"), Some(Idle::NoImages));
        assert_eq!(idle(&of(1024, 1), "image_size"), Some(Idle::Images));
    }
}
