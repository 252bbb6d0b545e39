//! Watches which functions of a program run.

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
    /// The address in its memory of the notes.
    pub notes: usize,
    /// The number of its functions. Each has a byte of notes, which is 1 if it ran.
    pub functions: usize,
}

impl Watched {
    /// The program with more memory for notes, which it does not know of.
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
    /// The address that the next function writes to.
    next: i32,
    /// The number of pages by which the memory is larger.
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
