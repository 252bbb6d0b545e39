//! Streams in the caching allocator: each has a cache of its own, and whatever gives memory back to the
//! driver gives back that of all. What another stream uses, too, is cached when that is done with it.

mod streams;

use highwater::device::{Held, Limit, Replay, Request, Settings, Timing};
use highwater::units::{Stream, Wait};
use streams::{MIB, SIDE, alloc, held, shared};

fn reserved(settings: Settings, requests: &[Request]) -> Vec<u64> {
    let held = held(settings, requests);
    held.iter().map(|held| held.reserved / MIB).collect()
}

#[test]
fn a_request_is_not_served_from_another_streams_cache() {
    for bytes in [1000, 5 * MIB, 64 * MIB] {
        let requests = [
            alloc(0, bytes, SIDE),
            Request::Free(0),
            alloc(1, bytes, Stream::MAIN),
            alloc(2, bytes, Stream::side(2)),
            alloc(3, bytes, SIDE),
        ];
        let reserved = reserved(Settings::default(), &requests);
        let one = reserved[0];
        assert_eq!(reserved, [one, one, 2 * one, 3 * one, 3 * one]);
    }
}

#[test]
fn a_storage_goes_back_to_its_stream_wherever_it_is_freed() {
    let requests = [
        alloc(0, 64 * MIB, SIDE),
        alloc(1, 64 * MIB, Stream::MAIN),
        Request::Free(0),
        Request::Free(1),
        alloc(2, 64 * MIB, SIDE),
        alloc(3, 64 * MIB, SIDE),
    ];
    let reserved = reserved(Settings::default(), &requests);
    assert_eq!(reserved, [64, 128, 128, 128, 128, 192]);
}

#[test]
fn emptying_the_cache_gives_back_that_of_all_streams() {
    for expandable_segments in [false, true] {
        let settings = Settings {
            expandable_segments,
            ..Settings::default()
        };
        let mut requests = Vec::new();
        for (id, stream) in (0..).step_by(2).zip(Stream::all()) {
            let storages = [(id, 40 * MIB), (id + 1, 1000)];
            requests.extend(storages.map(|(id, bytes)| alloc(id, bytes, stream)));
            requests.extend(storages.map(|(id, _)| Request::Free(id)));
        }
        requests.push(Request::EmptyCache);
        let reserved = reserved(settings, &requests);
        assert_eq!(reserved[requests.len() - 2], 8 * 42);
        assert_eq!(reserved.last(), Some(&0));
    }
}

#[test]
fn what_other_streams_cache_is_given_back_before_memory_runs_out() {
    for max_split_size in [None, Some(32 * MIB)] {
        let settings = Settings {
            max_split_size,
            limit: Limit::Capacity(100 * MIB),
            ..Settings::default()
        };
        let requests = [
            alloc(0, 60 * MIB, SIDE),
            Request::Free(0),
            alloc(1, 60 * MIB, Stream::MAIN),
        ];
        assert_eq!(reserved(settings, &requests), [60, 60, 60]);
    }
}

#[test]
fn garbage_is_collected_on_all_streams() {
    let settings = Settings {
        garbage_collection_threshold: Some(100 * MIB),
        limit: Limit::Fraction(1000 * MIB),
        ..Settings::default()
    };
    let requests = [
        alloc(0, 60 * MIB, SIDE),
        alloc(1, 60 * MIB, Stream::MAIN),
        Request::Free(0),
        alloc(2, 20 * MIB, Stream::MAIN),
    ];
    assert_eq!(reserved(settings, &requests), [60, 120, 120, 80]);
}

#[test]
fn each_stream_has_expandable_segments_of_its_own() {
    let settings = Settings {
        expandable_segments: true,
        ..Settings::default()
    };
    let requests = [
        alloc(0, 30 * MIB, SIDE),
        alloc(1, 30 * MIB, Stream::MAIN),
        Request::Free(0),
        // It grows where it is.
        alloc(2, 60 * MIB, SIDE),
        alloc(3, 10 * MIB, Stream::MAIN),
    ];
    assert_eq!(reserved(settings, &requests), [40, 80, 80, 100, 100]);
}

