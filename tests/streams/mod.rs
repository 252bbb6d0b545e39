//! Requests of several streams, for the tests of what the allocator does with them.

use highwater::device::{Held, Replay, Request, Settings};
use highwater::units::{Stream, Streams};

/// Bytes of one.
pub const MIB: u64 = 1 << 20;
/// The stream that owns shared blocks.
pub const SIDE: Stream = Stream::side(1);
/// The stream that uses what belongs to others.
pub const OTHER: Stream = Stream::side(7);

/// An allocation that its own stream alone uses.
pub fn alloc(id: u32, bytes: u64, stream: Stream) -> Request {
    Request::Alloc {
        id,
        bytes,
        stream,
        used_on: Streams::NONE,
    }
}

/// An allocation that another stream uses, too.
pub fn shared(id: u32, bytes: u64, stream: Stream) -> Request {
    Request::Alloc {
        id,
        bytes,
        stream,
        used_on: Streams::NONE.with(OTHER),
    }
}

/// The memory that is held after each request.
pub fn held(settings: Settings, requests: &[Request]) -> Vec<Held> {
    let mut replay = Replay::new(requests.len(), settings);
    let run = |&request| replay.run(request).expect("enough memory");
    requests.iter().map(run).collect()
}
