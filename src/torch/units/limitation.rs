//! Limitations of a room, for people.

/// Something that a room does not model, in one sentence of each language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limitation {
    /// In English.
    pub english: &'static str,
    /// In Chinese.
    pub chinese: &'static str,
}

/// Declares a room's `KNOWN_LIMITATIONS`: pairs of an English and a Chinese sentence.
#[macro_export]
macro_rules! limitations {
    ($($english:literal, $chinese:literal;)+) => {
        /// Limitations of this room; the page shows them among the assumptions.
        pub const KNOWN_LIMITATIONS: &[$crate::units::Limitation] = &[$($crate::units::Limitation {
            english: $english,
            chinese: $chinese,
        }),+];
    };
}

pub use limitations;
