//! Signatures say by names what they take and give: no tuple of three, and no pair whose halves could be
//! exchanged without anyone noticing.

use crate::source::{File, program_files};

/// Rooms in which pairs of whole numbers are places and sizes, as plotters has them.
const DRAWING: &[&str] = &["chart", "figure", "browser", "widgets", "views"];

/// Pairs that have an order by convention: their content, their place, and the order.
const ORDERED: &[(&str, &str, &str)] = &[
    ("Tensor", "src/", "as the function of PyTorch gives them"),
    (
        "Option<Tensor>",
        "src/",
        "as the function of PyTorch gives them",
    ),
    ("String", "src/answers/text/", "English, Chinese"),
    ("&'static str", "src/answers/text/", "English, Chinese"),
    ("&'a str", "src/answers/text/", "English, Chinese"),
    (
        "&'static str",
        "src/scenario/catalog/situation.rs",
        "English, Chinese",
    ),
    (
        "Value",
        "src/formats/inputs/snapshot/pickle.rs",
        "the key and the value of a dictionary",
    ),
];

/// The index at which a group of words ends that begins with an opening bracket.
pub fn end_of_group(words: &[String], from: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(from) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    words.len()
}

/// Functions with their signatures: from behind the name to the body.
fn signatures(words: &[String]) -> Vec<(&str, &[String])> {
    let mut found = Vec::new();
    for at in 0..words.len().saturating_sub(2) {
        let is_name = words[at + 1].starts_with(|c: char| c.is_alphabetic() || c == '_');
        if words[at] != "fn" || !is_name {
            continue;
        }
        let mut end = at + 2;
        while end < words.len() && !["{", ";"].contains(&words[end].as_str()) {
            end = match words[end].as_str() {
                "(" | "[" => end_of_group(words, end) + 1,
                _ => end + 1,
            };
        }
        found.push((words[at + 1].as_str(), &words[at + 2..end.min(words.len())]));
    }
    found
}

/// The parts of a tuple's inside.
fn parts(inside: &[String]) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    let mut before = "";
    for word in inside {
        match word.as_str() {
            "(" | "[" | "<" => depth += 1,
            ")" | "]" => depth -= 1,
            ">" if before != "-" => depth -= 1,
            _ => {}
        }
        before = word;
        if word == "," && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            let letters = |text: &str| text.ends_with(|c: char| c.is_alphanumeric());
            if letters(part) && word.starts_with(|c: char| c.is_alphanumeric()) {
                part.push(' ');
            }
            part.push_str(word);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The index at which the parameters begin, behind those of types.
fn start_of_parameters(signature: &[String]) -> Option<usize> {
    let mut depth = 0;
    let mut before = "";
    signature.iter().position(|word| {
        match word.as_str() {
            "<" => depth += 1,
            ">" if before != "-" => depth -= 1,
            _ => {}
        }
        before = word;
        word == "(" && depth == 0
    })
}

/// The tuples among a signature's types.
fn tuples(signature: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let parameters = start_of_parameters(signature);
    for (at, word) in signature.iter().enumerate() {
        if word != "(" || Some(at) == parameters {
            continue;
        }
        let before = at.checked_sub(1).map_or("", |at| signature[at].as_str());
        // `Fn(A, B)` and `pub(crate)` have parentheses of their own.
        let own = before.ends_with(|c: char| c.is_alphanumeric()) && before != "mut";
        let end = end_of_group(signature, at);
        // The words before a colon are a pattern, whose type follows.
        let pattern = signature.get(end + 1).is_some_and(|word| word == ":");
        if !own && !pattern {
            found.push(parts(&signature[at + 1..end]));
        }
    }
    found.retain(|parts| parts.len() > 1);
    found
}

/// Why a tuple of a file should have names, if it should.
fn fault(path: &str, room: &str, parts: &[String]) -> Option<&'static str> {
    let [first, second] = parts else {
        return Some("has more than two parts");
    };
    let drawn = ["u32", "i32", "(i32,i32)"].contains(&first.as_str());
    let ordered =
        |(what, folder, _): &(&str, &str, &str)| first == what && path.starts_with(folder);
    let known = (drawn && DRAWING.contains(&room)) || ORDERED.iter().any(ordered);
    (first == second && !known).then_some("has parts that could be exchanged")
}

fn faults(file: &File) -> Vec<String> {
    let words = file.words_of_program();
    let room = file.room().unwrap_or("bin").to_owned();
    let mut found = Vec::new();
    for (name, signature) in signatures(&words) {
        for parts in tuples(signature) {
            if let Some(why) = fault(&file.path, &room, &parts) {
                let tuple = parts.join(", ");
                found.push(format!("{}: ({tuple}) of {name} {why}", file.path));
            }
        }
    }
    found
}

#[test]
fn signatures_have_no_tuples_whose_parts_need_names() {
    let found: Vec<String> = program_files().iter().flat_map(faults).collect();
    assert!(
        found.is_empty(),
        "a struct would say which part is which:\n{}",
        found.join("\n")
    );
}

#[test]
fn tuples_are_told_from_patterns_parameters_and_calls() {
    let found = |text: &str| {
        faults(&File {
            path: "src/engine/sim/x.rs".to_owned(),
            text: text.to_owned(),
        })
        .len()
    };
    assert_eq!(found("fn a(b: u64, c: u64, d: u64) -> u64 { 0 }"), 0);
    assert_eq!(found("fn a((b, c): (u64, u64)) {}"), 1);
    assert_eq!(found("fn a(f: impl Fn(u64, u64, u64) -> u64) {}"), 0);
    assert_eq!(found("pub(crate) fn a(b: &mut (u64, u64)) {}"), 1);
    assert_eq!(
        found("fn a() -> Option<(u64, String, Vec<(u8, u8)>)> { None }"),
        2
    );
    assert_eq!(found("fn a() -> (Vec<u64>, BTreeMap<u64, bool>) {}"), 0);
    assert_eq!(found("fn a() -> (Tensor, Tensor) {}"), 0);
    assert_eq!(found("fn a<F: Fn(u8) -> u8>(b: u8, c: u8, d: F) {}"), 0);
    assert_eq!(
        found("let f: fn(u64, u64) = g; fn a([b, c]: [u64; 2]) {}"),
        0
    );
}

#[test]
fn every_exception_is_needed() {
    let files = program_files();
    for (what, folder, _) in ORDERED {
        let mut tuples = files
            .iter()
            .filter(|file| file.path.starts_with(folder))
            .flat_map(|file| {
                let words = file.words_of_program();
                let found = signatures(&words).into_iter();
                found
                    .flat_map(|(_, signature)| tuples(signature))
                    .collect::<Vec<_>>()
            });
        assert!(
            tuples.any(|parts| parts == [*what, *what]),
            "no signature of {folder} has a pair of {what}"
        );
    }
}
