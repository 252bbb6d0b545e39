use super::constants;
use super::cut::cut;
use super::module::{Module, Read};
use super::plan::{COMMON, Plan, START as START_PART, home};
use super::watch::Watched;
use std::ops::Range;
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataSection, DataSymbolDefinition, ElementSection,
    Elements, Encode, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, LinkingSection, MemorySection, MemoryType, NameMap,
    NameSection, RefType, SymbolTable, TableSection, TableType, TypeSection, ValType,
};
use wasmparser::RelocationType;

/// Indices among the functions `host`, `start`, `run`, `later`, `helper` and `shared`.
const LATER: usize = 3;
const HELPER: usize = 4;

/// The last part, where there are two and where there are four.
const OF_TWO: usize = 1;
const OF_FOUR: usize = 3;

/// The constants, whose first bytes may be an address.
const EARLY: usize = 0;
const POINTED: usize = 1;
const LATE: usize = 2;
const DEEP: usize = 3;
const START: usize = 1024;
const SIZE: usize = 16;

/// The address of a constant.
const fn place(constant: usize) -> usize {
    START + constant * SIZE
}

/// A program, with what the linker says of it.
#[derive(Clone)]
struct Example {
    /// Name, calls, constants and instructions that do nothing of each function but `host`.
    functions: Vec<(&'static str, Vec<u32>, Vec<usize>, usize)>,
    /// The constant whose address the first bytes of each constant are.
    pointers: [Option<usize>; 4],
    /// The size of constants in the linker's notes.
    size: usize,
    /// The distance of addresses in the linker's notes from those in the program.
    off: i32,
    /// The function with index 1 in the table.
    in_table: u32,
}

impl Example {
    /// `run` calls `later` and `shared`; `later` calls `helper`, `shared` and the host.
    fn new() -> Self {
        Self {
            functions: vec![
                ("start", vec![0], vec![], 0),
                ("run", vec![3, 5], vec![EARLY], 0),
                ("later", vec![4, 5, 0], vec![LATE, POINTED], 200),
                ("helper", vec![], vec![], 40),
                ("shared", vec![], vec![], 9),
            ],
            pointers: [Some(POINTED), None, Some(DEEP), None],
            size: SIZE,
            off: 0,
            in_table: 5,
        }
    }

    fn with(change: impl FnOnce(&mut Self)) -> Self {
        let mut example = Self::new();
        change(&mut example);
        example
    }

