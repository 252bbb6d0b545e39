//! Writing the two parts.
//!
//! Note [A function of the rest]: where the first part had a function that is moved, it has a few
//! instructions that see to it that the rest is there and then call the function by its place in
//! the table of functions, which the two parts share. A function that had a place there keeps it:
//! the rest, when it comes, puts its functions into their places, and who calls them by the table
//! calls them directly from then on. Functions of the first part that the rest calls stand at the end of the
//! table, the first of them last, where `public/rest.js` finds them: as exports they would need names. Places in the
//! table that only the rest has are nobody's before it comes.

use super::constants::Late;
use super::module::{Module, Read};
use super::plan::Plan;
use std::convert::Infallible;
use std::ops::Range;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType,
    ExportKind, ExportSection, Function, FunctionSection, GlobalSection, ImportSection,
    InstructionSink, RawSection, TableSection, TypeSection, ValType,
};
use wasmparser::{Parser, Payload, TableType};

/// The module that the rest imports from.
const FIRST: &str = "first";
/// The custom section that says which instructions there are; names and the like are left out.
const FEATURES: &str = "target_features";
/// The export that brings the rest.
const BRING: &str = "bringRest";

/// Both parts: the first one, and the rest, with what is `late`.
pub fn cut(module: &Module, plan: &Plan, late: &Late) -> Read<(Vec<u8>, Vec<u8>)> {
    let bring = module.exports.iter().find(|export| export.name == BRING);
    let bring = bring.ok_or("no export brings the rest")?.index;
    let (places, size) = places(module, plan);
    let moved: Vec<usize> = (0..plan.moved.len()).filter(|f| plan.moved[*f]).collect();
    let mut shared: Vec<u32> = Vec::new();
    for &function in &moved {
        let named = module.named(function)?.functions.into_iter();
        shared.extend(named.filter(|named| !plan.moved[*named as usize]));
    }
    shared.sort_unstable();
    shared.dedup();
    let rest = rest(module, &moved, &shared, &places, &late.constants)?;
    // Whether the first part may come to a function of the rest.
    let stands = |function: usize| {
        let needed = places[function].is_some_and(|place| late.needed.contains(&place));
        needed || plan.called[function]
    };
    let ready = to_u32(module.types.len());
    let there = to_u32(module.globals.len());
    let mut code = CodeSection::new();
    for (function, place) in places.iter().enumerate().skip(module.imported) {
        match (plan.moved[function], place) {
            (false, _) => code.raw(module.body(function).as_bytes()),
            (true, &Some(place)) if stands(function) => {
                code.function(&calls_by_place(module, function, place, ready))
            }
            (true, _) => code.function(&body(|code| {
                code.unreachable();
            })),
        };
    }
    code.function(&brings(bring, there));
    let nobody = ready + 1;
    code.function(&body(|code| {
        code.unreachable();
    }));
    let mut table = Vec::new();
    for (place, functions) in &module.elements {
        let absent = |function: u32| plan.moved[function as usize] && !stands(function as usize);
        let stand = functions
            .iter()
            .map(|f| if absent(*f) { nobody } else { *f });
        table.push((*place, stand.collect()));
    }
    table.push((u32::try_from(size)?, shared.iter().rev().copied().collect()));
    Ok((first(module, &code, &table, &late.constants)?, rest))
}

/// Where each function that has a place in the table has it, which those of the rest have that the
/// first part wants; and how large the table is.
fn places(module: &Module, plan: &Plan) -> (Vec<Option<u32>>, u64) {
    let mut places = vec![None; module.types.len()];
    for (first, functions) in &module.elements {
        for (place, &function) in (*first..).zip(functions) {
            places[function as usize] = Some(place);
        }
    }
    let before = u32::try_from(module.tables[0].initial).unwrap_or(u32::MAX);
    let mut free = before..;
    for (function, place) in places.iter_mut().enumerate() {
        if plan.moved[function] && plan.called[function] && place.is_none() {
            *place = free.next();
        }
    }
    (places, u64::from(free.start))
}

