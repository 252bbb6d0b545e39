//! Instructions: where they name functions.

use super::bytes::{Read, Reader, number};

/// A function's body with every function it names put through `rename`.
pub fn renamed(body: &[u8], mut rename: impl FnMut(usize) -> usize) -> Read<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len() + 16);
    let mut reader = Reader::new(body);
    out.extend_from_slice(reader.span(locals)?);
    while !reader.is_done() {
        // `call` and `ref.func`.
        let op = reader.clone().byte()?;
        if matches!(op, 0x10 | 0xd2) {
            out.push(reader.byte()?);
            number(&mut out, rename(reader.index()?));
        } else {
            out.extend_from_slice(reader.span(instruction)?);
        }
    }
    Ok(out)
}

/// The functions that a body names.
pub fn named(body: &[u8]) -> Read<Vec<usize>> {
    let mut found = Vec::new();
    renamed(body, |function| {
        found.push(function);
        function
    })?;
    Ok(found)
}

/// Passes the declarations of locals, with which a body begins.
pub fn locals(reader: &mut Reader) -> Read<()> {
    reader.list(|reader| {
        reader.number()?;
        reader.byte()
    })?;
    Ok(())
}

/// Passes an instruction that names no function.
fn instruction(reader: &mut Reader) -> Read<()> {
    let numbers = |reader: &mut Reader, n: usize| (0..n).try_for_each(|_| reader.skip_number());
    match reader.byte()? {
        // unreachable, nop, else, end, return, drop, select, ref.is_null and all of arithmetic
        0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => Ok(()),
        // block, loop, if, br, br_if, locals and globals, table.get and .set, memory.size and
        // .grow, i32.const, i64.const, ref.null
        0x02..=0x04 | 0x0c | 0x0d | 0x20..=0x26 | 0x3f..=0x42 | 0xd0 => numbers(reader, 1),
        // br_table
        0x0e => {
            reader.list(Reader::skip_number)?;
            numbers(reader, 1)
        }
        // call_indirect, loads and stores
        0x11 | 0x28..=0x3e => numbers(reader, 2),
        // select with types
        0x1c => reader.list(Reader::byte).map(drop),
        // f32.const, f64.const
        0x43 => reader.take(4).map(drop),
        0x44 => reader.take(8).map(drop),
        0xfc => match reader.number()? {
            // Saturating conversions.
            0..=7 => Ok(()),
            // memory.init, memory.copy, table.init, table.copy
            8 | 10 | 12 | 14 => numbers(reader, 2),
            // data.drop, memory.fill, elem.drop, table.grow, .size, .fill
            9 | 11 | 13 | 15..=17 => numbers(reader, 1),
            _ => Err("an instruction of another version"),
        },
        _ => Err("an instruction of another version"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One local; `i32.const 300; call 5; br_table 0 1; f64.const; ref.func 200; end`.
    const BODY: &[u8] = &[
        1, 1, 0x7f, 0x41, 0xac, 0x02, 0x10, 5, 0x0e, 1, 0, 1, 0x44, 0x10, 0x10, 0x10, 0x10, 0x10,
        0x10, 0x10, 0x10, 0xd2, 0xc8, 0x01, 0x0b,
    ];

    #[test]
    fn only_what_names_a_function_is_one() {
        assert_eq!(named(BODY), Ok(vec![5, 200]));
    }

    #[test]
    fn a_body_whose_functions_keep_their_names_is_the_same() {
        assert_eq!(renamed(BODY, |function| function).as_deref(), Ok(BODY));
        let wider = renamed(BODY, |function| function + 200).expect("it was read before");
        assert_eq!(named(&wider), Ok(vec![205, 400]));
    }
}
