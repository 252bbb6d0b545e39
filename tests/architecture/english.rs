//! Comments name the parameter, use the noun and say who does it.
//!
//! The patterns below stand for a noun that is missing. Each has a ceiling: the count when its row came, or was last
//! lowered. A ceiling only falls; whoever removes some of a pattern lowers it.

use super::source::rust_files;

/// Words that begin a doc comment in place of the noun, and the most doc comments that may begin so.
const BEGINNINGS: [(&str, usize); 6] = [
    ("What", 2),
    ("Which", 0),
    ("Whose", 0),
    ("Where", 0),
    ("Those", 0),
    ("The same", 0),
];

/// Words within comments, and the most of them: "so many" is `n`, "is there" is "exists", "stands" is "is"; a clause
/// with "what is" or "those that" has a noun ("frozen parameters" for "what is not trained").
const WITHIN: [(&str, usize); 9] = [
    (" so many ", 0),
    (" is there ", 0),
    (" stands ", 0),
    (" what is ", 9),
    (" what has ", 0),
    (" what was ", 4),
    (" those that ", 5),
    (" those of ", 176),
    (" the one that ", 3),
];

/// The comments of a line of source, without their marks.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//")
}

/// The text of a doc comment's line.
fn doc(line: &str) -> Option<&str> {
    comment(line)?.strip_prefix(['/', '!']).map(str::trim_start)
}

/// The first lines of the doc comments of a text.
fn first_lines(text: &str) -> impl Iterator<Item = &str> {
    let before = std::iter::once("").chain(text.lines());
    let pairs = before.zip(text.lines());
    pairs.filter_map(|(before, line)| doc(line).filter(|_| doc(before).is_none()))
}

fn begins(line: &str, word: &str) -> bool {
    line.strip_prefix(word)
        .is_some_and(|rest| rest.starts_with(' '))
}

#[test]
fn doc_comments_that_lack_their_noun_become_fewer() {
    let texts: Vec<String> = ["src", "tests"]
        .iter()
        .flat_map(|folder| rust_files(folder))
        .map(|file| file.text)
        .collect();
    let mut more = Vec::new();
    let mut compare = |pattern: &str, found: usize, most: usize| {
        println!("{pattern}: {found} of {most}");
        if found > most {
            more.push(format!("{pattern}: {found}, {most} at most"));
        }
    };
    for (word, most) in BEGINNINGS {
        let lines = texts.iter().flat_map(|text| first_lines(text));
        compare(word, lines.filter(|line| begins(line, word)).count(), most);
    }
    for (words, most) in WITHIN {
        let comments = texts
            .iter()
            .flat_map(|text| text.lines().filter_map(comment));
        let found = comments.map(|line| line.matches(words).count()).sum();
        compare(words, found, most);
    }
    assert!(
        more.is_empty(),
        "name the parameter, use the noun, say who does it:\n{}",
        more.join("\n")
    );
}

#[test]
fn a_doc_comment_is_judged_by_its_first_line() {
    let text = "/// What is kept.\n/// Where it is.\nfn f() {}\n//! Which.\n// What else\n";
    let lines: Vec<&str> = first_lines(text).collect();
    assert_eq!(lines, ["What is kept.", "Which."]);
    assert!(begins(lines[0], "What") && !begins(lines[1], "Which"));
}
