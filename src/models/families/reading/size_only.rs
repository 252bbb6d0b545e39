//! A model of which only the number of parameters is known: a decoder of that size by published
//! proportions.

use crate::ask::{Finding, LAYERS, message, outside};
use crate::families::llama::LLAMA;
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

/// Numbers of parameters that such a decoder can have.
const PARAMETERS: RangeInclusive<u64> = 10_000_000..=4_000_000_000_000;

/// Models of the catalog whose proportions are taken, from small to large.
const SHAPES: [&str; 9] = [
    "smollm2-135m",
    "smollm2-360m",
    "llama-3.2-1b",
    "llama-3.2-3b",
    "llama-3.1-8b",
    "qwen2.5-14b",
    "qwen2.5-32b",
    "llama-3.1-70b",
    "llama-3.1-405b",
];

/// Below this many parameters the smallest shape is taken at a third of its width.
const NARROW: u64 = 60_000_000;

/// The intermediate size is a multiple of this many columns.
const COLUMNS: u64 = 16;

/// The sizes of a decoder of the Llama family.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    hidden: u64,
    heads: u64,
    groups: u64,
    head_dim: u64,
    intermediate: u64,
    layers: u64,
    vocabulary: u64,
    tied: bool,
}

impl Shape {
    /// The proportions of a model of the catalog.
    fn of(id: &str) -> Option<Self> {
        let model = crate::families::catalog_model(id)?;
        let config: Map<String, Value> = serde_json::from_str(model.config()).ok()?;
        let number = |field: &str| config.get(field).and_then(Value::as_u64);
        let (hidden, heads) = (number("hidden_size")?, number("num_attention_heads")?);
        Some(Self {
            name: model.name,
            hidden,
            heads,
            groups: number("num_key_value_heads").unwrap_or(heads),
            head_dim: number("head_dim").unwrap_or(hidden / heads),
            intermediate: number("intermediate_size")?,
            layers: number("num_hidden_layers")?,
            vocabulary: number("vocab_size")?,
            tied: config.get("tie_word_embeddings") == Some(&Value::Bool(true)),
        })
    }

    /// The shape at a third of the width.
    fn narrowed(self) -> Self {
        Self {
            hidden: self.hidden / 3,
            heads: self.heads / 3,
            groups: (self.groups / 3).max(1),
            ..self
        }
    }

    /// Elements outside of the layers.
    fn outside(self) -> u64 {
        let tables = if self.tied { 1 } else { 2 };
        (tables * self.vocabulary + 1) * self.hidden
    }

    /// Elements of a layer without its MLP.
    fn attention(self) -> u64 {
        2 * self.hidden * (self.heads + self.groups) * self.head_dim + 2 * self.hidden
    }

    fn parameters(self) -> u64 {
        let layer = self.attention() + 3 * self.hidden * self.intermediate;
        self.outside() + self.layers * layer
    }

    /// As many layers as come nearest to `parameters`, and the intermediate size that makes up
    /// for the rest.
    fn with_parameters(self, parameters: u64) -> Self {
        let inside = parameters.saturating_sub(self.outside());
        let layer = self.attention() + 3 * self.hidden * self.intermediate;
        let layers = ((inside + layer / 2) / layer).clamp(*LAYERS.start(), *LAYERS.end());
        let rest = (inside / layers).saturating_sub(self.attention());
        let columns = rest / (3 * self.hidden);
        let intermediate = (columns + COLUMNS / 2) / COLUMNS * COLUMNS;
        Self {
            layers,
            intermediate: intermediate.max(COLUMNS),
            ..self
        }
    }
}

/// The config of a decoder with that many parameters, and a warning that names the assumption.
pub(crate) fn config(parameters: u64, findings: &mut Vec<Finding>) -> Option<Map<String, Value>> {
    if !PARAMETERS.contains(&parameters) {
        findings.push(outside("model.num_parameters", parameters, &PARAMETERS));
        return None;
    }
    let shape = nearest(parameters)?.with_parameters(parameters);
    findings.push(warning(shape));
    let config = json!({
        "model_type": LLAMA.model_types[0],
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.groups,
        "head_dim": shape.head_dim,
        "vocab_size": shape.vocabulary,
        "tie_word_embeddings": shape.tied,
    });
    config.as_object().cloned()
}

/// The shape whose size is nearest by ratio.
fn nearest(parameters: u64) -> Option<Shape> {
    let mut shapes = SHAPES.iter().filter_map(|id| Shape::of(id));
    let mut found = shapes.next()?;
    if parameters < NARROW {
        return Some(found.narrowed());
    }
    let wide = |n: u64| u128::from(n);
    for next in shapes {
        if wide(parameters).pow(2) > wide(found.parameters()) * wide(next.parameters()) {
            found = next;
        }
    }
    Some(found)
}

fn warning(shape: Shape) -> Finding {
    let Shape {
        name,
        hidden,
        intermediate,
        layers,
        heads,
        groups,
        vocabulary,
        ..
    } = shape;
    Finding::warning(
        "model.num_parameters",
        message!(
            reading::like_published,
            name,
            layers,
            hidden,
            intermediate,
            heads,
            groups,
            vocabulary
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decoder_has_the_number_of_parameters_that_was_asked_for() {
        for parameters in [
            10_000_000,
            59_999_999,
            60_000_000,
            124_000_000,
            1_500_000_000,
            7_000_000_000,
            13_000_000_000,
            70_000_000_000,
            1_000_000_000_000,
        ] {
            let shape = nearest(parameters).expect("a shape");
            let found = shape.with_parameters(parameters).parameters();
            assert!(
                found.abs_diff(parameters) * 100 <= parameters,
                "{parameters}: {found}"
            );
        }
    }

    #[test]
    fn a_published_size_gives_the_published_model() {
        for id in SHAPES {
            let shape = Shape::of(id).expect(id);
            let found = nearest(shape.parameters()).expect(id);
            let found = found.with_parameters(shape.parameters());
            assert_eq!(found.layers, shape.layers, "{id}");
            assert_eq!(found.intermediate, shape.intermediate, "{id}");
        }
    }
}
