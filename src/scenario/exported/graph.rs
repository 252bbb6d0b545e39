//! A graph as plain data.

use super::sizes::{Size, Symbol};
use crate::units::DType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The place of a value in [`Graph::values`].
pub type ValueId = u32;

/// The variables of the source that hold a body's values.
pub type Variables = BTreeMap<ValueId, Held>;

/// The node until which a value is held by a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// A variable of a module's `forward` holds it until this node has run.
    Until(u32),
    /// It is used within one statement of a module's `forward`, which ends with this node; functions that the statement
    /// calls may hold it.
    Within(u32),
}

/// A module's training step, operation by operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The digest of the archive's JSON, by which the graph is told from others: FNV-1a in 16 hexadecimal digits.
    pub digest: String,
    /// The version of torch that wrote it, where it says so.
    pub torch: Option<String>,
    /// All values of all bodies.
    pub values: Values,
    /// Inputs, in the order of the body's.
    pub inputs: Vec<Input>,
    /// The graph itself.
    pub body: Body,
    /// Sizes that are decided when it is run.
    pub symbols: Vec<Symbol>,
    /// Calls of modules.
    pub modules: Vec<Module>,
    /// Variables of the source that hold the body's values, as far as the file says the source.
    #[serde(default)]
    pub variables: Variables,
}

/// Values: tensors and others.
pub type Values = Vec<Value>;

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Its name in the graph.
    pub name: String,
    /// Facts of the tensor that it is, if it is one.
    pub tensor: Option<Meta>,
}

/// Facts of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Its dtype; none where it is one that the engine does not have.
    pub dtype: Option<DType>,
    /// Its sizes.
    pub sizes: Vec<Size>,
    /// Whether it is a leaf that gets a gradient.
    pub requires_grad: bool,
}

/// Nodes with what goes in and out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Inputs.
    pub inputs: Vec<ValueId>,
    /// Nodes in program order.
    pub nodes: Vec<Node>,
    /// Outputs.
    pub outputs: Vec<Option<ValueId>>,
}

/// An input of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The value.
    pub value: ValueId,
    /// Its kind.
    pub kind: InputKind,
}

/// The kinds of inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputKind {
    /// A parameter.
    Parameter {
        /// Its name, as `layers.0.weight`.
        path: String,
        /// The earlier input whose storage it shares.
        tied_to: Option<usize>,
    },
    /// A buffer.
    Buffer {
        /// Its name.
        path: String,
    },
    /// A tensor that is an attribute of a module, or was made while the graph was exported.
    Constant,
    /// A tensor that the caller gives.
    User,
    /// A number or a text that was given while the graph was exported and holds from then on.
    Fixed,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The operation, as `aten.add.Tensor`.
    pub target: String,
    /// Arguments with their names; arguments with their default value are absent.
    pub arguments: Vec<(String, Argument)>,
    /// Results: a list of tensors counts as as many results.
    pub outputs: Vec<Option<ValueId>>,
    /// Calls of modules that it is in, outermost first: places in [`Graph::modules`].
    pub stack: Vec<u32>,
    /// The line of the source that runs it, where the file says so.
    pub source: Option<String>,
}

/// A call of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The key that tells it from other calls of the same module.
    pub call: String,
    /// The module's path.
    pub path: String,
    /// Its class.
    pub class: String,
}

/// A number that need not be whole, by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Real(u64);

impl Real {
    /// A number.
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// It.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// An argument of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// `None`.
    None,
    /// A tensor.
    Tensor(ValueId),
    /// Tensors, of which some may be none.
    Tensors(Vec<Option<ValueId>>),
    /// A whole number.
    Int(Size),
    /// Whole numbers.
    Ints(Vec<Size>),
    /// A number.
    Float(Real),
    /// Numbers.
    Floats(Vec<Real>),
    /// Yes or no; none where it depends on symbols.
    Bool(Option<bool>),
    /// A text.
    Text(String),
    /// An element type; none where it is one that the engine does not have.
    DType(Option<DType>),
    /// A graph within.
    Body(Box<Body>),
    /// Something else, of which no memory depends: devices, layouts.
    Other,
}

impl Graph {
    /// The value with this id.
    pub fn tensor(&self, id: ValueId) -> Option<&Meta> {
        self.values.get(id as usize)?.tensor.as_ref()
    }

    /// Inputs that the caller gives, with their names.
    pub fn user_inputs(&self) -> impl Iterator<Item = (&str, &Meta)> {
        let users = self
            .inputs
            .iter()
            .filter(|input| input.kind == InputKind::User);
        users.filter_map(|input| {
            let value = self.values.get(input.value as usize)?;
            Some((value.name.as_str(), value.tensor.as_ref()?))
        })
    }

    /// Elements of all parameters, each once.
    pub fn parameters(&self) -> i64 {
        let own = self
            .inputs
            .iter()
            .filter(|input| matches!(input.kind, InputKind::Parameter { tied_to: None, .. }));
        let each = own.filter_map(|input| self.tensor(input.value));
        let elements = each.filter_map(|meta| {
            let mut sizes = meta.sizes.iter().map(|size| size.value(&[]));
            sizes.try_fold(1_i64, |all, size| all.checked_mul(size?))
        });
        elements.fold(0, i64::saturating_add)
    }

    /// A size as a number, or as the name of its symbol; null for an expression of several.
    pub fn written(&self, size: &Size) -> serde_json::Value {
        match size {
            Size::Number(n) => (*n).into(),
            Size::Symbol(at) => {
                let symbol = self.symbols.get(*at as usize);
                symbol.map_or(serde_json::Value::Null, |symbol| {
                    symbol.name.as_str().into()
                })
            }
            _ => serde_json::Value::Null,
        }
    }

    /// Nodes of the graph and of those within, each once.
    pub fn nodes(&self) -> Vec<&Node> {
        let mut nodes = Vec::new();
        let mut bodies = vec![&self.body];
        while let Some(body) = bodies.pop() {
            for node in &body.nodes {
                nodes.push(node);
                for (_, argument) in &node.arguments {
                    if let Argument::Body(inner) = argument {
                        bodies.push(inner);
                    }
                }
            }
        }
        nodes
    }
}

impl Node {
    /// The argument with this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        let found = self.arguments.iter().find(|(own, _)| own == name);
        found.map(|(_, argument)| argument)
    }

    /// The operation's name without its namespace `aten` and its overload, as `add`.
    pub fn operation(&self) -> &str {
        let target = self.target.strip_prefix("aten.").unwrap_or(&self.target);
        target.split('.').next().unwrap_or(target)
    }

    /// Whether the operation writes into its first tensor.
    pub fn writes_in_place(&self) -> bool {
        let base = self.operation();
        base.ends_with('_') && !base.starts_with("__")
    }

    /// The tensors among the arguments, in their order.
    pub fn tensors(&self) -> impl Iterator<Item = ValueId> {
        self.arguments
            .iter()
            .flat_map(|(_, argument)| match argument {
                Argument::Tensor(id) => vec![*id],
                Argument::Tensors(all) => all.iter().flatten().copied().collect(),
                _ => Vec::new(),
            })
    }
}
