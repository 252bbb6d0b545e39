//! Words and numbers for people, in English and in Chinese.
//!
//! Everything a person reads is made here. Each word is one line with both languages, so that
//! none can be missing; each sentence is a function of plain data. Nothing here knows the page.

mod language;
mod numbers;
mod terms;
mod words;

pub use language::Language;
pub use numbers::{ByteUnits, Scale, amount, count, difference, exact, percent, short_count};
pub use terms::Term;
pub use words::Word;
