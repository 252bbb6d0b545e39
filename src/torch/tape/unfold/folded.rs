//! A record that is to be unfolded.

use crate::tape::details::Details;
use crate::tape::event::Event;
use crate::tape::record::{Passage, Record};
use std::ops::Range;

/// The folded record of a tape.
pub(in crate::tape) struct Folded<'a> {
    pub(in crate::tape) record: &'a Record,
    pub(in crate::tape) details: Option<&'a Details>,
}

impl<'a> Folded<'a> {
    /// The events at some places.
    pub(in crate::tape) fn events(&self, places: Range<usize>) -> impl Iterator<Item = Event> + 'a {
        self.record.between(places)
    }

    /// Storages and events that are written at some places.
    pub(in crate::tape) fn written(&self, places: Range<usize>) -> [usize; 2] {
        let mut written = [0, 0];
        for passage in self.record.passages(places) {
            if let Passage::Written(piece) = passage {
                let made = piece
                    .events()
                    .filter(|event| matches!(event, Event::Alloc(_)));
                written[0] += made.count();
                written[1] += piece.event_count();
            }
        }
        written
    }
}
