//! Writing the parts.
//!
//! Note [A function of another part]: where a part calls a function of another one, it has a few
//! instructions that call the function by its place in the table of functions, which the parts share.
//! A function that had a place there keeps it. A part, when it comes, puts its functions into their
//! places; before that a call of one of them is an error of the host, and `public/parts.js` starts the
//! program anew with all parts. Functions of the first part that others call are at the end of the
//! table, the first of them last, where `public/parts.js` finds them: as exports they would need names.

use super::constants::Moved;
use super::module::{Module, Read};
use super::plan::{Plan, START};
use std::convert::Infallible;
use std::ops::Range;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, InstructionSink, RawSection,
    TableSection, TypeSection,
};
use wasmparser::{CustomSectionReader, Parser, Payload, TableType};

/// The module that parts import from.
const FIRST: &str = "first";
/// The custom section that says which instructions there are; names and the like are left out.
const FEATURES: &str = "target_features";

/// The parts, the first one first.
pub fn cut(module: &Module, plan: &Plan, moved: &Moved) -> Read<Vec<Vec<u8>>> {
    let (places, size) = places(module, plan);
    let mut shared: Vec<u32> = Vec::new();
    for function in (module.imported..plan.parts.len()).filter(|f| plan.parts[*f] != START) {
        let named = module.named(function)?.functions.into_iter();
        shared.extend(named.filter(|named| plan.parts[*named as usize] == START));
    }
    shared.sort_unstable();
    shared.dedup();
    let mut code = CodeSection::new();
    for (function, place) in places.iter().enumerate().skip(module.imported) {
        match (plan.parts[function], place) {
            (START, _) => code.raw(module.body(function).as_bytes()),
            (_, &Some(place)) if plan.called[function] => {
                code.function(&calls_by_place(module, function, place))
            }
            _ => code.function(&stops()),
        };
    }
    let nobody = to_u32(module.types.len());
    code.function(&stops());
    let mut table = Vec::new();
    for (place, functions) in &module.elements {
        let is_here = |function: &u32| plan.parts[*function as usize] == START;
        let there = functions
            .iter()
            .map(|f| if is_here(f) { *f } else { nobody });
        table.push((*place, there.collect()));
    }
    table.push((u32::try_from(size)?, shared.iter().rev().copied().collect()));
    let mut parts = vec![first(module, &code, &table, moved)?];
    for part in START + 1..=plan.last {
        let part = Part {
            module,
            plan,
            own: part,
            shared: &shared,
            places: &places,
        };
        parts.push(part.written(moved)?);
    }
    Ok(parts)
}

/// The index in the table of each function that has one, as functions do that another part than their own calls; and
/// the size of the table.
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
        if plan.parts[function] != START && plan.called[function] && place.is_none() {
            *place = free.next();
        }
    }
    (places, u64::from(free.start))
}

