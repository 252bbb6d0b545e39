//! Numbers and lists as WebAssembly's binary format writes them.

/// What is wrong with a file: the format's name of the place where it was not understood.
pub type Read<T> = Result<T, &'static str>;

/// A place in bytes.
#[derive(Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// At the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all was read.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that is left.
    pub fn all(&self) -> &'a [u8] {
        self.rest
    }

    /// The next byte.
    pub fn byte(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or("end of file")?;
        self.rest = rest;
        Ok(taken)
    }

    /// An unsigned number (LEB128).
    pub fn number(&mut self) -> Read<u32> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| "a number of 32 bits");
            }
        }
        Err("a number of 32 bits")
    }

    /// The same as an index.
    pub fn index(&mut self) -> Read<usize> {
        Ok(self.number()? as usize)
    }

    /// Passes a signed number of any size.
    pub fn skip_number(&mut self) -> Read<()> {
        while self.byte()? >= 0x80 {}
        Ok(())
    }

    /// A length and as many bytes.
    pub fn block(&mut self) -> Read<&'a [u8]> {
        let length = self.index()?;
        self.take(length)
    }

    /// A length and as many items.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let length = self.index()?;
        (0..length).map(|_| item(self)).collect()
    }

    /// What `pass` reads, as bytes.
    pub fn span(&mut self, pass: impl FnOnce(&mut Self) -> Read<()>) -> Read<&'a [u8]> {
        let before = self.rest;
        pass(self)?;
        Ok(&before[..before.len() - self.rest.len()])
    }
}

/// Writes an unsigned number.
pub fn number(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = low_bits(value);
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// The lowest seven bits.
fn low_bits(value: usize) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// Writes `i32.const` with a number that is not negative.
pub fn constant(out: &mut Vec<u8>, value: usize) {
    out.push(0x41);
    // The last byte's sixth bit is the sign.
    let mut value = value;
    while value >= 0x40 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

/// Writes a length and bytes.
pub fn block(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Writes a section with items.
pub fn section(out: &mut Vec<u8>, id: u8, items: &[Vec<u8>]) {
    let mut content = Vec::new();
    number(&mut content, items.len());
    content.extend(items.iter().flatten());
    out.push(id);
    block(out, &content);
}
