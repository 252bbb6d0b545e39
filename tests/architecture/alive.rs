//! Rules that keep an event of the page from breaking the program off.

use super::signatures::end_of_group;
use super::source::rust_files;

/// Methods that read a reactive value.
const READS: [&str; 5] = [
    "get_untracked",
    "with_untracked",
    "get_value",
    "with_value",
    "untrack",
];

/// Calls of some methods with the words in their parentheses.
fn calls<'a>(words: &'a [String], methods: &[&str]) -> Vec<&'a [String]> {
    let calls = words.windows(3).enumerate().filter(|(_, call)| {
        call[0] == "." && methods.contains(&call[1].as_str()) && call[2] == "("
    });
    calls
        .map(|(at, _)| &words[at + 3..end_of_group(words, at + 2)])
        .collect()
}

/// A signal that is being changed cannot be read, nor can what depends on it, which is worked out anew where it was not
/// since the last change: by a second click in one task, for example.
#[test]
fn nothing_reactive_is_read_while_a_signal_is_changed() {
    for room in ["src/page/app", "src/page/views", "src/page/widgets"] {
        for file in rust_files(room) {
            for inside in calls(&file.words(), &["update", "update_value"]) {
                let read = inside.iter().find(|word| READS.contains(&word.as_str()));
                let got = inside.windows(3).find(|call| *call == [".", "get", "("]);
                assert!(
                    read.is_none() && got.is_none(),
                    "{}: read it before: {}",
                    file.path,
                    inside.join(" ")
                );
            }
        }
    }
}

/// An element that goes is told that the focus leaves it when who asked to hear of that is gone.
#[test]
fn widgets_call_back_only_who_is_still_there() {
    for file in rust_files("src/page/widgets") {
        for inside in calls(&file.words(), &["run"]) {
            assert!(inside.is_empty(), "{}: use `tell`: {inside:?}", file.path);
        }
    }
}

#[test]
fn calls_are_found_with_what_they_are_given() {
    let words = "open . update ( | a | b . get ( ) ) ; run ( ) . run ( c )";
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let found = calls(&words, &["update", "run"]);
    let found: Vec<String> = found.iter().map(|inside| inside.join(" ")).collect();
    assert_eq!(found, ["| a | b . get ( )", "c"]);
}
