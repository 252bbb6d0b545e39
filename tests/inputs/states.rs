//! The allocator's state in a snapshot, against what the same snapshot says in other ways.

use crate::libtorch::{dict, file, list, number, text};
use crate::{PEAKS, cases, snapshot_file};
use highwater::inputs::{
    AllocatorState, Device, Overview, Pool, Purpose, SegmentState, Snapshot, read_snapshot,
};

/// Every fixture that has a name.
fn fixtures() -> Vec<(String, Snapshot)> {
    let names = cases(PEAKS).into_iter();
    let names = names.map(|case| case["file"].as_str().expect("a file").to_owned());
    names
        .map(|name| {
            let snapshot = read_snapshot(&snapshot_file(&name)).expect(&name);
            (name, snapshot)
        })
        .collect()
}

#[test]
fn the_pieces_of_a_segment_add_up_to_what_is_mapped_and_held() {
    for (name, snapshot) in fixtures() {
        let device = &snapshot.devices[0];
        let state = &device.state;
        let mapped = device.mapped(state.position);
        assert_eq!(mapped.len(), state.count(), "{name}");
        let of = |own: &SegmentState| mapped.iter().find(|other| other.address == own.address);
        for own in &state.segments {
            let mapped = of(own).expect("the same segment");
            let sizes: u64 = own.pieces.iter().map(|piece| piece.size).sum();
            let used: u64 = own.pieces.iter().map(|piece| piece.used).sum();
            assert_eq!((sizes, used), (mapped.size, mapped.allocated), "{name}");
            assert_eq!(own.free.bytes, mapped.size - mapped.allocated, "{name}");
            assert_eq!(own.free.largest, mapped.largest_free, "{name}");
        }
        let blocks = state.segments.iter().flat_map(|own| &own.pieces);
        let blocks: usize = blocks.map(|piece| piece.blocks).sum();
        assert_eq!(blocks, device.live(state.position).len(), "{name}");
        let largest = mapped.iter().map(|own| own.largest_free).max();
        assert_eq!(largest, Some(state.free.largest), "{name}");
        let most = i64::try_from(state.reserved() - state.free.bytes);
        if state.refused.is_none() {
            assert_eq!(most, Ok(device.peak_allocated.bytes), "{name}");
        }
    }
}

/// Bytes of live blocks at the addresses of a segment after `position` events.
fn held(device: &Device, own: &SegmentState, position: usize) -> u64 {
    let addresses = own.address..own.address + own.size;
    let live = device.live(position).into_iter();
    let inside = live.filter(|block| addresses.contains(&block.address));
    inside.map(|block| block.size).sum()
}

#[test]
fn over_time_a_segment_holds_the_most_of_each_stretch() {
    for (name, snapshot) in fixtures() {
        let device = &snapshot.devices[0];
        let moments = &device.state.moments;
        assert!(moments.len() <= 60, "{name}");
        let largest = device.state.segments.iter().take(2);
        for own in largest {
            assert_eq!(own.over_time.len(), moments.len(), "{name}");
            for (place, from) in moments.iter().enumerate().step_by(11) {
                let end = moments.get(place + 1).copied();
                let stretch = *from..end.unwrap_or(device.events.len() + 1);
                let most = stretch.map(|position| held(device, own, position)).max();
                assert_eq!(most, Some(own.over_time[place]), "{name}: {from}");
            }
        }
    }
}

#[test]
fn where_a_request_failed_the_state_is_that_of_then() {
    let snapshot = read_snapshot(&snapshot_file("runs_out.pickle")).expect("a snapshot");
    let device = &snapshot.devices[0];
    let failed = device.failures()[0];
    assert_eq!(device.state.refused, Some(failed.requested));
    // Else the allocator would have given a part of it.
    assert!(device.state.free.largest < failed.requested);
}

