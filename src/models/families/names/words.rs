//! A name as a list of words and numbers.

use std::slice::Iter;

/// The words of a name in lower case: letters and the number that follows them are two words, a number and
/// its unit (`7b`, `8x7b`) or its mark (`v0.3`, `a3b`) are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

/// Letters from which on a number that follows is a word of its own: `llama3`, but `v3`, `r1`, `a3b`, `t5`.
const NAME: usize = 2;

impl Words {
    /// The words of one part of a path.
    pub(super) fn of(part: &str) -> Self {
        let lower = part.to_ascii_lowercase();
        let whole = with_points(&lower).replace("4-bit", "4bit");
        let whole = whole.replace("8-bit", "8bit");
        let mut words = Vec::new();
        for word in whole.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')) {
            let word = word.trim_matches('.');
            let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
            let (name, rest) = word.split_at(letters);
            if letters >= NAME && !rest.is_empty() && !marks_a_number(name) {
                words.extend([name, rest].map(str::to_owned));
            } else if !word.is_empty() {
                words.push(word.to_owned());
            }
        }
        Self(words)
    }

    /// The words for which `keep` holds, given the word and its place.
    pub(super) fn filtered(&self, keep: impl Fn(usize, &str) -> bool) -> Self {
        let words = self.0.iter().enumerate();
        let kept = words.filter(|(at, word)| keep(*at, word));
        Self(kept.map(|(_, word)| word.clone()).collect())
    }

    /// The words written without a separator, unless two numbers would become one.
    pub(super) fn joined(&self) -> String {
        let mut joined = String::new();
        for word in &self.0 {
            let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
            if digit(joined.as_bytes().last()) && digit(word.as_bytes().first()) {
                joined.push('|');
            }
            joined.push_str(word);
        }
        joined
    }

    /// The words beside `inner`, which must stand among them in one piece.
    pub(super) fn without(&self, inner: &Self) -> Option<Vec<String>> {
        let length = inner.0.len();
        let at = self
            .0
            .windows(length.max(1))
            .position(|own| own == inner.0)?;
        let (before, after) = (&self.0[..at], &self.0[at + length..]);
        Some([before, after].concat())
    }

    /// Whether one of the words is a number of parameters.
    pub(super) fn has_size(&self) -> bool {
        self.0.iter().any(|word| is_size(word))
    }

    /// The first word.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The words in order.
    pub(super) fn iter(&self) -> Iter<'_, String> {
        self.0.iter()
    }

    /// Whether `word` is one of them.
    pub(super) fn contain(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word)
    }
}

/// Letters before a number that belong to it: formats of numbers.
fn marks_a_number(letters: &str) -> bool {
    [
        "bf", "fp", "nf", "int", "nvfp", "mxfp", "mxint", "float", "exl",
    ]
    .contains(&letters)
}

/// Whether a word is a number of parameters: `7b`, `1.5b`, `8x7b`, `350m`, `a3b`, `e2b`.
pub(super) fn is_size(word: &str) -> bool {
    let number = word.strip_suffix(['b', 'm']);
    let number = number.map(|number| number.trim_start_matches(|c: char| c.is_ascii_lowercase()));
    number.is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number
                .chars()
                .all(|c| c.is_ascii_digit() || ".x".contains(c))
    })
}

/// The name with a point where it has an underscore between two single digits: `phi-1_5`, `qwen2_5`. Before a
/// unit (`llama_3_8b`) only where other separators divide words (`stablelm-2-1_6b`).
fn with_points(name: &str) -> String {
    let bytes = name.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let hyphens = name.contains('-');
    let mut joined = false;
    let written = name.char_indices().map(|(at, c)| {
        let single = at > 0 && digit(at - 1) && !(at > 1 && digit(at - 2));
        let between = c == '_' && single && digit(at + 1) && !digit(at + 2);
        joined = between && !joined && (hyphens || !letter(at + 2));
        if joined { '.' } else { c }
    });
    written.collect()
}
