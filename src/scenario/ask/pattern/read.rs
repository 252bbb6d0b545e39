//! Reading an expression.

/// Groups within one another that are read.
const DEEPEST: usize = 50;

/// Why an expression is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// Python finds an error in it.
    Wrong,
    /// It uses syntax that is not modelled.
    NotModelled,
}

/// Letters.
#[derive(Debug, Default)]
pub(super) struct Letters {
    ranges: Vec<(char, char)>,
    classes: Vec<(Class, bool)>,
    negated: bool,
}

/// A class of letters with a name.
#[derive(Clone, Copy, Debug)]
enum Class {
    Digit,
    Word,
    Space,
}

impl Class {
    fn has(self, c: char) -> bool {
        match self {
            Self::Digit => c.is_numeric(),
            Self::Word => c.is_alphanumeric() || c == '_',
            Self::Space => c.is_whitespace(),
        }
    }
}

impl Letters {
    fn one(c: char) -> Self {
        Self {
            ranges: vec![(c, c)],
            ..Self::default()
        }
    }

    pub(super) fn contains(&self, c: char) -> bool {
        let in_range = |&(first, last): &(char, char)| (first..=last).contains(&c);
        let in_class = |&(class, wanted): &(Class, bool)| class.has(c) == wanted;
        (self.ranges.iter().any(in_range) || self.classes.iter().any(in_class)) != self.negated
    }
}

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    /// One of some letters.
    Letter(Letters),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeated {
        of: Box<Node>,
        least: usize,
        most: usize,
    },
    Start,
    End,
    /// A word begins or ends, or does not.
    Border(bool),
    /// Look-ahead: the rest matches, or does not.
    Ahead {
        of: Box<Node>,
        wanted: bool,
    },
    /// Look-behind over `n` letters.
    Behind {
        of: Box<Node>,
        width: usize,
        wanted: bool,
    },
}

impl Node {
    /// How many letters it matches, if that is always as many.
    fn width(&self) -> Option<usize> {
        match self {
            Self::Letter(_) => Some(1),
            Self::Sequence(parts) => {
                let mut widths = parts.iter().map(Self::width);
                widths.try_fold(0_usize, |sum, width| sum.checked_add(width?))
            }
            Self::Either(branches) => {
                let mut widths = branches.iter().map(Self::width);
                let first = widths.next()??;
                widths.all(|width| width == Some(first)).then_some(first)
            }
            Self::Repeated { of, least, most } => {
                (least == most).then_some(of.width()?.checked_mul(*least)?)
            }
            _ => Some(0),
        }
    }
}

type Read<T> = Result<T, PatternError>;

pub(super) fn read(text: &str) -> Read<Node> {
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
        depth: 0,
    };
    let root = reader.either()?;
    if reader.at < reader.letters.len() {
        return Err(PatternError::Wrong);
    }
    Ok(root)
}

