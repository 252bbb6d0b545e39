//! The part that each function goes into.

use super::module::{Module, Read};

/// A function with fewer bytes is hardly larger than the code that would replace it.
const SMALL: usize = 24;

/// The part that is loaded from the beginning.
pub const START: usize = 0;
/// The part that comes with each of the others.
pub const COMMON: usize = 1;

/// The part in which something lies that functions of the parts in `wanted` need: that one part, or the part that comes
/// with each of them. All other parts are there before the `last` one.
pub fn home(wanted: impl IntoIterator<Item = usize>, last: usize) -> usize {
    let mut found = None;
    for part in wanted.into_iter().filter(|part| *part != last) {
        found = match found {
            _ if part == START => return START,
            None => Some(part),
            Some(other) if other == part => found,
            Some(_) => Some(COMMON),
        };
    }
    found.unwrap_or(last)
}

/// The part of each function.
pub struct Plan {
    /// The part of each function.
    pub parts: Vec<usize>,
    /// Whether a function of another part calls it by its name.
    pub called: Vec<bool>,
    /// The part that comes after all others.
    pub last: usize,
}

impl Plan {
    /// Each function goes to the part in which it `ran`, or to the last one. What the host calls stays in the first
    /// part, and so do small functions that it calls; small ones that only others call go where those are.
    pub fn new(module: &Module, ran: &[usize], last: usize) -> Read<Self> {
        let mut parts = Vec::with_capacity(ran.len());
        for (function, &part) in ran.iter().enumerate() {
            let is_own = function >= module.imported;
            parts.push(match part {
                _ if !is_own => Some(START),
                START => Some(START),
                _ if is_light(module, function)? => None,
                part => Some(part),
            });
        }
        for function in module.exported() {
            parts[function as usize] = Some(START);
        }
        let mut open: Vec<(usize, usize)> = Vec::new();
        let in_table = module.elements.iter().flat_map(|(_, functions)| functions);
        open.extend(in_table.map(|function| (*function as usize, START)));
        for (function, part) in parts.iter().enumerate().skip(module.imported) {
            if let Some(part) = *part {
                let named = module.named(function)?.functions.into_iter();
                open.extend(named.map(|named| (named as usize, part)));
            }
        }
        let mut wanted = vec![Vec::new(); parts.len()];
        while let Some((function, by)) = open.pop() {
            if parts[function].is_none() && !wanted[function].contains(&by) {
                wanted[function].push(by);
                let named = module.named(function)?.functions.into_iter();
                open.extend(named.map(|named| (named as usize, by)));
            }
        }
        let decided = parts.into_iter().zip(wanted);
        let parts: Vec<usize> = decided
            .map(|(part, wanted)| part.unwrap_or_else(|| home(wanted, last)))
            .collect();
        let mut called = vec![false; parts.len()];
        for function in module.imported..parts.len() {
            for named in module.named(function)?.functions {
                called[named as usize] |= parts[named as usize] != parts[function];
            }
        }
        Ok(Self {
            parts,
            called,
            last,
        })
    }

    /// The functions of a part.
    pub fn functions(&self, part: usize) -> impl Iterator<Item = usize> {
        let all = self.parts.iter().enumerate();
        all.filter_map(move |(function, &of)| (of == part).then_some(function))
    }
}

/// Whether a function may as well lie elsewhere: it is small, and no constant lies where it does because of it.
fn is_light(module: &Module, function: usize) -> Read<bool> {
    let numbers = module.named(function)?.numbers;
    let is_small = module.body(function).as_bytes().len() < SMALL;
    Ok(is_small && !numbers.iter().any(|number| module.may_be_address(*number)))
}