#[test]
fn what_another_stream_uses_stays_active_after_its_free_until_that_is_done_with_it() {
    let requests = [
        shared(0, 64 * MIB, SIDE),
        Request::Free(0),
        Request::Nothing,
        alloc(1, 64 * MIB, SIDE),
        Request::Wait(Wait::Device),
        alloc(2, 64 * MIB, SIDE),
    ];
    for (timing, expected) in [
        (
            // It is free again for the very next request.
            Timing::AtOnce,
            [
                [64, 64, 64],
                [0, 64, 64],
                [0, 64, 64],
                [64, 64, 64],
                [64, 64, 64],
                [128, 128, 128],
            ],
        ),
        (
            Timing::WhenAwaited,
            [
                [64, 64, 64],
                [0, 64, 64],
                [0, 64, 64],
                [64, 128, 128],
                [64, 128, 128],
                [128, 128, 128],
            ],
        ),
    ] {
        let settings = Settings {
            timing,
            ..Settings::default()
        };
        let held = held(settings, &requests);
        let found: Vec<[u64; 3]> = held
            .iter()
            .map(|held| [held.allocated, held.active, held.reserved].map(|bytes| bytes / MIB))
            .collect();
        assert_eq!(found, expected, "{timing:?}");
    }
}

#[test]
fn what_waits_for_other_streams_is_awaited_before_memory_runs_out_and_when_the_cache_is_emptied() {
    let settings = Settings {
        timing: Timing::WhenAwaited,
        limit: Limit::Capacity(100 * MIB),
        ..Settings::default()
    };
    let requests = [
        shared(0, 60 * MIB, SIDE),
        Request::Free(0),
        shared(1, 60 * MIB, Stream::MAIN),
        Request::Free(1),
        Request::EmptyCache,
    ];
    let held = held(settings, &requests);
    let found: Vec<[u64; 2]> = held
        .iter()
        .map(|held| [held.active / MIB, held.reserved / MIB])
        .collect();
    assert_eq!(found, [[60, 60], [60, 60], [60, 60], [60, 60], [0, 0]]);
}

/// The allocator with nothing set, as simple as can be: a list of blocks by address.
struct Naive {
    blocks: Vec<Block>,
    segments: u64,
    capacity: u64,
    timing: Timing,
}

#[derive(Clone, Copy)]
struct Block {
    segment: u64,
    size: u64,
    small: bool,
    stream: Stream,
    what: Use,
}

/// The use of a block.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Nothing,
    /// A storage of its own stream, or one that others use, too.
    Own(u32),
    Shared(u32),
    /// Freed, and waiting for other streams, or to be seen by the next request.
    Waiting,
    Complete,
}

impl Naive {
    fn held(&self) -> Held {
        let sum = |counts: fn(&Block) -> bool| {
            let blocks = self.blocks.iter().filter(|block| counts(block));
            blocks.map(|block| block.size).sum()
        };
        Held {
            allocated: sum(|block| matches!(block.what, Use::Own(_) | Use::Shared(_))),
            active: sum(|block| block.what != Use::Nothing),
            reserved: sum(|_| true),
        }
    }

    fn best_fit(&self, wanted: &Block) -> Option<usize> {
        let fits = |block: &Block| {
            let alike = (block.small, block.stream) == (wanted.small, wanted.stream);
            block.what == Use::Nothing && alike && block.size >= wanted.size
        };
        let fitting = (0..self.blocks.len()).filter(|&at| fits(&self.blocks[at]));
        // The first of the smallest.
        fitting.min_by_key(|&at| self.blocks[at].size)
    }

    fn new_segment(&mut self, wanted: &Block) -> bool {
        let size = match wanted.size {
            0..=MIB => 2 * MIB,
            size if size < 10 * MIB => 20 * MIB,
            size => size.next_multiple_of(2 * MIB),
        };
        if self.held().reserved + size > self.capacity {
            return false;
        }
        self.segments += 1;
        self.blocks.push(Block {
            segment: self.segments,
            size,
            what: Use::Nothing,
            ..*wanted
        });
        true
    }

    fn empty_cache(&mut self) {
        self.change(
            |what| matches!(what, Use::Waiting | Use::Complete),
            Use::Nothing,
        );
        let blocks = self.blocks.clone();
        let in_use = |segment| {
            let mut blocks = blocks.iter();
            blocks.any(|block| block.segment == segment && block.what != Use::Nothing)
        };
        self.blocks.retain(|block| in_use(block.segment));
    }

