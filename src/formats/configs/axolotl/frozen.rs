//! Parts of a model that axolotl leaves as they are (`utils/freeze.py`, axolotl 0.19).

use crate::configs::job::Job;
use crate::configs::row::Lack;
use crate::configs::said::Said;
use crate::configs::trained::Trained;
use crate::configs::value;
use serde_json::Value;

/// `_MM_MODULE_PREFIXES`: modules beside the language model.
const TOWERS: &[&str] = &[
    "vision_tower",
    "vision_model",
    "vision_encoder",
    "embed_vision",
    "multi_modal_projector",
    "visual",
    "audio_tower",
    "audio_model",
    "embed_audio",
];

/// The language model within a model that reads images, whose own names lack it.
const WITHIN: &str = "language_model.";

pub(super) fn set(said: &Said, job: &mut Job) {
    if let Some(patterns) = said.get("unfrozen_parameters") {
        match unfrozen(&texts(patterns), job) {
            Some(names) => job.trained.push(Trained::Only(names)),
            None => job.forgo("frozen", Lack::Frozen),
        }
    }
    if said.is_on("freeze_mm_modules") {
        job.trained.push(Trained::But(TOWERS));
    }
}

/// Expressions, with the brackets that lists are written in.
fn texts(patterns: &Value) -> Vec<String> {
    match patterns {
        Value::Array(all) => all.iter().filter_map(value::text).collect(),
        one => value::text(one).into_iter().collect(),
    }
}

/// The parameters that one of `patterns` matches; nothing where one matches none or cannot be read.
fn unfrozen(patterns: &[String], job: &Job) -> Option<Vec<String>> {
    let model = job.get("model")?;
    // The names of a model with adapters begin with those of peft.
    if job.get("lora").is_some() {
        return None;
    }
    let mut names = Vec::new();
    for pattern in patterns {
        let pattern = expression(pattern);
        let mut own = job.models.parameters_like(model, &pattern)?;
        if own.is_empty() {
            let alone = pattern.replace(&expression(WITHIN), "");
            own = job.models.parameters_like(model, &alone)?;
        }
        if own.is_empty() {
            return None;
        }
        names.extend(own);
    }
    Some(names)
}

/// `LayerNamePattern`: the expression of a pattern, in which points are points. The range of rows at its end only
/// sets gradients to zero.
fn expression(pattern: &str) -> String {
    let is_range = |range: &str| {
        range
            .chars()
            .all(|sign| sign.is_ascii_digit() || sign == ':')
    };
    let named = match pattern
        .strip_suffix(']')
        .and_then(|all| all.rsplit_once('['))
    {
        Some((name, range)) if is_range(range) => name,
        _ => pattern,
    };
    let mut read = String::with_capacity(named.len() + 8);
    let mut signs = named.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign == '.' && signs.peek() != Some(&'+') {
            read.push('\\');
        }
        read.push(sign);
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_points_and_ranges_are_left_out() {
        assert_eq!(expression("^lm_head.weight$[:32000]"), r"^lm_head\.weight$");
        assert_eq!(
            expression("layers.2[0-9]+.gate.+"),
            r"layers\.2[0-9]+\.gate.+"
        );
    }
}
