//! `tests/ACCURACY.md` and README's table of accuracy have the numbers that the fixtures give.
//!
//! A row of `tests/ACCURACY.md` is a description, the numbers, and the files of `tests/fixtures`; its section is a
//! row of README. `HIGHWATER_ACCURACY=write cargo test --test accuracy` writes the numbers.

use super::FOUND;
use highwater::report::Accuracy;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The tables by section, from the repository's root.
const DOCUMENT: &str = "tests/ACCURACY.md";

/// Environment variable that asks for the numbers to be written.
const WRITE: &str = "HIGHWATER_ACCURACY";

/// The first cell of the heading of every table in [`DOCUMENT`].
const HEADING: &str = "| family |";

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Files of fixtures that a row names in its last cell.
fn files(row: &str) -> Vec<String> {
    let last = row.trim_end_matches(" |").rsplit(" | ").next();
    last.unwrap_or_default()
        .split(", ")
        .map(|file| format!("{}.jsonl", file.trim_matches('`')))
        .collect()
}

/// The numbers of some files of fixtures.
fn summary<'a>(files: impl IntoIterator<Item = &'a String>) -> String {
    let found = files.into_iter().map(|file| {
        let found = FOUND.get(file.as_str());
        &found
            .unwrap_or_else(|| panic!("{file} is compared"))
            .accuracy
    });
    Accuracy::joined(found).summary()
}

/// The description in the first cell of a row.
fn description(row: &str) -> &str {
    let cells = row.trim_start_matches("| ");
    cells.split(" | ").next().unwrap_or_default()
}

/// A document with its numbers written anew, and the files of each of its sections.
fn written(document: &str) -> (String, BTreeMap<String, BTreeSet<String>>) {
    let (mut text, mut sections) = (String::new(), BTreeMap::<_, BTreeSet<_>>::new());
    let (mut section, mut is_table) = (String::new(), false);
    for line in document.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut section);
        }
        is_table = line.starts_with(HEADING) || (is_table && line.starts_with('|'));
        if is_table && line.ends_with("` |") && !line.starts_with(HEADING) {
            let files = files(line);
            let names = line.rsplit(" | ").next().unwrap_or_default();
            let (description, summary) = (description(line), summary(&files));
            let _ = writeln!(text, "| {description} | {summary} | {names}");
            sections.entry(section.clone()).or_default().extend(files);
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    (text, sections)
}

/// README with the numbers of its rows written anew: a row for each section, which it links to.
fn readme_written(readme: &str, sections: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut shown = BTreeSet::new();
    let mut text = String::new();
    for line in readme.lines() {
        let row = line.strip_prefix("| [").and_then(|row| row.split_once(']'));
        let row = row.filter(|(_, link)| link.starts_with(&format!("({DOCUMENT}#")));
        let section = row.and_then(|(title, _)| sections.get_key_value(title));
        if let Some((title, files)) = section {
            let description = description(line);
            let _ = writeln!(text, "| {description} | {} |", summary(files));
            shown.insert(title);
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    let all: BTreeSet<_> = sections.keys().collect();
    assert_eq!(shown, all, "README has a row for each section");
    text
}

#[test]
fn the_documents_show_each_file_with_the_numbers_that_are_found() {
    let document = std::fs::read_to_string(path(DOCUMENT)).expect("the document");
    let readme = std::fs::read_to_string(path("README.md")).expect("README");
    let (new, sections) = written(&document);
    let new_readme = readme_written(&readme, &sections);
    let shown: BTreeSet<&str> = sections.values().flatten().map(String::as_str).collect();
    let all: BTreeSet<&str> = FOUND.keys().copied().collect();
    assert_eq!(shown, all, "{DOCUMENT} has each file");
    if std::env::var_os(WRITE).is_some_and(|asked| asked == "write") {
        std::fs::write(path(DOCUMENT), new).expect("written");
        std::fs::write(path("README.md"), new_readme).expect("written");
        return;
    }
    for (old, new) in [(&document, &new), (&readme, &new_readme)] {
        let wrong = old.lines().zip(new.lines()).filter(|(old, new)| old != new);
        let wrong: Vec<String> = wrong.map(|(old, new)| format!("{old}\nis {new}")).collect();
        assert!(
            wrong.is_empty(),
            "`{WRITE}=write cargo test --test accuracy` writes:\n{}",
            wrong.join("\n")
        );
    }
}
