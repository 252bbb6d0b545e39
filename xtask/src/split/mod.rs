//! Cutting the page's program in two: what runs until the first estimate is on screen, and the rest,
//! which comes after that.
//!
//! Functions are told apart by running them: the program is watched ([`watched`]) while a browser
//! makes some first visits (`tests/e2e/first-visits.mjs`). Both parts share memory and tables; a call
//! from the first part into the rest waits until it is there (Note [A function of the rest]), so that
//! a visit of another kind costs time and nothing else. `public/rest.js` brings the parts together and
//! keeps what the reader does before.
//! What WebAssembly's format allows and rustc, wasm-bindgen and the linker do not write is refused.

mod constants;
mod cut;
mod linker;
mod module;
mod order;
mod plan;
#[cfg(test)]
mod tests;
mod watch;

use module::{Module, Read};
pub use order::ordered;
use watch::Watched;

/// The program, so that it notes which of its functions run.
pub fn watched(program: &[u8]) -> Read<Watched> {
    Watched::new(&Module::read(program)?)
}

/// The first part of a program and the rest, by which functions `ran`; `linked` is the program before
/// wasm-bindgen.
pub fn split(program: &[u8], linked: &[u8], ran: &[bool]) -> Read<(Vec<u8>, Vec<u8>)> {
    let module = Module::read(program)?;
    let plan = plan::Plan::new(&module, |function| ran[function])?;
    let late = constants::only_late(&module, &plan.moved, &Module::read(linked)?)?;
    cut::cut(&module, &plan, &late)
}
