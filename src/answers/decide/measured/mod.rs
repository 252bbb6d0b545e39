//! Measured cases near a scenario: how many of its model's type and of its kind of run were compared with PyTorch, and
//! how far off the estimates were.
//!
//! [`CaseKey`] says what a scenario counts as, [`MeasuredCases`] holds counts and errors by key. They are compiled in
//! from `cases.txt`, which `HIGHWATER_ACCURACY=write cargo test --test accuracy` writes from `tests/fixtures`. Cases of
//! a real GPU are counted by themselves.
//!
//! Not here: how cases are compared (`report`), words (`text`).

mod key;
mod table;

pub use key::{CaseKey, CaseKind, Divided, Runs, Trained};
pub use table::{CaseErrors, MeasuredCases, MeasuredOn, Near};

#[cfg(test)]
mod tests;
