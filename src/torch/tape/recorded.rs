//! The record of a tape.

use super::{Details, Record, Scopes, Tape};

impl Tape {
    /// How many events there have been.
    pub fn event_count(&self) -> usize {
        self.recorder.event_count()
    }

    /// How many of them are written: of those that repeat two stand for all.
    pub fn written_events(&self) -> usize {
        self.recorder.record_mut().written_events()
    }

    /// Whether what was allocated from an event on is gone, and nothing else.
    pub fn leaves_nothing(&self, since: usize) -> bool {
        self.recorder.leaves_nothing(since)
    }

    /// Ends the record: what is dropped from here on stays alive in it.
    pub fn close(&self) {
        self.recorder.close();
    }

    /// Gives what was kept of what made the storages.
    pub fn take_details(&self) -> Details {
        self.recorder.take_details()
    }

    /// Gives the record, with its scopes.
    pub fn finish(self) -> (Record, Scopes) {
        self.recorder.take()
    }
}
