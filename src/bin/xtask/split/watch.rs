//! Seeing which functions run.

use super::bytes::{Read, Reader, block, constant, number, section};
use super::code::locals;
use super::module::{MAGIC, Module, id};

/// Bytes of a page of WebAssembly's memory.
const PAGE: usize = 65_536;

/// A program that notes which of its functions run.
pub struct Watched {
    /// The program.
    pub program: Vec<u8>,
    /// Where in its memory it notes them.
    pub notes: usize,
    /// How many functions it has: as many bytes are notes, 1 for one that ran.
    pub functions: usize,
}

impl Watched {
    /// The program with more memory, which it does not know of, for notes.
    pub fn new(module: &Module) -> Read<Self> {
        let functions = module.types.len();
        let mut limits = Reader::new(module.memory);
        let flags = limits.byte()?;
        let pages = limits.index()?;
        let notes = pages * PAGE;
        let mut memory = vec![flags];
        number(&mut memory, pages + functions.div_ceil(PAGE));
        memory.extend_from_slice(limits.all());
        let bodies = (module.imported..functions)
            .map(|function| noting(module.body(function), notes + function))
            .collect::<Read<Vec<_>>>()?;
        let mut program = MAGIC.to_vec();
        for &(id, content) in &module.sections {
            match id {
                id::MEMORY => section(&mut program, id, std::slice::from_ref(&memory)),
                id::CODE => section(&mut program, id, &bodies),
                _ => {
                    program.push(id);
                    block(&mut program, content);
                }
            }
        }
        Ok(Self {
            program,
            notes,
            functions,
        })
    }
}

/// A body, with its length, that first of all writes a 1 at a place in memory.
fn noting(body: &[u8], place: usize) -> Read<Vec<u8>> {
    let mut reader = Reader::new(body);
    let mut out = reader.span(locals)?.to_vec();
    constant(&mut out, place);
    // i32.const 1, i32.store8
    out.extend([0x41, 1, 0x3a, 0, 0]);
    out.extend_from_slice(reader.all());
    let mut sized = Vec::new();
    block(&mut sized, &out);
    Ok(sized)
}
