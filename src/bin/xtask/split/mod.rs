//! Cutting the page's program in two: what the first estimate needs, and the rest, which comes when
//! that estimate is on screen.
//!
//! Functions are told apart by their names, before names are taken out. Both parts share memory and
//! tables; a call from the first part into the rest waits until it is there (Note [A function of the
//! rest]), so that a cut in the wrong place costs time and nothing else. `public/rest.js` brings the
//! parts together. What WebAssembly's format allows and rustc, wasm-bindgen and the linker do not
//! write is refused with the place where it was found.

mod bytes;
mod code;
mod cut;
mod late;
mod module;
mod plan;

use bytes::Read;

/// The first part of a program and the rest.
pub fn split(program: &[u8]) -> Read<(Vec<u8>, Vec<u8>)> {
    let module = module::Module::read(program)?;
    let plan = plan::Plan::new(&module, late::is_late)?;
    cut::cut(&module, &plan)
}

#[cfg(test)]
mod tests {
    use super::bytes::{block, number, section};
    use super::cut::cut;
    use super::module::{Module, id, kind};
    use super::plan::Plan;

    /// What is called, and how it is named: of the host, exported, and so on.
    const NAMES: [&str; 6] = ["host", "bring", "run", "later", "helper", "shared"];

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
        let mut names = Vec::new();
        number(&mut names, NAMES.len());
        for (function, name) in NAMES.iter().enumerate() {
            number(&mut names, function);
            names.extend(named(name, &[]));
        }
        let mut custom = named("name", &[1]);
        block(&mut custom, &names);
        out.push(id::CUSTOM);
        block(&mut out, &custom);
        out
    }

    #[test]
    fn the_rest_has_what_is_late_and_what_only_that_calls() {
        let program = program();
        let module = Module::read(&program).expect("it is well formed");
        let plan = Plan::new(&module, |name| name == "later").expect("it is well formed");
        assert_eq!(plan.moved, [false, false, false, true, true, false]);
        let none = Plan::new(&module, |_| false).expect("it is well formed");
        assert!(none.moved.iter().all(|moved| !moved));
    }

    #[test]
    fn the_first_part_keeps_its_functions_and_calls_those_of_the_rest_by_their_place() {
        let program = program();
        let module = Module::read(&program).expect("it is well formed");
        let plan = Plan::new(&module, |name| name == "later").expect("it is well formed");
        let (first, rest) = cut(&module, &plan).expect("it can be cut");
        let first = Module::read(&first).expect("the first part is well formed");
        assert_eq!(first.body(2), module.body(2));
        // i32.const 2, call `ready`, call_indirect
        assert_eq!(first.body(3), [0, 0x41, 2, 0x10, 6, 0x11, 0, 0, 0x0b]);
        assert_eq!(first.tables[0].1, 3, "one place more");
        assert!(first.names.iter().all(|name| name.is_empty()));
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
