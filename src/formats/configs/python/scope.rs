//! Values of a program's names: constants, defaults of options and fields, simple arithmetic of them.

use super::tree::{Bound, Guard, Id, Node, Tree};
use serde_json::{Map, Number, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Names that lead to names, and expressions within each other.
const DEEPEST: usize = 40;
/// Steps of all evaluations, letters counted: names can lead to names that each occur twice.
const MOST_STEPS: usize = 400_000;

/// The names of a program with their values.
pub(super) struct Scope<'a> {
    pub tree: &'a Tree,
    /// Places of what binds each name.
    bound: BTreeMap<&'a str, Vec<usize>>,
    /// Aliases with the names behind them, and classes with their first bases.
    stands_for: BTreeMap<&'a str, &'a str>,
    /// Options of the command line by name, with the default where there is one.
    pub options: BTreeMap<String, Option<Id>>,
    /// Values that the command line gives.
    given: BTreeMap<String, Value>,
    /// Options that were asked for.
    pub used: RefCell<BTreeSet<String>>,
    /// Whether an answer rests on the GPU's being able to compute in bfloat16.
    pub asked_for_bf16: Cell<bool>,
    steps: Cell<usize>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(tree: &'a Tree, given: BTreeMap<String, Value>) -> Self {
        let mut bound: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, (name, _)) in tree.bound.iter().enumerate() {
            bound.entry(name).or_default().push(place);
        }
        let bases = tree.classes.iter().filter_map(|(class, bases)| {
            let base = &tree.nodes[*bases.first()?];
            match base {
                Node::Path(base) => Some((class.as_str(), base.as_str())),
                _ => None,
            }
        });
        let aliases = tree.aliases.iter();
        let aliases = aliases.map(|(alias, own)| (alias.as_str(), own.as_str()));
        let mut scope = Self {
            tree,
            bound,
            stands_for: bases.chain(aliases).collect(),
            options: BTreeMap::new(),
            given,
            used: RefCell::default(),
            asked_for_bf16: Cell::new(false),
            steps: Cell::new(0),
        };
        scope.options = scope.declared();
        scope
    }

    /// Options of `argparse` and `click`, fields of classes and parameters with their defaults.
    fn declared(&self) -> BTreeMap<String, Option<Id>> {
        let mut options = BTreeMap::new();
        for call in &self.tree.calls {
            let last = call.callee.rsplit('.').next().unwrap_or_default();
            if !["add_argument", "option"].contains(&last) {
                continue;
            }
            let named = |name: &str| {
                let mut arguments = call.arguments.iter();
                let found = arguments.find(|own| own.name.as_deref() == Some(name));
                found.map(|own| own.value)
            };
            let text = |id: Id| match &self.tree.nodes[id] {
                Node::Value(Value::String(text)) => Some(text.as_str()),
                _ => None,
            };
            let places = call.arguments.iter().filter(|own| own.name.is_none());
            let spelled = places.filter_map(|own| text(own.value));
            let spelled = spelled.max_by_key(|name| (name.starts_with("--"), name.len()));
            let name = named("dest").and_then(text).or(spelled);
            if let Some(name) = name {
                let default = named("default").or_else(|| named("action"));
                options.insert(option_name(name), default);
            }
        }
        for (_, field, value) in &self.tree.fields {
            options.entry(field.clone()).or_insert(Some(*value));
        }
        options
    }

    /// A name where aliases and own subclasses are what they stand for.
    pub(super) fn full_name(&self, callee: &str) -> String {
        let mut name = callee.to_owned();
        for _ in 0..5 {
            let first = name.split('.').next().unwrap_or_default();
            match self.stands_for.get(first) {
                Some(own) if *own != first => name = format!("{own}{}", &name[first.len()..]),
                _ => break,
            }
        }
        name
    }

    /// Whether the command line can say an option.
    pub(super) fn declares(&self, name: &str) -> bool {
        let parameter = |place: &usize| matches!(self.tree.bound[*place].1, Bound::Parameter(_));
        let bound = self.bound.get(name);
        self.options.contains_key(name) || bound.is_some_and(|all| all.iter().any(parameter))
    }

    /// Whether the statements under a condition may run.
    pub(super) fn happens(&self, guard: Option<usize>) -> bool {
        self.may_happen(guard, 0)
    }

    fn may_happen(&self, guard: Option<usize>, depth: usize) -> bool {
        let mut guard = guard;
        while let Some(Guard {
            condition,
            otherwise,
            within,
        }) = guard.map(|guard| self.tree.guards[guard])
        {
            let holds = self.evaluate(condition, depth + 1);
            if holds.is_some_and(|holds| truth(&holds) == otherwise) {
                return false;
            }
            guard = within;
        }
        true
    }

    /// The value of an expression, where it follows from constants.
    pub(super) fn value(&self, id: Id) -> Option<Value> {
        self.evaluate(id, 0)
    }

    /// Follows a name to the one expression that it is bound to.
    pub(super) fn resolve(&self, id: Id) -> Id {
        let mut id = id;
        for _ in 0..DEEPEST {
            let Node::Path(path) = &self.tree.nodes[id] else {
                break;
            };
            match self.binding(path, 0) {
                Some(next) if next != id => id = next,
                _ => break,
            }
        }
        id
    }

    /// The one expression that a name is bound to.
    fn binding(&self, path: &str, depth: usize) -> Option<Id> {
        let places = self.bound.get(path)?;
        let mut places = places.iter().take(20);
        let mut happen = places
            .by_ref()
            .filter(|place| self.may_happen(self.tree.bound_if[**place], depth));
        let place = *happen.next()?;
        if happen.next().is_some() {
            return None;
        }
        match self.tree.bound[place].1 {
            Bound::To(value, _) => Some(value),
            Bound::Parameter(default) => default,
            Bound::Unknown => None,
        }
    }

    /// The call whose result an expression names, among the first `n` calls.
    pub(super) fn made_by(&self, id: Id, before: usize) -> Option<usize> {
        let mut id = id;
        let mut before = before;
        for _ in 0..DEEPEST {
            match &self.tree.nodes[id] {
                Node::Call(number) => return Some(*number),
                Node::Choice([_, value, _]) => id = *value,
                Node::Path(path) => {
                    let places = self.bound.get(path.as_str())?;
                    let places = places.iter();
                    let happen = places.filter(|place| self.happens(self.tree.bound_if[**place]));
                    let all = happen.filter_map(|place| match self.tree.bound[*place].1 {
                        Bound::To(value, at) => Some((value, at)),
                        _ => None,
                    });
                    let all: Vec<_> = all.collect();
                    let earlier = all.iter().rev().find(|(_, at)| *at < before);
                    let (value, at) = *earlier.or(all.first())?;
                    if value == id {
                        return None;
                    }
                    (id, before) = (value, at);
                }
                _ => return None,
            }
        }
        None
    }

    fn evaluate(&self, id: Id, depth: usize) -> Option<Value> {
        let letters = match &self.tree.nodes[id] {
            Node::Value(Value::String(text)) => text.len(),
            _ => 0,
        };
        self.steps.set(self.steps.get() + 1 + letters);
        if depth > DEEPEST || self.steps.get() > MOST_STEPS {
            return None;
        }
        let inner = |id: Id| self.evaluate(id, depth + 1);
        match &self.tree.nodes[id] {
            Node::Value(value) => Some(value.clone()),
            Node::Path(path) => self.named(path, depth),
            Node::Formatted(text) => self.formatted(text, depth),
            Node::List(items) => {
                let items: Option<Vec<Value>> = items.iter().map(|item| inner(*item)).collect();
                items.map(Value::Array)
            }
            Node::Dict(items) => {
                let mut map = Map::new();
                for (key, value) in items {
                    let value = inner(*value)?;
                    match (key.map(inner), value) {
                        (Some(key), value) => {
                            map.insert(key?.as_str()?.to_owned(), value);
                        }
                        (None, Value::Object(more)) => map.extend(more),
                        _ => return None,
                    }
                }
                Some(map.into())
            }
            Node::Unary(sign, value) => unary(sign, &inner(*value)?),
            Node::Binary(sign, left, right) => {
                let left = inner(*left)?;
                match (*sign, truth(&left)) {
                    ("or", true) | ("and", false) => Some(left),
                    ("or" | "and", _) => inner(*right),
                    _ => binary(sign, &left, &inner(*right)?),
                }
            }
            Node::Choice([condition, value, other]) => {
                let holds = truth(&inner(*condition)?);
                inner(if holds { *value } else { *other })
            }
            Node::Item(of, key) => match (inner(*of)?, inner(*key)?) {
                (Value::Object(map), Value::String(key)) => map.get(&key).cloned(),
                (Value::Array(items), key) => {
                    items.get(usize::try_from(key.as_u64()?).ok()?).cloned()
                }
                _ => None,
            },
            Node::Call(number) => self.called(*number, depth),
            Node::Other => None,
        }
    }

    /// Calls whose result follows from their arguments.
    fn called(&self, number: usize, depth: usize) -> Option<Value> {
        let call = &self.tree.calls[number];
        let argument = |place: usize| {
            let argument = call.arguments.get(place)?;
            self.evaluate(argument.value, depth + 1)
        };
        let last = call.callee.rsplit('.').next().unwrap_or_default();
        match (last, call.arguments.len()) {
            ("is_bf16_supported" | "is_bfloat16_supported" | "is_torch_bf16_gpu_available", 0) => {
                self.asked_for_bf16.set(true);
                Some(true.into())
            }
            ("is_available", 0) => Some(true.into()),
            ("dict", _) => {
                let mut map = Map::new();
                for argument in &call.arguments {
                    let value = self.evaluate(argument.value, depth + 1)?;
                    match (argument.name.as_deref(), value) {
                        (None | Some("**"), Value::Object(more)) => map.extend(more),
                        (Some(name), value) if name != "*" => {
                            map.insert(name.to_owned(), value);
                        }
                        _ => return None,
                    }
                }
                Some(map.into())
            }
            ("int", 1) => {
                let number = crate::configs::value::real(&argument(0)?)?.trunc();
                crate::configs::value::count(&number.into()).map(Value::from)
            }
            ("float", 1) => crate::configs::value::real(&argument(0)?).map(Value::from),
            ("str", 1) => crate::configs::value::text(&argument(0)?).map(Value::from),
            ("bool", 1) => Some(truth(&argument(0)?).into()),
            ("list" | "tuple", 1) => argument(0).filter(Value::is_array),
            ("field" | "Option" | "Argument", _) => self.default_of(number, depth),
            ("getattr", 2) => {
                let of = &self.tree.nodes[call.arguments[0].value];
                let name = argument(1)?;
                match of {
                    Node::Path(of) => self.named(&format!("{of}.{}", name.as_str()?), depth + 1),
                    _ => None,
                }
            }
            ("CPUOffload", 1) => argument(0),
            _ => None,
        }
    }

    /// The default of `field(default=...)`.
    fn default_of(&self, number: usize, depth: usize) -> Option<Value> {
        let call = &self.tree.calls[number];
        let mut arguments = call.arguments.iter();
        let found = arguments.find(|own| own.name.as_deref().is_none_or(|name| name == "default"));
        self.evaluate(found?.value, depth + 1)
    }

    /// The value of a name: a constant, an option, a field of an object, a dtype, a member of an enumeration.
    fn named(&self, path: &str, depth: usize) -> Option<Value> {
        if let Some(places) = self.bound.get(path) {
            let mut found: Option<Value> = None;
            for place in places.iter().take(20) {
                if !self.may_happen(self.tree.bound_if[*place], depth) {
                    continue;
                }
                let value = match self.tree.bound[*place].1 {
                    Bound::To(value, _) => self.evaluate(value, depth + 1)?,
                    Bound::Parameter(default) => self.option(path, default, depth)?,
                    Bound::Unknown => return None,
                };
                if found.as_ref().is_some_and(|found| *found != value) {
                    return None;
                }
                found = Some(value);
            }
            return found;
        }
        let (of, last) = path.rsplit_once('.')?;
        if let Some(id) = self.binding(of, depth + 1)
            && let Node::Call(number) = self.tree.nodes[id]
        {
            let mut arguments = self.tree.calls[number].arguments.iter();
            if let Some(own) = arguments.find(|own| own.name.as_deref() == Some(last)) {
                return self.evaluate(own.value, depth + 1);
            }
        }
        if self.options.contains_key(last) || self.given.contains_key(last) {
            let default = self.options.get(last).copied().flatten();
            return self.option(last, default, depth);
        }
        let of_torch = ["torch", "jnp", "np"].contains(&of);
        let is_dtype = ["float", "bfloat", "int", "uint", "half"]
            .iter()
            .any(|start| last.starts_with(start));
        let is_member = last.chars().any(|letter| letter.is_ascii_uppercase())
            && !last.chars().any(|letter| letter.is_ascii_lowercase());
        (of_torch && is_dtype || is_member).then(|| last.into())
    }

    /// The value of an option: the command line's, else its default.
    fn option(&self, name: &str, default: Option<Id>, depth: usize) -> Option<Value> {
        self.used.borrow_mut().insert(name.to_owned());
        if let Some(given) = self.given.get(name) {
            return Some(given.clone());
        }
        let value = self.evaluate(default?, depth + 1)?;
        match value.as_str() {
            Some("store_true") => Some(false.into()),
            Some("store_false") => Some(true.into()),
            _ => Some(value),
        }
    }

    /// An f-string whose names are known.
    fn formatted(&self, text: &str, depth: usize) -> Option<Value> {
        let mut all = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            all.push_str(&rest[..at]);
            let (sign, after) = rest[at..].split_at(1);
            if let Some(plain) = after.strip_prefix(sign) {
                all.push_str(sign);
                rest = plain;
                continue;
            }
            let (name, after) = after.split_once('}')?;
            all.push_str(&crate::configs::value::text(
                &self.named(name.trim(), depth + 1)?,
            )?);
            rest = after;
        }
        all.push_str(rest);
        Some(all.into())
    }
}

