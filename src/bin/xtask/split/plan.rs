//! Which functions go where.

use super::bytes::Read;
use super::code::named;
use super::module::{Module, kind};

/// A function with fewer bytes stays: what would stand in its place is hardly smaller.
const SMALL: usize = 24;

/// For each function, where it goes.
pub struct Plan {
    /// Whether it lies in the rest.
    pub moved: Vec<bool>,
    /// Whether something in the first part calls it or has its address.
    pub wanted: Vec<bool>,
}

impl Plan {
    /// The rest has the functions that did not run, and those that only functions of the rest call.
    /// What the host calls stays.
    pub fn new(module: &Module, ran: impl Fn(usize) -> bool) -> Read<Self> {
        let exported = module
            .exports
            .iter()
            .filter(|export| export.1 == kind::FUNCTION);
        let fixed: Vec<usize> = exported.map(|export| export.2).collect();
        let late = |function: usize| {
            function >= module.imported
                && module.body(function).len() >= SMALL
                && !ran(function)
                && !fixed.contains(&function)
        };
        let late: Vec<bool> = (0..module.types.len()).map(late).collect();
        let (_, addresses) = &module.elements;
        let roots = fixed.iter().chain(addresses).copied();
        let mut wanted = vec![false; late.len()];
        let mut open: Vec<usize> = roots.collect();
        while let Some(function) = open.pop() {
            let before = std::mem::replace(&mut wanted[function], true);
            if !before && !late[function] && function >= module.imported {
                open.extend(named(module.body(function))?);
            }
        }
        let moved = (0..late.len()).map(|f| f >= module.imported && (late[f] || !wanted[f]));
        Ok(Self {
            moved: moved.collect(),
            wanted,
        })
    }
}
