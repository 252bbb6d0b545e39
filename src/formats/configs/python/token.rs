//! Tokens of Python, as far as calls with literal arguments need them.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name or a keyword.
    Name(&'a str),
    /// A number as it is written.
    Number(&'a str),
    /// A string's content.
    Text(String),
    /// The content of an f-string, with its braces.
    Formatted(String),
    /// An operator or a bracket.
    Sign(&'a str),
    /// The end of a logical line; the indentation of the next one in columns.
    Line(usize),
}

/// A token with the bytes that it covers.
#[derive(Clone, Debug)]
pub(super) struct Spot<'a> {
    pub token: Token<'a>,
    pub start: usize,
    pub end: usize,
}

/// Operators of more than one letter, longest first.
const SIGNS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "==", "!=", "<=", ">=", "->", ":=",
    "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "@=",
];

/// Words that begin a statement at the left margin, where an open bracket before is a mistake.
const STATEMENTS: &[&str] = &["def ", "class ", "import ", "from ", "if __name__"];

/// Reads a text in one pass; letters that Python does not have are left out.
pub(super) fn tokens(text: &str) -> Vec<Spot<'_>> {
    let mut spots = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    let mut fresh = true;
    while let Some(letter) = text[at..].chars().next() {
        let start = at;
        let token = match letter {
            '\n' => {
                let Margin {
                    start: next,
                    indent,
                } = margin(text, at + 1);
                at = next;
                let rest = &text[next..];
                if depth > 0 && indent == 0 && STATEMENTS.iter().any(|own| rest.starts_with(own)) {
                    depth = 0;
                }
                if depth > 0 || fresh {
                    if let Some(Spot {
                        token: Token::Line(last),
                        ..
                    }) = spots.last_mut()
                        && depth == 0
                    {
                        *last = indent;
                    }
                    continue;
                }
                Token::Line(indent)
            }
            ' ' | '\t' | '\r' | '\u{c}' => {
                at += 1;
                continue;
            }
            '\\' => {
                at += 1;
                at += text[at..]
                    .starts_with("\r\n")
                    .then_some(2)
                    .or(text[at..].starts_with('\n').then_some(1))
                    .unwrap_or(0);
                continue;
            }
            '#' => {
                at = text[at..].find('\n').map_or(text.len(), |end| at + end);
                continue;
            }
            '"' | '\'' => {
                let (token, end) = string(text, at, "");
                at = end;
                token
            }
            letter if letter.is_ascii_digit() => {
                at = number(text, at);
                Token::Number(&text[start..at])
            }
            '.' if text[at + 1..].starts_with(|next: char| next.is_ascii_digit()) => {
                at = number(text, at);
                Token::Number(&text[start..at])
            }
            letter if letter.is_alphabetic() || letter == '_' => {
                at = name(text, at);
                let word = &text[start..at];
                if text[at..].starts_with(['"', '\'']) && is_prefix(word) {
                    let (token, end) = string(text, at, word);
                    at = end;
                    token
                } else {
                    Token::Name(word)
                }
            }
            letter => {
                let long = SIGNS.iter().find(|sign| text[at..].starts_with(**sign));
                at += long.map_or(letter.len_utf8(), |sign| sign.len());
                match letter {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    ';' if depth == 0 => {
                        spots.push(Spot {
                            token: Token::Line(usize::MAX),
                            start,
                            end: at,
                        });
                        continue;
                    }
                    letter if !letter.is_ascii_punctuation() => continue,
                    _ => {}
                }
                Token::Sign(&text[start..at])
            }
        };
        fresh = matches!(token, Token::Line(_));
        spots.push(Spot {
            token,
            start,
            end: at,
        });
    }
    spots
}

/// The blanks before a line's content.
struct Margin {
    /// The place of the content.
    start: usize,
    /// Its columns.
    indent: usize,
}

/// Reads the blanks of the line that begins at a place.
fn margin(text: &str, at: usize) -> Margin {
    let blank = text[at..].bytes().take_while(|byte| b" \t".contains(byte));
    let (mut end, mut columns) = (at, 0);
    for byte in blank {
        end += 1;
        columns += if byte == b'\t' { 8 - columns % 8 } else { 1 };
    }
    Margin {
        start: end,
        indent: columns,
    }
}

fn name(text: &str, at: usize) -> usize {
    let plain = |letter: char| letter.is_alphanumeric() || letter == '_';
    text[at..]
        .find(|letter| !plain(letter))
        .map_or(text.len(), |end| at + end)
}

fn number(text: &str, at: usize) -> usize {
    let mut before = ' ';
    let is_hex = text[at..].starts_with("0x") || text[at..].starts_with("0X");
    let ends = |letter: char| {
        let signed = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E') && !is_hex;
        let goes_on = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') || signed;
        before = letter;
        !goes_on
    };
    text[at..].find(ends).map_or(text.len(), |end| at + end)
}

/// Whether letters stand before a string as its prefix.
fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && word.chars().all(|letter| "rbuftRBUFT".contains(letter))
}

/// The string that begins at a quote, and where it ends; without its closing quote at the line's end.
fn string<'a>(text: &str, at: usize, prefix: &str) -> (Token<'a>, usize) {
    let quote = &text[at..=at];
    let triple = text[at..].starts_with(&quote.repeat(3));
    let open = at + if triple { 3 } else { 1 };
    let raw = prefix.contains(['r', 'R']);
    let mut content = String::new();
    let mut letters = text[open..].char_indices();
    let mut end = text.len();
    while let Some((offset, letter)) = letters.next() {
        let here = open + offset;
        if triple && text[here..].starts_with(&text[at..open]) {
            end = here + 3;
            break;
        }
        if !triple && (text[here..].starts_with(quote) || letter == '\n') {
            end = here + usize::from(letter != '\n');
            break;
        }
        if letter != '\\' {
            content.push(letter);
            continue;
        }
        let Some((_, escaped)) = letters.next() else {
            break;
        };
        match escaped {
            escaped if raw => content.extend(['\\', escaped]),
            '\n' => {}
            'n' => content.push('\n'),
            't' => content.push('\t'),
            '\\' | '\'' | '"' => content.push(escaped),
            escaped => content.extend(['\\', escaped]),
        }
    }
    let token = if prefix.contains(['f', 'F', 't', 'T']) {
        Token::Formatted(content)
    } else {
        Token::Text(content)
    };
    (token, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Token<'_>> {
        tokens(text).into_iter().map(|spot| spot.token).collect()
    }

    #[test]
    fn strings_numbers_and_brackets_are_told_apart() {
        let sign = Token::Sign;
        let text = |content: &str| Token::Text(content.to_owned());
        assert_eq!(
            read("f(r'a\\n', \"\"\"b\n'c\"\"\", # d\n -2e-4, 5_000)\nx"),
            [
                Token::Name("f"),
                sign("("),
                text("a\\n"),
                sign(","),
                text("b\n'c"),
                sign(","),
                sign("-"),
                Token::Number("2e-4"),
                sign(","),
                Token::Number("5_000"),
                sign(")"),
                Token::Line(0),
                Token::Name("x"),
            ]
        );
    }

    #[test]
    fn a_bracket_that_is_left_open_ends_before_the_next_statement() {
        let lines = |text| {
            let all = read(text);
            all.iter()
                .filter(|token| matches!(token, Token::Line(_)))
                .count()
        };
        assert_eq!(lines("f(\n 1,\nimport os\nx"), 2);
        assert_eq!(lines("f(\n 1,\n 2)\nx"), 1);
    }
}
