//! Rust sources as words: comments and literals taken out, everything else kept in order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A path as it is written in messages.
pub fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// A file's text.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder with one of the endings, in order of path.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name != "node_modules" {
                found.extend(files(&path, endings));
            }
        } else if path
            .extension()
            .is_some_and(|ending| endings.iter().any(|e| ending == *e))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Every Rust file below a folder.
pub fn rust_files(folder: &str) -> impl Iterator<Item = File> {
    files(&root().join(folder), &["rs"])
        .into_iter()
        .map(|path| File::read(&relative(&path)))
}

/// How many bytes of code are given before a text.
const BEFORE: usize = 200;

/// Every file of `src` that is part of the programs, and not of what builds and tests them.
pub fn program_files() -> Vec<File> {
    let ours = rust_files("src").filter(|file| !file.path.starts_with("src/xtask/"));
    let all: Vec<File> = ours.collect();
    let tests: Vec<String> = all.iter().flat_map(File::tests).collect();
    let is_test = |path: &str| {
        let mut tests = tests
            .iter()
            .filter_map(|test| path.strip_prefix(test.as_str()));
        tests.any(|rest| rest == ".rs" || rest.starts_with('/'))
    };
    all.into_iter()
        .filter(|file| !is_test(&file.path))
        .collect()
}

/// One source file.
pub struct File {
    /// Its path from the root.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl File {
    /// Reads a file by its path from the root.
    pub fn read(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: read(&root().join(path)),
        }
    }

    /// The room that it belongs to; `None` for each `lib.rs` and the binaries.
    pub fn room(&self) -> Option<&str> {
        let (wing, rest) = self.path.strip_prefix("src/")?.split_once('/')?;
        let (room, _) = rest.split_once('/')?;
        (!["bin", "xtask"].contains(&wing)).then_some(room)
    }

    /// Identifiers and punctuation in order, without comments and literals.
    pub fn words(&self) -> Vec<String> {
        words(&code(&self.text))
    }

    /// Identifiers and punctuation without the tests at its end.
    pub fn words_of_program(&self) -> Vec<String> {
        let code = code(&self.text);
        words(&code[..end_of_program(&code)])
    }

    /// The texts in it without the tests at its end, each with the code before it.
    pub fn texts_of_program(&self) -> Vec<(String, String)> {
        let (code, texts) = scanned(&self.text);
        let end = end_of_program(&code);
        let before = |at: usize| &code[code.floor_char_boundary(at.saturating_sub(BEFORE))..at];
        let texts = texts.into_iter().take_while(|(at, _)| *at < end);
        texts
            .map(|(at, text)| (before(at).trim_end().to_owned(), text))
            .collect()
    }

    /// The files that it declares as tests alone.
    fn tests(&self) -> Vec<String> {
        let words = self.words();
        let mark = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
        let found = words.windows(10).filter(|w| w[..8] == mark && w[9] == ";");
        let folder = self.path.strip_suffix("/mod.rs");
        let folder = folder.or_else(|| self.path.strip_suffix(".rs"));
        let folder = folder.unwrap_or_default();
        found.map(|w| format!("{folder}/{}", w[8])).collect()
    }

    /// Rooms it names by `crate::...`, or by `super::...` from a door.
    pub fn rooms_used(&self) -> BTreeSet<String> {
        let mut used = self.names_after("crate");
        if self.path.ends_with("/mod.rs") && self.path.matches('/').count() == 3 {
            let known = |name: &String| crate::table::room(name).is_some();
            used.extend(self.names_after("super").into_iter().filter(known));
        }
        used
    }

    /// The first names of paths that begin with `start::`, groups in braces included.
    pub fn names_after(&self, start: &str) -> BTreeSet<String> {
        let words = self.words();
        let mut found = BTreeSet::new();
        for at in 0..words.len() {
            if words[at] == start && words.get(at + 1).is_some_and(|word| word == "::") {
                names_of_a_group(&words[at + 2..], &mut found);
            }
        }
        found
    }

    /// Binary operators on numbers, each with what surrounds it. It relies on rustfmt, which
    /// writes a space on both sides of a binary operator.
    pub fn arithmetic(&self) -> Vec<String> {
        let code = code(&self.text);
        let mut found = Vec::new();
        for line in code.lines() {
            for operator in [" + ", " - ", " * ", " / ", " % ", " += ", " -= ", " *= "] {
                for (at, _) in line.match_indices(operator) {
                    let after = line[at + operator.len()..].trim_start();
                    // `Send + 'static` and `Fn() + Clone` are bounds of types.
                    let bound = operator == " + "
                        && (after.starts_with('\'')
                            || after.starts_with(|c: char| c.is_ascii_uppercase()));
                    if !bound {
                        found.push(line.trim().to_owned());
                    }
                }
            }
        }
        found
    }
}

