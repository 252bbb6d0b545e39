//! Expressions of Python, as far as they consist of constants, names and calls.

use super::token::Token;
use super::tree::{Argument, Call, Id, Node, Reader};
use serde_json::Value;

/// Expressions within each other.
const DEEPEST: usize = 40;

/// Letters of a dotted name.
const LONGEST: usize = 120;

/// Operators between expressions by how closely they bind, loosest first.
const BINARY: &[&[&str]] = &[
    &["or"],
    &["and"],
    &["==", "!=", "<=", ">=", "<", ">", "in", "is"],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "//", "/", "%", "@"],
];

impl Reader<'_> {
    /// Expressions with commas between are a tuple.
    pub(super) fn tuple(&mut self) -> Id {
        let start = self.at;
        let first = self.expression(0);
        if !self.is_sign(",") {
            return first;
        }
        let mut items = vec![first];
        while self.take(",") {
            if matches!(self.token(), None | Some(Token::Line(_))) || self.is_sign("=") {
                break;
            }
            items.push(self.expression(0));
        }
        self.add(Node::List(items), start)
    }

    /// An expression; without one nothing is passed.
    pub(super) fn expression(&mut self, depth: usize) -> Id {
        let start = self.at;
        if depth > DEEPEST {
            self.skip_balanced();
            return self.add(Node::Other, start);
        }
        if self.take_word("lambda") {
            while self.token().is_some() && !self.is_sign(":") {
                let before = self.at;
                self.expression(depth + 1);
                self.at = self.at.max(before + 1);
            }
            self.take(":");
            self.expression(depth + 1);
            return self.add(Node::Other, start);
        }
        if self.word().is_some() && matches!(self.after(1), Some(Token::Sign(":="))) {
            self.at += 2;
        }
        let value = self.binary(0, depth);
        if !self.take_word("if") {
            return value;
        }
        let condition = self.binary(0, depth + 1);
        if !self.take_word("else") {
            return self.add(Node::Other, start);
        }
        let other = self.expression(depth + 1);
        self.add(Node::Choice([condition, value, other]), start)
    }

    fn binary(&mut self, level: usize, depth: usize) -> Id {
        let Some(signs) = BINARY.get(level) else {
            return self.unary(depth);
        };
        let start = self.at;
        let mut left = self.binary(level + 1, depth);
        loop {
            let sign = match self.token() {
                Some(Token::Sign(own) | Token::Name(own)) => {
                    signs.iter().copied().find(|sign| sign == own)
                }
                _ => None,
            };
            let sign = match sign {
                Some(sign) => sign,
                None if level == 2 && self.is_not_in() => {
                    self.at += 1;
                    "not in"
                }
                None => return left,
            };
            self.at += 1;
            if sign == "is" && self.take_word("not") {
                let right = self.binary(level + 1, depth + 1);
                left = self.add(Node::Binary("is not", left, right), start);
                continue;
            }
            let right = self.binary(level + 1, depth + 1);
            left = self.add(Node::Binary(sign, left, right), start);
        }
    }

    fn is_not_in(&self) -> bool {
        self.word() == Some("not") && self.after(1) == Some(&Token::Name("in"))
    }

    fn unary(&mut self, depth: usize) -> Id {
        let start = self.at;
        let sign = match self.token() {
            Some(Token::Sign("-")) => Some("-"),
            Some(Token::Sign("+")) => Some("+"),
            Some(Token::Sign("~")) => Some("~"),
            Some(Token::Name("not")) => Some("not"),
            Some(Token::Name("await")) => Some("await"),
            _ => None,
        };
        if let Some(sign) = sign {
            self.at += 1;
            if depth > DEEPEST {
                return self.add(Node::Other, start);
            }
            let value = self.unary(depth + 1);
            return if sign == "await" {
                value
            } else {
                self.add(Node::Unary(sign, value), start)
            };
        }
        let base = self.postfix(depth);
        if self.take("**") {
            if depth > DEEPEST {
                return self.add(Node::Other, start);
            }
            let power = self.unary(depth + 1);
            return self.add(Node::Binary("**", base, power), start);
        }
        base
    }

    /// An atom with attributes, calls and items behind it.
    fn postfix(&mut self, depth: usize) -> Id {
        let start = self.at;
        let mut value = self.atom(depth);
        loop {
            match self.token() {
                Some(Token::Sign(".")) => {
                    let Some(Token::Name(name)) = self.after(1) else {
                        self.at += 1;
                        return value;
                    };
                    let node = match &self.tree.nodes[value] {
                        Node::Path(path) if path.len() < LONGEST => {
                            Node::Path(format!("{path}.{name}"))
                        }
                        Node::Call(_) | Node::Other | Node::Item(..) => {
                            let on = self.receiver(value);
                            Node::Path(format!("{on}.{name}"))
                        }
                        _ => Node::Path(format!(".{name}")),
                    };
                    self.at += 2;
                    value = self.add(node, start);
                }
                Some(Token::Sign("(")) => {
                    let callee = match &self.tree.nodes[value] {
                        Node::Path(path) => path.clone(),
                        _ => String::new(),
                    };
                    let number = self.call(callee, depth);
                    value = self.add(Node::Call(number), start);
                }
                Some(Token::Sign("[")) => {
                    self.at += 1;
                    let items = self.items("]", depth);
                    let key = match items {
                        Some(items) if items.len() == 1 => items[0],
                        _ => self.add(Node::Other, start),
                    };
                    value = self.add(Node::Item(value, key), start);
                }
                _ => return value,
            }
        }
    }

    /// The mark of a call whose result has an attribute: `#3`.
    fn receiver(&self, value: Id) -> String {
        match self.tree.nodes[value] {
            Node::Call(number) => format!("#{number}"),
            _ => String::new(),
        }
    }

    fn call(&mut self, callee: String, depth: usize) -> usize {
        self.at += 1;
        let mut arguments = Vec::new();
        while let Some(token) = self.token() {
            if *token == Token::Sign(")") {
                break;
            }
            // A bracket that is left open ends with its statement.
            if matches!(token, Token::Line(_)) {
                break;
            }
            let start = self.at;
            let name = match (token, self.after(1)) {
                (Token::Name(name), Some(Token::Sign("="))) => {
                    let name = (*name).to_owned();
                    self.at += 2;
                    Some(name)
                }
                (Token::Sign(sign @ ("*" | "**")), _) => {
                    let sign = (*sign).to_owned();
                    self.at += 1;
                    Some(sign)
                }
                _ => None,
            };
            let value = self.expression(depth + 1);
            if self.at > start {
                arguments.push(Argument { name, value });
            }
            self.pass_to(&[",", ")"], depth);
            self.take(",");
            self.at = self.at.max(start + 1);
        }
        self.take(")");
        let on = callee.strip_prefix('#').and_then(|rest| {
            let number = rest.split('.').next()?;
            number.parse().ok()
        });
        let callee = match on {
            Some(_) => callee
                .split_once('.')
                .map_or("", |(_, rest)| rest)
                .to_owned(),
            None => callee,
        };
        self.tree.calls.push(Call {
            callee,
            on,
            arguments,
            guard: self.guard(),
        });
        self.tree.calls.len() - 1
    }

    /// Skips the tokens before the next of `signs`, nested expressions included.
    fn pass_to(&mut self, signs: &[&str], depth: usize) -> bool {
        let mut passed = false;
        while let Some(token) = self.token() {
            let ends = matches!(token, Token::Sign(own) if signs.contains(own) || *own == ")" || *own == "]" || *own == "}");
            if ends || matches!(token, Token::Line(_)) {
                break;
            }
            let start = self.at;
            self.expression(depth + 1);
            self.at = self.at.max(start + 1);
            passed = true;
        }
        passed
    }

    /// Items up to a closing bracket; nothing where they are computed.
    fn items(&mut self, close: &'static str, depth: usize) -> Option<Vec<Id>> {
        let mut items = Vec::new();
        let mut plain = true;
        while self.token().is_some() && !self.is_sign(close) {
            if matches!(self.token(), Some(Token::Line(_))) {
                return None;
            }
            let start = self.at;
            plain &= !self.is_sign("*");
            items.push(self.expression(depth + 1));
            plain &= !self.pass_to(&[",", close], depth);
            self.take(",");
            self.at = self.at.max(start + 1);
        }
        self.take(close);
        plain.then_some(items)
    }

    fn atom(&mut self, depth: usize) -> Id {
        let start = self.at;
        let Some(token) = self.token().cloned() else {
            return self.add(Node::Other, start);
        };
        let node = match token {
            Token::Name(word) => {
                self.at += 1;
                match word {
                    "None" => Node::Value(Value::Null),
                    "True" => Node::Value(true.into()),
                    "False" => Node::Value(false.into()),
                    word => Node::Path(word.to_owned()),
                }
            }
            Token::Number(digits) => {
                self.at += 1;
                number(digits).map_or(Node::Other, Node::Value)
            }
            Token::Text(_) | Token::Formatted(_) => self.strings(),
            Token::Sign("(") => {
                self.at += 1;
                let items = self.items(")", depth);
                let is_tuple = self.spots.get(self.at.wrapping_sub(2));
                let is_tuple = is_tuple.is_some_and(|spot| spot.token == Token::Sign(","));
                match items {
                    Some(items) if items.len() == 1 && !is_tuple => return items[0],
                    Some(items) => Node::List(items),
                    None => Node::Other,
                }
            }
            Token::Sign("[") => {
                self.at += 1;
                self.items("]", depth).map_or(Node::Other, Node::List)
            }
            Token::Sign("{") => self.braces(depth),
            _ => Node::Other,
        };
        self.add(node, start)
    }

    /// Strings side by side are one.
    fn strings(&mut self) -> Node {
        let (mut all, mut formatted) = (String::new(), false);
        loop {
            match self.token() {
                Some(Token::Text(text)) if formatted => {
                    all.push_str(&text.replace('{', "{{").replace('}', "}}"));
                }
                Some(Token::Text(text)) => all.push_str(text),
                Some(Token::Formatted(text)) => {
                    if !formatted {
                        all = all.replace('{', "{{").replace('}', "}}");
                    }
                    formatted = true;
                    all.push_str(text);
                }
                _ => break,
            }
            self.at += 1;
        }
        if formatted {
            Node::Formatted(all)
        } else {
            Node::Value(all.into())
        }
    }

    fn braces(&mut self, depth: usize) -> Node {
        self.at += 1;
        let mut items = Vec::new();
        let (mut plain, mut keyed) = (true, false);
        while self.token().is_some() && !self.is_sign("}") {
            if matches!(self.token(), Some(Token::Line(_))) {
                return Node::Other;
            }
            let start = self.at;
            if self.take("**") {
                items.push((None, self.expression(depth + 1)));
                keyed = true;
            } else {
                let key = self.expression(depth + 1);
                if self.take(":") {
                    keyed = true;
                    items.push((Some(key), self.expression(depth + 1)));
                } else {
                    items.push((None, key));
                }
            }
            plain &= !self.pass_to(&[",", "}"], depth);
            self.take(",");
            self.at = self.at.max(start + 1);
        }
        self.take("}");
        if !plain {
            Node::Other
        } else if keyed || items.is_empty() {
            Node::Dict(items)
        } else {
            Node::List(items.into_iter().map(|(_, item)| item).collect())
        }
    }

    /// Passes an expression without reading it.
    fn skip_balanced(&mut self) {
        let mut open = 0_usize;
        while let Some(token) = self.token() {
            match token {
                Token::Sign("(" | "[" | "{") => open += 1,
                Token::Sign(")" | "]" | "}" | ",") if open == 0 => return,
                Token::Sign(")" | "]" | "}") => open -= 1,
                Token::Line(_) => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// A number as Python writes it.
fn number(digits: &str) -> Option<Value> {
    let plain = digits.replace('_', "").to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
        if let Some(rest) = plain.strip_prefix(prefix) {
            return u64::from_str_radix(rest, radix).ok().map(Value::from);
        }
    }
    if let Ok(whole) = plain.parse::<u64>() {
        return Some(whole.into());
    }
    let real: f64 = plain.parse().ok().filter(|real: &f64| real.is_finite())?;
    Some(real.into())
}