/// The first part: the program with other bodies, less data and another table, two functions and
/// one global more, and exports for the rest.
fn first(
    module: &Module,
    code: &CodeSection,
    table: &[(u32, Vec<u32>)],
    late: &[Range<usize>],
) -> Read<Vec<u8>> {
    let mut copy = RoundtripReencoder;
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module.bytes) {
        match payload? {
            Payload::TypeSection(_) => {
                let mut types = types(module)?;
                types.ty().function([ValType::I32], [ValType::I32]);
                out.section(&types);
            }
            Payload::FunctionSection(section) => {
                let mut functions = FunctionSection::new();
                copy.parse_function_section(&mut functions, section)?;
                let of_type = to_u32(module.signatures.len());
                out.section(functions.function(of_type).function(of_type));
            }
            Payload::TableSection(_) => {
                let ends = table
                    .iter()
                    .map(|(place, functions)| *place as usize + functions.len());
                let all = ends.max().unwrap_or(0) as u64;
                let mut tables = TableSection::new();
                for (index, table) in module.tables.iter().enumerate() {
                    let (initial, maximum) = match index {
                        0 => (all, Some(all)),
                        _ => (table.initial, table.maximum),
                    };
                    let table = TableType {
                        initial,
                        maximum,
                        ..*table
                    };
                    tables.table(copy.table_type(table)?);
                }
                out.section(&tables);
            }
            Payload::GlobalSection(section) => {
                let mut globals = GlobalSection::new();
                copy.parse_global_section(&mut globals, section)?;
                let there = wasm_encoder::GlobalType {
                    val_type: ValType::I32,
                    mutable: true,
                    shared: false,
                };
                out.section(globals.global(there, &ConstExpr::i32_const(0)));
            }
            Payload::ExportSection(section) => {
                let mut exports = ExportSection::new();
                copy.parse_export_section(&mut exports, section)?;
                exports.export("m", ExportKind::Memory, 0);
                for (index, _) in (0..).zip(&module.tables) {
                    exports.export(&format!("t{index}"), ExportKind::Table, index);
                }
                for (index, _) in (0..).zip(&module.globals) {
                    exports.export(&format!("g{index}"), ExportKind::Global, index);
                }
                out.section(&exports);
            }
            Payload::ElementSection(_) => {
                let mut elements = ElementSection::new();
                for (place, functions) in table {
                    let place = ConstExpr::i32_const(place.cast_signed());
                    elements.active(None, &place, Elements::Functions(functions.into()));
                }
                out.section(&elements);
            }
            Payload::CodeSectionStart { .. } => drop(out.section(code)),
            Payload::DataSection(_) => {
                let mut data = DataSection::new();
                for (segment, (start, bytes)) in module.data.iter().enumerate() {
                    let mut left = bytes.to_vec();
                    for (piece, _) in pieces(module, segment, late) {
                        left[piece].fill(0);
                    }
                    data.active(0, &at(*start), left);
                }
                out.section(&data);
            }
            Payload::CustomSection(section) if section.name() != FEATURES => {}
            other => {
                if let Some((id, range)) = other.as_section() {
                    let data = &module.bytes[range.start.try_into()?..range.end.try_into()?];
                    out.section(&RawSection { id, data });
                }
            }
        }
    }
    Ok(out.finish())
}

/// A body without variables.
fn body(instructions: impl FnOnce(&mut InstructionSink)) -> Function {
    let mut body = Function::new([]);
    instructions(&mut body.instructions());
    body.instructions().end();
    body
}

/// A body that sees to it that the rest is there and calls the function at a place.
fn calls_by_place(module: &Module, function: usize, place: u32, ready: u32) -> Function {
    let of_type = module.types[function];
    body(|code| {
        for (parameter, _) in (0..).zip(module.signatures[of_type as usize].params()) {
            code.local_get(parameter);
        }
        code.i32_const(place.cast_signed()).call(ready);
        code.call_indirect(0, of_type);
    })
}

/// A body that brings the rest if it is not there, and gives back what it was given.
fn brings(bring: u32, there: u32) -> Function {
    body(|code| {
        code.global_get(there).i32_eqz().if_(BlockType::Empty);
        code.call(bring).i32_const(1).global_set(there).end();
        code.local_get(0);
    })
}