/// The first part: the program with other bodies, less data and another table, one function more, and exports for the
/// other parts.
fn first(
    module: &Module,
    code: &CodeSection,
    table: &[(u32, Vec<u32>)],
    moved: &Moved,
) -> Read<Vec<u8>> {
    let mut copy = RoundtripReencoder;
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module.bytes) {
        match payload? {
            Payload::TypeSection(_) => {
                let mut types = types(module)?;
                types.ty().function([], []);
                out.section(&types);
            }
            Payload::FunctionSection(section) => {
                let mut functions = FunctionSection::new();
                copy.parse_function_section(&mut functions, section)?;
                let of_type = to_u32(module.signatures.len());
                out.section(functions.function(of_type));
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
                    for (piece, _, _) in pieces(module, segment, moved) {
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

/// A body that stops the program.
fn stops() -> Function {
    body(|code| {
        code.unreachable();
    })
}

/// A body that calls the function at a place.
fn calls_by_place(module: &Module, function: usize, place: u32) -> Function {
    let of_type = module.types[function];
    body(|code| {
        for (parameter, _) in (0..).zip(module.signatures[of_type as usize].params()) {
            code.local_get(parameter);
        }
        code.i32_const(place.cast_signed())
            .call_indirect(0, of_type);
    })
}

/// The types of functions: their parameters and results.
fn types(module: &Module) -> Read<TypeSection> {
    let mut types = TypeSection::new();
    for signature in &module.signatures {
        types
            .ty()
            .func_type(&RoundtripReencoder.func_type(signature.clone())?);
    }
    Ok(types)
}

/// The pieces of a segment of data that are `moved`: where they are in it, where in memory, and their part.
fn pieces<'a>(
    module: &'a Module,
    segment: usize,
    moved: &'a Moved,
) -> impl Iterator<Item = (Range<usize>, usize, usize)> + 'a {
    let (start, bytes) = module.data[segment];
    let within =
        move |place: &Range<usize>| start <= place.start && place.end <= start + bytes.len();
    let moved = moved.iter().filter(move |(place, _)| within(place));
    moved.map(move |(place, part)| (place.start - start..place.end - start, place.start, *part))
}

/// A part but the first.
struct Part<'a> {
    module: &'a Module<'a>,
    plan: &'a Plan,
    own: usize,
    /// The functions of the first part that others call, by their places from the table's end.
    shared: &'a [u32],
    /// The indices of functions in the table.
    places: &'a [Option<u32>],
}

impl Part<'_> {
    /// Its functions and its data. It imports memory, tables, globals and functions of the first part; functions of other
    /// parts it calls by their places.
    fn written(&self, moved: &Moved) -> Read<Vec<u8>> {
        let (module, plan) = (self.module, self.plan);
        let own: Vec<usize> = plan.functions(self.own).collect();
        let mut named = Vec::new();
        for &function in &own {
            named.extend(module.named(function)?.functions);
        }
        named.sort_unstable();
        named.dedup();
        let of_first = |f: &u32| plan.parts[*f as usize] == START;
        let is_elsewhere = |f: &u32| !of_first(f) && plan.parts[*f as usize] != self.own;
        let imported: Vec<u32> = named.iter().copied().filter(of_first).collect();
        let elsewhere: Vec<usize> = (named.iter().filter(|f| is_elsewhere(f)))
            .map(|f| *f as usize)
            .collect();
        let mut copy = Renamed {
            names: vec![0; module.types.len()],
        };
        let all = imported.iter().map(|f| *f as usize);
        for (new, function) in (0..).zip(all.chain(elsewhere.iter().chain(&own).copied())) {
            copy.names[function] = new;
        }
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for &function in &elsewhere {
            let place = self.places[function].ok_or("a function without a place")?;
            functions.function(module.types[function]);
            code.function(&calls_by_place(module, function, place));
        }
        for &function in &own {
            functions.function(module.types[function]);
            copy.parse_function_body(&mut code, module.body(function).clone())?;
        }
        let mut data = DataSection::new();
        for (segment, (_, bytes)) in module.data.iter().enumerate() {
            for (piece, place, _) in pieces(module, segment, moved).filter(|p| p.2 == self.own) {
                data.active(0, &at(place), bytes[piece].iter().copied());
            }
        }
        let mut out = wasm_encoder::Module::new();
        out.section(&types(module)?)
            .section(&self.imports(&imported)?)
            .section(&functions)
            .section(&elements(&own, self.places, &copy.names))
            .section(&code)
            .section(&data);
        let features = |section: &&CustomSectionReader| section.name() == FEATURES;
        for section in module.customs.iter().filter(features) {
            RoundtripReencoder.parse_custom_section(&mut out, section.clone())?;
        }
        Ok(out.finish())
    }

    fn imports(&self, imported: &[u32]) -> Read<ImportSection> {
        let (module, mut copy) = (self.module, RoundtripReencoder);
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
        for function in imported {
            let place = self.shared.binary_search(function);
            let place = place.map_err(|_| "a function that is not shared")?;
            let of_type = EntityType::Function(module.types[*function as usize]);
            imports.import(FIRST, &place.to_string(), of_type);
        }
        Ok(imports)
    }
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

/// A part's `own` functions to their places in the table, neighbours in one segment.
fn elements(own: &[usize], places: &[Option<u32>], names: &[u32]) -> ElementSection {
    let placed = own.iter().filter_map(|f| Some((places[*f]?, names[*f])));
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
