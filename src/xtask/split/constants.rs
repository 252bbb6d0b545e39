//! The parts that constants (texts, tables, configurations) go into: all other parts have zeros in their place.
//!
//! # Why no function reads a constant before the part with it is there
//!
//! 1. Nobody knows an address before the linker chooses it, and the linker says where it put each one
//!    and whose it is (`--emit-relocs`; [`Linker`] reads the address there and refuses another one).
//!    Code that has the address of a constant, however it was moved by arithmetic, may read that constant
//!    and no other: compilers rely on it as well.
//! 2. A function of the program has the addresses that the linker's function of the same name has.
//!    wasm-bindgen is between the two; so the name must be that of one function alone in both
//!    programs, and all numbers in both bodies must be the same, in the same order. A function
//!    without such a counterpart must have no number that could be an address in the data.
//! 3. A function's part needs whatever the function has the address of, and everything whose address
//!    is in something that it needs ([`reached`]). The first part needs every constant whose address is in
//!    other data.
//! 4. A constant that several parts need is in the part that comes with each of them ([`home`]). Nothing
//!    of a part runs before its data, and those of the part that comes with it, are in their places.
//!
//! A program that violates this stops the build. Bytes that belong to nothing may move where they are zero, which
//! changes nothing.

use super::linker::Linker;
use super::module::{Module, Read};
use super::plan::{Plan, START, home};
use std::collections::HashMap;
use std::ops::Range;

/// Constants of fewer bytes stay in the first part: writing the address of a piece takes as many.
const SMALL: usize = 12;

/// The linker's name for the data that nobody writes to.
const CONSTANTS: &str = ".rodata";

/// Constants that are not in the first part: their addresses in memory, and their part.
pub type Moved = Vec<(Range<usize>, usize)>;

/// The constants of `program` by the functions that need them; `linked` is the program before wasm-bindgen.
pub fn moved(program: &Module, plan: &Plan, linked: &Module) -> Read<Moved> {
    let linker = Linker::read(linked)?;
    if linked.names_of_data.get(&0) != Some(&CONSTANTS) || program.data != linked.data {
        return Err("constants are not where the linker put them".into());
    }
    let (first, bytes) = linked.data[0];
    let constants = Constants::new(&linker, first, bytes);
    let counterparts = Counterparts::new(program, linked);
    let mut wanted = vec![Vec::new(); bytes.len()];
    for part in START..plan.last {
        let mut needed = Vec::new();
        for function in plan.functions(part).filter(|f| *f >= program.imported) {
            if let Some(counterpart) = counterparts.of(function)? {
                needed.extend(&linker.of_functions[counterpart]);
            }
        }
        if part == START {
            needed.extend(&constants.of_others);
        }
        for (byte, _) in (constants.reached(needed)?.iter().enumerate()).filter(|(_, is)| **is) {
            wanted[byte].push(part);
        }
    }
    let homes: Vec<usize> = (wanted.into_iter().enumerate())
        .map(|(byte, wanted)| match constants.owners[byte] {
            None if bytes[byte] != 0 => START,
            _ => home(wanted, plan.last),
        })
        .collect();
    let mut end = first;
    let pieces = homes.chunk_by(|a, b| a == b).map(|run| {
        let start = end;
        end += run.len();
        (start..end, run[0])
    });
    let moved = pieces.filter(|(piece, part)| *part != START && piece.len() >= SMALL);
    Ok(moved.collect())
}

/// The constants, and the symbols and data that have their addresses.
struct Constants<'a> {
    linker: &'a Linker,
    /// The addresses of all constants in memory.
    all: Range<usize>,
    /// The bytes of each symbol among the constants; empty for symbols that are none.
    places: Vec<Range<usize>>,
    /// The symbol that each byte belongs to.
    owners: Vec<Option<usize>>,
    /// For each symbol the symbols whose address is in it.
    refers: Vec<Vec<usize>>,
    /// Symbols whose address is in other data than constants.
    of_others: Vec<usize>,
}

impl<'a> Constants<'a> {
    fn new(linker: &'a Linker, first: usize, bytes: &[u8]) -> Self {
        let all = first..first + bytes.len();
        // Texts that end alike share bytes, which hold no address.
        let mut owners = vec![None; bytes.len()];
        let places: Vec<Range<usize>> = (linker.symbols.iter())
            .map(|place| {
                if all.contains(&place.start) {
                    place.start - first..place.end - first
                } else {
                    0..0
                }
            })
            .collect();
        for (symbol, place) in places.iter().enumerate() {
            owners[place.clone()].fill(Some(symbol));
        }
        let (mut refers, mut of_others) = (vec![Vec::new(); places.len()], Vec::new());
        for &(place, symbol) in &linker.of_data {
            let owner = place.checked_sub(first).and_then(|at| owners.get(at));
            match owner {
                Some(Some(owner)) => refers[*owner].push(symbol),
                _ => of_others.push(symbol),
            }
        }
        Self {
            linker,
            all,
            places,
            owners,
            refers,
            of_others,
        }
    }

    /// Whether each byte is reached from symbols that are `needed`.
    fn reached(&self, mut needed: Vec<usize>) -> Read<Vec<bool>> {
        let mut reached = vec![false; self.owners.len()];
        let mut seen = vec![false; self.places.len()];
        while let Some(symbol) = needed.pop() {
            if !std::mem::replace(&mut seen[symbol], true) {
                let place = self.places[symbol].clone();
                if place.is_empty() && self.all.contains(&self.linker.symbols[symbol].start) {
                    return Err("the address of a constant without a size".into());
                }
                reached[place].fill(true);
                needed.extend(&self.refers[symbol]);
            }
        }
        Ok(reached)
    }
}

/// The functions of a program before wasm-bindgen and after it.
struct Counterparts<'a> {
    program: &'a Module<'a>,
    linked: &'a Module<'a>,
    /// By name the function of each, where there is but one.
    by_name: [HashMap<&'a str, Option<usize>>; 2],
}

impl<'a> Counterparts<'a> {
    fn new(program: &'a Module, linked: &'a Module) -> Self {
        let by_name = [program, linked].map(|module| {
            let mut by_name = HashMap::new();
            let functions = module
                .names
                .iter()
                .map(|(index, name)| (*index as usize, *name));
            for (function, name) in functions.filter(|(f, _)| *f >= module.imported) {
                let known = by_name.entry(name).and_modify(|known| *known = None);
                known.or_insert(Some(function));
            }
            by_name
        });
        Self {
            program,
            linked,
            by_name,
        }
    }

    /// The linker's function whose addresses one of the program has; none where it has no address.
    fn of(&self, function: usize) -> Read<Option<usize>> {
        let numbers = self.program.named(function)?.numbers;
        let name = u32::try_from(function)
            .ok()
            .and_then(|index| self.program.names.get(&index));
        let found = name.map(|name| self.by_name[1].get(name));
        let own = name.and_then(|name| self.by_name[0][name]);
        if let (Some(Some(Some(counterpart))), Some(_)) = (found, own)
            && self.linked.named(*counterpart)?.numbers == numbers
        {
            return Ok(Some(*counterpart));
        }
        if numbers
            .iter()
            .any(|number| self.program.may_be_address(*number))
        {
            let name = name.unwrap_or(&"without a name");
            return Err(format!("{name} is not as the linker wrote it").into());
        }
        Ok(None)
    }
}
