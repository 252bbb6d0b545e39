//! Which constants (texts, tables, configurations) go into the rest: the first part has zeros in
//! their place.
//!
//! # Why no function of the first part ever reads one of them
//!
//! 1. Nobody knows an address before the linker chooses it, and the linker says where it put each one
//!    and whose it is (`--emit-relocs`; [`Linker`] reads what stands there and refuses what differs).
//!    Who has the address of a constant, however it was moved by arithmetic, may read that constant
//!    and no other: compilers rely on it as well.
//! 2. A function of the first part has the addresses that the linker's function of the same name has.
//!    wasm-bindgen is between the two; so the name must be that of one function alone in both
//!    programs, and all numbers in both bodies must be the same, in the same order. A function
//!    without such a counterpart must have no number that could be an address in the data.
//! 3. Whatever those functions have the address of stays, and so does everything whose address stands
//!    in something that stays, or in data that are no constants ([`reachable`]).
//! 4. So the address of a constant that is moved stands in the rest alone: in its functions and in
//!    constants that are moved. Nothing runs and nothing lies there before the rest comes, and its data
//!    are in their places before its first function runs.
//!
//! The same holds for a function's place in the table: the linker says where it wrote one, and the table is as it made
//! it. A place that neither a function nor a constant of the first part has needs no function before the rest comes.
//!
//! What does not bear this out stops the build. Bytes that belong to nothing may move where they are
//! zero, which changes nothing.

use super::linker::Linker;
use super::module::{Module, Read};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Constants of fewer bytes stay: the place of a piece takes as many.
const SMALL: usize = 12;

/// The linker's name for the data that nobody writes to.
const CONSTANTS: &str = ".rodata";

/// What nothing needs but the rest.
pub struct Late {
    /// Where in memory its constants are.
    pub constants: Vec<Range<usize>>,
    /// Which places in the table of functions the first part has, in a function or in a constant.
    pub needed: HashSet<u32>,
}

/// What no function needs but those of `program` that are `moved`; `linked` is the program before wasm-bindgen.
pub fn only_late(program: &Module, moved: &[bool], linked: &Module) -> Read<Late> {
    let linker = Linker::read(linked)?;
    if linked.names_of_data.get(&0) != Some(&CONSTANTS) || program.data != linked.data {
        return Err("constants are not where the linker put them".into());
    }
    let (first, bytes) = linked.data[0];
    let (mut needed, mut places) = (Vec::new(), HashSet::new());
    let counterparts = Counterparts::new(program, linked);
    for function in (program.imported..moved.len()).filter(|function| !moved[*function]) {
        if let Some(counterpart) = counterparts.of(function)? {
            needed.extend(&linker.of_functions[counterpart]);
            places.extend(&linker.table_of_functions[counterpart]);
        } else {
            // Any number of a function of wasm-bindgen's may be a place.
            let numbers = program.named(function)?.numbers.into_iter();
            places.extend(numbers.filter_map(|number| u32::try_from(number).ok()));
        }
    }
    places.extend(changed_places(program, linked));
    let stays = reachable(&linker, first, bytes, needed)?;
    let mut end = first;
    let pieces = stays.chunk_by(|a, b| a == b).map(|run| {
        let start = end;
        end += run.len();
        (run[0], start..end)
    });
    let late = pieces.filter(|(stays, piece)| !stays && piece.len() >= SMALL);
    let constants: Vec<Range<usize>> = late.map(|(_, piece)| piece).collect();
    let stays = |place: &usize| !constants.iter().any(|piece| piece.contains(place));
    let in_data = linker.table_of_data.iter();
    places.extend(
        in_data
            .filter(|(place, _)| stays(place))
            .map(|(_, entry)| *entry),
    );
    Ok(Late {
        constants,
        needed: places,
    })
}

/// Places of the table into which wasm-bindgen put another function than the linker, or one that it had not.
fn changed_places<'a>(program: &'a Module, linked: &'a Module) -> impl Iterator<Item = u32> + 'a {
    let all = program.elements.iter();
    let all = all.flat_map(|(first, functions)| (*first..).zip(functions));
    let before = |place| linked.names.get(&linked.entry(place)?);
    let changed = all.filter(move |(place, own)| {
        let own = program.names.get(own);
        own.is_none() || own != before(*place)
    });
    changed.map(|(place, _)| place)
}

/// Which bytes of the constants, which begin at `first`, are reached from the symbols that are
/// `needed` and from what is no constant.
fn reachable(
    linker: &Linker,
    first: usize,
    bytes: &[u8],
    mut needed: Vec<usize>,
) -> Read<Vec<bool>> {
    let all = first..first + bytes.len();
    // Texts that end alike share bytes, in which no address stands.
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
    let mut refers = vec![Vec::new(); places.len()];
    for &(place, symbol) in &linker.of_data {
        let owner = place.checked_sub(first).and_then(|at| owners.get(at));
        match owner {
            Some(Some(owner)) => refers[*owner].push(symbol),
            _ => needed.push(symbol),
        }
    }
    let mut stays: Vec<bool> = (owners.iter().zip(bytes))
        .map(|(owner, byte)| owner.is_none() && *byte != 0)
        .collect();
    let mut seen = vec![false; places.len()];
    while let Some(symbol) = needed.pop() {
        if !std::mem::replace(&mut seen[symbol], true) {
            if places[symbol].is_empty() && all.contains(&linker.symbols[symbol].start) {
                return Err("the address of a constant without a size".into());
            }
            stays[places[symbol].clone()].fill(true);
            needed.extend(&refers[symbol]);
        }
    }
    Ok(stays)
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
