//! The events of a record.

#![allow(
    clippy::inline_always,
    reason = "every event of a run passes here, and the page is compiled for size"
)]

use crate::units::{Queue, Stream, Wait};

/// One entry of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The storage with this number is allocated.
    Alloc(u32),
    /// The storage with this number is freed.
    Free(u32),
    /// The mark with this number: a phase begins.
    Mark(u32),
    /// The cache is emptied: `torch.cuda.empty_cache()`.
    EmptyCache,
    /// A stream or the host waits; but for the host that waits for the device only where that is asked for
    /// ([`super::Tape::with_waits`]).
    Wait(Awaited),
}

/// Who waits for whom, as a number: an event is two words, as its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited(u32);

impl Awaited {
    /// Packs a wait.
    pub fn of(wait: Wait) -> Self {
        Self(code(wait))
    }

    /// The wait.
    #[cold]
    pub fn wait(self) -> Wait {
        wait(self.0)
    }
}

/// An event in four bytes, since records of large models have millions. Numbers are below 2^30; the
/// two lowest bits say what it is, an allocation has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(u32);

/// The lowest bits.
const KIND: u32 = 3;
const ALLOC: u32 = 0;
const FREE: u32 = 1;
const MARK: u32 = 2;
const EMPTY_CACHE: u32 = 3;
/// The bit of a second thing that is of no storage, and where it says what waits for what.
const WAIT: u32 = 1 << 2;
const WAIT_SHIFT: u32 = 3;

/// A number for everything that can be waited for: two of eight streams, the kind.
fn code(wait: Wait) -> u32 {
    let (kind, one, other) = match wait {
        Wait::Stream { stream, until } => (0, stream.number(), until.number()),
        Wait::Host(stream) => (1, stream.number(), 0),
        Wait::Event(queue, stream) => (2, stream.number(), queue as u8),
        Wait::Limit(queue) => (3, 0, queue as u8),
        Wait::Device => (4, 0, 0),
    };
    kind << 6 | u32::from(one) << 3 | u32::from(other)
}

/// The wait with that number.
#[cold]
fn wait(code: u32) -> Wait {
    let of = |bits: u32| (bits & 7) as usize;
    let stream = |at| Stream::all().nth(at).unwrap_or_default();
    let (one, other) = (stream(of(code >> 3)), of(code));
    let queue = Queue::ALL[other.min(Queue::ALL.len() - 1)];
    match code >> 6 {
        0 => Wait::Stream {
            stream: one,
            until: stream(other),
        },
        1 => Wait::Host(one),
        2 => Wait::Event(queue, one),
        3 => Wait::Limit(queue),
        _ => Wait::Device,
    }
}

impl Word {
    #[inline]
    pub(super) fn of(event: Event) -> Self {
        Self(match event {
            Event::Alloc(id) => id << 2,
            Event::Free(id) => id << 2 | FREE,
            Event::Mark(mark) => mark << 2 | MARK,
            Event::EmptyCache => EMPTY_CACHE,
            Event::Wait(Awaited(code)) => WAIT | code << WAIT_SHIFT | EMPTY_CACHE,
        })
    }

    /// Of a storage or a mark.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 >> 2
    }

    #[inline(always)]
    pub(super) fn event(self) -> Event {
        match self.0 & KIND {
            ALLOC => Event::Alloc(self.number()),
            FREE => Event::Free(self.number()),
            _ => self.rare(),
        }
    }

    /// An event that neither allocates nor frees: these two are told apart by a branch that is easy to predict.
    #[cold]
    fn rare(self) -> Event {
        if self.is_mark() {
            Event::Mark(self.number())
        } else if self.0 & WAIT != 0 {
            Event::Wait(Awaited(self.0 >> WAIT_SHIFT))
        } else {
            Event::EmptyCache
        }
    }

    /// The event `times` turns later, where one turn is the distance from `before` to this event.
    #[inline(always)]
    pub(super) fn further(self, before: Self, times: u32) -> Self {
        self.as_much(self, before, times)
    }

    /// The event that is `times` times the distance from `before` to `one` behind this event.
    #[inline(always)]
    pub(super) fn as_much(self, one: Self, before: Self, times: u32) -> Self {
        let step = one.0.wrapping_sub(before.0);
        Self(self.0.wrapping_add(step.wrapping_mul(times)))
    }

    /// The event of a storage `storages` numbers further, or of a mark `marks` further.
    #[inline]
    pub(super) fn in_turn(self, storages: u32, marks: u32) -> Self {
        match self.0 & KIND {
            ALLOC | FREE => Self(self.0.wrapping_add(storages << 2)),
            MARK => Self(self.0.wrapping_add(marks << 2)),
            _ => self,
        }
    }

    /// Whether it frees what `before` has allocated.
    #[inline(always)]
    pub(super) fn ends(self, before: Self) -> bool {
        self.0 == before.0 | FREE && before.0 & KIND == ALLOC
    }

    /// Whether it begins a phase.
    pub(super) fn is_mark(self) -> bool {
        self.0 & KIND == MARK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_read_as_it_was_written() {
        let all = || Stream::all();
        let streams =
            all().flat_map(|stream| all().map(move |until| Wait::Stream { stream, until }));
        let events = all().flat_map(|s| Queue::ALL.map(|queue| Wait::Event(queue, s)));
        let waits = streams
            .chain(all().map(Wait::Host))
            .chain(events)
            .chain(Queue::ALL.map(Wait::Limit))
            .chain([Wait::Device]);
        for wait in waits {
            let event = Event::Wait(Awaited::of(wait));
            assert_eq!(Word::of(event).event(), event);
            assert_eq!(Awaited::of(wait).wait(), wait);
        }
        for event in [Event::EmptyCache, Event::Mark(3)] {
            assert_eq!(Word::of(event).event(), event);
        }
    }
}