struct Reader {
    letters: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn take(&mut self) -> Read<char> {
        let next = self.peek().ok_or(PatternError::Wrong)?;
        self.at += 1;
        Ok(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = text.chars().enumerate();
        let found = there
            .clone()
            .all(|(i, c)| self.letters.get(self.at + i) == Some(&c));
        if found {
            self.at += there.count();
        }
        found
    }

    /// Branches up to the end or the end of a group.
    fn either(&mut self) -> Read<Node> {
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        Ok(Node::Either(branches))
    }

    fn sequence(&mut self) -> Read<Node> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let part = self.atom()?;
            parts.push(self.repeated(part)?);
        }
        Ok(Node::Sequence(parts))
    }

    /// A part with what says how often it comes.
    fn repeated(&mut self, part: Node) -> Read<Node> {
        let Some([least, most]) = self.times()? else {
            return Ok(part);
        };
        if matches!(part, Node::Start | Node::End | Node::Border(_)) {
            return Err(PatternError::NotModelled);
        }
        // As few as match or as many: a whole text matches in both ways.
        if !self.eat("?") && self.eat("+") {
            return Err(PatternError::NotModelled);
        }
        if self.times()?.is_some() {
            return Err(PatternError::Wrong);
        }
        Ok(Node::Repeated {
            of: Box::new(part),
            least,
            most,
        })
    }

    /// At least and at most how often the part before comes, if that is said here.
    fn times(&mut self) -> Read<Option<[usize; 2]>> {
        let known = [
            ("*", [0, usize::MAX]),
            ("+", [1, usize::MAX]),
            ("?", [0, 1]),
        ];
        for (sign, times) in known {
            if self.eat(sign) {
                return Ok(Some(times));
            }
        }
        let start = self.at;
        if !self.eat("{") {
            return Ok(None);
        }
        let least = self.number();
        let comma = self.eat(",");
        let most = if comma { self.number() } else { least };
        if !self.eat("}") || (least.is_none() && !comma) {
            self.at = start;
            return Ok(None);
        }
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(usize::MAX));
        if most < least {
            return Err(PatternError::Wrong);
        }
        Ok(Some([least, most]))
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let before: usize = number.unwrap_or(0);
            number = Some(before.saturating_mul(10).saturating_add(digit as usize));
            self.at += 1;
        }
        number
    }

    fn atom(&mut self) -> Read<Node> {
        match self.take()? {
            '.' => Ok(Node::Letter(Letters {
                ranges: vec![('\n', '\n')],
                negated: true,
                ..Letters::default()
            })),
            '^' => Ok(Node::Start),
            '$' => Ok(Node::End),
            '*' | '+' | '?' => Err(PatternError::Wrong),
            '[' => self.set().map(Node::Letter),
            '(' => self.group(),
            '\\' => self.escaped(),
            c => {
                if c == '{' {
                    self.at -= 1;
                    if self.times()?.is_some() {
                        return Err(PatternError::Wrong);
                    }
                    self.at += 1;
                }
                Ok(Node::Letter(Letters::one(c)))
            }
        }
    }

    fn escaped(&mut self) -> Read<Node> {
        let place = match self.peek() {
            Some('A') => Node::Start,
            Some('Z') => Node::End,
            Some('b') => Node::Border(true),
            Some('B') => Node::Border(false),
            _ => {
                let mut letters = Letters::default();
                if let Some(c) = self.escape(&mut letters)? {
                    letters.ranges.push((c, c));
                }
                return Ok(Node::Letter(letters));
            }
        };
        self.at += 1;
        Ok(place)
    }

    /// Reads the letter behind a backslash: itself, or a class that is put among `letters`.
    fn escape(&mut self, letters: &mut Letters) -> Read<Option<char>> {
        let class = |c: char| match c.to_ascii_lowercase() {
            'd' => Some(Class::Digit),
            'w' => Some(Class::Word),
            's' => Some(Class::Space),
            _ => None,
        };
        let c = self.take()?;
        if let Some(class) = class(c) {
            letters.classes.push((class, c.is_ascii_lowercase()));
            return Ok(None);
        }
        match c {
            'n' => Ok(Some('\n')),
            't' => Ok(Some('\t')),
            'r' => Ok(Some('\r')),
            'x' => {
                let digits = [self.take()?, self.take()?].map(|c| c.to_digit(16));
                let [Some(high), Some(low)] = digits else {
                    return Err(PatternError::Wrong);
                };
                Ok(char::from_u32(high * 16 + low))
            }
            '0'..='9' | 'a' | 'f' | 'v' | 'u' | 'U' | 'N' => Err(PatternError::NotModelled),
            c if c.is_ascii_alphabetic() => Err(PatternError::Wrong),
            c => Ok(Some(c)),
        }
    }

    /// `[...]`, of which the first bracket is read.
    fn set(&mut self) -> Read<Letters> {
        let mut letters = Letters {
            negated: self.eat("^"),
            ..Letters::default()
        };
        let start = self.at;
        loop {
            let first = match self.take()? {
                ']' if self.at > start + 1 => return Ok(letters),
                '\\' if self.eat("b") => Some('\u{8}'),
                '\\' => self.escape(&mut letters)?,
                c => Some(c),
            };
            let Some(first) = first else { continue };
            let ends = self.letters.get(self.at + 1) == Some(&']');
            let last = if !ends && self.eat("-") {
                match self.take()? {
                    '\\' => self.escape(&mut letters)?.ok_or(PatternError::Wrong)?,
                    c => c,
                }
            } else {
                first
            };
            if last < first {
                return Err(PatternError::Wrong);
            }
            letters.ranges.push((first, last));
        }
    }

    /// `(...)`, of which the first bracket is read.
    fn group(&mut self) -> Read<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(PatternError::NotModelled);
        }
        let looks = [("?=", true), ("?!", false)]
            .into_iter()
            .find(|(sign, _)| self.eat(sign));
        let behind = [("?<=", true), ("?<!", false)]
            .into_iter()
            .find(|(sign, _)| self.eat(sign));
        if looks.is_none() && behind.is_none() && self.eat("?") && !self.eat(":") {
            self.name()?;
        }
        let inside = self.either()?;
        if !self.eat(")") {
            return Err(PatternError::Wrong);
        }
        self.depth -= 1;
        if let Some((_, wanted)) = looks {
            let of = Box::new(inside);
            return Ok(Node::Ahead { of, wanted });
        }
        let Some((_, wanted)) = behind else {
            return Ok(inside);
        };
        let width = inside.width().ok_or(PatternError::Wrong)?;
        let of = Box::new(inside);
        Ok(Node::Behind { of, width, wanted })
    }

    /// `P<name>` of a group.
    fn name(&mut self) -> Read<()> {
        if !self.eat("P<") {
            return Err(PatternError::NotModelled);
        }
        while self.take()? != '>' {}
        Ok(())
    }
}
