//! Python's statements as far as they say what objects are made of: calls, assignments, parameters, fields.
//!
//! Invariant: nodes lie in one list and name each other by their place there, each one before the nodes that hold it,
//! so that nothing here recurses deeper than [`DEEPEST`].

use super::token::{Spot, Token, tokens};
use serde_json::Value;

/// Conditions within each other.
const DEEPEST: usize = 20;

/// The place of a node in its list.
pub(super) type Id = usize;

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A constant.
    Value(Value),
    /// A name, dotted where it is an attribute's.
    Path(String),
    /// The content of an f-string.
    Formatted(String),
    /// A list, a tuple or a set.
    List(Vec<Id>),
    /// A dictionary; an item without a key is spread.
    Dict(Vec<(Option<Id>, Id)>),
    /// The call with this number.
    Call(usize),
    /// An operator before an expression.
    Unary(&'static str, Id),
    /// An operator between two.
    Binary(&'static str, Id, Id),
    /// `a if b else c` as `[b, a, c]`.
    Choice([Id; 3]),
    /// `a[b]`.
    Item(Id, Id),
    /// Something else.
    Other,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Its name; `**` where a dictionary is spread, `*` for a list.
    pub name: Option<String>,
    pub value: Id,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its dotted name; of a method of another call's result the part from the dot on.
    pub callee: String,
    /// The call whose result has the method.
    pub on: Option<usize>,
    pub arguments: Vec<Argument>,
    /// The condition under which it is made.
    pub guard: Option<usize>,
}

/// A condition around statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub condition: Id,
    /// Whether they run if the condition does not hold.
    pub otherwise: bool,
    /// The condition around it.
    pub within: Option<usize>,
}

/// The way in which a name is bound.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// An expression, and the calls that were there before it.
    To(Id, usize),
    /// A parameter with its default.
    Parameter(Option<Id>),
    /// A loop, an import, a change: nothing that is known.
    Unknown,
}

/// A program.
#[derive(Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// The bytes of the text that each node covers.
    pub spans: Vec<(usize, usize)>,
    pub calls: Vec<Call>,
    /// Names and attributes by what binds them, in order.
    pub bound: Vec<(String, Bound)>,
    /// Conditions around what binds each of them.
    pub bound_if: Vec<Option<usize>>,
    pub guards: Vec<Guard>,
    /// Fields of classes: the class, the field, its default.
    pub fields: Vec<(String, String, Id)>,
    /// Classes and what they are made from.
    pub classes: Vec<(String, Vec<Id>)>,
    /// Functions and classes of its own.
    pub own: Vec<String>,
    /// Other names of imported objects: `import a as b`.
    pub aliases: Vec<(String, String)>,
    /// Modules that are imported.
    pub modules: Vec<String>,
}

/// Reads a program; text that is no Python is passed over.
pub(super) fn read(text: &str) -> Tree {
    let mut reader = Reader {
        spots: tokens(text),
        at: 0,
        tree: Tree::default(),
        blocks: Vec::new(),
        conditions: Vec::new(),
        ended: None,
    };
    let mut indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    while reader.at < reader.spots.len() {
        if indent != usize::MAX {
            reader.blocks.retain(|(_, own)| *own < indent);
            reader.leave(indent);
        }
        reader.statement(indent);
        // The rest of a line that was not understood.
        loop {
            match reader.token() {
                None => break,
                Some(Token::Line(next)) => {
                    indent = *next;
                    reader.at += 1;
                    break;
                }
                Some(_) => _ = reader.loose(),
            }
        }
    }
    reader.tree
}

/// A program while it is read.
pub(super) struct Reader<'a> {
    pub(super) spots: Vec<Spot<'a>>,
    pub(super) at: usize,
    pub(super) tree: Tree,
    /// Classes by name, and functions, around a statement, each with its indentation.
    blocks: Vec<(Option<String>, usize)>,
    /// Conditions around a statement, each with its indentation.
    conditions: Vec<(usize, usize)>,
    /// The condition whose block ended with the line before.
    ended: Option<(usize, usize)>,
}

/// Words that begin a statement and have expressions behind.
const KEYWORDS: &[&str] = &[
    "if", "elif", "while", "return", "with", "assert", "yield", "raise", "else", "try", "finally",
    "except", "del", "async", "match", "case", "global", "nonlocal", "pass", "for",
];

