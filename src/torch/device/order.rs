//! How far streams are at least: on the slowest device a stream does nothing before the host waits for it.
//!
//! A stream's *place* counts the work recorded on it. Work on a stream comes after the places of other streams that it
//! has waited for; when the host waits for a place, all work before it is done, and no other.

use crate::units::{Queue, Stream, Streams, Wait};
use std::collections::VecDeque;

const STREAMS: usize = Stream::COUNT as usize;
const QUEUES: usize = Queue::ALL.len();

/// A place in each stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places([u32; STREAMS]);

impl Places {
    fn of(&self, stream: Stream) -> u32 {
        self.0[usize::from(stream.number())]
    }

    /// The later one of each stream.
    fn with(&mut self, others: &Self) {
        for (place, other) in self.0.iter_mut().zip(others.0) {
            *place = (*place).max(other);
        }
    }
}

/// Streams of a device that takes as much time as it can, and a host that waits now and then.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// For each stream, the places that its next work comes after; its own place among them.
    after: [Places; STREAMS],
    /// The places up to which all work is surely done.
    reached: Places,
    /// Events that the host can wait for, with their streams.
    queues: [VecDeque<(Stream, Places)>; QUEUES],
}

impl Order {
    /// An event is recorded on a stream: what comes before it.
    fn event(&mut self, stream: Stream) -> Places {
        let at = usize::from(stream.number());
        self.after[at].0[at] += 1;
        self.after[at]
    }

    /// An event on several streams: the places before any of them.
    pub fn events(&mut self, streams: Streams) -> Places {
        let mut before = Places::default();
        for stream in Stream::all().filter(|&stream| streams.contains(stream)) {
            before.with(&self.event(stream));
        }
        before
    }

    /// Whether these places are reached on these streams.
    pub fn has_reached(&self, streams: Streams, places: &Places) -> bool {
        let mut streams = Stream::all().filter(|&stream| streams.contains(stream));
        streams.all(|stream| self.reached.of(stream) >= places.of(stream))
    }

    /// The host waits for these places.
    pub fn reach(&mut self, places: &Places) {
        self.reached.with(places);
    }

    /// The host waits for all streams.
    pub fn reach_all(&mut self) {
        for after in &self.after {
            self.reached.with(after);
        }
    }

    /// A stream or the host waits; whether the host does.
    pub fn run(&mut self, wait: Wait) -> bool {
        match wait {
            Wait::Stream { stream, until } => {
                let before = self.event(until);
                self.after[usize::from(stream.number())].with(&before);
                false
            }
            Wait::Host(stream) => {
                let before = self.event(stream);
                self.reach(&before);
                true
            }
            Wait::Device => {
                self.reach_all();
                true
            }
            Wait::Event(queue, stream) => {
                let before = self.event(stream);
                self.queues[queue as usize].push_back((stream, before));
                false
            }
            Wait::Limit(queue) => self.limit(queue),
        }
    }

    /// The host waits for the oldest event of a queue, where there are too many.
    fn limit(&mut self, queue: Queue) -> bool {
        let reached = self.reached;
        let events = &mut self.queues[queue as usize];
        let is_complete = |(stream, before): &(Stream, Places)| {
            queue.drops_complete() && reached.of(*stream) >= before.of(*stream)
        };
        while events.front().is_some_and(is_complete) {
            events.pop_front();
        }
        if events.len() < queue.too_many() {
            return false;
        }
        let oldest = events.pop_front();
        if let Some((_, before)) = &oldest {
            self.reach(before);
        }
        oldest.is_some()
    }
}
