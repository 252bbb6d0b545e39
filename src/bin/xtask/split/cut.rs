//! Writing the two parts.
//!
//! Note [A function of the rest]: where the first part had a function that is moved, it has a few
//! instructions that see to it that the rest is there and then call the function by its place in
//! the table of functions, which the two parts share. A function that had a place there keeps it:
//! the rest, when it comes, puts its functions into their places, and who calls them by the table
//! calls them directly from then on.

use super::bytes::{Read, Reader, block, constant, number, section};
use super::code::{named, renamed};
use super::module::{MAGIC, Module, id, kind};
use super::plan::Plan;
use std::ops::Range;

/// The module that the rest imports from.
const FIRST: &[u8] = b"first";
/// How the custom section begins that says which instructions there are; names and the like are left out.
const FEATURES: &[u8] = b"\x0ftarget_features";
/// The export that brings the rest.
const BRING: &[u8] = b"bringRest";

const I32: u8 = 0x7f;
const MUTABLE: u8 = 1;
const UNREACHABLE: &[u8] = &[0, 0x00, 0x0b];

/// Where each function of the rest that the first part wants is in the table.
struct Places {
    /// By function.
    of: Vec<Option<usize>>,
    /// The table's size.
    size: usize,
}

impl Places {
    fn new(module: &Module, plan: &Plan) -> Self {
        let mut of = vec![None; module.types.len()];
        let (first, elements) = &module.elements;
        for (place, &function) in elements.iter().enumerate() {
            of[function] = Some(first + place);
        }
        let mut size = module.tables[0].1;
        for (function, place) in of.iter_mut().enumerate() {
            if plan.moved[function] && plan.wanted[function] && place.is_none() {
                *place = Some(size);
                size += 1;
            }
        }
        Self { of, size }
    }
}

/// Both parts: the first one, and the rest, with the data of the places in memory that are `late`.
pub fn cut(module: &Module, plan: &Plan, late: &[Range<usize>]) -> Read<(Vec<u8>, Vec<u8>)> {
    let places = Places::new(module, plan);
    let (mut rest, imports) = rest(module, plan, &places)?;
    let (kept, moved) = data(module, late);
    section(&mut rest, id::DATA, &moved);
    Ok((first(module, plan, &places, &imports, &kept)?, rest))
}

/// The data of both parts: those that stay, with nothing in the places that are `late`, and those.
fn data(module: &Module, late: &[Range<usize>]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for (start, bytes) in &module.data {
        let mut left = bytes.to_vec();
        let within =
            |place: &&Range<usize>| *start <= place.start && place.end <= start + bytes.len();
        for place in late.iter().filter(within) {
            let piece = place.start - start..place.end - start;
            moved.push(at(place.start, &bytes[piece.clone()]));
            left[piece].fill(0);
        }
        kept.push(at(*start, &left));
    }
    (kept, moved)
}

/// A segment of data.
fn at(place: usize, bytes: &[u8]) -> Vec<u8> {
    let mut item = vec![0];
    constant(&mut item, place);
    item.push(0x0b);
    block(&mut item, bytes);
    item
}

/// The first part, which exports `functions` to the rest.
fn first(
    module: &Module,
    plan: &Plan,
    places: &Places,
    functions: &[usize],
    data: &[Vec<u8>],
) -> Read<Vec<u8>> {
    let bring = module.exports.iter().find(|export| export.0 == BRING);
    let bring = bring.ok_or("an export that brings the rest")?.2;
    let ready = module.types.len();
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    for function in module.imported..ready {
        let body = match (plan.moved[function], plan.wanted[function]) {
            (false, _) => module.body(function).to_vec(),
            (true, false) => UNREACHABLE.to_vec(),
            (true, true) => {
                let place = places.of[function].ok_or("a place in the table")?;
                calls_by_place(module, module.types[function], place, ready)
            }
        };
        bodies.push(sized(&body));
    }
    bodies.push(sized(&brings(module.globals.len(), bring)));
    let mut out = MAGIC.to_vec();
    for &(id, content) in &module.sections {
        match id {
            id::TYPE => extended(&mut out, id, content, &[vec![0x60, 1, I32, 1, I32]])?,
            id::FUNCTION => {
                extended(&mut out, id, content, &[numbered(module.parameters.len())])?;
            }
            id::TABLE => {
                let mut sizes: Vec<usize> = module.tables.iter().map(|table| table.1).collect();
                sizes[0] = places.size;
                let tables = module.tables.iter().zip(sizes);
                let tables: Vec<Vec<u8>> = tables
                    .enumerate()
                    .map(|(index, ((element, _), size))| table(*element, size, index == 0))
                    .collect();
                section(&mut out, id, &tables);
            }
            id::GLOBAL => extended(&mut out, id, content, &[vec![I32, MUTABLE, 0x41, 0, 0x0b]])?,
            id::EXPORT => extended(&mut out, id, content, &exports(module, functions))?,
            id::CODE => section(&mut out, id, &bodies),
            id::DATA => section(&mut out, id, data),
            id::CUSTOM if !content.starts_with(FEATURES) => {}
            _ => {
                out.push(id);
                block(&mut out, content);
            }
        }
    }
    Ok(out)
}