impl<'a> Reader<'a> {
    pub(super) fn token(&self) -> Option<&Token<'a>> {
        self.spots.get(self.at).map(|spot| &spot.token)
    }

    pub(super) fn after(&self, offset: usize) -> Option<&Token<'a>> {
        self.spots.get(self.at + offset).map(|spot| &spot.token)
    }

    pub(super) fn word(&self) -> Option<&'a str> {
        match self.token() {
            Some(Token::Name(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Some(Token::Sign(own)) if *own == sign)
    }

    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn add(&mut self, node: Node, start: usize) -> Id {
        let span = |at: usize| self.spots.get(at);
        let from = span(start).map_or(0, |spot| spot.start);
        let last = self.at.saturating_sub(1).max(start);
        let to = span(last).map_or(from, |spot| spot.end);
        self.tree.nodes.push(node);
        self.tree.spans.push((from, to));
        self.tree.nodes.len() - 1
    }

    /// An expression where none is expected; at least one token is passed.
    fn loose(&mut self) -> Id {
        let start = self.at;
        let id = self.expression(0);
        self.at = self.at.max(start + 1);
        id
    }

    fn statement(&mut self, indent: usize) {
        while self.take("@") {
            self.expression(0);
            if matches!(self.token(), Some(Token::Line(_))) {
                self.at += 1;
            }
        }
        match self.word() {
            Some("import") => self.import(),
            Some("from") => self.import_from(),
            Some("class") => self.class(indent),
            Some("def") => self.function(indent),
            Some("async") if self.after(1) == Some(&Token::Name("def")) => {
                self.at += 1;
                self.function(indent);
            }
            Some("for") => {
                self.at += 1;
                while self.word().is_some_and(|word| word != "in") || self.is_sign(",") {
                    if let Some(word) = self.word() {
                        self.bind(word, Bound::Unknown);
                    }
                    self.at += 1;
                }
            }
            Some("if") => {
                self.at += 1;
                let condition = self.expression(0);
                self.enter(condition, false, indent);
            }
            Some("elif") => {
                self.at += 1;
                self.otherwise(indent);
                let condition = self.expression(0);
                self.enter(condition, false, indent);
            }
            Some("else") => {
                self.at += 1;
                self.otherwise(indent);
            }
            Some("with") => {
                self.at += 1;
                let before = self.tree.calls.len();
                let value = self.expression(0);
                if self.take_word("as")
                    && let Some(name) = self.word()
                {
                    self.bind(name, Bound::To(value, before));
                }
            }
            Some(word) if KEYWORDS.contains(&word) && self.begins_keyword() => self.at += 1,
            _ => self.assignment(),
        }
    }

    /// The innermost condition around a statement.
    pub(super) fn guard(&self) -> Option<usize> {
        self.conditions.last().map(|(guard, _)| *guard)
    }

    fn enter(&mut self, condition: Id, otherwise: bool, indent: usize) {
        if self.conditions.len() < DEEPEST {
            let within = self.guard();
            self.conditions.push((self.tree.guards.len(), indent));
            self.tree.guards.push(Guard {
                condition,
                otherwise,
                within,
            });
        }
    }

    /// Turns round the condition before an `else`, which has ended with its block.
    fn otherwise(&mut self, indent: usize) {
        if let Some((guard, own)) = self.ended
            && own == indent
        {
            let condition = self.tree.guards[guard].condition;
            self.enter(condition, true, indent);
        }
    }

    /// Leaves the blocks that end before a line.
    fn leave(&mut self, indent: usize) {
        self.ended = None;
        while let Some((guard, own)) = self.conditions.last().copied()
            && own >= indent
        {
            self.ended = Some((guard, own));
            self.conditions.pop();
        }
    }

    /// Whether a word at a statement's start is no name: `match = 1` and `case(x)` are of names.
    fn begins_keyword(&self) -> bool {
        !matches!(self.after(1), Some(Token::Sign("=" | "." | "+=")))
    }

    fn bind(&mut self, name: &str, to: Bound) {
        self.tree.bound.push((name.to_owned(), to));
        self.tree.bound_if.push(self.guard());
    }

    fn import(&mut self) {
        self.at += 1;
        while let Some(path) = self.dotted() {
            if self.take_word("as")
                && let Some(name) = self.word()
            {
                let alias = (name.to_owned(), path.clone());
                self.tree.aliases.push(alias);
                self.at += 1;
            }
            self.tree.modules.push(path);
            if !self.take(",") {
                break;
            }
        }
    }

    fn import_from(&mut self) {
        self.at += 1;
        while self.take(".") || self.take("...") {}
        let Some(module) = self.dotted() else { return };
        if !self.take_word("import") {
            return;
        }
        self.take("(");
        while let Some(name) = self.dotted() {
            if self.take_word("as")
                && let Some(alias) = self.word()
            {
                let alias = (alias.to_owned(), name.clone());
                self.tree.aliases.push(alias);
                self.at += 1;
            }
            if !self.take(",") {
                break;
            }
        }
        self.take(")");
        self.tree.modules.push(module);
    }

    fn dotted(&mut self) -> Option<String> {
        let mut path = self.word()?.to_owned();
        self.at += 1;
        while self.is_sign(".") {
            let Some(Token::Name(next)) = self.after(1) else {
                break;
            };
            path.push('.');
            path.push_str(next);
            self.at += 2;
        }
        Some(path)
    }

    fn class(&mut self, indent: usize) {
        self.at += 1;
        let Some(name) = self.word() else { return };
        self.at += 1;
        self.tree.own.push(name.to_owned());
        let mut bases = Vec::new();
        if self.take("(") {
            while !self.is_sign(")") && self.token().is_some() {
                bases.push(self.loose());
                self.take(",");
            }
            self.take(")");
        }
        self.tree.classes.push((name.to_owned(), bases));
        if indent != usize::MAX {
            self.blocks.push((Some(name.to_owned()), indent));
        }
        self.take(":");
    }

    fn function(&mut self, indent: usize) {
        self.at += 1;
        let Some(name) = self.word() else { return };
        self.at += 1;
        self.tree.own.push(name.to_owned());
        if indent != usize::MAX {
            self.blocks.push((None, indent));
        }
        if !self.take("(") {
            return;
        }
        while !self.is_sign(")") && self.token().is_some() {
            let start = self.at;
            while self.take("*") || self.take("**") || self.take("/") {}
            if let Some(name) = self.word() {
                self.at += 1;
                if self.take(":") {
                    self.expression(0);
                }
                let default = self.take("=").then(|| self.expression(0));
                self.bind(name, Bound::Parameter(default));
            }
            self.take(",");
            self.at = self.at.max(start + 1);
        }
        self.take(")");
        if self.take("->") {
            self.expression(0);
        }
        self.take(":");
    }

    /// `a = b = value`, `a: type = value`, `a, b = value`, `a += value`, or an expression alone.
    fn assignment(&mut self) {
        let before = self.tree.calls.len();
        let mut targets = Vec::new();
        let mut value = self.tuple();
        if self.is_sign(":") && matches!(self.tree.nodes[value], Node::Path(_)) {
            self.at += 1;
            self.expression(0);
            if !self.is_sign("=") {
                return;
            }
        }
        while self.take("=") {
            targets.push(value);
            value = self.tuple();
        }
        let changes = ["+=", "-=", "*=", "/=", "//=", "**=", "|="];
        if changes.iter().any(|sign| self.is_sign(sign)) {
            if let Node::Path(name) = self.tree.nodes[value].clone() {
                self.bind(&name, Bound::Unknown);
            }
            return;
        }
        for target in targets {
            self.assign(target, value, before);
        }
    }

    fn assign(&mut self, target: Id, value: Id, before: usize) {
        match self.tree.nodes[target].clone() {
            Node::Path(name) => match self.blocks.last() {
                Some((Some(class), _)) if !name.contains('.') => {
                    let field = (class.clone(), name, value);
                    self.tree.fields.push(field);
                }
                _ => self.bind(&name, Bound::To(value, before)),
            },
            // `os.environ["NAME"] = ...`
            Node::Item(of, key) => {
                let (of, key) = (&self.tree.nodes[of], &self.tree.nodes[key]);
                if let (Node::Path(of), Node::Value(Value::String(key))) = (of, key) {
                    let name = format!("{of}.{key}");
                    self.bind(&name, Bound::To(value, before));
                }
            }
            Node::List(targets) => {
                let values = match self.tree.nodes[value].clone() {
                    Node::List(values) if values.len() == targets.len() => values,
                    // A model and its tokenizer.
                    Node::Call(_) => vec![value],
                    _ => Vec::new(),
                };
                for (place, target) in targets.into_iter().enumerate() {
                    if let Node::Path(name) = self.tree.nodes[target].clone() {
                        let value = values.get(place).map(|value| Bound::To(*value, before));
                        self.bind(&name, value.unwrap_or(Bound::Unknown));
                    }
                }
            }
            _ => {}
        }
    }
}