/// An option's name as a script has it.
pub(super) fn option_name(spelled: &str) -> String {
    spelled.trim_start_matches('-').replace('-', "_")
}

fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn unary(sign: &str, value: &Value) -> Option<Value> {
    match sign {
        "not" => Some((!truth(value)).into()),
        "+" => value.is_number().then(|| value.clone()),
        "-" => match value.as_i64() {
            Some(whole) => whole.checked_neg().map(Value::from),
            None => real(-value.as_f64()?),
        },
        _ => None,
    }
}

fn binary(sign: &str, left: &Value, right: &Value) -> Option<Value> {
    match (sign, left, right) {
        ("==" | "is", ..) => return Some((left == right).into()),
        ("!=" | "is not", ..) => return Some((left != right).into()),
        ("+", Value::String(left), Value::String(right)) => {
            return Some(format!("{left}{right}").into()).filter(|_| left.len() < 1000);
        }
        ("+", Value::Array(left), Value::Array(right)) if left.len() < 1000 => {
            return Some([left.clone(), right.clone()].concat().into());
        }
        ("in", left, Value::Array(right)) => return Some(right.contains(left).into()),
        ("in", Value::String(left), Value::String(right)) => {
            return Some(right.contains(left.as_str()).into());
        }
        _ => {}
    }
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        let whole = match sign {
            "+" => left.checked_add(right),
            "-" => left.checked_sub(right),
            "*" => left.checked_mul(right),
            "//" => left.checked_div_euclid(right).filter(|_| right > 0),
            "%" => left.checked_rem_euclid(right).filter(|_| right > 0),
            "**" => left.checked_pow(u32::try_from(right).ok()?),
            "<<" => left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?),
            _ => None,
        };
        if whole.is_some() {
            return whole.map(Value::from);
        }
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    match sign {
        "+" => real(left + right),
        "-" => real(left - right),
        "*" => real(left * right),
        "/" => real(left / right),
        "**" => real(left.powf(right)),
        "<" => Some((left < right).into()),
        ">" => Some((left > right).into()),
        "<=" => Some((left <= right).into()),
        ">=" => Some((left >= right).into()),
        _ => None,
    }
}

fn real(number: f64) -> Option<Value> {
    Number::from_f64(number).map(Value::Number)
}
