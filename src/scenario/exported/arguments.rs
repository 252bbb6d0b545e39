//! Arguments and results of nodes.

use super::graph::{Argument, Real, ValueId};
use super::reading::{Reading, dtype};
use super::sizes::Size;
use serde_json::{Map, Value};

impl Reading<'_> {
    /// An argument: an object with one key, which says its kind.
    pub(super) fn argument(&mut self, given: &Value) -> Argument {
        let Some((kind, value)) = given.as_object().and_then(single) else {
            return Argument::Other;
        };
        match kind {
            "as_none" => Argument::None,
            "as_tensor" => self
                .tensor_of(value)
                .map_or(Argument::Other, Argument::Tensor),
            "as_tensors" => {
                let all = value.as_array().into_iter().flatten();
                Argument::Tensors(all.map(|tensor| self.tensor_of(tensor)).collect())
            }
            "as_optional_tensors" | "as_nested_tensors" => {
                let all = value.as_array().into_iter().flatten();
                let each = all.map(|tensor| self.tensor_of(tensor.get("as_tensor")?));
                Argument::Tensors(each.collect())
            }
            "as_int" => Argument::Int(whole(value)),
            "as_ints" => {
                let all = value.as_array().into_iter().flatten();
                Argument::Ints(all.map(whole).collect())
            }
            "as_sym_int" => Argument::Int(self.symbolic(value)),
            "as_sym_ints" => {
                let all = value.as_array().into_iter().flatten();
                Argument::Ints(all.map(|size| self.symbolic(size)).collect())
            }
            "as_float" => Argument::Float(Real::new(value.as_f64().unwrap_or(0.0))),
            "as_floats" => {
                let all = value.as_array().into_iter().flatten();
                Argument::Floats(all.filter_map(Value::as_f64).map(Real::new).collect())
            }
            "as_bool" => Argument::Bool(value.as_bool()),
            "as_sym_bool" => Argument::Bool(value.get("as_bool").and_then(Value::as_bool)),
            "as_string" => Argument::Text(value.as_str().unwrap_or_default().to_owned()),
            "as_scalar_type" => Argument::DType(dtype(value)),
            _ => Argument::Other,
        }
    }

    /// `{"as_int": n}` or `{"as_name": name}` of a number that is in the graph.
    fn symbolic(&mut self, given: &Value) -> Size {
        if let Some(name) = given.get("as_name").and_then(Value::as_str) {
            return self.numbers.get(name).cloned().unwrap_or(Size::Other(None));
        }
        self.size(given)
    }

    /// Results of a node, of which a list counts as as many results.
    pub(super) fn results(&self, outputs: &Value) -> Vec<Option<ValueId>> {
        let mut results = Vec::new();
        for output in outputs.as_array().into_iter().flatten() {
            let Some((kind, value)) = output.as_object().and_then(single) else {
                results.push(None);
                continue;
            };
            match kind {
                "as_tensors" | "as_optional_tensors" => {
                    let all = value.as_array().into_iter().flatten();
                    results
                        .extend(all.map(|one| self.tensor_of(one.get("as_tensor").unwrap_or(one))));
                }
                "as_tensor" => results.push(self.tensor_of(value)),
                _ => results.push(None),
            }
        }
        results
    }
}

fn whole(value: &Value) -> Size {
    value.as_i64().map_or(Size::Other(None), Size::Number)
}

/// The key and the value of an object with one key.
fn single(map: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut entries = map.iter().filter(|(key, _)| *key != "$type");
    let (key, value) = entries.next()?;
    Some((key, value))
}
