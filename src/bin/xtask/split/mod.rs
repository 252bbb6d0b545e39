//! Cutting the page's program in two: what runs until the first estimate is on screen, and the rest,
//! which comes after that.
//!
//! Functions are told apart by running them: the program is watched ([`watched`]) while a browser
//! makes some first visits (`tests/e2e/first-visits.mjs`). Both parts share memory and tables; a call
//! from the first part into the rest waits until it is there (Note [A function of the rest]), so that
//! a visit of another kind costs time and nothing else. `public/rest.js` brings the parts together.
//! What WebAssembly's format allows and rustc, wasm-bindgen and the linker do not write is refused
//! with the place where it was found.

mod bytes;
mod code;
mod constants;
mod cut;
mod module;
mod plan;
mod watch;

use bytes::Read;
use module::Module;
use std::collections::HashSet;
use watch::Watched;

/// The program, so that it notes which of its functions run.
pub fn watched(program: &[u8]) -> Read<Watched> {
    Watched::new(&Module::read(program)?)
}

/// The first part of a program and the rest, by which functions `ran`; `linked` is the program before
/// wasm-bindgen. Functions that are not in both by the same name were wasm-bindgen's to change.
pub fn split(program: &[u8], linked: &[u8], ran: &[bool]) -> Read<(Vec<u8>, Vec<u8>)> {
    let module = Module::read(program)?;
    let plan = plan::Plan::new(&module, |function| ran[function])?;
    let (moved, kept): (Vec<_>, Vec<_>) = (0..ran.len()).partition(|f| plan.moved[*f]);
    let names = |functions: &[usize]| -> HashSet<&str> {
        functions.iter().map(|f| module.names[*f]).collect()
    };
    let late = &names(&moved) - &names(&kept);
    let constants = constants::only_late(&Module::read(linked)?, |name| late.contains(name))?;
    cut::cut(&module, &plan, &constants)
}

#[cfg(test)]
mod tests {
    use super::bytes::{block, section};
    use super::cut::cut;
    use super::module::{Module, id, kind};
    use super::plan::Plan;
    use super::watch::Watched;

    /// The fourth of the functions `host`, `bring`, `run`, `later`, `helper` and `shared`.
    const LATER: usize = 3;

    /// A function that calls others, with `size` instructions that do nothing.
    fn body(calls: &[u8], size: usize) -> Vec<u8> {
        let mut body = vec![0];
        body.extend(calls.iter().flat_map(|function| [0x10, *function]));
        body.extend(std::iter::repeat_n(0x01, size));
        body.push(0x0b);
        let mut out = Vec::new();
        block(&mut out, &body);
        out
    }

    fn named(name: &str, rest: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        block(&mut out, name.as_bytes());
        out.extend_from_slice(rest);
        out
    }

    /// `run` calls `later` and `shared`, `later` calls `helper`, `shared` and the host.
    fn program() -> Vec<u8> {
        let mut out = b"\0asm\x01\0\0\0".to_vec();
        section(&mut out, id::TYPE, &[vec![0x60, 0, 0]]);
        let host = [named("web", &[]), named("host", &[kind::FUNCTION, 0])].concat();
        section(&mut out, id::IMPORT, &[host]);
        section(
            &mut out,
            id::FUNCTION,
            &[0; 5].map(|function| vec![function]),
        );
        section(&mut out, id::TABLE, &[vec![0x70, 1, 2, 2]]);
        section(&mut out, id::MEMORY, &[vec![0, 1]]);
        section(&mut out, id::GLOBAL, &[vec![0x7f, 1, 0x41, 0, 0x0b]]);
        let exports = [
            named("bringRest", &[kind::FUNCTION, 1]),
            named("run", &[kind::FUNCTION, 2]),
        ];
        section(&mut out, id::EXPORT, &exports);
        section(&mut out, id::ELEMENT, &[vec![0, 0x41, 1, 0x0b, 1, 5]]);
        let bodies = [
            body(&[0], 0),
            body(&[3, 5], 0),
            body(&[4, 5, 0], 200),
            body(&[], 9),
            body(&[], 9),
        ];
        section(&mut out, id::CODE, &bodies);
        // At 64.
        section(
            &mut out,
            id::DATA,
            &[vec![0, 0x41, 0xc0, 0, 0x0b, 4, 1, 2, 3, 4]],
        );
        out
    }

    #[test]
    fn the_rest_has_what_did_not_run_and_what_only_that_calls() {
        let program = program();
        let module = Module::read(&program).expect("it is well formed");
        let plan = Plan::new(&module, |function| function != LATER).expect("it is well formed");
        assert_eq!(plan.moved, [false, false, false, true, true, false]);
        let none = Plan::new(&module, |_| true).expect("it is well formed");
        assert!(none.moved.iter().all(|moved| !moved));
    }

    #[test]
    fn a_function_that_runs_is_noted_behind_what_was_the_memory() {
        let program = program();
        let module = Module::read(&program).expect("it is well formed");
        let watched = Watched::new(&module).expect("it is well formed");
        assert_eq!((watched.notes, watched.functions), (65_536, 6));
        let module = Module::read(&watched.program).expect("it is well formed");
        assert_eq!(module.memory, [0, 2], "one page more");
        // i32.const 65539, i32.const 1, i32.store8, and what it did before
        let noting = [0, 0x41, 0x83, 0x80, 0x04, 0x41, 1, 0x3a, 0, 0, 0x10, 4];
        assert!(module.body(LATER).starts_with(&noting));
    }

    #[test]
    fn the_first_part_keeps_its_functions_and_calls_those_of_the_rest_by_their_place() {
        let program = program();
        let module = Module::read(&program).expect("it is well formed");
        let plan = Plan::new(&module, |function| function != LATER).expect("it is well formed");
        let constants = std::slice::from_ref(&(65..67));
        let (first, rest) = cut(&module, &plan, constants).expect("it can be cut");
        let first = Module::read(&first).expect("the first part is well formed");
        assert_eq!(first.body(2), module.body(2));
        // i32.const 2, call `ready`, call_indirect
        assert_eq!(first.body(3), [0, 0x41, 2, 0x10, 6, 0x11, 0, 0, 0x0b]);
        assert_eq!(first.tables[0].1, 3, "one place more");
        let left: &[u8] = &[1, 0, 0, 4];
        assert_eq!(first.data, [(64, left)]);
        assert!(rest.ends_with(&[0, 0x41, 0xc1, 0, 0x0b, 2, 2, 3]));
        let exported = first.exports.iter().map(|export| (export.0, export.2));
        let wanted: &[u8] = b"5";
        assert!(
            exported.clone().any(|export| export == (wanted, 5)),
            "shared"
        );
        assert!(exported.clone().any(|export| export == (b"0", 0)), "host");
        assert!(rest.starts_with(b"\0asm") && rest.len() > 200);
    }
}