    fn alloc(&mut self, what: Use, bytes: u64, stream: Stream) -> bool {
        let at_once = self.timing == Timing::AtOnce;
        let is_seen = |what| what == Use::Complete || at_once && what == Use::Waiting;
        self.change(is_seen, Use::Nothing);
        let size = bytes.next_multiple_of(512);
        let wanted = Block {
            segment: 0,
            size,
            small: size <= MIB,
            stream,
            what,
        };
        if self.best_fit(&wanted).is_none() && !self.new_segment(&wanted) {
            self.empty_cache();
            if !self.new_segment(&wanted) {
                return false;
            }
        }
        let at = self.best_fit(&wanted).expect("a block");
        let block = &mut self.blocks[at];
        let rest = block.size - size;
        if rest >= if wanted.small { 512 } else { MIB + 1 } {
            block.size = size;
            let rest = Block {
                size: rest,
                ..*block
            };
            self.blocks.insert(at + 1, rest);
        }
        self.blocks[at].what = what;
        true
    }

    /// Blocks whose use satisfies `is` become `becomes`; free blocks are merged.
    fn change(&mut self, is: impl Fn(Use) -> bool, becomes: Use) {
        for block in self.blocks.iter_mut().filter(|block| is(block.what)) {
            block.what = becomes;
        }
        self.blocks.dedup_by(|block, before| {
            let free = [block.what, before.what] == [Use::Nothing; 2];
            let merges = block.segment == before.segment && free;
            before.size += if merges { block.size } else { 0 };
            merges
        });
    }

    fn run(&mut self, request: Request) -> Option<Held> {
        let mut served = true;
        match request {
            Request::Alloc {
                id,
                bytes,
                stream,
                used_on,
            } => {
                let what = if used_on.is_empty() {
                    Use::Own
                } else {
                    Use::Shared
                };
                served = self.alloc(what(id), bytes, stream);
            }
            Request::Free(id) => {
                self.change(|what| what == Use::Own(id), Use::Nothing);
                self.change(|what| what == Use::Shared(id), Use::Waiting);
            }
            Request::Wait(_) => self.change(|what| what == Use::Waiting, Use::Complete),
            _ => self.empty_cache(),
        }
        served.then(|| self.held())
    }
}

/// A generator of numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn one_of<T>(&mut self, mut items: impl ExactSizeIterator<Item = T>) -> Option<T> {
        let at = self.below(items.len().max(1) as u64);
        items.nth(usize::try_from(at).expect("an index"))
    }
}

/// Requests of random sizes on all streams.
fn random_requests(seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests = Vec::new();
    let mut live: Vec<u32> = Vec::new();
    for id in 0..300 {
        let most = [4_000, MIB, 12 * MIB, 100 * MIB];
        let most = random.one_of(most.into_iter()).expect("a size");
        let stream = random.below(Stream::COUNT.into());
        let stream = Stream::all().nth(usize::try_from(stream / 2).expect("a stream"));
        let bytes = 1 + random.below(most);
        let kinds: [fn(u32, u64, Stream) -> Request; 3] = [alloc, alloc, shared];
        let kind = random.one_of(kinds.into_iter()).expect("a kind");
        requests.push(kind(id, bytes, stream.expect("a stream")));
        live.push(id);
        while random.below(9) < 4 {
            if let Some(at) = random.one_of(0..live.len()) {
                requests.push(Request::Free(live.swap_remove(at)));
            }
        }
        match random.below(60) {
            0 => requests.push(Request::EmptyCache),
            1..=4 => requests.push(Request::Wait(Wait::Device)),
            _ => {}
        }
    }
    requests
}

#[test]
fn any_requests_of_any_streams_are_served_as_a_list_of_blocks_would_serve_them() {
    let mut refused = 0;
    for seed in 1..=60 {
        let requests = random_requests(seed);
        for (at, capacity) in [u64::MAX, 800 * MIB, 1600 * MIB].into_iter().enumerate() {
            let timing = if (seed + at as u64).is_multiple_of(2) {
                Timing::AtOnce
            } else {
                Timing::WhenAwaited
            };
            let settings = Settings {
                limit: Limit::Capacity(capacity),
                timing,
                ..Settings::default()
            };
            let mut replay = Replay::new(requests.len(), settings);
            let mut naive = Naive {
                blocks: Vec::new(),
                segments: 0,
                capacity,
                timing,
            };
            for (at, &request) in requests.iter().enumerate() {
                let expected = naive.run(request);
                assert_eq!(replay.run(request).ok(), expected, "{seed}, {at}");
                if expected.is_none() {
                    refused += 1;
                    break;
                }
            }
        }
    }
    assert!((10..110).contains(&refused), "{refused}");
}
