//! Python's pickles as plain data: numbers, texts, lists and dictionaries, and nothing else.
//!
//! Protocols 2 to 5 (`Lib/pickle.py` of Python 3.8 to 3.14, `torch/csrc/jit/serialization/pickler.cpp`). No object
//! is ever built: every opcode that would import or call something is refused. There is no recursion, memory grows
//! with the input and at most up to [`LIMIT`], and objects shared through the memo are held once.

use super::refused::Refused;

/// A value. Containers are numbers of [`Pickle`]'s nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An address beyond the signed numbers.
    Address(u64),
    Float(f64),
    Text(u32),
    List(u32),
    Dict(u32),
    /// A value without a use here: bytes, and numbers beyond 64 bits.
    Other,
}

/// A list or a dictionary: the chunks of its values, keys and values in turn.
#[derive(Clone, Copy)]
struct Node {
    first: u32,
    last: u32,
}

/// Values that one opcode added to a container: where they stand, and the container's next chunk.
#[derive(Clone, Copy)]
struct Chunk {
    start: u32,
    len: u32,
    next: u32,
}

/// No chunk.
const NOTHING: u32 = u32::MAX;
/// The most values, containers and places of the memo together: a snapshot of 200 MB has 45 million at most.
const LIMIT: usize = 64 << 20;
/// The most values that wait for their container: whole lists, where the writer is libtorch.
const WAITING: usize = 16 << 20;
/// The most containers that are open at a time: a snapshot has eight.
const DEEPEST: usize = 1000;
/// Values of a block of [`Pickle`]'s store.
const BLOCK: usize = 1 << 16;

/// The content of a pickle.
pub(super) struct Pickle<'a> {
    input: &'a [u8],
    texts: Vec<(usize, usize)>,
    nodes: Vec<Node>,
    chunks: Vec<Chunk>,
    blocks: Vec<Vec<Value>>,
    /// The outermost value.
    pub root: Value,
    /// The protocol that it says it has.
    pub protocol: u8,
}

impl<'a> Pickle<'a> {
    /// Reads a pickle.
    pub fn read(input: &'a [u8]) -> Result<Pickle<'a>, Refused> {
        let pickle = Pickle {
            input,
            texts: Vec::new(),
            nodes: Vec::new(),
            chunks: Vec::new(),
            blocks: Vec::new(),
            root: Value::None,
            protocol: 0,
        };
        let machine = Machine {
            pickle,
            at: 0,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
            values: 0,
        };
        machine.run()
    }

    /// A text's bytes; `None` where `value` is no text.
    pub fn text(&self, value: Value) -> Option<&'a [u8]> {
        let Value::Text(text) = value else {
            return None;
        };
        let (start, end) = self.texts[text as usize];
        Some(&self.input[start..end])
    }

    /// How many texts there are.
    pub fn texts(&self) -> usize {
        self.texts.len()
    }

    /// The values of a list or tuple, in order; none where `value` is neither.
    pub fn items(&self, value: Value) -> impl Iterator<Item = Value> {
        let chunk = match value {
            Value::List(node) => self.nodes[node as usize].first,
            _ => NOTHING,
        };
        self.values(chunk)
    }

    /// The keys and values of a dictionary, in order; none where `value` is none.
    pub fn pairs(&self, value: Value) -> impl Iterator<Item = (Value, Value)> {
        let chunk = match value {
            Value::Dict(node) => self.nodes[node as usize].first,
            _ => NOTHING,
        };
        let mut values = self.values(chunk);
        std::iter::from_fn(move || values.next().zip(values.next()))
    }

    /// The value of a dictionary under a key.
    pub fn get(&self, dict: Value, key: &str) -> Option<Value> {
        let has = |&(name, _): &(Value, Value)| self.text(name) == Some(key.as_bytes());
        self.pairs(dict).find(has).map(|(_, value)| value)
    }

    fn values(&self, chunk: u32) -> impl Iterator<Item = Value> {
        let mut chunk = (chunk != NOTHING).then(|| self.chunks[chunk as usize]);
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(own) = chunk {
                if at < own.len {
                    let place = (own.start + at) as usize;
                    at += 1;
                    return Some(self.blocks[place / BLOCK][place % BLOCK]);
                }
                at = 0;
                chunk = (own.next != NOTHING).then(|| self.chunks[own.next as usize]);
            }
            None
        })
    }
}

/// A value as a number that is no less than nothing.
pub(super) fn unsigned(value: Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(number).ok(),
        Value::Address(number) => Some(number),
        _ => None,
    }
}

