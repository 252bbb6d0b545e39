//! Cutting the page's program into parts: one with which the default page makes its first estimate, some that
//! other links need for theirs, and one with all that comes later.
//!
//! Functions are told apart by running them: the program is watched ([`watched`]) while a browser opens
//! links (`tests/e2e/visits.mjs`); `public/parts.js` says which parts a link needs, and a function that ran
//! for no other links than those of a part is in that part. The parts share memory and tables. A link for
//! which a function of a part runs that its text did not ask for costs time and nothing else: the page
//! starts anew with all parts (Note [A function of another part]).
//! What WebAssembly's format allows and rustc, wasm-bindgen and the linker do not write is refused.

mod constants;
mod cut;
mod imports;
mod linker;
mod module;
mod order;
mod plan;
#[cfg(test)]
mod tests;
mod watch;

pub use imports::{renamed, with_short_imports};
use module::{Module, Read};
pub use order::ordered;
use watch::Watched;

/// The program, so that it notes which of its functions run.
pub fn watched(program: &[u8]) -> Read<Watched> {
    Watched::new(&Module::read(program)?)
}

/// The parts of a program, the first one first, by the part of which each function `ran` for the first time: functions
/// that never did are in the `last` one. `linked` is the program before wasm-bindgen.
pub fn split(program: &[u8], linked: &[u8], ran: &[usize], last: usize) -> Read<Vec<Vec<u8>>> {
    let module = Module::read(program)?;
    let plan = plan::Plan::new(&module, ran, last)?;
    let moved = constants::moved(&module, &plan, &Module::read(linked)?)?;
    cut::cut(&module, &plan, &moved)
}
