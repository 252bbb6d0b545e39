//! Seeing which functions run.

use super::module::{Module, Read};
use std::convert::Infallible;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, MemArg, MemArgTarget, MemoryType};
use wasmparser::{FunctionBody, Parser};

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
        let notes = usize::try_from(module.memories[0].initial)? * PAGE;
        let mut program = wasm_encoder::Module::new();
        let mut noting = Noting {
            next: i32::try_from(notes + module.imported)?,
            pages: u64::try_from(functions.div_ceil(PAGE))?,
        };
        noting.parse_core_module(&mut program, Parser::new(0), module.bytes)?;
        Ok(Self {
            program: program.finish(),
            notes,
            functions,
        })
    }
}

/// Copies a program whose functions first of all write a 1 into the memory.
struct Noting {
    /// Where the next function does.
    next: i32,
    /// By how much the memory is larger.
    pages: u64,
}

impl Reencode for Noting {
    type Error = Infallible;

    fn memory_type(&mut self, memory: wasmparser::MemoryType) -> Result<MemoryType, Error> {
        let memory = utils::memory_type(self, memory);
        Ok(MemoryType {
            minimum: memory.minimum + self.pages,
            ..memory
        })
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut noting = self.new_function_with_parsed_locals(&body)?;
        let note = MemArg {
            offset: 0,
            align: 0,
            target: MemArgTarget::Memory(0),
            ordering: None,
        };
        noting
            .instructions()
            .i32_const(self.next)
            .i32_const(1)
            .i32_store8(note);
        let mut rest = body.get_binary_reader_for_operators()?;
        noting.raw(rest.read_bytes(rest.bytes_remaining())?.iter().copied());
        code.function(&noting);
        self.next += 1;
        Ok(())
    }
}
