//! Sorts functions so that similar ones are side by side and a compressor writes them shorter.

use super::cut::Renamed;
use super::module::Read;
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{CodeSection, ElementSection, ExportSection, FunctionSection, RawSection};
use wasmparser::{FunctionBody, Parser, Payload, TypeRef};

/// The program with its functions sorted by their type, then by their instructions, then by all bytes of their bodies:
/// the code of a generic function for one type comes next to that for another (brotli writes 4 % less). Functions that
/// only call another through the table come first.
pub fn ordered(program: &[u8]) -> Read<Vec<u8>> {
    let (mut imported, mut types, mut bodies) = (0, Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(program) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::FunctionSection(section) => {
                types = section.into_iter().collect::<Result<Vec<u32>, _>>()?;
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    let mut keys = Vec::with_capacity(bodies.len());
    for (body, of_type) in bodies.iter().zip(&types) {
        let opcodes = opcodes(body)?;
        keys.push((!only_calls(&opcodes), *of_type, opcodes, body.as_bytes()));
    }
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&function| &keys[function]);
    let mut names: Vec<u32> = (0..imported).collect();
    names.resize(names.len() + order.len(), 0);
    for (&function, name) in order.iter().zip(imported..) {
        names[imported as usize + function] = name;
    }
    written(program, Renamed { names }, &order, &types, &bodies)
}

/// The first byte of each instruction.
fn opcodes(body: &FunctionBody) -> Read<Vec<u8>> {
    let (bytes, begin) = (body.as_bytes(), body.range().start);
    let mut found = Vec::new();
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        let at = usize::try_from(reader.original_position() - begin)?;
        found.extend(bytes.get(at));
        reader.read()?;
    }
    Ok(found)
}

/// Whether a function hands what it is given on to another, by its place in the table (Note [A function of
/// another part]): `local.get` for each, `i32.const`, `call_indirect`, `end`.
fn only_calls(opcodes: &[u8]) -> bool {
    let given = opcodes.strip_suffix(&[0x41, 0x11, 0x0b]);
    given.is_some_and(|given| given.iter().all(|opcode| *opcode == 0x20))
}

fn written(
    program: &[u8],
    mut copy: Renamed,
    order: &[usize],
    types: &[u32],
    bodies: &[FunctionBody],
) -> Read<Vec<u8>> {
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(program) {
        match payload? {
            Payload::FunctionSection(_) => {
                let mut functions = FunctionSection::new();
                for &function in order {
                    functions.function(types[function]);
                }
                out.section(&functions);
            }
            Payload::ExportSection(section) => {
                let mut exports = ExportSection::new();
                copy.parse_export_section(&mut exports, section)?;
                out.section(&exports);
            }
            Payload::StartSection { func, .. } => {
                let function_index = copy.start_section(func)?;
                out.section(&wasm_encoder::StartSection { function_index });
            }
            Payload::ElementSection(section) => {
                let mut elements = ElementSection::new();
                copy.parse_element_section(&mut elements, section)?;
                out.section(&elements);
            }
            Payload::CodeSectionStart { .. } => {
                let mut code = CodeSection::new();
                for &function in order {
                    copy.parse_function_body(&mut code, bodies[function].clone())?;
                }
                out.section(&code);
            }
            other => {
                if let Some((id, range)) = other.as_section() {
                    let data = &program[range.start.try_into()?..range.end.try_into()?];
                    out.section(&RawSection { id, data });
                }
            }
        }
    }
    Ok(out.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{ExportKind, Function, TypeSection};
    use wasmparser::Operator;

    /// Functions that drop a number each, and a last one, exported, that calls the first.
    fn program(numbers: &[i32]) -> Vec<u8> {
        let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
        let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
        types.ty().function([], []);
        let drops = numbers.iter().map(|number| {
            let mut body = Function::new([]);
            body.instructions().i32_const(*number).drop().end();
            body
        });
        let mut calls = Function::new([]);
        calls.instructions().call(0).end();
        for body in drops.chain([calls]) {
            functions.function(0);
            code.function(&body);
        }
        let last = u32::try_from(numbers.len()).expect("few");
        exports.export("last", ExportKind::Func, last);
        let mut out = wasm_encoder::Module::new();
        out.section(&types).section(&functions);
        out.section(&exports).section(&code);
        out.finish()
    }

    /// The first instruction of each function, and which one is exported.
    fn read(program: &[u8]) -> (Vec<Operator<'_>>, usize) {
        let (mut firsts, mut last) = (Vec::new(), 0);
        for payload in Parser::new(0).parse_all(program) {
            match payload.expect("a program") {
                Payload::ExportSection(section) => {
                    let export = section.into_iter().next().expect("one").expect("read");
                    last = export.index as usize;
                }
                Payload::CodeSectionEntry(body) => {
                    firsts.push(
                        body.get_operators_reader()
                            .expect("read")
                            .read()
                            .expect("one"),
                    );
                }
                _ => {}
            }
        }
        (firsts, last)
    }

    #[test]
    fn functions_are_by_their_instructions_and_call_whom_they_called() {
        let before = program(&[9, 1, 5]);
        let after = ordered(&before).expect("a program");
        let (firsts, last) = read(&after);
        let Operator::Call { function_index } = firsts[last] else {
            panic!("the last one calls: {:?}", firsts[last]);
        };
        let called = &firsts[function_index as usize];
        assert!(
            matches!(called, Operator::I32Const { value: 9 }),
            "{called:?}"
        );
        let numbers = firsts.iter().filter_map(|first| match first {
            Operator::I32Const { value } => Some(*value),
            _ => None,
        });
        assert_eq!(numbers.collect::<Vec<_>>(), [1, 5, 9]);
    }

    #[test]
    fn a_function_that_only_calls_is_known() {
        assert!(only_calls(&[0x20, 0x20, 0x41, 0x11, 0x0b]));
        assert!(only_calls(&[0x41, 0x11, 0x0b]));
        assert!(!only_calls(&[0x20, 0x10, 0x41, 0x10, 0x11, 0x0b]));
        assert!(!only_calls(&[0x20, 0x41, 0x10, 0x0b]));
    }
}
