//! The moving peak: the mark at the phase that binds, the note that it has moved, and scales that hold still
//! meanwhile.

mod crown;
mod held;
mod moved;

pub(super) use crown::Crown;
pub(super) use held::held;
pub(super) use moved::MovedNote;
