//! The linker's notes on a program that it wrote with `--emit-relocs`: every place at which it put an address, and
//! whose address that is.

use super::module::{Module, Read};
use std::ops::Range;
use wasmparser::{
    BinaryReader, CustomSectionReader, KnownCustom, Linking, RelocationEntry, RelocationType,
    SymbolInfo,
};

/// Places with addresses, and whose they are. A symbol is known by its number.
pub struct Linker {
    /// The addresses of each symbol's bytes in memory; empty for symbols that are no data.
    pub symbols: Vec<Range<usize>>,
    /// The symbols whose address each function has.
    pub of_functions: Vec<Vec<usize>>,
    /// The places of addresses in memory, each with its symbol.
    pub of_data: Vec<(usize, usize)>,
}

impl Linker {
    /// Reads what the linker says, and refuses it where the program does not bear it out.
    pub fn read(linked: &Module) -> Read<Self> {
        let custom = |name: &str| {
            let found = linked.customs.iter().find(|section| section.name() == name);
            found.ok_or_else(|| format!("the linker says nothing of {name}"))
        };
        let symbols = symbols(linked, custom("linking")?)?;
        let [code, data] = linked.begins;
        let mut of_functions = vec![Vec::new(); linked.types.len()];
        let of_code = custom("reloc.CODE")?;
        for (place, symbol) in addresses(linked, of_code, code, &symbols)? {
            of_functions[function_at(linked, place)?].push(symbol);
        }
        let in_data = custom("reloc.DATA")?;
        let mut of_data = Vec::new();
        for (place, symbol) in addresses(linked, in_data, data, &symbols)? {
            of_data.push((in_memory(linked, place)?, symbol));
        }
        Ok(Self {
            symbols,
            of_functions,
            of_data,
        })
    }
}

/// The function whose body a place in the file is in.
fn function_at(linked: &Module, place: usize) -> Read<usize> {
    let place = place as u64;
    let body = linked
        .bodies
        .partition_point(|body| body.range().end <= place);
    let inside = linked
        .bodies
        .get(body)
        .filter(|body| body.range().contains(&place));
    inside.ok_or("an address between functions")?;
    Ok(linked.imported + body)
}

/// The relocations of a section.
fn references(section: &CustomSectionReader) -> Read<Vec<RelocationEntry>> {
    let KnownCustom::Reloc(references) = section.as_known() else {
        return Err("the linker's references are not understood".into());
    };
    Ok(references.entries().into_iter().collect::<Result<_, _>>()?)
}

/// The position of a relocated value in the file, and its bytes.
fn stands<'a>(
    linked: &Module<'a>,
    reference: &RelocationEntry,
    begin: usize,
) -> Read<(usize, &'a [u8])> {
    let range = reference.relocation_range()?;
    let range = begin + range.start..begin + range.end;
    let bytes = linked.bytes.get(range.clone());
    Ok((range.start, bytes.ok_or("a reference beyond the file")?))
}

/// The addresses of each symbol's bytes in memory.
fn symbols(linked: &Module, section: &CustomSectionReader) -> Read<Vec<Range<usize>>> {
    let KnownCustom::Linking(linking) = section.as_known() else {
        return Err("what the linker says is not understood".into());
    };
    let mut found = Vec::new();
    for part in linking.subsections() {
        let Linking::SymbolTable(symbols) = part? else {
            continue;
        };
        for symbol in symbols {
            found.push(match symbol? {
                SymbolInfo::Data {
                    symbol: Some(data), ..
                } => {
                    let (start, bytes) = linked.data.get(data.index as usize).ok_or("a symbol")?;
                    let begin = data.offset as usize;
                    let end = begin + data.size as usize;
                    if end > bytes.len() {
                        return Err("a symbol beyond its data".into());
                    }
                    start + begin..start + end
                }
                _ => 0..0,
            });
        }
    }
    Ok(found)
}

/// The positions of memory addresses in the file, each with its symbol. Refuses a kind of relocation that is not known,
/// and a value that is not the symbol's address plus the distance from it.
fn addresses(
    linked: &Module,
    section: &CustomSectionReader,
    begin: usize,
    symbols: &[Range<usize>],
) -> Read<Vec<(usize, usize)>> {
    use RelocationType as Type;
    let mut found = Vec::new();
    for reference in references(section)? {
        let (place, bytes) = stands(linked, &reference, begin)?;
        let mut reader = BinaryReader::new(bytes, 0);
        let stands = match reference.ty {
            Type::FunctionIndexLeb
            | Type::TableIndexSleb
            | Type::TableIndexI32
            | Type::TypeIndexLeb
            | Type::GlobalIndexLeb
            | Type::GlobalIndexI32
            | Type::TableNumberLeb => continue,
            Type::MemoryAddrLeb => reader.read_var_u32()?,
            Type::MemoryAddrSleb => reader.read_var_i32()?.cast_unsigned(),
            Type::MemoryAddrI32 => reader.read_u32()?,
            other => return Err(format!("a reference of another kind: {other:?}").into()),
        };
        let symbol = symbols
            .get(reference.index as usize)
            .ok_or("a reference to nothing")?;
        let address = i64::try_from(symbol.start)? + reference.addend;
        if i64::from(stands) != address & i64::from(u32::MAX) {
            return Err(format!("{stands} where the linker says {address}").into());
        }
        found.push((place, reference.index as usize));
    }
    Ok(found)
}

/// The memory address of the byte at position `place` of the file.
fn in_memory(linked: &Module, place: usize) -> Read<usize> {
    let file = linked.bytes.as_ptr() as usize;
    for (start, bytes) in &linked.data {
        let begin = bytes.as_ptr() as usize - file;
        if (begin..begin + bytes.len()).contains(&place) {
            return Ok(start + place - begin);
        }
    }
    Err("an address between data".into())
}
