//! Numbers as people write them: `8k`, `1.5B`, `24GiB`, `24 GB`. All arithmetic is in integers.

use crate::ask::{Message, message};
use crate::units::{GIB, KIB, MIB};

/// Why a text is not a number of the wanted kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// There is no text.
    Empty,
    /// There are no digits, or something between them.
    NotANumber,
    /// It is below zero.
    Negative,
    /// The unit is not known here.
    UnknownUnit,
    /// It is not a whole number.
    NotWhole,
    /// It does not fit in 64 bits.
    TooLarge,
}

impl NumberError {
    /// The message.
    pub fn message(self) -> Message {
        match self {
            Self::Empty => message!(codec::number_missing),
            Self::NotANumber => message!(codec::no_number),
            Self::Negative => message!(codec::number_negative),
            Self::UnknownUnit => message!(codec::unit_unknown),
            Self::NotWhole => message!(codec::number_not_whole),
            Self::TooLarge => message!(codec::number_too_large),
        }
    }
}

/// A count: `1.5B` is 1,500,000,000 and `8k` is 8,000.
pub fn parse_count(text: &str) -> Result<u64, NumberError> {
    let (mantissa, unit) = split(text)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "b" | "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => KIB,
        "mi" => MIB,
        "gi" => GIB,
        _ => return Err(NumberError::UnknownUnit),
    };
    mantissa.times(factor, Rounding::Refuse)
}

/// A number of tokens: `8k` is 8,192, as context lengths are named.
pub fn parse_tokens(text: &str) -> Result<u64, NumberError> {
    let (mantissa, unit) = split(text)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" | "ki" => KIB,
        "m" | "mi" => MIB,
        _ => return Err(NumberError::UnknownUnit),
    };
    mantissa.times(factor, Rounding::Refuse)
}

/// A number of bytes: `24GiB` is 24 x 2^30, `24 GB` is 24 x 10^9; a bare `24G` is binary, as
/// `free`, Docker and Slurm read it. Rounded to whole bytes.
pub fn parse_bytes(text: &str) -> Result<u64, NumberError> {
    let (mantissa, unit) = split(text)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "ki" | "kib" => KIB,
        "m" | "mi" | "mib" => MIB,
        "g" | "gi" | "gib" => GIB,
        "t" | "ti" | "tib" => 1024 * GIB,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(NumberError::UnknownUnit),
    };
    mantissa.times(factor, Rounding::Nearest)
}

/// Bytes in the largest binary unit that says them exactly.
pub fn write_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1024 * GIB, "TiB"),
        (GIB, "GiB"),
        (MIB, "MiB"),
        (KIB, "KiB"),
    ];
    let exact = UNITS
        .iter()
        .find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    match exact {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// The treatment of fractions.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    Refuse,
    Nearest,
}

/// A decimal number: `digits / 10^decimals`.
struct Mantissa {
    digits: u128,
    decimals: u32,
}

impl Mantissa {
    fn times(&self, factor: u64, rounding: Rounding) -> Result<u64, NumberError> {
        let scale = 10_u128.pow(self.decimals);
        let product = self
            .digits
            .checked_mul(u128::from(factor))
            .ok_or(NumberError::TooLarge)?;
        if rounding == Rounding::Refuse && !product.is_multiple_of(scale) {
            return Err(NumberError::NotWhole);
        }
        u64::try_from((product + scale / 2) / scale).map_err(|_| NumberError::TooLarge)
    }
}

