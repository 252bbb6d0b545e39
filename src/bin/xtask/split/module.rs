//! A program as WebAssembly's binary format has it, as far as cutting it in two needs to know.

use super::bytes::{Read, Reader};

/// Numbers of the sections that are taken apart.
pub mod id {
    pub const CUSTOM: u8 = 0;
    pub const TYPE: u8 = 1;
    pub const IMPORT: u8 = 2;
    pub const FUNCTION: u8 = 3;
    pub const TABLE: u8 = 4;
    pub const MEMORY: u8 = 5;
    pub const GLOBAL: u8 = 6;
    pub const EXPORT: u8 = 7;
    pub const ELEMENT: u8 = 9;
    pub const CODE: u8 = 10;
    pub const DATA: u8 = 11;
}

/// What an export or an import is.
pub mod kind {
    pub const FUNCTION: u8 = 0;
    pub const TABLE: u8 = 1;
    pub const MEMORY: u8 = 2;
    pub const GLOBAL: u8 = 3;
}

/// A program.
pub struct Module<'a> {
    /// Every section by its number, in the file's order.
    pub sections: Vec<(u8, &'a [u8])>,
    /// How many parameters each type of a function has.
    pub parameters: Vec<usize>,
    /// The type of each function, those that are imported first.
    pub types: Vec<usize>,
    /// How many functions are imported.
    pub imported: usize,
    /// Each table: the type of its elements and its size, which must not change.
    pub tables: Vec<(u8, usize)>,
    /// The memory's limits.
    pub memory: &'a [u8],
    /// Each global's type.
    pub globals: Vec<[u8; 2]>,
    /// Name, kind and index of what is exported.
    pub exports: Vec<(&'a [u8], u8, usize)>,
    /// The first place and the functions of the table of functions, which is the first one.
    pub elements: (usize, Vec<usize>),
    /// The body of each function that is not imported.
    pub bodies: Vec<&'a [u8]>,
    /// What memory has at first: places and bytes.
    pub data: Vec<(usize, &'a [u8])>,
    /// The name of each function.
    pub names: Vec<&'a str>,
}

/// How a program begins.
pub const MAGIC: &[u8] = b"\0asm\x01\0\0\0";

impl<'a> Module<'a> {
    /// Reads a program.
    pub fn read(bytes: &'a [u8]) -> Read<Self> {
        let mut reader = Reader::new(bytes.strip_prefix(MAGIC).ok_or("magic")?);
        let mut sections = Vec::new();
        while !reader.is_done() {
            sections.push((reader.byte()?, reader.block()?));
        }
        let find = |wanted: u8| {
            let found = sections.iter().find(|(id, _)| *id == wanted);
            found.map(|(_, content)| Reader::new(content))
        };
        let section = |wanted: u8, name: &'static str| find(wanted).ok_or(name);
        let parameters = section(id::TYPE, "types")?.list(parameters)?;
        let mut types: Vec<usize> = section(id::IMPORT, "imports")?.list(imported_type)?;
        let imported = types.len();
        types.extend(section(id::FUNCTION, "functions")?.list(Reader::index)?);
        let mut of_functions = vec![""; types.len()];
        for (_, content) in sections.iter().filter(|(id, _)| *id == id::CUSTOM) {
            let mut reader = Reader::new(content);
            if reader.block()? == b"name" {
                of_functions = names(reader, NAMES_OF_FUNCTIONS, types.len())?;
            }
        }
        Ok(Self {
            parameters,
            imported,
            tables: section(id::TABLE, "tables")?.list(table)?,
            memory: {
                let mut reader = section(id::MEMORY, "memory")?;
                reader.number()?;
                reader.span(limits)?
            },
            globals: section(id::GLOBAL, "globals")?.list(global)?,
            exports: section(id::EXPORT, "exports")?
                .list(|reader| Ok((reader.block()?, reader.byte()?, reader.index()?)))?,
            elements: elements(section(id::ELEMENT, "elements")?)?,
            bodies: section(id::CODE, "code")?.list(Reader::block)?,
            data: section(id::DATA, "data")?.list(segment)?,
            names: of_functions,
            types,
            sections,
        })
    }

    /// The body of a function that is not imported.
    pub fn body(&self, function: usize) -> &'a [u8] {
        self.bodies[function - self.imported]
    }
}

fn parameters(reader: &mut Reader) -> Read<usize> {
    if reader.byte()? != 0x60 {
        return Err("a type that is no function's");
    }
    let parameters = reader.block()?.len();
    reader.block()?;
    Ok(parameters)
}

/// The type of an imported function; wasm-bindgen imports nothing else.
fn imported_type(reader: &mut Reader) -> Read<usize> {
    reader.block()?;
    reader.block()?;
    match reader.byte()? {
        kind::FUNCTION => reader.index(),
        _ => Err("an import that is no function"),
    }
}

fn limits(reader: &mut Reader) -> Read<()> {
    let with_maximum = reader.byte()? & 1 == 1;
    reader.number()?;
    if with_maximum {
        reader.number()?;
    }
    Ok(())
}

fn table(reader: &mut Reader) -> Read<(u8, usize)> {
    let element = reader.byte()?;
    let with_maximum = reader.byte()? == 1;
    let size = reader.index()?;
    if with_maximum {
        reader.number()?;
    }
    Ok((element, size))
}

fn global(reader: &mut Reader) -> Read<[u8; 2]> {
    let is = [reader.byte()?, reader.byte()?];
    // Its first value is a number.
    reader.byte()?;
    reader.skip_number()?;
    reader.byte()?;
    Ok(is)
}

/// The one segment that rustc's linker writes: of the first table, from a place that is a number.
fn elements(mut reader: Reader) -> Read<(usize, Vec<usize>)> {
    let (segments, flags, constant) = (reader.number()?, reader.number()?, reader.byte()?);
    if (segments, flags, constant) != (1, 0, 0x41) {
        return Err("elements of more than one segment");
    }
    let place = reader.index()?;
    reader.byte()?;
    Ok((place, reader.list(Reader::index)?))
}

/// A segment of data: where it goes in memory, which is a number, and its bytes.
pub fn segment<'a>(reader: &mut Reader<'a>) -> Read<(usize, &'a [u8])> {
    if (reader.number()?, reader.byte()?) != (0, 0x41) {
        return Err("data whose place is no number");
    }
    let start = reader.index()?;
    reader.byte()?;
    Ok((start, reader.block()?))
}

const NAMES_OF_FUNCTIONS: u8 = 1;
/// Of segments of data.
pub const NAMES_OF_DATA: u8 = 9;

/// The first `n` names of a kind in the custom section of names.
pub fn names(mut reader: Reader<'_>, kind: u8, n: usize) -> Read<Vec<&str>> {
    let mut found = vec![""; n];
    while !reader.is_done() {
        let (of, content) = (reader.byte()?, reader.block()?);
        if of != kind {
            continue;
        }
        Reader::new(content).list(|reader| {
            let (index, name) = (reader.index()?, reader.block()?);
            if let Some(place) = found.get_mut(index) {
                *place = std::str::from_utf8(name).unwrap_or("");
            }
            Ok(())
        })?;
    }
    Ok(found)
}
