//! Which constants (texts, tables, configurations) only the rest refers to.
//!
//! They lie one after the other in memory. Where one ends, and who refers to which, the linker knows:
//! it says so in the program that it writes, which wasm-bindgen then changes.

use super::bytes::{Read, Reader};
use super::module::{Module, NAMES_OF_DATA, id, names, segment};
use std::ops::Range;

/// Constants of fewer bytes stay: the place of a piece takes as many.
const SMALL: usize = 12;

/// What `--emit-relocs` says of a program.
#[derive(Default)]
struct Linked {
    /// Where the data of each symbol are, as segment, offset and size.
    symbols: Vec<Option<[usize; 3]>>,
    /// Places in the code's section, and the symbols whose addresses stand there.
    of_code: Vec<(usize, usize)>,
    /// The same of the data's section.
    of_data: Vec<(usize, usize)>,
}

/// Where in memory the constants of a program are that no function needs but those of which `is_late`
/// says so by their name.
pub fn only_late(program: &Module, is_late: impl Fn(&str) -> bool) -> Read<Vec<Range<usize>>> {
    let linked = Linked::read(program)?;
    let content = |wanted: u8, name: &'static str| {
        let found = program.sections.iter().find(|(id, _)| *id == wanted);
        found.map(|(_, content)| *content).ok_or(name)
    };
    let segments = segments(content(id::DATA, "data")?)?;
    let (constants, first) = segments.first().ok_or("data")?;
    let place = |symbol: &Option<[usize; 3]>| match symbol {
        Some([0, offset, size]) => *offset..offset + size,
        _ => 0..0,
    };
    let places: Vec<Range<usize>> = linked.symbols.iter().map(place).collect();
    // Texts that end alike share bytes; they refer to nothing.
    let mut owners = vec![None; constants.len()];
    for (symbol, place) in places.iter().enumerate() {
        owners[place.clone()].fill(Some(symbol));
    }
    // What constants refer to; what other data refer to is needed in any case.
    let mut refers = vec![Vec::new(); places.len()];
    let mut open = Vec::new();
    for (place, symbol) in linked.of_data {
        let at = place
            .checked_sub(constants.start)
            .ok_or("a reference in data")?;
        match owners.get(at) {
            Some(Some(owner)) => refers[*owner].push(symbol),
            _ => open.push(symbol),
        }
    }
    let begins = begins(content(id::CODE, "code")?)?;
    for (place, symbol) in linked.of_code {
        let before = begins.partition_point(|begin| *begin <= place);
        let function = program.imported + before.checked_sub(1).ok_or("a reference in code")?;
        if !is_late(program.names[function]) {
            open.push(symbol);
        }
    }
    let mut needed = vec![false; places.len()];
    let mut stays = vec![false; constants.len()];
    while let Some(symbol) = open.pop() {
        if !std::mem::replace(&mut needed[symbol], true) {
            stays[places[symbol].clone()].fill(true);
            open.extend(&refers[symbol]);
        }
    }
    let mut end = *first;
    let pieces = stays.chunk_by(|a, b| a == b).map(|run| {
        let start = end;
        end += run.len();
        (run[0], start..end)
    });
    let late = pieces.filter(|(stays, piece)| !stays && piece.len() >= SMALL);
    Ok(late.map(|(_, piece)| piece).collect())
}

impl Linked {
    fn read(program: &Module) -> Read<Self> {
        let (mut linked, mut constant) = (Self::default(), false);
        for (_, content) in program.sections.iter().filter(|(id, _)| *id == id::CUSTOM) {
            let mut reader = Reader::new(content);
            match reader.block()? {
                b"linking" => linked.symbols = symbols(reader)?,
                b"reloc.CODE" => linked.of_code = references(reader)?,
                b"reloc.DATA" => linked.of_data = references(reader)?,
                b"name" => constant = names(reader, NAMES_OF_DATA, 1)? == [".rodata"],
                _ => {}
            }
        }
        let is_whole = [
            linked.of_code.len(),
            linked.of_data.len(),
            linked.symbols.len(),
        ];
        if !constant || is_whole.contains(&0) {
            return Err("constants, as the linker has them");
        }
        Ok(linked)
    }
}

/// Of each segment the bytes of the section that it has, and where they go in memory.
fn segments(content: &[u8]) -> Read<Vec<(Range<usize>, usize)>> {
    Reader::new(content).list(|reader| {
        let (start, bytes) = segment(reader)?;
        let end = content.len() - reader.all().len();
        Ok((end - bytes.len()..end, start))
    })
}

/// Where each body begins in the section of code.
fn begins(content: &[u8]) -> Read<Vec<usize>> {
    Reader::new(content).list(|reader| {
        let begin = content.len() - reader.all().len();
        reader.block()?;
        Ok(begin)
    })
}

/// The table of symbols.
fn symbols(mut reader: Reader) -> Read<Vec<Option<[usize; 3]>>> {
    const TABLE: u8 = 8;
    reader.number()?;
    while !reader.is_done() {
        let (kind, content) = (reader.byte()?, reader.block()?);
        if kind == TABLE {
            return Reader::new(content).list(symbol);
        }
    }
    Err("symbols")
}

/// Where a symbol's data are, if it is one of data.
fn symbol(reader: &mut Reader) -> Read<Option<[usize; 3]>> {
    const UNDEFINED: u32 = 0x10;
    const NAMED: u32 = 0x40;
    let (kind, flags) = (reader.byte()?, reader.number()?);
    match kind {
        // Functions, globals, events, tables.
        0 | 2 | 4 | 5 => {
            reader.number()?;
            if flags & UNDEFINED == 0 || flags & NAMED != 0 {
                reader.block()?;
            }
            Ok(None)
        }
        // Data.
        1 => {
            reader.block()?;
            if flags & UNDEFINED != 0 {
                return Ok(None);
            }
            Ok(Some([reader.index()?, reader.index()?, reader.index()?]))
        }
        // Sections.
        3 => reader.number().map(|_| None),
        _ => Err("a symbol of another kind"),
    }
}

/// Where the addresses of which symbols stand in a section.
fn references(mut reader: Reader) -> Read<Vec<(usize, usize)>> {
    reader.number()?;
    let all = reader.list(|reader| {
        let kind = reader.byte()?;
        let reference = (reader.index()?, reader.index()?);
        match kind {
            // Functions, their places in the table, types, globals, tables.
            0 | 1 | 2 | 6 | 7 | 13 | 20 => Ok(None),
            // Addresses in memory.
            3..=5 => {
                reader.skip_number()?;
                Ok(Some(reference))
            }
            _ => Err("a reference of another kind"),
        }
    })?;
    Ok(all.into_iter().flatten().collect())
}
