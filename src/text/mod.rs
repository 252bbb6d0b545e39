//! Words and numbers for people, in English and in Chinese.
//!
//! Everything a person reads is made here. Each word is one line with both languages, so that
//! none can be missing; each sentence is a function of plain data. Nothing here knows the page.

mod language;
mod numbers;
mod sentences;
mod terms;
mod words;

pub use language::Language;
pub use numbers::{
    ByteUnits, Scale, amount, count, difference, exact, exact_bytes, percent, short_count,
};
pub use sentences::{
    bar_name, embed_snippet, explanation, fits_up_to, fix_label, host_peak, largest_fitting,
    phase_in_sentence, phase_short, phases_summary, switch_sentence, verdict_answer,
    verdict_detail,
};
pub use terms::Term;
pub use words::{Word, idle_reason};
