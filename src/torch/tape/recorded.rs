//! The record of a tape.

use super::{Details, Record, Scopes, Tape};

impl Tape {
    /// How many events there have been.
    pub fn event_count(&self) -> usize {
        self.recorder.event_count()
    }

    /// Number of written events: two repetitions represent all where events repeat.
    pub fn written_events(&self) -> usize {
        self.recorder.record_mut().written_events()
    }

    /// Whether exactly the storages that were allocated from event `since` on are freed.
    pub fn leaves_nothing(&self, since: usize) -> bool {
        self.recorder.leaves_nothing(since)
    }

    /// Ends the record: storages that are dropped from here on stay alive in it.
    pub fn close(&self) {
        self.recorder.close();
    }

    /// Takes the details of the operations that made the storages.
    pub fn take_details(&self) -> Details {
        self.recorder.take_details()
    }

    /// Gives the record, with its scopes.
    pub fn finish(self) -> (Record, Scopes) {
        self.recorder.take()
    }
}
