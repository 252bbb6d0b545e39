//! The decoders that read tokens among images.

use crate::ask::{Finding, VOCABULARY, message};
use crate::families::gemma::{GEMMA, GEMMA2, GEMMA3_TEXT};
use crate::families::llama::LLAMA;
use crate::families::mistral::{MINISTRAL3, MISTRAL};
use crate::families::qwen::{QWEN2, QWEN3};
use crate::model::ConfigFields;
use crate::model::{Family, ImageKind};
use serde_json::Value;

/// Refuses a token of images that is none of the vocabulary's, which is replaced in a copy of tokens.
pub(crate) fn check_image_token(fields: &mut ConfigFields<'_>, vocabulary: u64) {
    let token = fields.optional("image_token_index", &(0..=VOCABULARY.end() - 1), 256_000);
    if token < vocabulary {
        return;
    }
    let key = fields.key("image_token_index");
    fields.push(
        Finding::error(&key, message!(image_text::image_token, token, vocabulary))
            .with_fix(&key, vocabulary - 1),
    );
}

/// The family of the decoder that reads the tokens.
pub(crate) fn text_type(kind: ImageKind, text: &mut ConfigFields<'_>) -> &'static Family {
    if kind == ImageKind::Gemma3 {
        return &GEMMA3_TEXT;
    }
    let (name, families): (_, &[&Family]) = match kind {
        ImageKind::PaliGemma => ("PaliGemma", &[&GEMMA, &GEMMA2]),
        ImageKind::Idefics3 | ImageKind::SmolVlm => ("Idefics3", &[&LLAMA, &MISTRAL, &QWEN2]),
        ImageKind::InternVl => ("InternVL", &[&QWEN2, &QWEN3, &LLAMA]),
        ImageKind::Mistral3 => ("Mistral 3", &[&MISTRAL, &MINISTRAL3, &LLAMA]),
        _ => ("LLaVA", &[&LLAMA, &MISTRAL, &QWEN2]),
    };
    let given = text.text("model_type");
    let known = match given {
        Some(given) => {
            (families.iter().copied()).find(|family| family.model_types.contains(&given))
        }
        None => Some(families[0]),
    };
    if known == Some(&GEMMA) && text.get("sliding_window").is_some() {
        let key = text.key("sliding_window");
        text.push(why_no_window(&key));
    }
    known.unwrap_or_else(|| {
        let given = given.unwrap_or_default();
        let names: Vec<&str> = families
            .iter()
            .map(|family| family.model_types[0])
            .collect();
        let key = text.key("model_type");
        let message = message!(image_text::text_type, name, names = names[..], given);
        text.push(Finding::error(&key, message).with_fix(&key, names[0]));
        &LLAMA
    })
}

/// `create_causal_mask_mapping` (`models/paligemma`, transformers 5.23) makes masks for two kinds of layers
/// where there is a window; Gemma takes one.
fn why_no_window(key: &str) -> Finding {
    Finding::error(key, message!(image_text::gemma_window)).with_fix(key, Value::Null)
}