/// The machine that runs a pickle.
struct Machine<'a> {
    pickle: Pickle<'a>,
    at: usize,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: Vec<Value>,
    values: usize,
}

impl<'a> Machine<'a> {
    fn run(mut self) -> Result<Pickle<'a>, Refused> {
        if self.pickle.input.first() != Some(&0x80) {
            return Err(Refused::NoPickle);
        }
        loop {
            let place = self.at;
            let opcode = self.take(1)?[0];
            if opcode == b'.' {
                self.pickle.root = self.pop()?;
                return Ok(self.pickle);
            }
            self.step(opcode, place)?;
            let held = self.stack.len() + self.values + self.memo.len();
            let held = held + self.pickle.nodes.len() + self.pickle.texts.len();
            if held > LIMIT || self.stack.len() > WAITING {
                return Err(Refused::TooMuch);
            }
        }
    }

    fn step(&mut self, opcode: u8, place: usize) -> Result<(), Refused> {
        let value = match opcode {
            0x80 => {
                self.pickle.protocol = self.byte()?;
                return match self.pickle.protocol {
                    2..=5 => Ok(()),
                    protocol => Err(Refused::Protocol(protocol)),
                };
            }
            // The length of a frame, which need not be known.
            0x95 => return self.take(8).map(|_| ()),
            b'(' => return self.mark(),
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'J' => Value::Int(i32::from_le_bytes(self.array()?).into()),
            b'K' => Value::Int(self.byte()?.into()),
            b'M' => Value::Int(u16::from_le_bytes(self.array()?).into()),
            0x8a => {
                let length = usize::from(self.byte()?);
                integer(self.take(length)?)
            }
            0x8b => {
                let length = self.length4()?;
                integer(self.take(length)?)
            }
            b'G' => Value::Float(f64::from_be_bytes(self.array()?)),
            b'X' | b'T' => {
                let length = self.length4()?;
                self.text(length)?
            }
            0x8c | b'U' => {
                let length = self.byte()?.into();
                self.text(length)?
            }
            0x8d => {
                let length = self.length8()?;
                self.text(length)?
            }
            b'C' | b'B' | 0x8e | 0x96 => {
                let length = match opcode {
                    b'C' => self.byte()?.into(),
                    b'B' => self.length4()?,
                    _ => self.length8()?,
                };
                self.take(length)?;
                Value::Other
            }
            b'h' => {
                let place = self.byte()?.into();
                self.remembered(place)?
            }
            b'j' => {
                let place = self.length4()?;
                self.remembered(place)?
            }
            _ => return self.container(opcode, place),
        };
        self.stack.push(value);
        Ok(())
    }

    /// Opcodes that make and fill containers, and those of the memo.
    fn container(&mut self, opcode: u8, place: usize) -> Result<(), Refused> {
        match opcode {
            b'}' => {
                let node = self.node()?;
                self.stack.push(Value::Dict(node));
            }
            b']' | b')' => {
                let node = self.node()?;
                self.stack.push(Value::List(node));
            }
            b'a' => self.append(1)?,
            b's' => self.append(2)?,
            b'e' | b'u' => {
                let mark = self.marks.pop().ok_or(Refused::Broken(place))?;
                let count = self.stack.len().checked_sub(mark);
                self.append(count.ok_or(Refused::Broken(place))?)?;
            }
            0x85..=0x87 => self.tuple(usize::from(opcode - 0x84))?,
            b't' | b'l' | b'd' => {
                let mark = self.marks.pop().ok_or(Refused::Broken(place))?;
                let count = self.stack.len().checked_sub(mark);
                self.tuple(count.ok_or(Refused::Broken(place))?)?;
                if let (b'd', Some(Value::List(node))) = (opcode, self.stack.last().copied()) {
                    self.pop()?;
                    self.stack.push(Value::Dict(node));
                }
            }
            0x94 => {
                let value = self.top()?;
                self.memo.push(value);
            }
            b'q' => {
                let place = self.byte()?.into();
                self.remember(place)?;
            }
            b'r' => {
                let place = self.length4()?;
                self.remember(place)?;
            }
            b'c' | 0x93 | b'R' | b'b' | b'i' | b'o' | 0x81 | 0x92 | 0x82..=0x84 | b'P' | b'Q' => {
                return Err(Refused::Object { opcode, place });
            }
            _ => return Err(Refused::Opcode { opcode, place }),
        }
        Ok(())
    }

    fn mark(&mut self) -> Result<(), Refused> {
        if self.marks.len() >= DEEPEST {
            return Err(Refused::Deep);
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    fn node(&mut self) -> Result<u32, Refused> {
        let node = u32::try_from(self.pickle.nodes.len()).map_err(|_| Refused::TooMuch)?;
        self.pickle.nodes.push(Node {
            first: NOTHING,
            last: NOTHING,
        });
        Ok(node)
    }

    /// A new list of the last values.
    fn tuple(&mut self, count: usize) -> Result<(), Refused> {
        let node = self.node()?;
        let start = self.stack.len().checked_sub(count);
        let start = start.ok_or(Refused::Broken(self.at))?;
        self.stack.insert(start, Value::List(node));
        self.append(count)
    }

    /// Adds the last values to the container below them.
    fn append(&mut self, count: usize) -> Result<(), Refused> {
        let broken = Refused::Broken(self.at);
        let Some(below) = self.stack.len().checked_sub(count + 1) else {
            return Err(broken);
        };
        if self.marks.last().is_some_and(|mark| *mark > below) {
            return Err(broken);
        }
        let node = match self.stack[below] {
            Value::List(node) => node as usize,
            Value::Dict(node) if count.is_multiple_of(2) => node as usize,
            _ => return Err(broken),
        };
        if count > 0 {
            let start = u32::try_from(self.values).map_err(|_| Refused::TooMuch)?;
            for value in self.stack.drain(below + 1..) {
                if self.values.is_multiple_of(BLOCK) {
                    self.pickle.blocks.push(Vec::with_capacity(BLOCK));
                }
                if let Some(block) = self.pickle.blocks.last_mut() {
                    block.push(value);
                }
                self.values += 1;
            }
            let len = u32::try_from(count).map_err(|_| Refused::TooMuch)?;
            let chunk = u32::try_from(self.pickle.chunks.len()).map_err(|_| Refused::TooMuch)?;
            self.pickle.chunks.push(Chunk {
                start,
                len,
                next: NOTHING,
            });
            let node = &mut self.pickle.nodes[node];
            match node.last {
                NOTHING => node.first = chunk,
                last => self.pickle.chunks[last as usize].next = chunk,
            }
            node.last = chunk;
        }
        Ok(())
    }

    fn text(&mut self, length: usize) -> Result<Value, Refused> {
        let start = self.at;
        self.take(length)?;
        let text = u32::try_from(self.pickle.texts.len()).map_err(|_| Refused::TooMuch)?;
        self.pickle.texts.push((start, self.at));
        Ok(Value::Text(text))
    }

    fn remember(&mut self, place: usize) -> Result<(), Refused> {
        let value = self.top()?;
        // Places are given in order, each by an opcode.
        if place >= LIMIT.min(self.pickle.input.len()) {
            return Err(Refused::TooMuch);
        }
        if place >= self.memo.len() {
            self.memo.resize(place + 1, Value::Other);
        }
        self.memo[place] = value;
        Ok(())
    }

    fn remembered(&self, place: usize) -> Result<Value, Refused> {
        self.memo
            .get(place)
            .copied()
            .ok_or(Refused::Broken(self.at))
    }

    fn top(&self) -> Result<Value, Refused> {
        self.stack.last().copied().ok_or(Refused::Broken(self.at))
    }

    fn pop(&mut self) -> Result<Value, Refused> {
        self.stack.pop().ok_or(Refused::Broken(self.at))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Refused> {
        let end = self.at.checked_add(length).ok_or(Refused::Truncated)?;
        let taken = self.pickle.input.get(self.at..end);
        self.at = end;
        taken.ok_or(Refused::Truncated)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refused> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Refused::Truncated)
    }

    fn byte(&mut self) -> Result<u8, Refused> {
        Ok(self.take(1)?[0])
    }

    fn length4(&mut self) -> Result<usize, Refused> {
        let length = u32::from_le_bytes(self.array()?);
        usize::try_from(length).map_err(|_| Refused::Truncated)
    }

    fn length8(&mut self) -> Result<usize, Refused> {
        let length = u64::from_le_bytes(self.array()?);
        usize::try_from(length).map_err(|_| Refused::Truncated)
    }
}

/// A number of any length, in two's complement, its last byte first.
fn integer(bytes: &[u8]) -> Value {
    let negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
    if bytes.len() > 16 {
        return Value::Other;
    }
    let mut whole = if negative { [0xff; 16] } else { [0; 16] };
    whole[..bytes.len()].copy_from_slice(bytes);
    let number = i128::from_le_bytes(whole);
    if let Ok(number) = i64::try_from(number) {
        return Value::Int(number);
    }
    u64::try_from(number).map_or(Value::Other, Value::Address)
}