    /// Without what the linker says, and where it put the addresses of which constants: those in
    /// functions, and those in constants.
    fn compiled(&self) -> (Vec<u8>, [Vec<(usize, usize)>; 2]) {
        let mut out = wasm_encoder::Module::new();
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        types.ty().function([], []);
        imports.import("web", "host", EntityType::Function(0));
        out.section(&types).section(&imports);
        let mut functions = FunctionSection::new();
        for _ in &self.functions {
            functions.function(0);
        }
        out.section(&functions);
        out.section(TableSection::new().table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: 2,
            maximum: Some(2),
            shared: false,
        }));
        out.section(MemorySection::new().memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        }));
        let global = GlobalType {
            val_type: ValType::I32,
            mutable: true,
            shared: false,
        };
        out.section(GlobalSection::new().global(global, &ConstExpr::i32_const(0)));
        let mut exports = ExportSection::new();
        exports.export("start", ExportKind::Func, 1);
        exports.export("run", ExportKind::Func, 2);
        out.section(&exports);
        let table = Elements::Functions(vec![self.in_table].into());
        out.section(ElementSection::new().active(None, &ConstExpr::i32_const(1), table));
        let mut code = CodeSection::new();
        let mut addresses = [Vec::new(), Vec::new()];
        for (_, calls, constants, idle) in &self.functions {
            let mut body = Function::new([]);
            for &constant in constants {
                // i32.const, as the linker writes an address
                body.instructions().nop();
                body.raw([0x41]).raw(padded(place(constant)));
                body.instructions().drop();
            }
            for &function in calls {
                body.instructions().call(function);
            }
            for _ in 0..*idle {
                body.instructions().nop();
            }
            body.instructions().end();
            code.function(&body);
        }
        let mut data = [7; 4 * SIZE + 4];
        data[4 * SIZE..].fill(0);
        for (constant, to) in self.pointers.iter().enumerate() {
            if let Some(to) = to {
                let address = u32::try_from(place(*to))
                    .expect("it is small")
                    .to_le_bytes();
                data[constant * SIZE..][..4].copy_from_slice(&address);
                addresses[1].push((constant * SIZE, *to));
            }
        }
        let at = ConstExpr::i32_const(START.try_into().expect("it is small"));
        out.section(&code);
        out.section(DataSection::new().active(0, &at, data.iter().copied()));
        let mut names = NameSection::new();
        let (mut of_functions, mut of_data) = (NameMap::new(), NameMap::new());
        for (function, (name, ..)) in (1..).zip(&self.functions) {
            of_functions.append(function, name);
        }
        of_data.append(0, ".rodata");
        names.functions(&of_functions);
        names.data(&of_data);
        out.section(&names);
        let bytes = out.finish();
        let body = |at: &usize| bytes[at - 1..*at] == [0x41];
        for constant in 0..4 {
            let found = bytes.windows(5).enumerate();
            let found = found.filter(|(_, window)| *window == padded(place(constant)));
            addresses[0].extend(
                found
                    .map(|(at, _)| at)
                    .filter(body)
                    .map(|at| (at, constant)),
            );
        }
        (bytes, addresses)
    }

    fn program(&self) -> Vec<u8> {
        self.compiled().0
    }

    fn linked(&self) -> Vec<u8> {
        let (mut bytes, [mut of_code, mut of_data]) = self.compiled();
        let module = Module::read(&bytes).expect("it is well formed");
        let [code, data] = module.begins;
        // The only segment begins behind how many there are, its kind, its place and its length.
        let inside = module.data[0].1.as_ptr() as usize - bytes.as_ptr() as usize;
        for (at, _) in &mut of_code {
            *at -= code;
        }
        for (at, _) in &mut of_data {
            *at += inside - data;
        }
        let mut symbols = SymbolTable::new();
        for constant in 0..4 {
            let definition = DataSymbolDefinition {
                index: 0,
                offset: u32::try_from(constant * SIZE).expect("it is small"),
                size: u32::try_from(self.size).expect("it is small"),
            };
            symbols.data(0, "", Some(definition));
        }
        let mut append = |section: &dyn wasm_encoder::Section| section.append_to(&mut bytes);
        append(LinkingSection::new().symbol_table(&symbols));
        let kinds = [
            RelocationType::MemoryAddrSleb,
            RelocationType::MemoryAddrI32,
        ];
        let names = ["reloc.CODE", "reloc.DATA"];
        for ((kind, places), name) in kinds.into_iter().zip([of_code, of_data]).zip(names) {
            let mut content = vec![0];
            places.len().encode(&mut content);
            for (at, symbol) in places {
                content.push(kind as u8);
                at.encode(&mut content);
                symbol.encode(&mut content);
                self.off.encode(&mut content);
            }
            append(&CustomSection {
                name: name.into(),
                data: content.into(),
            });
        }
        bytes
    }
}

/// A number as linkers write it, who must not change the length.
fn padded(mut value: usize) -> [u8; 5] {
    let mut bytes = [0; 5];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = value.to_le_bytes()[0] & 0x7f | if place < 4 { 0x80 } else { 0 };
        value >>= 7;
    }
    bytes
}

/// The part in which each function ran, of two: `later` and `helper` never did.
fn ran() -> Vec<usize> {
    (0..6)
        .map(|function| usize::from([LATER, HELPER].contains(&function)))
        .collect()
}

