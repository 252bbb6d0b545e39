//! Expressions of symbols as text: as sympy's `srepr` writes them (`Mul(Integer(2), Symbol('s0', ...))`, torch
//! 2.7 and newer) and as its `str` does (`2*s0`, torch 2.6).

use super::sizes::Size;

/// Expressions within expressions.
const DEEPEST: usize = 64;

/// Reads an expression; `symbol` gives the place of a name.
pub(super) fn expression(text: &str, symbol: &mut dyn FnMut(&str) -> u32) -> Option<Size> {
    let mut reader = Reader {
        rest: text.trim(),
        symbol,
        depth: 0,
    };
    let size = reader.sum()?;
    reader.rest.is_empty().then_some(size)
}

struct Reader<'a> {
    rest: &'a str,
    symbol: &'a mut dyn FnMut(&str) -> u32,
    depth: usize,
}

/// An argument of a function.
enum Part {
    Size(Size),
    Text(String),
    /// `positive=True` and the like.
    Option,
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Option<Size> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut all = vec![self.product()?];
        loop {
            if self.takes("+") {
                all.push(self.product()?);
            } else if self.takes("-") {
                all.push(negative(self.product()?));
            } else {
                break;
            }
        }
        self.depth -= 1;
        Some(one_or(all, Size::Add))
    }

    fn product(&mut self) -> Option<Size> {
        let mut size = self.power()?;
        loop {
            if self.takes("//") {
                size = Size::Floor(Box::new(quotient(size, self.power()?)));
            } else if self.takes("/") {
                size = quotient(size, self.power()?);
            } else if self.takes("%") {
                size = Size::Mod(Box::new([size, self.power()?]));
            } else if !self.rest.starts_with("**") && self.takes("*") {
                size = Size::Mul(vec![size, self.power()?]);
            } else {
                return Some(size);
            }
        }
    }

    fn power(&mut self) -> Option<Size> {
        if self.takes("-") {
            return self.power().map(negative);
        }
        let base = self.atom()?;
        if self.takes("**") {
            return Some(Size::Pow(Box::new([base, self.power()?])));
        }
        Some(base)
    }

    fn atom(&mut self) -> Option<Size> {
        if self.takes("(") {
            let size = self.sum()?;
            return self.takes(")").then_some(size);
        }
        let digits = self.word(|c| c.is_ascii_digit());
        if !digits.is_empty() {
            return digits.parse().ok().map(Size::Number);
        }
        let name = self.word(|c| c.is_alphanumeric() || c == '_').to_owned();
        if name.is_empty() {
            return None;
        }
        if !self.takes("(") {
            return Some(Size::Symbol((self.symbol)(&name)));
        }
        let mut parts = Vec::new();
        while !self.takes(")") {
            parts.push(self.part()?);
            if !self.takes(",") && !self.rest.starts_with(')') {
                return None;
            }
        }
        self.call(&name, parts)
    }

    fn part(&mut self) -> Option<Part> {
        if self.takes("'") {
            let text = self.word(|c| c != '\'').to_owned();
            return self.takes("'").then_some(Part::Text(text));
        }
        let before = self.rest;
        let name = self.word(|c| c.is_alphanumeric() || c == '_');
        if !name.is_empty() && self.takes("=") {
            self.word(char::is_alphanumeric);
            return Some(Part::Option);
        }
        self.rest = before;
        self.sum().map(Part::Size)
    }

    fn call(&mut self, name: &str, parts: Vec<Part>) -> Option<Size> {
        if name == "Symbol" {
            return parts.into_iter().find_map(|part| match part {
                Part::Text(name) => Some(Size::Symbol((self.symbol)(&name))),
                _ => None,
            });
        }
        let sizes = parts.into_iter().filter_map(|part| match part {
            Part::Size(size) => Some(size),
            _ => None,
        });
        let mut sizes: Vec<Size> = sizes.collect();
        match (name, sizes.len()) {
            ("Add", _) => Some(Size::Add(sizes)),
            ("Mul", _) => Some(Size::Mul(sizes)),
            ("Min", 1..) => Some(Size::Min(sizes)),
            ("Max", 1..) => Some(Size::Max(sizes)),
            ("floor" | "FloorToInt" | "TruncToInt" | "Trunc", 1) => {
                Some(Size::Floor(Box::new(sizes.pop()?)))
            }
            ("ceiling" | "CeilToInt", 1) => Some(Size::Ceil(Box::new(sizes.pop()?))),
            ("Integer" | "ToFloat" | "Float" | "Identity", 1) => sizes.pop(),
            (_, 2) => {
                let (b, a) = (sizes.pop()?, sizes.pop()?);
                match name {
                    "Pow" | "PowByNatural" => Some(Size::Pow(Box::new([a, b]))),
                    "Mod" | "PythonMod" => Some(Size::Mod(Box::new([a, b]))),
                    "FloorDiv" | "CleanDiv" => Some(Size::Floor(Box::new(quotient(a, b)))),
                    "CeilDiv" => Some(Size::Ceil(Box::new(quotient(a, b)))),
                    "Rational" | "IntTrueDiv" | "FloatTrueDiv" => Some(quotient(a, b)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn one_or(mut all: Vec<Size>, several: fn(Vec<Size>) -> Size) -> Size {
    if let [_] = all[..]
        && let Some(one) = all.pop()
    {
        return one;
    }
    several(all)
}

fn negative(size: Size) -> Size {
    Size::Mul(vec![Size::Number(-1), size])
}

fn quotient(a: Size, b: Size) -> Size {
    Size::Mul(vec![a, Size::Pow(Box::new([b, Size::Number(-1)]))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, symbols: &[i64]) -> Option<i64> {
        let mut names: Vec<String> = Vec::new();
        let size = expression(text, &mut |name| {
            let at = names.iter().position(|known| known == name);
            let at = at.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            u32::try_from(at).unwrap_or(0)
        })?;
        let symbols: Vec<Option<i64>> = symbols.iter().copied().map(Some).collect();
        size.value(&symbols)
    }

    #[test]
    fn both_ways_of_writing_an_expression_are_read() {
        let written =
            "Add(Integer(-1), Mul(Integer(4), Symbol('s7', positive=True, integer=True)))";
        assert_eq!(value(written, &[5]), Some(19));
        assert_eq!(value("4*s7 - 1", &[5]), Some(19));
        assert_eq!(value("(s0//2)**2 + Max(1, s1)", &[7, 3]), Some(12));
        let floor = "FloorDiv(Add(Symbol('s0'), Integer(3)), Integer(2))";
        assert_eq!(value(floor, &[4]), Some(3));
        assert_eq!(
            value("Mul(Rational(1, 2), Symbol('s0', integer=True))", &[6]),
            Some(3)
        );
    }

    #[test]
    fn what_cannot_be_computed_is_no_number() {
        assert_eq!(value("s0//s1", &[4, 0]), None);
        assert_eq!(value("unknown(s0)", &[4]), None);
        assert_eq!(value("s0**99999", &[4]), None);
        assert_eq!(value(&"(".repeat(5000), &[]), None);
        assert_eq!(value(&"-".repeat(3), &[]), None);
    }
}
