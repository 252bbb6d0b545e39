//! Short names of the functions that the program takes from the page's script: wasm-bindgen's name the interface and
//! end in a hash, both once in the program and once in the script (6 KiB of the first visit, compressed).

use super::module::Read;
use std::collections::BTreeMap;
use wasm_encoder::{EntityType, ImportSection, RawSection};
use wasmparser::{Parser, Payload, TypeRef};

/// Letters of the names.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// New names by the old ones, which decide them alone.
pub type Names = BTreeMap<String, String>;

/// The program with short names of what it imports, and these names.
pub fn with_short_imports(program: &[u8]) -> Read<(Vec<u8>, Names)> {
    let mut imports = Vec::new();
    for payload in Parser::new(0).parse_all(program) {
        if let Payload::ImportSection(section) = payload? {
            for import in section.into_imports() {
                let import = import?;
                let TypeRef::Func(signature) = import.ty else {
                    return Err("an import that is no function".into());
                };
                imports.push((import.module, import.name, signature));
            }
        }
    }
    let mut names: Names = imports
        .iter()
        .map(|(_, name, _)| ((*name).to_owned(), String::new()))
        .collect();
    for (number, short) in names.values_mut().enumerate() {
        *short = name(number);
    }
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(program) {
        let payload = payload?;
        if let Payload::ImportSection(_) = payload {
            let mut section = ImportSection::new();
            for (module, name, signature) in &imports {
                section.import(module, &names[*name], EntityType::Function(*signature));
            }
            out.section(&section);
        } else if let Some((id, range)) = payload.as_section() {
            let data = &program[usize::try_from(range.start)?..usize::try_from(range.end)?];
            out.section(&RawSection { id, data });
        }
    }
    Ok((out.finish(), names))
}

/// A script in which the functions that the program imports have their short names.
pub fn renamed(script: &str, names: &Names) -> String {
    let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '$');
    let mut out = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(start) = rest.find(is_of_name) {
        out += &rest[..start];
        rest = &rest[start..];
        let end = rest.find(|sign| !is_of_name(sign)).unwrap_or(rest.len());
        let word = &rest[..end];
        out += names.get(word).map_or(word, String::as_str);
        rest = &rest[end..];
    }
    out + rest
}

/// The name with a number: one letter, then two.
fn name(number: usize) -> String {
    let letter = |at: usize| char::from(LETTERS[at % LETTERS.len()]);
    match number.checked_sub(LETTERS.len()) {
        None => letter(number).to_string(),
        Some(rest) => name(rest / LETTERS.len()) + &letter(rest).to_string(),
    }
}