fn plan(program: &[u8], ran: &[usize], last: usize) -> Plan {
    let module = Module::read(program).expect("it is well formed");
    Plan::new(&module, ran, last).expect("it is well formed")
}

/// The constants that go into another part than the first, where wasm-bindgen made `program` of `linked`.
fn moved(
    program: &Example,
    linked: &Example,
    ran: &[usize],
    last: usize,
) -> Read<Vec<(Range<usize>, usize)>> {
    let (program, linked) = (program.program(), linked.linked());
    let plan = plan(&program, ran, last);
    constants::moved(&Module::read(&program)?, &plan, &Module::read(&linked)?)
}

/// The constants that go into the second of two parts.
fn late(program: &Example, linked: &Example) -> Read<Vec<Range<usize>>> {
    let moved = moved(program, linked, &ran(), OF_TWO)?;
    Ok(moved.into_iter().map(|(piece, _)| piece).collect())
}

#[test]
fn a_part_has_what_ran_for_it_and_what_only_that_calls() {
    let program = Example::new().program();
    assert_eq!(plan(&program, &ran(), OF_TWO).parts, [0, 0, 0, 1, 1, 0]);
    assert_eq!(plan(&program, &[0; 6], OF_TWO).parts, [0; 6]);
    // Of four parts.
    let ran = [0, 0, 0, 2, OF_FOUR, 0];
    assert_eq!(plan(&program, &ran, OF_FOUR).parts, ran);
    // A small `helper` goes with `later`.
    let small = Example::with(|example| example.functions[3].3 = 5).program();
    assert_eq!(plan(&small, &ran, OF_FOUR).parts, [0, 0, 0, 2, 2, 0]);
}

#[test]
fn what_several_parts_need_comes_with_each_of_them() {
    assert_eq!(home([2, 2, OF_FOUR], OF_FOUR), 2);
    assert_eq!(home([2, 1], OF_FOUR), COMMON);
    assert_eq!(home([OF_FOUR], OF_FOUR), OF_FOUR);
    assert_eq!(home([], OF_FOUR), OF_FOUR);
    assert_eq!(home([2, START_PART, 1], OF_FOUR), START_PART);
}

#[test]
fn a_small_function_goes_with_the_constants_that_it_has() {
    let part = |example: &Example| {
        let ran = [0, 0, 0, 1, 1, 1];
        plan(&example.program(), &ran, OF_TWO).parts[5]
    };
    assert_eq!(part(&Example::new()), 0, "run calls it");
    let with_constant = Example::with(|example| example.functions[4].2.push(LATE));
    assert_eq!(part(&with_constant), 1);
}

#[test]
fn a_function_that_runs_is_noted_behind_what_was_the_memory() {
    let program = Example::new().program();
    let module = Module::read(&program).expect("it is well formed");
    let watched = Watched::new(&module).expect("it is well formed");
    assert_eq!((watched.notes, watched.functions), (65_536, 6));
    let noting = Module::read(&watched.program).expect("it is well formed");
    assert_eq!(noting.memories[0].initial, 2, "one page more");
    let before = module.body(LATER).as_bytes();
    // i32.const 65539, i32.const 1, i32.store8, and what it did before
    let notes = [0, 0x41, 0x83, 0x80, 0x04, 0x41, 1, 0x3a, 0, 0];
    assert_eq!(
        noting.body(LATER).as_bytes(),
        [&notes, &before[1..]].concat()
    );
}