/// The index at which the tests at the end of a file begin.
fn end_of_program(code: &str) -> usize {
    let is_tests = |at: &usize| {
        let module = code[*at..].trim_start_matches("#[cfg(test)]").trim_start();
        let line = module.lines().next().unwrap_or_default();
        module.starts_with("mod ") && line.contains('{')
    };
    let mut marks = code.match_indices("#[cfg(test)]").map(|(at, _)| at);
    marks.find(is_tests).unwrap_or(code.len())
}

/// Adds the name that a path goes on with, or those of a group in braces.
fn names_of_a_group(words: &[String], found: &mut BTreeSet<String>) {
    let Some(first) = words.first() else { return };
    if first != "{" {
        found.insert(first.clone());
        return;
    }
    let mut depth = 0;
    let mut expect = false;
    for word in words {
        match word.as_str() {
            "{" => {
                depth += 1;
                expect = depth == 1;
            }
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
            "," => expect = depth == 1,
            name if expect => {
                found.insert(name.to_owned());
                expect = false;
            }
            _ => {}
        }
    }
}

fn words(code: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_alphanumeric() || c == '_' {
            let mut word = String::from(c);
            while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                word.push(c);
            }
            words.push(word);
        } else if c == ':' && rest.next_if_eq(&':').is_some() {
            words.push("::".to_owned());
        } else if !c.is_whitespace() {
            words.push(c.to_string());
        }
    }
    words
}

/// The text without comments, and with empty literals in place of full ones.
fn code(text: &str) -> String {
    scanned(text).0
}

/// The code with empty literals, and the texts of the literals, each with its index in the code.
fn scanned(text: &str) -> (String, Vec<(usize, String)>) {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut texts = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let next = chars.get(at + 1).copied();
        match (chars[at], next) {
            ('/', Some('/')) => at = end_of_line(&chars, at),
            ('/', Some('*')) => at = end_of_comment(&chars, at),
            ('r', Some('"' | '#')) if raw_string(&chars, at).is_some() => {
                at = raw_string(&chars, at).unwrap_or(at + 1);
                out.push_str("\"\"");
            }
            ('"', _) => {
                let end = end_of_string(&chars, at);
                texts.push((out.len(), chars[at + 1..end - 1].iter().collect()));
                at = end;
                out.push_str("\"\"");
            }
            ('\'', Some('\\')) => at = end_of_character(&chars, at),
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at += 3,
            (c, _) => {
                out.push(c);
                at += 1;
            }
        }
    }
    (out, texts)
}

fn end_of_line(chars: &[char], from: usize) -> usize {
    let length = chars[from..].iter().take_while(|&&c| c != '\n').count();
    from + length
}

fn end_of_comment(chars: &[char], from: usize) -> usize {
    let mut depth = 0;
    let mut at = from;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn end_of_character(chars: &[char], from: usize) -> usize {
    let length = chars[from + 2..].iter().skip(1).take_while(|&&c| c != '\'');
    from + 4 + length.count()
}

/// The end of a raw string that begins at `from`; `None` when none does.
fn raw_string(chars: &[char], from: usize) -> Option<usize> {
    let before = from.checked_sub(1).map(|at| chars[at]);
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let hashes = chars[from + 1..].iter().take_while(|&&c| c == '#').count();
    let open = from + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: usize| {
        chars[at] == '"'
            && chars[at + 1..]
                .iter()
                .take(hashes)
                .filter(|&&c| c == '#')
                .count()
                == hashes
    };
    let end = (open + 1..chars.len()).find(|&at| closes(at))?;
    Some(end + 1 + hashes)
}

#[test]
fn comments_and_literals_are_not_code() {
    let text = r##"
        // crate::no
        /* crate::no /* crate::no */ crate::no */
        let a = "crate::no \" crate::no"; let b = r#"crate::no"#; let c = '"'; let d = '\'';
        use crate::{yes, and::{this, that}, more as other};
        let e: &'static str = crate::last::one();
    "##;
    let file = File {
        path: "src/x/y.rs".to_owned(),
        text: text.to_owned(),
    };
    let found: Vec<String> = file.names_after("crate").into_iter().collect();
    assert_eq!(found, ["and", "last", "more", "yes"]);
}

#[test]
fn arithmetic_is_told_from_bounds_literals_and_markup() {
    let arithmetic = |text: &str| {
        let file = File {
            path: String::new(),
            text: text.to_owned(),
        };
        !file.arithmetic().is_empty()
    };
    assert!(arithmetic("let a = b + 1;"));
    assert!(arithmetic("let a = total / parts;"));
    assert!(!arithmetic("fn f(g: impl Fn() + Clone + 'static) {}"));
    assert!(!arithmetic("view! { <br aria-label=\"a + b\" /> }"));
    assert!(!arithmetic("*count.write() = 1; // a + b"));
}
