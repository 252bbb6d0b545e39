//! On the slowest device, a block that other streams use comes back when the host has waited for work after its use.

mod streams;

use highwater::device::{Request, Settings, Timing};
use highwater::units::{Queue, Stream, Wait};
use streams::{MIB, OTHER, SIDE, alloc, held, shared};

/// Megabytes that are active after each request on a device that does nothing before the host waits for it.
fn active(requests: &[Request]) -> Vec<u64> {
    let settings = Settings {
        timing: Timing::WhenAwaited,
        ..Settings::default()
    };
    let held = held(settings, requests).into_iter();
    held.map(|held| held.active / MIB).collect()
}

#[test]
fn the_host_has_to_wait_for_what_comes_after_the_use_on_that_stream() {
    let seen = || alloc(1, 1, Stream::MAIN);
    let after = |waits: &[Wait]| {
        let mut requests = vec![shared(0, 64 * MIB, SIDE), Request::Free(0)];
        requests.extend(waits.iter().copied().map(Request::Wait));
        requests.push(seen());
        active(&requests).last().copied()
    };
    let waits_for_other = Wait::Stream {
        stream: Stream::MAIN,
        until: OTHER,
    };
    let done = Some(0);
    assert_eq!(after(&[Wait::Host(OTHER)]), done);
    assert_eq!(after(&[Wait::Device]), done);
    // Through a stream that waits for it.
    assert_eq!(after(&[waits_for_other, Wait::Host(Stream::MAIN)]), done);
    for others in [
        [Wait::Host(SIDE), Wait::Host(Stream::MAIN)],
        // It waits for nothing when the host waits for it.
        [Wait::Host(Stream::MAIN), waits_for_other],
    ] {
        assert_eq!(after(&others), Some(64));
    }
    // Later uses are not done yet.
    let before = [
        shared(0, 64 * MIB, SIDE),
        Request::Wait(Wait::Host(OTHER)),
        Request::Free(0),
        seen(),
    ];
    assert_eq!(active(&before), [64, 64, 64, 64]);
}

#[test]
fn the_host_waits_for_the_oldest_event_where_there_are_too_many() {
    let used = |id| [shared(id, 64 * MIB, SIDE), Request::Free(id)];
    let event = Request::Wait(Wait::Event(Queue::Frees, OTHER));
    let limit = Request::Wait(Wait::Limit(Queue::Frees));
    let seen = |id| alloc(id, 1, Stream::MAIN);
    let [[first, freed], [second, freed_too]] = [used(0), used(1)];
    let requests = [
        first,
        freed,
        event,
        limit,
        seen(2),
        second,
        freed_too,
        event,
        limit,
        seen(3),
    ];
    assert_eq!(
        active(&requests),
        [64, 64, 64, 64, 64, 128, 128, 128, 128, 64]
    );
}
