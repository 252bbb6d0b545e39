//! A program, read as far as cutting it in two needs to know.

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{CodeSection, Instruction, MemArg};
use wasmparser::{
    ConstExpr, CustomSectionReader, DataKind, ElementItems, ElementKind, Export, ExternalKind,
    FuncType, FunctionBody, GlobalType, KnownCustom, MemoryType, Name, NameSectionReader, Operator,
    Parser, Payload, TableType, TypeRef,
};

/// The result of reading a file.
pub type Read<T> = Result<T, Box<dyn Error>>;

/// A program. It refuses what WebAssembly allows and rustc, wasm-bindgen and the linker do not write.
#[derive(Default)]
pub struct Module<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// The types of functions: their parameters and results.
    pub signatures: Vec<FuncType>,
    /// The index of each function's type; imported functions come first.
    pub types: Vec<u32>,
    /// The number of imported functions.
    pub imported: usize,
    /// The tables, the one of functions first.
    pub tables: Vec<TableType>,
    /// The memory.
    pub memories: Vec<MemoryType>,
    /// Each global's type.
    pub globals: Vec<GlobalType>,
    /// The exports.
    pub exports: Vec<Export<'a>>,
    /// The first place and the functions of the table of functions.
    pub elements: Vec<(u32, Vec<u32>)>,
    /// The body of each function that is not imported.
    pub bodies: Vec<FunctionBody<'a>>,
    /// The initial contents of memory: addresses and bytes.
    pub data: Vec<(usize, &'a [u8])>,
    /// The positions in `bytes` at which the sections of code and of data begin.
    pub begins: [usize; 2],
    /// The names of functions.
    pub names: HashMap<u32, &'a str>,
    /// The names of the segments of data.
    pub names_of_data: HashMap<u32, &'a str>,
    /// Every custom section but that of names.
    pub customs: Vec<CustomSectionReader<'a>>,
}

impl<'a> Module<'a> {
    /// Reads a program that can be cut.
    pub fn read(bytes: &'a [u8]) -> Read<Self> {
        let module = Self::of(bytes)?;
        if module.elements.len() != 1 || module.memories.len() != 1 {
            return Err("not one segment of functions and one memory".into());
        }
        Ok(module)
    }

    /// Reads a program, whatever its table is like.
    pub fn of(bytes: &'a [u8]) -> Read<Self> {
        let mut module = Self {
            bytes,
            ..Self::default()
        };
        for payload in Parser::new(0).parse_all(bytes) {
            module.take(payload?)?;
        }
        Ok(module)
    }

    fn take(&mut self, payload: Payload<'a>) -> Read<()> {
        match payload {
            Payload::TypeSection(section) => {
                let all = section.into_iter_err_on_gc_types();
                self.signatures = all.collect::<Result<_, _>>()?;
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let TypeRef::Func(signature) = import?.ty else {
                        return Err("an import that is no function".into());
                    };
                    self.types.push(signature);
                }
                self.imported = self.types.len();
            }
            Payload::FunctionSection(section) => {
                for signature in section {
                    self.types.push(signature?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(section) => {
                self.memories = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(section) => {
                self.exports = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::ElementSection(section) => {
                for segment in section {
                    let segment = segment?;
                    let (
                        ElementKind::Active {
                            table_index: None | Some(0),
                            offset_expr,
                        },
                        ElementItems::Functions(functions),
                    ) = (segment.kind, segment.items)
                    else {
                        return Err("elements that are no functions of the first table".into());
                    };
                    let functions = functions.into_iter().collect::<Result<_, _>>()?;
                    self.elements.push((number(&offset_expr)?, functions));
                }
            }
            Payload::CodeSectionStart {
                unchecked_range, ..
            } => self.begins[0] = usize::try_from(unchecked_range.start)?,
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::DataSection(section) => {
                self.begins[1] = usize::try_from(section.range().start)?;
                for segment in section {
                    let segment = segment?;
                    let DataKind::Active { offset_expr, .. } = segment.kind else {
                        return Err("data without a place".into());
                    };
                    self.data
                        .push((number(&offset_expr)? as usize, segment.data));
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(names) => self.name(names)?,
                _ => self.customs.push(section),
            },
            _ => {}
        }
        Ok(())
    }

    fn name(&mut self, names: NameSectionReader<'a>) -> Read<()> {
        for name in names {
            let (map, into) = match name? {
                Name::Function(map) => (map, &mut self.names),
                Name::Data(map) => (map, &mut self.names_of_data),
                _ => continue,
            };
            for naming in map {
                let naming = naming?;
                into.insert(naming.index, naming.name);
            }
        }
        Ok(())
    }

    /// The functions that are exported.
    pub fn exported(&self) -> impl Iterator<Item = u32> {
        let functions = |export: &&Export| export.kind == ExternalKind::Func;
        self.exports
            .iter()
            .filter(functions)
            .map(|export| export.index)
    }

    /// The body of a function that is not imported.
    pub fn body(&self, function: usize) -> &FunctionBody<'a> {
        &self.bodies[function - self.imported]
    }

    /// Whether a number may be the address of data.
    pub fn may_be_address(&self, number: u64) -> bool {
        let ends = |(start, bytes): &(usize, &[u8])| [*start, start + bytes.len()];
        let ends = || self.data.iter().flat_map(ends).map(|end| end as u64);
        let (begin, end) = (ends().min().unwrap_or(0), ends().max().unwrap_or(0));
        (begin..end).contains(&number)
    }

    /// The functions and numbers that a function's body names.
    pub fn named(&self, function: usize) -> Read<Named> {
        let mut named = Named::default();
        let body = self.body(function).clone();
        utils::parse_function_body(&mut named, &mut CodeSection::new(), body)?;
        Ok(named)
    }
}

/// The functions and numbers that a body names, in its order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Functions.
    pub functions: Vec<u32>,
    /// Numbers of 32 bits, and offsets from an address: any address is among them.
    pub numbers: Vec<u64>,
}

/// It copies a body and notes what it names.
impl Reencode for Named {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        self.functions.push(function);
        Ok(function)
    }

    fn mem_arg(&mut self, place: wasmparser::MemArg) -> Result<MemArg, reencode::Error> {
        self.numbers.push(place.offset);
        utils::mem_arg(self, place)
    }

    fn instruction<'a>(
        &mut self,
        instruction: Operator<'a>,
    ) -> Result<Instruction<'a>, reencode::Error> {
        if let Operator::I32Const { value } = instruction {
            self.numbers.push(value.cast_unsigned().into());
        }
        utils::instruction(self, instruction)
    }
}

/// A place that is a number.
fn number(place: &ConstExpr) -> Read<u32> {
    match place.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        _ => Err("a place that is no number".into()),
    }
}
