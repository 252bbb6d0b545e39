//! Random scenarios, the same ones on every run.

use highwater::catalog::{ACCELERATORS, Model};
use highwater::codec::{KEYS, Kind};
use highwater::families::catalog_models;
use serde_json::{Map, Value, json};

/// How many keys a scenario sets, on average.
const USUALLY_SET: usize = 10;

/// A small deterministic generator (`SplitMix64`).
pub struct Random(u64);

impl Random {
    /// The generator of a test; different tests take different seeds.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound.max(1) as u64).expect("below a usize")
    }

    /// Yes in one of `times` cases.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some values.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// A whole number, small ones and those at borders more often.
    pub fn number(&mut self) -> u64 {
        match self.below(6) {
            0 => *self.pick(&[0, 1, 2, 3, 7, u64::MAX, u64::MAX - 1, 1 << 32, 1 << 53]),
            1 => 1 << self.below(64),
            2 => (1 << self.below(64)) - 1,
            3 => self.bits() >> self.below(64),
            _ => self.bits() % 1000,
        }
    }

    /// A text with all that could break a format.
    pub fn text(&mut self) -> String {
        const PARTS: &[&str] = &[
            "a", "B", "9", "1e5", "true", "null", "-", ",", ":", "&", "=", "%", "%2", "+", " ",
            "#", "?", "[", "{", "\"", "\\", "\n", "\u{0}", "显存", "é", "🐍", "/", ".",
        ];
        (0..self.below(5)).map(|_| *self.pick(PARTS)).collect()
    }

    /// Any JSON value, nested up to `depth` levels.
    pub fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 => json!(self.number()),
            3 => json!(f64::from(u32::try_from(self.bits() >> 40).expect("24 bits")) / 1e4 - 100.0),
            4 => json!(self.text()),
            5 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => Value::Object(self.fields(depth - 1)),
        }
    }

    fn fields(&mut self, depth: usize) -> Map<String, Value> {
        (0..self.below(4))
            .map(|_| (self.text(), self.json(depth)))
            .collect()
    }

    /// A scenario as JSON, every value of the kind that its key holds.
    pub fn scenario(&mut self) -> Value {
        let mut scenario = json!({});
        for key in KEYS {
            if self.one_in(KEYS.len() / USUALLY_SET) {
                let value = self.value(key.path, key.kind);
                put(&mut scenario, key.path, value);
            }
        }
        scenario
    }

    fn value(&mut self, path: &str, kind: Kind) -> Value {
        match kind {
            Kind::Model => self.model(),
            Kind::Divisions if self.one_in(2) => json!(format!("[{}", self.text())),
            Kind::Count | Kind::Tokens | Kind::Bytes | Kind::Divisions => json!(self.number()),
            Kind::Real => json!(f64::from(u32::try_from(self.below(2000)).expect("small")) / 1e3),
            Kind::Flag => json!(self.one_in(2)),
            Kind::Name(all) => json!(self.pick(&all())),
            Kind::Text if path == "hardware.gpu" && !self.one_in(4) => {
                json!(self.pick(ACCELERATORS).id)
            }
            Kind::Text | Kind::Sides => json!(self.text()),
            Kind::Lengths => json!([[1 + self.below(9000), 1 + self.below(1000)]]),
            Kind::List => (0..self.below(4)).map(|_| json!(self.text())).collect(),
            Kind::Fields => Value::Object(self.fields(2)),
        }
    }

    fn model(&mut self) -> Value {
        match self.below(8) {
            0 => json!(self.text()),
            1 => json!({"num_parameters": self.number()}),
            2 => {
                let (inputs, outputs) = (self.number(), self.number());
                json!({"linear": {"in_features": inputs, "out_features": outputs, "bias": self.one_in(2)}})
            }
            3 | 4 => json!({"hf_config": self.config()}),
            _ => json!(self.published().id),
        }
    }

    /// A model of the catalog.
    fn published(&mut self) -> &'static Model {
        let at = self.below(catalog_models().count());
        catalog_models().nth(at).expect("one that is listed")
    }

    /// A config of the catalog with some fields replaced or left out.
    fn config(&mut self) -> Value {
        let text = self.published().config;
        let mut config: Map<String, Value> =
            serde_json::from_str(text()).expect("a catalog config");
        let names: Vec<String> = config.keys().cloned().collect();
        for name in names {
            match self.below(12) {
                0 => {
                    config.remove(&name);
                }
                1 => {
                    config.insert(name, self.json(1));
                }
                2 => {
                    config.insert(name, json!(self.number()));
                }
                _ => {}
            }
        }
        Value::Object(config)
    }
}

/// Writes a value at a dotted path.
fn put(tree: &mut Value, path: &str, value: Value) {
    match path.split_once('.') {
        Some((first, rest)) => {
            if tree.get(first).is_none() {
                tree[first] = json!({});
            }
            put(&mut tree[first], rest, value);
        }
        None => tree[path] = value,
    }
}