/// Splits a text into its number and its unit. Spaces and `_` between digits, and commas between
/// groups of three, are for reading only.
fn split(text: &str) -> Result<(Mantissa, &str), NumberError> {
    /// Digits that leave room for every unit in 128 bits.
    const MOST_DIGITS: u32 = 24;
    let text = text.trim();
    if text.is_empty() {
        return Err(NumberError::Empty);
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if unsigned.starts_with(['-', '\u{2212}']) {
        return Err(NumberError::Negative);
    }
    let end = unsigned
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | ' ')))
        .unwrap_or(unsigned.len());
    let (number, unit) = unsigned.split_at(end);
    let number = number.trim_end();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if !grouped_by_three(whole) || fraction.contains([',', '.']) {
        return Err(NumberError::NotANumber);
    }
    let mut mantissa = Mantissa {
        digits: 0,
        decimals: 0,
    };
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    let (whole, mut fraction) = (digits(whole), digits(fraction));
    while fraction.last() == Some(&b'0') {
        fraction.pop();
    }
    if whole.is_empty() && !number.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::NotANumber);
    }
    let significant = whole.iter().skip_while(|digit| **digit == b'0').count() + fraction.len();
    if significant > MOST_DIGITS as usize {
        return Err(NumberError::TooLarge);
    }
    for digit in whole.iter().chain(&fraction) {
        mantissa.digits = mantissa.digits * 10 + u128::from(digit - b'0');
    }
    mantissa.decimals = u32::try_from(fraction.len()).unwrap_or(MOST_DIGITS);
    Ok((mantissa, unit.trim()))
}

/// Whether commas, if there are any, stand between groups of three digits.
fn grouped_by_three(whole: &str) -> bool {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or("");
    let mut rest = groups.peekable();
    rest.peek().is_none()
        || ((1..=3).contains(&first.len())
            && rest.all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_decimal() {
        assert_eq!(parse_count("8k"), Ok(8_000));
        assert_eq!(parse_count("1.5B"), Ok(1_500_000_000));
        assert_eq!(parse_count("10,000"), Ok(10_000));
        assert_eq!(parse_count(" 1_000 000 "), Ok(1_000_000));
    }

    #[test]
    fn tokens_are_binary_as_context_lengths_are() {
        assert_eq!(parse_tokens("8k"), Ok(8192));
        assert_eq!(parse_tokens("1M"), Ok(1 << 20));
        assert_eq!(parse_tokens("0.5k"), Ok(512));
        assert_eq!(parse_tokens("512"), Ok(512));
    }

    #[test]
    fn bytes_know_both_kinds_of_units() {
        assert_eq!(parse_bytes("24GiB"), Ok(24 << 30));
        assert_eq!(parse_bytes("24 GB"), Ok(24_000_000_000));
        assert_eq!(parse_bytes("24g"), Ok(24 << 30));
        assert_eq!(parse_bytes("1.5 TiB"), Ok(3 << 39));
        assert_eq!(parse_bytes("0.1GiB"), Ok(107_374_182));
        assert_eq!(parse_bytes("79.15GiB"), Ok(84_986_665_370));
    }

    #[test]
    fn what_is_no_number_says_why() {
        assert_eq!(parse_count(""), Err(NumberError::Empty));
        assert_eq!(parse_count("-3"), Err(NumberError::Negative));
        assert_eq!(parse_count("k"), Err(NumberError::NotANumber));
        assert_eq!(parse_count("."), Err(NumberError::NotANumber));
        assert_eq!(parse_count("1.2.3"), Err(NumberError::NotANumber));
        assert_eq!(parse_count("1,5"), Err(NumberError::NotANumber));
        assert_eq!(parse_count("8 apples"), Err(NumberError::UnknownUnit));
        assert_eq!(parse_count("1.5"), Err(NumberError::NotWhole));
        assert_eq!(parse_tokens("1G"), Err(NumberError::UnknownUnit));
        assert_eq!(
            parse_count("18446744073709551616"),
            Err(NumberError::TooLarge)
        );
        assert_eq!(parse_count(&"9".repeat(1000)), Err(NumberError::TooLarge));
        assert_eq!(parse_bytes("NaN"), Err(NumberError::NotANumber));
    }

    #[test]
    fn bytes_are_written_in_the_largest_exact_unit() {
        for bytes in [
            0,
            1,
            1023,
            1024,
            3 << 20,
            128 << 30,
            5 << 40,
            84_986_665_370,
            u64::MAX,
        ] {
            assert_eq!(parse_bytes(&write_bytes(bytes)), Ok(bytes));
        }
        assert_eq!(write_bytes(128 << 30), "128GiB");
        assert_eq!(write_bytes(0), "0");
    }
}
