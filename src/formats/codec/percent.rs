//! Percent-encoding of query strings.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that a query's value cannot hold as they are. Characters that links are commonly read with, such as
/// `,` and `/`, stay readable.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',')
    .remove(b':')
    .remove(b'/')
    .remove(b'@')
    .remove(b'!')
    .remove(b'*');

/// Writes a value of a query.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Reads a name or value of a query: `%XX` is a byte, `+` a space; a malformed escape stays as it is, and bytes that
/// are not UTF-8 become the replacement character.
pub fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_survives_the_way_there_and_back() {
        for text in [
            "",
            "a b+c",
            "100%",
            "%zz",
            "q&a=1#x",
            "\"{[显存]}\"",
            "a,b:c/d",
        ] {
            assert_eq!(decode(&encode(text)), text);
        }
    }

    #[test]
    fn malformed_escapes_stay_as_they_are() {
        assert_eq!(decode("%"), "%");
        assert_eq!(decode("%4"), "%4");
        assert_eq!(decode("%g1"), "%g1");
        assert_eq!(decode("%ff"), "\u{fffd}");
    }
}
