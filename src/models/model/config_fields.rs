//! Typed access to the fields of a `config.json`, each complaint naming the field.

use super::Activation;
use crate::ask::{Finding, HEADS, VOCABULARY, message, outside};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// A config with replaced fields, and the findings about the fields that were read.
pub struct ConfigFields<'a> {
    /// The config, as `base` was before `overrides` replaced some of its fields.
    base: &'a Map<String, Value>,
    overrides: &'a Map<String, Value>,
    /// Scenario key under which a repair of a field of `base` is written.
    base_key: &'static str,
    /// Other names of fields.
    attribute_map: AttributeMap,
    findings: Vec<Finding>,
}

/// Fields, and the names that configs of a family have for them (`attribute_map` of transformers' configs).
pub type AttributeMap = &'static [(&'static str, &'static str)];

/// A field that a reader has asked for: the key of the config that contains it, the config's type, and the field's
/// name.
#[cfg(test)]
pub(crate) type Asked = (&'static str, Option<String>, String);

#[cfg(test)]
thread_local! {
    /// The fields that readers have asked for in this thread.
    pub(crate) static ASKED: std::cell::RefCell<std::collections::BTreeSet<Asked>> =
        std::cell::RefCell::default();
}

impl<'a> ConfigFields<'a> {
    /// The fields of `base`, replaced by those of `overrides`. Repairs of fields that are not
    /// overridden go below the scenario key `base_key`.
    pub(crate) fn new(
        base: &'a Map<String, Value>,
        overrides: &'a Map<String, Value>,
        base_key: &'static str,
    ) -> Self {
        Self {
            base,
            overrides,
            base_key,
            attribute_map: &[],
            findings: Vec::new(),
        }
    }

    /// A second view of these fields, for another reader.
    pub(crate) fn again(&self) -> Self {
        Self {
            attribute_map: self.attribute_map,
            ..Self::new(self.base, self.overrides, self.base_key)
        }
    }

    /// Fields have these names, too.
    pub(crate) fn map_names(&mut self, attribute_map: AttributeMap) {
        self.attribute_map = attribute_map;
    }

    /// The names of a field, its own first.
    fn names<'f>(&self, field: &'f str) -> impl Iterator<Item = &'f str> + use<'f> {
        let mapped = self.attribute_map.iter().find(|(name, _)| *name == field);
        [field].into_iter().chain(mapped.map(|(_, other)| *other))
    }

    /// The name by which the config has a field, its own where it has none.
    fn name<'f>(&self, field: &'f str) -> &'f str {
        let mut all = [self.overrides, self.base].into_iter();
        let found = all.find_map(|given| self.names(field).find(|name| given.contains_key(*name)));
        found.unwrap_or(field)
    }

    /// The config's value of a field.
    fn given(&self, field: &str) -> Option<&'a Value> {
        #[cfg(test)]
        self.names(field).for_each(|name| self.note(name));
        let name = self.name(field);
        self.overrides.get(name).or_else(|| self.base.get(name))
    }

    /// The field's value; null counts as absent, as in transformers.
    pub(crate) fn get(&self, field: &str) -> Option<&'a Value> {
        self.given(field).filter(|value| !value.is_null())
    }

    /// Whether the field is given as null.
    pub(crate) fn is_null(&self, field: &str) -> bool {
        self.given(field).is_some_and(Value::is_null)
    }

    /// Notes that a reader has asked for the field.
    #[cfg(test)]
    fn note(&self, field: &str) {
        let own = |fields: &Map<String, Value>| {
            let model_type = fields.get("model_type")?.as_str();
            model_type.map(str::to_owned)
        };
        let asked = (
            self.base_key,
            own(self.overrides).or_else(|| own(self.base)),
            field.to_owned(),
        );
        ASKED.with_borrow_mut(|all| all.insert(asked));
    }

    /// The scenario key of a field.
    pub(crate) fn key(&self, field: &str) -> String {
        let field = self.name(field);
        if self.overrides.contains_key(field) {
            format!("model_overrides.{field}")
        } else {
            format!("{}.{field}", self.base_key)
        }
    }

    /// Adds a finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Everything that was wrong.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// A whole number that must be given. `example` repairs its absence.
    pub(crate) fn required(
        &mut self,
        field: &str,
        allowed: &RangeInclusive<u64>,
        example: u64,
    ) -> u64 {
        if let Some(value) = self.get(field) {
            return self.number(field, value, allowed, example);
        }
        let key = self.key(field);
        self.push(
            Finding::error(&key, message!(config::missing, field, example)).with_fix(&key, example),
        );
        example
    }

    /// A whole number with transformers' default.
    pub(crate) fn optional(
        &mut self,
        field: &str,
        allowed: &RangeInclusive<u64>,
        default: u64,
    ) -> u64 {
        match self.get(field) {
            Some(value) => self.number(field, value, allowed, default),
            None => default,
        }
    }

    /// A whole number that transformers reads under several names, with its default.
    pub(crate) fn named(
        &mut self,
        names: &[&str],
        allowed: &RangeInclusive<u64>,
        default: u64,
    ) -> u64 {
        #[cfg(test)]
        for name in names {
            self.note(name);
        }
        let given = |fields: &Map<String, Value>| {
            let says = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
            let mut names = names.iter().copied();
            names.find(|name| self.names(name).any(says))
        };
        match given(self.overrides).or_else(|| given(self.base)) {
            Some(name) => self.optional(name, allowed, default),
            None => default,
        }
    }

    /// The value itself, or the common element of a list with one element for each layer.
    fn of_all_layers<'v>(&self, value: &'v Value) -> &'v Value {
        let layers = self.get("num_hidden_layers").and_then(Value::as_u64);
        match value {
            Value::Array(all) if layers == Some(all.len() as u64) => all
                .first()
                .filter(|first| all.iter().all(|one| one == *first))
                .unwrap_or(value),
            _ => value,
        }
    }

    fn number(
        &mut self,
        field: &str,
        value: &Value,
        allowed: &RangeInclusive<u64>,
        example: u64,
    ) -> u64 {
        let key = self.key(field);
        match self.of_all_layers(value).as_u64() {
            Some(number) if allowed.contains(&number) => number,
            Some(number) => {
                self.push(outside(&key, number, allowed));
                example
            }
            None => {
                let (low, high) = (allowed.start(), allowed.end());
                let nearest = if value.as_f64().is_some_and(|number| number < 1.0) {
                    *low
                } else {
                    example
                };
                let shown = shortened(value);
                self.push(
                    Finding::error(&key, message!(config::not_whole, field, shown, low, high))
                        .with_fix(&key, nearest),
                );
                example
            }
        }
    }

    /// A truth value with transformers' default.
    pub(crate) fn flag(&mut self, field: &str, default: bool) -> bool {
        match self.get(field) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let (key, shown) = (self.key(field), shortened(other));
                self.push(
                    Finding::error(&key, message!(config::not_a_flag, field, shown))
                        .with_fix(&key, default),
                );
                default
            }
        }
    }

    /// A probability in thousandths, 0 when absent.
    pub(crate) fn permille(&mut self, field: &str) -> u32 {
        match self.get(field) {
            Some(value) => self.permille_of(field, value),
            None => 0,
        }
    }

    fn permille_of(&mut self, field: &str, value: &Value) -> u32 {
        if let Some(permille) = value.as_f64().and_then(to_permille) {
            return permille;
        }
        let (key, shown) = (self.key(field), shortened(value));
        self.push(
            Finding::error(&key, message!(config::not_a_probability, field, shown))
                .with_fix(&key, 0.0),
        );
        0
    }

    /// Whether a probability of dropout is above zero, with transformers' default.
    pub(crate) fn drops(&mut self, field: &str, default: bool) -> bool {
        match self.get(field) {
            Some(_) => self.permille(field) > 0,
            None => default,
        }
    }

    /// Classes of a classifier: `num_labels`, or as many as `id2label` names.
    pub(crate) fn labels(&mut self, default: u64) -> u64 {
        let named = self.get("id2label").and_then(Value::as_object);
        let named = named.and_then(|labels| u64::try_from(labels.len()).ok());
        let named = named.filter(|&labels| labels > 0);
        self.optional("num_labels", &VOCABULARY, named.unwrap_or(default))
    }

    /// The columns of one of `heads` heads into which `hidden` columns are divided. `field` is that
    /// of the heads.
    pub(crate) fn divided(&mut self, hidden: u64, heads: u64, field: &str) -> u64 {
        if hidden.is_multiple_of(heads) {
            return hidden / heads;
        }
        let key = self.key(field);
        let fits = (1..=heads).rev().find(|n| hidden.is_multiple_of(*n));
        self.push(
            Finding::error(&key, message!(config::divided_heads, hidden, heads))
                .with_fix(&key, fits.unwrap_or(1)),
        );
        1
    }

    /// `num_key_value_heads`, each of which serves the same number of `heads`.
    pub(crate) fn shared_heads(&mut self, heads: u64, default: u64) -> u64 {
        self.shared_by("num_key_value_heads", heads, default)
    }

    /// `field`, a number of heads, each of which serves the same number of `heads`.
    pub(crate) fn shared_by(&mut self, field: &str, heads: u64, default: u64) -> u64 {
        let shared = self.optional(field, &HEADS, default);
        if heads.is_multiple_of(shared) {
            return shared;
        }
        let key = self.key(field);
        self.push(
            Finding::error(&key, message!(config::shared_heads, heads, shared))
                .with_fix(&key, heads),
        );
        heads
    }

    /// The columns of a head of `head_dim` that positions rotate, by a factor from 0 to 1, rounded
    /// down, with a default in thousandths: from where transformers 5 keeps it, else from the `field`
    /// that had it before (`convert_rope_params_to_dict`, `modeling_rope_utils.py`, 5.23).
    pub(crate) fn rotated(&mut self, head_dim: u64, field: &str, default: u32) -> u64 {
        const KEPT: [&str; 2] = ["rope_parameters", "partial_rotary_factor"];
        let kept = self.get(KEPT[0]).and_then(|rope| rope.get(KEPT[1]));
        let permille = match (kept, self.get(field)) {
            (Some(value), _) => self.permille_of(&KEPT.join("."), value),
            (None, Some(value)) => self.permille_of(field, value),
            (None, None) => default,
        };
        head_dim * u64::from(permille) / 1000
    }

    /// For each layer, whether it attends to a window, or to a chunk: as `layer_types` says, else by `default`.
    pub(crate) fn windowed_layers(&self, layers: u64, default: impl Fn(u64) -> bool) -> Vec<bool> {
        let types = self.get("layer_types").and_then(Value::as_array);
        let given = |layer| types.and_then(|types| types.get(usize::try_from(layer).ok()?));
        (0..layers)
            .map(|layer| match given(layer) {
                Some(name) => {
                    matches!(
                        name.as_str(),
                        Some("sliding_attention" | "chunked_attention")
                    )
                }
                None => default(layer),
            })
            .collect()
    }

    /// The activation function that the field names.
    pub(crate) fn activation(&mut self, field: &str, default: &'static str) -> Activation {
        let name = self.text(field).unwrap_or(default);
        self.known_activation(field, name, default)
    }

    /// The activation function `name`, which came from the field; of one that is not known it is
    /// said that it is estimated like `default`.
    pub(crate) fn known_activation(
        &mut self,
        field: &str,
        name: &str,
        default: &'static str,
    ) -> Activation {
        Activation::named(name).unwrap_or_else(|| {
            self.estimated_like(field, name, default);
            Activation::named(default).unwrap_or(Activation::Relu)
        })
    }

    /// Warns of an activation function that is estimated like the first of `known`.
    pub(crate) fn check_activation(&mut self, field: &str, known: &[&str]) {
        let Some(name) = self.text(field).filter(|name| !known.contains(name)) else {
            return;
        };
        let Some(like) = known.first() else { return };
        self.estimated_like(field, name, like);
    }

    fn estimated_like(&mut self, field: &str, name: &str, like: &str) {
        let key = self.key(field);
        self.push(
            Finding::warning(&key, message!(config::estimated_like, field, name, like))
                .with_fix(&key, like),
        );
    }

    /// A text.
    pub(crate) fn text(&self, field: &str) -> Option<&'a str> {
        self.get(field).and_then(Value::as_str)
    }
}

/// Thousandths of a probability; never 0 for one that is above 0, since any dropout keeps a mask.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 1000 after the range check"
)]
fn to_permille(probability: f64) -> Option<u32> {
    (0.0..=1.0)
        .contains(&probability)
        .then(|| (probability * 1000.0).ceil() as u32)
}

/// A JSON value as text, cut to what a message can hold.
pub(crate) fn shortened(value: &Value) -> String {
    const LONGEST: usize = 40;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