/// What functions take and give.
fn types(module: &Module) -> Read<TypeSection> {
    let mut types = TypeSection::new();
    for signature in &module.signatures {
        types
            .ty()
            .func_type(&RoundtripReencoder.func_type(signature.clone())?);
    }
    Ok(types)
}

/// The pieces of a segment of data that are `late`: where they are in it, and where in memory.
fn pieces<'a>(
    module: &'a Module,
    segment: usize,
    late: &'a [Range<usize>],
) -> impl Iterator<Item = (Range<usize>, usize)> + 'a {
    let (start, bytes) = module.data[segment];
    let within =
        move |place: &&Range<usize>| start <= place.start && place.end <= start + bytes.len();
    late.iter()
        .filter(within)
        .map(move |place| (place.start - start..place.end - start, place.start))
}

/// The rest: functions that are `moved`, and data that are `late`; from the first part it imports
/// memory, tables, globals and the functions that are `shared`, each by its place from the table's end.
fn rest(
    module: &Module,
    moved: &[usize],
    shared: &[u32],
    places: &[Option<u32>],
    late: &[Range<usize>],
) -> Read<Vec<u8>> {
    let mut copy = Renamed {
        names: vec![0; module.types.len()],
    };
    let all = shared
        .iter()
        .map(|f| *f as usize)
        .chain(moved.iter().copied());
    for (new, function) in (0..).zip(all) {
        copy.names[function] = new;
    }
    let mut imports = ImportSection::new();
    imports.import(FIRST, "m", copy.memory_type(module.memories[0])?);
    for (index, table) in module.tables.iter().enumerate() {
        // The first part's may be larger.
        let table = TableType {
            maximum: None,
            ..*table
        };
        imports.import(FIRST, &format!("t{index}"), copy.table_type(table)?);
    }
    for (index, global) in module.globals.iter().enumerate() {
        imports.import(FIRST, &format!("g{index}"), copy.global_type(*global)?);
    }
    for (place, &function) in shared.iter().enumerate() {
        let of_type = EntityType::Function(module.types[function as usize]);
        imports.import(FIRST, &place.to_string(), of_type);
    }
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    let mut data = DataSection::new();
    for &function in moved {
        functions.function(module.types[function]);
        copy.parse_function_body(&mut code, module.body(function).clone())?;
    }
    for (segment, (_, bytes)) in module.data.iter().enumerate() {
        for (piece, place) in pieces(module, segment, late) {
            data.active(0, &at(place), bytes[piece].iter().copied());
        }
    }
    let mut out = wasm_encoder::Module::new();
    out.section(&types(module)?)
        .section(&imports)
        .section(&functions);
    out.section(&elements(moved, places, &copy.names));
    out.section(&code).section(&data);
    for section in module
        .customs
        .iter()
        .filter(|section| section.name() == FEATURES)
    {
        RoundtripReencoder.parse_custom_section(&mut out, section.clone())?;
    }
    Ok(out.finish())
}

/// Copies bodies in which functions have other names.
pub(super) struct Renamed {
    pub(super) names: Vec<u32>,
}

impl Reencode for Renamed {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(self.names[function as usize])
    }
}

/// The functions that are `moved` to their places in the table, neighbours in one segment.
fn elements(moved: &[usize], places: &[Option<u32>], names: &[u32]) -> ElementSection {
    let placed = moved.iter().filter_map(|f| Some((places[*f]?, names[*f])));
    let mut placed: Vec<(u32, u32)> = placed.collect();
    placed.sort_unstable();
    let mut elements = ElementSection::new();
    for run in placed.chunk_by(|a, b| a.0 + 1 == b.0) {
        let functions: Vec<u32> = run.iter().map(|(_, function)| *function).collect();
        let place = ConstExpr::i32_const(run[0].0.cast_signed());
        elements.active(None, &place, Elements::Functions(functions.into()));
    }
    elements
}

/// A place in memory.
fn at(place: usize) -> ConstExpr {
    ConstExpr::i32_const(to_u32(place).cast_signed())
}

/// WebAssembly counts in 32 bits.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
