//! Decoders that read images among their tokens (`models/{llava,llava_next,gemma3,paligemma,qwen2_vl,qwen2_5_vl,
//! qwen3_vl,qwen3_vl_moe,idefics3,smolvlm,mistral3,internvl,mllama}/configuration_*.py` of transformers 5.23).

use super::{decoder as reading, whole};
use crate::families::internvl::reader as intern;
use crate::families::mistral3::reader as joined;
use crate::families::mllama::reader as crossed;
use crate::families::qwen_vl::reader as packed;
use crate::families::reading::decoder;
use crate::families::registry;
use crate::model::ConfigFields;
use crate::model::{DecoderConfig, Family, ImageConfig, ImageKind};
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
    let family = registry::family(given)?.flat_text?;
    let mut text = config.clone();
    text.insert("model_type".to_owned(), family.model_types[0].into());
    Some(text)
}

/// Reads a config of the family. Errors are pushed to `fields`; the sizes are then of no use.
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
    // The tie of the whole config; LLaVA's takes over the text part's.
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
