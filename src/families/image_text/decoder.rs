//! Which decoders read tokens among images.

use crate::ask::{Finding, VOCABULARY, message};
use crate::families::gemma::GEMMA3_TEXT;
use crate::families::llama::LLAMA;
use crate::families::registry;
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

/// Which decoder reads the tokens.
pub(crate) fn text_type(kind: ImageKind, text: &mut ConfigFields<'_>) -> &'static Family {
    if kind == ImageKind::Gemma3 {
        return &GEMMA3_TEXT;
    }
    let (name, names): (_, &[&str]) = match kind {
        ImageKind::PaliGemma => ("PaliGemma", &["gemma", "gemma2"]),
        ImageKind::Idefics3 | ImageKind::SmolVlm => ("Idefics3", &["llama", "mistral", "qwen2"]),
        ImageKind::InternVl => ("InternVL", &["qwen2", "qwen3", "llama"]),
        ImageKind::Mistral3 => ("Mistral 3", &["mistral", "ministral3", "llama"]),
        _ => ("LLaVA", &["llama", "mistral", "qwen2"]),
    };
    let given = text.text("model_type").unwrap_or(names[0]);
    let known = names.contains(&given).then(|| registry::family(given));
    if kind == ImageKind::PaliGemma && given == "gemma" && text.get("sliding_window").is_some() {
        let key = text.key("sliding_window");
        text.push(why_no_window(&key));
    }
    known.flatten().unwrap_or_else(|| {
        let key = text.key("model_type");
        text.push(
            Finding::error(&key, message!(image_text::text_type, name, names, given))
                .with_fix(&key, names[0]),
        );
        &LLAMA
    })
}

/// `create_causal_mask_mapping` (`models/paligemma`, transformers 5.23) makes masks for two kinds of layers
/// where there is a window; Gemma takes one.
#[inline(never)] // Not in the reader, so that the page can fetch it later.
fn why_no_window(key: &str) -> Finding {
    Finding::error(key, message!(image_text::gemma_window)).with_fix(key, Value::Null)
}