#[test]
fn the_first_part_keeps_its_functions_and_calls_others_by_their_place() {
    let program = Example::new().program();
    let module = Module::read(&program).expect("it is well formed");
    let plan = plan(&program, &ran(), OF_TWO);
    let constants = vec![(START + 1..START + 3, 1)];
    let parts = cut(&module, &plan, &constants).expect("it can be cut");
    let [first, rest] = parts.try_into().expect("there are two");
    let first = Module::of(&first).expect("the first part is well formed");
    assert_eq!(first.body(2).as_bytes(), module.body(2).as_bytes());
    // i32.const 2, call_indirect
    let calls = [0, 0x41, 2, 0x11, 0, 0, 0x0b];
    assert_eq!(first.body(LATER).as_bytes(), calls);
    // One for `later`, and one for each of `host` and `shared`, from the end.
    assert_eq!(first.tables[0].initial, 5);
    assert_eq!(first.elements, [(1, vec![5]), (3, vec![5, 0])]);
    let (before, left) = (module.data[0].1, first.data[0].1);
    assert_eq!(left[..4], [before[0], 0, 0, before[3]]);
    assert_eq!(left[4..], before[4..]);
    assert!(rest.ends_with(&[&[0x0b, 2], &before[1..3]].concat()));
    let imports = b"\x05first\x010\0\0\x05first\x011\0\0";
    assert!(rest.windows(imports.len()).any(|window| window == imports));
    assert!(rest.starts_with(b"\0asm") && rest.len() > 200);
}

#[test]
fn a_part_calls_functions_of_another_by_their_place() {
    let example = Example::with(|example| example.functions[3].3 = 40);
    let program = example.program();
    let module = Module::read(&program).expect("it is well formed");
    let plan = plan(&program, &[0, 0, 0, 2, 1, 0], OF_FOUR);
    assert_eq!(plan.parts, [0, 0, 0, 2, 1, 0]);
    assert!(plan.called[LATER] && plan.called[HELPER]);
    let parts = cut(&module, &plan, &vec![]).expect("it can be cut");
    assert_eq!(parts.len(), 4);
    // `later` is at place 2, `helper` at 3: i32.const 3, call_indirect.
    let calls = [7, 0, 0x41, 3, 0x11, 0, 0, 0x0b];
    let has = |part: &[u8]| part.windows(calls.len()).any(|window| window == calls);
    assert!(has(&parts[2]) && !has(&parts[1]));
}

#[test]
fn a_place_of_the_table_that_only_another_part_has_is_nobodys_before_it_comes() {
    // `helper` is in the table; only `later` calls it.
    let example = Example::with(|example| example.in_table = 4);
    let program = example.program();
    let module = Module::read(&program).expect("it is well formed");
    let plan = plan(&program, &[0, 0, 0, 1, 1, 1], OF_TWO);
    let parts = cut(&module, &plan, &vec![]).expect("it can be cut");
    let first = Module::of(&parts[0]).expect("the first part is well formed");
    let at_place = first.elements[0].1[0] as usize;
    let unreachable: &[u8] = &[0, 0, 0x0b];
    if plan.parts[HELPER] == 1 {
        assert_eq!(
            (at_place, first.body(at_place).as_bytes()),
            (6, unreachable)
        );
    } else {
        assert_eq!(at_place, HELPER, "a small function stays");
    }
}

