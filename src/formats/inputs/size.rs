//! Amounts of memory as messages print them.

use std::cmp::Ordering;

/// An amount that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// In bytes, rounded where the message rounds.
    Bytes(u64),
    /// More than any machine has, as it is printed: a number that underflowed, or that the driver does not know.
    Nonsense(String),
}

impl Size {
    /// The bytes, where they make sense.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Size::Bytes(bytes) => Some(bytes),
            Size::Nonsense(_) => None,
        }
    }
}

/// The bytes of a unit. All of PyTorch's units are powers of 1024, those written without an i, too
/// (`c10/core/Allocator.cpp` and `torch/cuda/memory.py` of 1.0 to 2.15, `aten/src/ATen/mps` of 1.13 to 2.15).
fn unit(name: &str) -> Option<u128> {
    let shift = match name.to_ascii_lowercase().as_str() {
        "b" | "byte" | "bytes" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        "p" | "pb" | "pib" => 50,
        _ => return None,
    };
    Some(1 << shift)
}

/// The amount that a text begins with, after blanks, colons and equals signs.
pub(super) fn leading(text: &str) -> Option<Size> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ':' || c == '=');
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, rest) = text.split_at(digits?);
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic());
    let name = &rest[..end.unwrap_or(rest.len())];
    amount(number, name)
}

/// The amount that a text ends with.
pub(super) fn trailing(text: &str) -> Option<Size> {
    let text = text.trim_end();
    let start = text.rfind(|c: char| !c.is_ascii_alphabetic());
    let start = start.map_or(0, |at| text.ceil_char_boundary(at + 1));
    let (rest, name) = text.split_at(start);
    let rest = rest.trim_end();
    let start = rest.rfind(|c: char| !c.is_ascii_digit() && c != '.');
    let start = start.map_or(0, |at| rest.ceil_char_boundary(at + 1));
    amount(&rest[start..], name)
}

/// The whole number that a text begins with, after blanks, colons and equals signs.
pub(super) fn integer(text: &str) -> Option<i64> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ':' || c == '=');
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let end = end.unwrap_or(digits.len()) + (text.len() - digits.len());
    text[..end].parse().ok()
}

/// The number that a text begins with, as [`integer`].
pub(super) fn unsigned(text: &str) -> Option<u64> {
    integer(text).and_then(|number| u64::try_from(number).ok())
}

/// The most digits that a number may have before or after its point.
const DIGITS: usize = 20;

fn amount(number: &str, name: &str) -> Option<Size> {
    let unit = unit(name)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || whole.len() > DIGITS || fraction.contains('.') {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(6)];
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let bytes = digits.checked_mul(unit)?;
    let (floor, rest) = (bytes / scale, bytes % scale);
    let up = (rest * 2).cmp(&scale) != Ordering::Less;
    let bytes = floor + u128::from(up);
    Some(match u64::try_from(bytes) {
        Ok(bytes) if bytes < 1 << 60 => Size::Bytes(bytes),
        _ => Size::Nonsense(format!("{number} {name}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_bytes_whatever_their_unit() {
        for (text, bytes) in [
            ("12.50 MiB (GPU", 13_107_200),
            (": 1.72 GiB", 1_846_835_937),
            ("512.00 KiB", 524_288),
            ("0 bytes is", 0),
            ("72GB. Buy", 77_309_411_328),
        ] {
            assert_eq!(leading(text), Some(Size::Bytes(bytes)), "{text}");
        }
        assert_eq!(trailing("of 9.28 GiB "), Some(Size::Bytes(9_964_324_127)));
        assert_eq!(trailing("3.1 GiB is"), None);
    }

    #[test]
    fn an_amount_that_no_machine_has_is_nonsense() {
        let size = leading("17179869184.00 GiB memory");
        assert_eq!(size, Some(Size::Nonsense("17179869184.00 GiB".to_owned())));
        assert_eq!(leading("99999999999999999999999999999 GiB"), None);
        assert_eq!(leading("1.2.3 GiB"), None);
    }
}
