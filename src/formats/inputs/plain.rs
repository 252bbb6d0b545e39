//! A text without what terminals, launchers and people put around messages.

/// A text on one line: without colours, quotation marks and prefixes of ranks, white space as one blank.
pub(super) struct Plain {
    text: String,
    lower: String,
    lines: Vec<Line>,
}

/// The beginning of a line of the original in the plain text, and the rank that wrote it.
struct Line {
    start: usize,
    rank: Option<u64>,
}

/// A part of a plain text, beside the same in lower case.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    /// As it was written.
    pub text: &'a str,
    /// In lower case, byte for byte as long.
    pub lower: &'a str,
}

impl<'a> Span<'a> {
    /// The text behind the first of some words, which are in lower case.
    pub fn after(self, words: &str) -> Option<Span<'a>> {
        let at = self.lower.find(words)? + words.len();
        Some(self.from(at))
    }

    /// The text before the first of some words.
    pub fn before(self, words: &str) -> Option<Span<'a>> {
        Some(self.until(self.lower.find(words)?))
    }

    /// The text from a byte on, which begins a character.
    pub fn from(self, at: usize) -> Span<'a> {
        Span {
            text: &self.text[at..],
            lower: &self.lower[at..],
        }
    }

    /// The text before a byte, which begins a character or ends the text.
    pub fn until(self, at: usize) -> Span<'a> {
        Span {
            text: &self.text[..at],
            lower: &self.lower[..at],
        }
    }

    /// At most `bytes` bytes of its beginning.
    pub fn first(self, bytes: usize) -> Span<'a> {
        self.until(self.lower.floor_char_boundary(bytes))
    }

    /// At most `bytes` bytes of its end.
    pub fn last(self, bytes: usize) -> Span<'a> {
        let start = self.lower.len().saturating_sub(bytes);
        self.from(self.lower.ceil_char_boundary(start))
    }

    /// Whether some words stand in it, which are in lower case.
    pub fn has(self, words: &str) -> bool {
        self.lower.contains(words)
    }
}

impl Plain {
    /// Takes a text as it was pasted.
    pub fn new(pasted: &str) -> Plain {
        let mut text = String::with_capacity(pasted.len());
        let mut lines = Vec::new();
        let breaks = |c| c == '\n' || c == '\r';
        for line in pasted.split(breaks).flat_map(|line| line.split("\\n")) {
            let line = without_colours(line);
            let (rank, line) = without_prefix(&line);
            let start = text.len();
            for word in line.split_whitespace() {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.extend(word.chars().filter(|c| !is_decoration(*c)));
            }
            if text.len() > start {
                lines.push(Line { start, rank });
            }
        }
        let lower = text.to_ascii_lowercase();
        Plain { text, lower, lines }
    }

    /// The whole text.
    pub fn all(&self) -> Span<'_> {
        Span {
            text: &self.text,
            lower: &self.lower,
        }
    }

    /// The rank whose line contains the byte `at`, if the launcher says it.
    pub fn rank(&self, at: usize) -> Option<u64> {
        let next = self.lines.partition_point(|line| line.start <= at);
        self.lines[..next].last().and_then(|line| line.rank)
    }

    /// Whether a line of the original is one word alone, which is in lower case.
    pub fn has_line(&self, word: &str) -> bool {
        let ends = self.lines.iter().skip(1).map(|line| line.start);
        let ends = ends.chain([self.lower.len()]);
        let mut lines = self.lines.iter().zip(ends);
        lines.any(|(line, end)| self.lower[line.start..end].trim() == word)
    }
}

/// Marks of Markdown, and characters without width.
fn is_decoration(c: char) -> bool {
    matches!(
        c,
        '*' | '`' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{feff}'
    )
}

/// A line without the escape sequences of a terminal, as `ESC[31m`, and without other control characters.
fn without_colours(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            if rest.next() == Some('[') {
                rest.by_ref().find(char::is_ascii_alphabetic);
            }
        } else if c == '\t' || !c.is_control() {
            kept.push(c);
        }
    }
    kept
}

/// A line without the text before the message: marks of quotations and comments, and the prefixes of launchers
/// (`[rank3]:` of torchrun, `3: ` of srun, `(Worker pid=77)` of Ray), of which the rank is kept.
fn without_prefix(line: &str) -> (Option<u64>, &str) {
    let mut rank = None;
    let mut line = line;
    loop {
        let trimmed = line.trim_start_matches(|c: char| c.is_whitespace() || "#>|".contains(c));
        let trimmed = trimmed.strip_prefix("//").unwrap_or(trimmed);
        let (own, rest) = bracketed(trimmed).unwrap_or((None, trimmed));
        rank = rank.or(own);
        if rest.len() == line.len() {
            return (rank, rest);
        }
        line = rest;
    }
}

/// The text behind a launcher's prefix, and the rank that it names.
fn bracketed(line: &str) -> Option<(Option<u64>, &str)> {
    if let Some(inner) = line.strip_prefix('(') {
        let (inside, rest) = inner.split_once(')')?;
        return inside.contains("pid=").then_some((None, rest));
    }
    let number = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    if let (1..=5, Some(rest)) = (number, line[number..].strip_prefix(": ")) {
        return Some((line[..number].parse().ok(), rest));
    }
    let (inside, rest) = line.strip_prefix('[')?.split_once("]:")?;
    let digits = inside.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let rank = digits.parse().ok()?;
    Some((Some(rank), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_quotations_and_prefixes_of_ranks_are_taken_off() {
        let pasted = "> \u{1b}[31m[rank3]: CUDA out\r\n> of   **memory**.\n\n(Worker pid=7) Tried";
        let plain = Plain::new(pasted);
        assert_eq!(plain.all().text.trim(), "CUDA out of memory. Tried");
        assert_eq!(plain.rank(2), Some(3));
        assert_eq!(plain.rank(plain.all().text.len() - 2), None);
    }

    #[test]
    fn a_word_alone_on_its_line_is_told_from_one_in_a_sentence() {
        assert!(Plain::new("step 3\nKilled\n").has_line("killed"));
        assert!(!Plain::new("it was Killed by me").has_line("killed"));
    }
}