/// The only one.
fn only(found: &[Range<usize>]) -> Range<usize> {
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn constants_that_only_the_rest_reaches_go_with_it() {
    let example = Example::new();
    let found = late(&example, &example).expect("it is as the linker wrote it");
    // Bytes behind the constants are nobody's, and zero.
    assert_eq!(only(&found), place(LATE)..place(DEEP + 1) + 4);
}

#[test]
fn a_constant_that_the_first_part_reaches_stays() {
    // By a function.
    let example = Example::with(|example| example.functions[4].2.push(DEEP));
    let found = late(&example, &example).expect("it is as the linker wrote it");
    assert_eq!(only(&found), place(LATE)..place(DEEP));
    // By a constant that stays because another does.
    let example = Example::with(|example| example.pointers[POINTED] = Some(LATE));
    let found = late(&example, &example).expect("it is as the linker wrote it");
    assert_eq!(found, [], "early, pointed, late, deep");
}

#[test]
fn a_constant_goes_with_the_part_that_needs_it() {
    // `later` has `late`, which has the address of `deep`; `helper`, in another part, has `deep`, too.
    let example = Example::with(|example| {
        example.functions[3].2.push(DEEP);
        example.functions[3].3 = 40;
    });
    let ran = [0, 0, 0, 2, OF_FOUR, 0];
    let found = moved(&example, &example, &ran, OF_FOUR).expect("it is as the linker wrote it");
    assert_eq!(
        found,
        [
            (place(LATE)..place(DEEP + 1), 2),
            (place(DEEP + 1)..place(DEEP + 1) + 4, OF_FOUR)
        ][..1]
    );
    let ran = [0, 0, 0, 3, 2, 0];
    let found = moved(&example, &example, &ran, 4).expect("it is as the linker wrote it");
    let expected = [
        (place(LATE)..place(DEEP), 3),
        (place(DEEP)..place(DEEP + 1), COMMON),
    ];
    assert_eq!(found[..2], expected);
}

#[test]
fn bytes_that_are_nobodys_stay() {
    let example = Example::with(|example| example.size = SIZE - 4);
    let found = late(&example, &example).expect("it is as the linker wrote it");
    let sizes: Vec<usize> = found.iter().map(Range::len).collect();
    assert_eq!(sizes, [SIZE - 4; 2]);
}

/// Asserts that the build stops.
fn refused(program: &Example, linked: &Example, why: &str) {
    let refused = late(program, linked).expect_err(why).to_string();
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn a_function_of_the_first_part_that_is_not_the_linkers_stops_the_cut() {
    let example = Example::new();
    let another = "run is not as the linker wrote it";
    // Another name, the name of two, other addresses, fewer of them.
    let renamed = Example::with(|example| example.functions[1].0 = "walk");
    refused(&example, &renamed, another);
    let twice = Example::with(|example| example.functions[3].0 = "run");
    refused(&example, &twice, another);
    refused(&twice, &example, another);
    let more = Example::with(|example| example.functions[1].2.push(DEEP));
    refused(&more, &example, another);
    refused(&example, &more, another);
    // One without an address may be wasm-bindgen's own.
    let own = Example::with(|example| example.functions[4].0 = "glue");
    assert!(late(&own, &example).is_ok());
}

#[test]
fn an_address_must_be_the_one_in_the_linkers_notes() {
    let example = Example::new();
    let off = Example::with(|example| example.off = 4);
    refused(&off, &off, "where the linker says");
    let elsewhere = Example::with(|example| example.pointers = [None; 4]);
    refused(&example, &elsewhere, "not where the linker put them");
    let unsized_ = Example::with(|example| example.size = 0);
    refused(&unsized_, &unsized_, "without a size");
}

#[test]
fn imports_get_short_names_that_the_script_has_too() {
    use super::imports::{renamed, with_short_imports};
    use wasm_encoder::{EntityType, ImportSection, TypeSection};
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut imports = ImportSection::new();
    for number in 0..60 {
        let name = format!("__wbg_call_{number:016x}");
        imports.import("./web_bg.js", &name, EntityType::Function(0));
    }
    let mut program = wasm_encoder::Module::new();
    program.section(&types).section(&imports);
    let (short, names) = with_short_imports(&program.finish()).expect("a program");
    let again = with_short_imports(&short).expect("a program").1;
    assert!(
        again
            .keys()
            .eq(names.values().collect::<std::collections::BTreeSet<_>>())
    );
    assert_eq!(names["__wbg_call_0000000000000000"], "a");
    assert!(again.len() == 60 && again.keys().all(|name| name.len() <= 2));
    let script = "{__wbg_call_0000000000000001: function(x) {}, __wbg_call_00: 1}";
    assert_eq!(
        renamed(script, &names),
        "{b: function(x) {}, __wbg_call_00: 1}"
    );
}
