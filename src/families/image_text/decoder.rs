//! Which decoders read tokens among images.

use crate::ask::{Finding, VOCABULARY};
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
        Finding::error(
            &key,
            format!("The token of images, {token}, is none of the vocabulary's {vocabulary}; that is not estimated yet."),
            format!("图像词元 {token} 不在大小为 {vocabulary} 的词表中；暂不支持估算。"),
        )
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
            Finding::error(
                &key,
                format!(
                    "{name} is estimated over decoders of type {}, not {given}.",
                    names.join(", ")
                ),
                format!(
                    "{name} 目前支持 {} 类型的解码器，不支持 {given}。",
                    names.join("、")
                ),
            )
            .with_fix(&key, names[0]),
        );
        &LLAMA
    })
}

/// `create_causal_mask_mapping` (`models/paligemma`, transformers 5.23) makes masks for two kinds of layers
/// where there is a window; Gemma takes one.
fn why_no_window(key: &str) -> Finding {
    Finding::error(
        key,
        "PaliGemma over Gemma fails where its text part has a sliding_window: Gemma takes no masks of windows.",
        "PaliGemma 的文本部分为 Gemma 时不能设置 sliding_window：Gemma 不接受窗口掩码，运行会报错。",
    )
    .with_fix(key, Value::Null)
}
