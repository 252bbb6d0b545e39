//! Records that differ in the bytes of their storages alone.

use super::Record;

impl Record {
    /// Whether `other` is this record but for the bytes of its storages.
    pub fn differs_in_bytes_only(&self, other: &Self) -> bool {
        self.words == other.words
            && self.copies == other.copies
            && self.storages.differs_in_bytes_only(&other.storages)
    }

    /// This record with other bytes of the storages that are written, in order.
    pub fn with_bytes(&self, bytes: impl Iterator<Item = u64>) -> Self {
        Self {
            storages: self.storages.with_bytes(bytes),
            words: self.words.clone(),
            copies: self.copies.clone(),
        }
    }
}
