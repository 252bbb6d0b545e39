//! Which functions go where.

use super::module::{Module, Read};
use std::collections::HashSet;

/// What would stand in the place of a function with fewer bytes is hardly smaller.
const SMALL: usize = 24;

/// Whether a function may as well stay: it is small, and no constant stays because of it.
fn is_light(module: &Module, function: usize) -> Read<bool> {
    let numbers = module.named(function)?.numbers;
    let is_small = module.body(function).as_bytes().len() < SMALL;
    Ok(is_small && !numbers.iter().any(|number| module.may_be_address(*number)))
}

/// For each function, where it goes.
pub struct Plan {
    /// Whether it lies in the rest.
    pub moved: Vec<bool>,
    /// Whether something in the first part calls it by its name.
    pub called: Vec<bool>,
}

impl Plan {
    /// The rest has the functions that did not run, and those that only functions of the rest call.
    /// What the host calls stays.
    pub fn new(module: &Module, ran: impl Fn(usize) -> bool) -> Read<Self> {
        let fixed: HashSet<u32> = module.exported().collect();
        let mut late = vec![false; module.types.len()];
        for (function, index) in (0..late.len()).zip(0..).skip(module.imported) {
            late[function] =
                !ran(function) && !fixed.contains(&index) && !is_light(module, function)?;
        }
        let in_table = module.elements.iter().flat_map(|(_, functions)| functions);
        let (mut wanted, mut called) = (vec![false; late.len()], vec![false; late.len()]);
        let mut open: Vec<u32> = fixed.iter().chain(in_table).copied().collect();
        while let Some(function) = open.pop() {
            let function = function as usize;
            let before = std::mem::replace(&mut wanted[function], true);
            if !before && !late[function] && function >= module.imported {
                let named = module.named(function)?.functions;
                for &function in &named {
                    called[function as usize] = true;
                }
                open.extend(named);
            }
        }
        let moved = (0..late.len()).map(|f| f >= module.imported && (late[f] || !wanted[f]));
        Ok(Self {
            moved: moved.collect(),
            called,
        })
    }
}
