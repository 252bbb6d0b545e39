//! The state of a reader of a graph: names, symbols, sizes.

use super::graph::{Graph, Meta, ValueId};
use super::sizes::{Size, Symbol};
use super::symbols::expression;
use crate::units::DType;
use serde_json::Value;
use std::collections::BTreeMap;

/// Element types by the numbers of `torch._export.serde.schema.ScalarType`; `None` for types that the engine does not
/// have.
pub(super) fn dtype(number: &Value) -> Option<DType> {
    Some(match number.as_u64()? {
        // Bytes with and without a sign take the same memory.
        1 | 2 => DType::UInt8,
        4 => DType::Int32,
        5 => DType::Int64,
        6 => DType::Float16,
        7 => DType::Float32,
        8 => DType::Float64,
        12 => DType::Bool,
        13 => DType::BFloat16,
        _ => return None,
    })
}

/// The state of a reader of a graph.
#[derive(Default)]
pub(super) struct Reading<'a> {
    pub(super) graph: Graph,
    symbols: BTreeMap<String, u32>,
    pub(super) modules: BTreeMap<&'a str, u32>,
    /// Values of the body that is read, by name.
    pub(super) names: BTreeMap<String, ValueId>,
    /// Whole numbers of the body that is read, by name.
    pub(super) numbers: BTreeMap<String, Size>,
    pub(super) depth: usize,
}

impl Reading<'_> {
    fn symbol(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.symbols.get(name) {
            return known;
        }
        let at = u32::try_from(self.graph.symbols.len()).unwrap_or(u32::MAX);
        self.graph.symbols.push(Symbol {
            name: name.to_owned(),
            hint: None,
            range: [None; 2],
            unbacked: name.starts_with('u') || name.starts_with("zuf"),
        });
        self.symbols.insert(name.to_owned(), at);
        at
    }

    pub(super) fn read_ranges(&mut self, ranges: &Value) {
        for (name, range) in ranges.as_object().into_iter().flatten() {
            let at = self.symbol(name) as usize;
            let bound = |name: &str| range.get(name).and_then(Value::as_i64);
            self.graph.symbols[at].range = [bound("min_val"), bound("max_val")];
        }
    }

    /// `{"as_int": n}` or `{"as_expr": {"expr_str": text, "hint": {"as_int": n}}}`.
    pub(super) fn size(&mut self, given: &Value) -> Size {
        if let Some(n) = given.get("as_int").and_then(Value::as_i64) {
            return Size::Number(n);
        }
        let written = &given["as_expr"];
        let hint = written["hint"]["as_int"].as_i64();
        let text = written["expr_str"].as_str().unwrap_or_default();
        let size = expression(text, &mut |name| self.symbol(name));
        let size = size.unwrap_or(Size::Other(hint));
        if let Size::Symbol(at) = size {
            let symbol = &mut self.graph.symbols[at as usize];
            symbol.hint = symbol.hint.or(hint);
        }
        size
    }

    pub(super) fn meta(&mut self, given: &Value) -> Meta {
        let sizes = given["sizes"].as_array().into_iter().flatten();
        Meta {
            dtype: dtype(&given["dtype"]),
            sizes: sizes.map(|size| self.size(size)).collect(),
            requires_grad: given["requires_grad"].as_bool() == Some(true),
        }
    }

    /// The value of `{"name": ...}`.
    pub(super) fn tensor_of(&self, given: &Value) -> Option<ValueId> {
        self.names.get(given.get("name")?.as_str()?).copied()
    }
}