#[test]
fn pieces_say_what_for_and_who_asked() {
    let snapshot = read_snapshot(&snapshot_file("trained.pickle")).expect("a snapshot");
    let device = &snapshot.devices[0];
    let guess = device.guess.as_ref().expect("frames");
    let state = &device.state;
    for (purpose, bytes) in &guess.at_peak {
        let pieces = state.segments.iter().flat_map(|own| &own.pieces);
        let mut own = pieces.filter(|piece| piece.purpose == Some(*purpose));
        assert!(*bytes < 1 << 20 || own.next().is_some(), "{purpose:?}");
    }
    let pieces = state.segments.iter().flat_map(|own| &own.pieces);
    let mut states = pieces.filter(|piece| piece.purpose == Some(Purpose::OptimizerStates));
    let frame = states.find_map(|piece| piece.frame).expect("who asked");
    assert!(state.frames[frame].contains(".py:"), "{:?}", state.frames);
}

/// A snapshot with `segments` segments of 20 MiB, each with `blocks` blocks of 512 bytes apart from one another.
fn many(segments: i64, blocks: i64) -> Snapshot {
    let mib = 1 << 20;
    let block = |size, state| dict(&[("size", number(size)), ("state", text(state))]);
    let mut pieces: Vec<Vec<u8>> = (0..blocks)
        .flat_map(|_| [block(512, "active_allocated"), block(512, "inactive")])
        .collect();
    pieces.push(block(20 * mib - blocks * 1024, "inactive"));
    let pieces = list(&pieces);
    let segment = |place: i64| {
        dict(&[
            ("device", number(0)),
            ("address", number(0x7f00_0000_0000 + place * 32 * mib)),
            ("total_size", number(20 * mib)),
            ("segment_type", text("large")),
            ("stream", number(place % 2)),
            ("segment_pool_id", list(&[number(place % 4), number(0)])),
            ("blocks", pieces.clone()),
        ])
    };
    let segments: Vec<Vec<u8>> = (0..segments).map(segment).collect();
    let root = dict(&[("segments", list(&segments))]);
    read_snapshot(&file(&root)).expect("a snapshot")
}

#[test]
fn very_many_segments_and_blocks_stay_few() {
    let snapshot = many(600, 2000);
    let overview = Overview::from(&snapshot);
    let state: &AllocatorState = &overview.devices[0].state;
    assert_eq!((state.segments.len(), state.rest.segments), (400, 200));
    assert_eq!(state.rest.bytes, 200 * (20 << 20));
    assert_eq!(state.free.pieces, 600 * 2000);
    let pieces: usize = state.segments.iter().map(|own| own.pieces.len()).sum();
    assert!(pieces < 10_000, "{pieces}");
    let written = serde_json::to_string(&overview).expect("JSON");
    assert!(written.len() < 2_000_000, "{} bytes", written.len());
    assert_eq!(state.owned(|owner| owner.pool == Pool::Private), 300);
    assert_eq!(state.owned(|owner| !owner.default_stream), 200);
}

#[test]
fn a_block_of_a_segment_that_grew_and_shrank_lies_in_one_piece_of_memory() {
    let mib = 1 << 20;
    let base = 0x7f00_0000_0000;
    let event = |action, address, size| {
        let addr = ("addr", number(address));
        dict(&[("action", text(action)), addr, ("size", number(size))])
    };
    let events = [
        event("segment_map", base, 20 * mib),
        event("segment_map", base + 20 * mib, 20 * mib),
        event("alloc", base, 30 * mib),
        event("free_requested", base, 30 * mib),
        event("free_completed", base, 30 * mib),
        event("segment_unmap", base, 20 * mib),
        event("segment_unmap", base + 20 * mib, 20 * mib),
    ];
    let root = dict(&[
        ("segments", list(&[])),
        ("device_traces", list(&[list(&events)])),
    ]);
    let snapshot = read_snapshot(&file(&root)).expect("a snapshot");
    let state = &snapshot.devices[0].state;
    let [own] = state.segments.as_slice() else {
        panic!("one segment: {state:?}");
    };
    assert_eq!(own.size, 40 << 20);
    assert_eq!((state.free.pieces, state.free.bytes), (1, 10 << 20));
    assert_eq!(own.owner, None);
}
