//! Percent-encoding of query strings.

/// Writes what a query's value cannot hold as it is. Characters that links are commonly read
/// with, such as `,` and `/`, stay readable.
pub(super) fn encode(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~,:/@!*".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Reads a name or value of a query: `%XX` is a byte, `+` a space; what is malformed stays as it
/// is, and bytes that are not UTF-8 become the replacement character.
pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let escaped = (bytes[i] == b'%')
            .then(|| Some(hex(*bytes.get(i + 1)?)? * 16 + hex(*bytes.get(i + 2)?)?))
            .flatten();
        if let Some(byte) = escaped {
            out.push(byte);
            i += 3;
        } else {
            out.push(if bytes[i] == b'+' { b' ' } else { bytes[i] });
            i += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
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