/// The rest, and the functions that it imports.
fn rest(module: &Module, plan: &Plan, places: &Places) -> Read<(Vec<u8>, Vec<usize>)> {
    let moved: Vec<usize> = (0..plan.moved.len()).filter(|f| plan.moved[*f]).collect();
    let mut imports: Vec<usize> = Vec::new();
    for &function in &moved {
        let named = named(module.body(function))?;
        imports.extend(named.into_iter().filter(|named| !plan.moved[*named]));
    }
    imports.sort_unstable();
    imports.dedup();
    let mut index = vec![0; module.types.len()];
    for (new, &function) in imports.iter().chain(&moved).enumerate() {
        index[function] = new;
    }
    let mut out = MAGIC.to_vec();
    for (id, content) in &module.sections {
        if *id == id::CUSTOM && content.starts_with(FEATURES) {
            out.push(*id);
            block(&mut out, content);
        }
    }
    let of_types = module.sections.iter().find(|(id, _)| *id == id::TYPE);
    let (_, types) = of_types.ok_or("types")?;
    out.push(id::TYPE);
    block(&mut out, types);
    section(&mut out, id::IMPORT, &imported(module, &imports));
    let types: Vec<Vec<u8>> = moved.iter().map(|f| numbered(module.types[*f])).collect();
    section(&mut out, id::FUNCTION, &types);
    let mut placed: Vec<(usize, usize)> = moved
        .iter()
        .filter_map(|&function| Some((places.of[function]?, index[function])))
        .collect();
    placed.sort_unstable();
    section(&mut out, id::ELEMENT, &segments(&placed));
    let mut bodies = Vec::new();
    for &function in &moved {
        let body = renamed(module.body(function), |named| index[named])?;
        bodies.push(sized(&body));
    }
    section(&mut out, id::CODE, &bodies);
    Ok((out, imports))
}

/// A body that brings the rest if it is not there and calls the function at a place.
fn calls_by_place(module: &Module, of_type: usize, place: usize, ready: usize) -> Vec<u8> {
    let mut body = vec![0];
    for parameter in 0..module.parameters[of_type] {
        body.push(0x20);
        number(&mut body, parameter);
    }
    constant(&mut body, place);
    body.push(0x10);
    number(&mut body, ready);
    body.push(0x11);
    number(&mut body, of_type);
    body.extend([0, 0x0b]);
    body
}

/// The function that sees to it that the rest is there, and gives back what it was given.
fn brings(there: usize, bring: usize) -> Vec<u8> {
    let mut body = vec![0, 0x23];
    number(&mut body, there);
    // i32.eqz, if, call
    body.extend([0x45, 0x04, 0x40, 0x10]);
    number(&mut body, bring);
    // i32.const 1, global.set
    body.extend([0x41, 1, 0x24]);
    number(&mut body, there);
    // end, local.get 0, end
    body.extend([0x0b, 0x20, 0, 0x0b]);
    body
}

/// What the rest imports: memory, tables, globals and `functions`.
fn imported(module: &Module, functions: &[usize]) -> Vec<Vec<u8>> {
    let import = |name: &str, of_kind: u8, what: &[u8]| {
        let mut item = Vec::new();
        block(&mut item, FIRST);
        block(&mut item, name.as_bytes());
        item.push(of_kind);
        item.extend_from_slice(what);
        item
    };
    let mut all = vec![import("m", kind::MEMORY, module.memory)];
    for (index, (element, size)) in module.tables.iter().enumerate() {
        all.push(import(
            &format!("t{index}"),
            kind::TABLE,
            &table(*element, *size, false),
        ));
    }
    for (index, is) in module.globals.iter().enumerate() {
        all.push(import(&format!("g{index}"), kind::GLOBAL, is));
    }
    for &function in functions {
        let of_type = numbered(module.types[function]);
        all.push(import(&function.to_string(), kind::FUNCTION, &of_type));
    }
    all
}

/// The same as the first part exports it.
fn exports(module: &Module, functions: &[usize]) -> Vec<Vec<u8>> {
    let export = |name: &str, of_kind: u8, index: usize| {
        let mut item = Vec::new();
        block(&mut item, name.as_bytes());
        item.push(of_kind);
        number(&mut item, index);
        item
    };
    let tables = (0..module.tables.len()).map(|i| export(&format!("t{i}"), kind::TABLE, i));
    let globals = (0..module.globals.len()).map(|i| export(&format!("g{i}"), kind::GLOBAL, i));
    let functions = functions
        .iter()
        .map(|f| export(&f.to_string(), kind::FUNCTION, *f));
    let memory = export("m", kind::MEMORY, 0);
    std::iter::once(memory)
        .chain(tables)
        .chain(globals)
        .chain(functions)
        .collect()
}

/// A table; `fixed` when it never grows.
fn table(element: u8, size: usize, fixed: bool) -> Vec<u8> {
    let mut item = vec![element, u8::from(fixed)];
    number(&mut item, size);
    if fixed {
        number(&mut item, size);
    }
    item
}

/// Functions and their places, in order, as segments of neighbours.
fn segments(placed: &[(usize, usize)]) -> Vec<Vec<u8>> {
    let runs = placed.chunk_by(|a, b| a.0 + 1 == b.0);
    runs.map(|run| {
        let mut item = vec![0];
        constant(&mut item, run[0].0);
        item.push(0x0b);
        number(&mut item, run.len());
        for &(_, function) in run {
            number(&mut item, function);
        }
        item
    })
    .collect()
}

/// A section with more items at its end.
fn extended(out: &mut Vec<u8>, id: u8, content: &[u8], more: &[Vec<u8>]) -> Read<()> {
    let mut reader = Reader::new(content);
    let items = reader.index()?;
    let mut whole = Vec::new();
    number(&mut whole, items + more.len());
    whole.extend_from_slice(reader.all());
    whole.extend(more.iter().flatten());
    out.push(id);
    block(out, &whole);
    Ok(())
}

fn numbered(value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, value);
    out
}

fn sized(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    block(&mut out, body);
    out
}
