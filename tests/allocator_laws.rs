//! Laws of the caching allocator, over random requests of one stream or of several, and all its settings.

use highwater::device::{Failure, Limit, Replay, Request, Settings};
use highwater::units::{Stream, Streams};
use std::cell::Cell;

const MIB: u64 = 1 << 20;

/// A small generator of numbers (xorshift64), so that every run asks the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Sizes as training has them: many small ones, some large, a few equal to each other.
    fn size(&mut self) -> u64 {
        match self.below(6) {
            0 => 1 + self.below(2_000),
            1 => 1 + self.below(MIB),
            2 => 1 + self.below(12 * MIB),
            3 => 1 + self.below(200 * MIB),
            4 => 4 * MIB,
            _ => 33 * MIB + 77,
        }
    }
}

/// Random requests that free everything in the end, every second time those of three streams.
fn requests(seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests = Vec::new();
    let mut live: Vec<u32> = Vec::new();
    for id in 0..400 {
        let streams = if seed.is_multiple_of(2) { 3 } else { 1 };
        let used_on = if streams > 1 && random.below(3) == 0 {
            Streams::NONE.with(Stream::side(7))
        } else {
            Streams::NONE
        };
        requests.push(Request::Alloc {
            id,
            bytes: random.size(),
            stream: Stream::all().nth(id as usize % streams).expect("a stream"),
            used_on,
        });
        live.push(id);
        while !live.is_empty() && random.below(5) < 2 {
            let at = usize::try_from(random.below(live.len() as u64)).expect("an index");
            requests.push(Request::Free(live.swap_remove(at)));
        }
    }
    requests.extend(live.into_iter().map(Request::Free));
    requests
}

fn all_settings() -> Vec<Settings> {
    let plain = Settings::default();
    vec![
        plain,
        Settings {
            expandable_segments: true,
            ..plain
        },
        Settings {
            max_split_size: Some(32 * MIB),
            ..plain
        },
        Settings {
            roundup_power2_divisions: [4; 16],
            ..plain
        },
    ]
}

#[derive(Debug, PartialEq)]
struct Replayed {
    allocated: Vec<u64>,
    active: Vec<u64>,
    reserved: Vec<u64>,
    failure: Option<Failure>,
}

fn run(requests: &[Request], settings: Settings) -> Replayed {
    let (mut allocated, mut active, mut reserved) = (Vec::new(), Vec::new(), Vec::new());
    let mut replay = Replay::new(400, settings);
    let done = requests.iter().try_for_each(|&request| {
        let held = replay.run(request)?;
        allocated.push(held.allocated);
        active.push(held.active);
        reserved.push(held.reserved);
        Ok(())
    });
    let failure = done.err();
    Replayed {
        allocated,
        active,
        reserved,
        failure,
    }
}

fn each(check: impl Fn(&[Request], Settings)) {
    for seed in 1..=40 {
        let requests = requests(seed);
        for settings in all_settings() {
            check(&requests, settings);
        }
    }
}

#[test]
fn what_is_freed_is_what_was_allocated() {
    each(|requests, settings| {
        let result = run(requests, settings);
        assert_eq!(result.failure, None);
        assert_eq!(result.allocated.last(), Some(&0));
        assert_eq!(result.allocated.len(), requests.len());
    });
}

#[test]
fn blocks_hold_what_was_asked_and_segments_hold_the_blocks() {
    each(|requests, settings| {
        let result = run(requests, settings);
        let mut sizes = [0; 400];
        let mut asked = 0;
        for (index, request) in requests.iter().enumerate() {
            match *request {
                Request::Alloc { id, bytes, .. } | Request::Moment { id, bytes, .. } => {
                    sizes[id as usize] = settings.round_size(bytes);
                    asked += sizes[id as usize];
                }
                Request::Free(id) => asked -= sizes[id as usize],
                Request::EmptyCache | Request::Wait(_) | Request::Nothing => {}
            }
            assert!(asked <= result.allocated[index]);
            assert!(result.allocated[index] <= result.active[index]);
            assert!(result.active[index] <= result.reserved[index]);
        }
    });
}

#[test]
fn without_a_limit_nothing_is_given_back() {
    each(|requests, settings| {
        assert!(run(requests, settings).reserved.is_sorted());
    });
}

#[test]
fn what_is_known_to_be_freed_at_once_is_served_as_any_other() {
    let mut moments = 0;
    for seed in 1..=40 {
        let requests = requests(seed);
        let next = requests.iter().skip(1).chain([&Request::Nothing]);
        let known = |(&now, &next): (&Request, &Request)| match now {
            Request::Alloc {
                id,
                bytes,
                stream,
                used_on: Streams::NONE,
            } if next == Request::Free(id) => Request::Moment { id, bytes, stream },
            other => other,
        };
        let knowing: Vec<Request> = requests.iter().zip(next).map(known).collect();
        let is_moment = |request: &&Request| matches!(request, Request::Moment { .. });
        moments += knowing.iter().filter(is_moment).count();
        for settings in all_settings() {
            assert_eq!(run(&requests, settings), run(&knowing, settings));
        }
    }
    assert!(moments > 100, "{moments}");
}

#[test]
fn the_memory_that_it_took_is_enough_for_it() {
    each(|requests, settings| {
        let free = run(requests, settings);
        let most = free.reserved.iter().max().copied().expect("requests");
        let limit = Limit::Capacity(most);
        assert_eq!(run(requests, Settings { limit, ..settings }), free);
    });
}

#[test]
fn a_run_whose_limit_is_only_watched_is_two() {
    let felt = Cell::new(0);
    each(|requests, settings| {
        if settings.expandable_segments {
            return;
        }
        let free = run(requests, settings);
        let most = free.reserved.iter().max().copied().expect("requests");
        for share in [60, 95, 100] {
            let bytes = most / 100 * share;
            let limit = Limit::Watched(bytes);
            let watched = Settings { limit, ..settings };
            let limit = Limit::Capacity(bytes);
            let expected = run(requests, Settings { limit, ..settings });
            assert_eq!(run(requests, watched), free);
            let mut replay = Replay::new(400, watched);
            for &request in requests {
                replay.run(request).expect("nothing limits it");
            }
            let Some(mut within) = replay.within() else {
                assert_eq!(expected, free);
                continue;
            };
            felt.set(felt.get() + 1);
            let before = within.done();
            let held: Vec<_> = (requests[before..].iter())
                .map_while(|&request| within.run(request).ok())
                .collect();
            assert_eq!(before + held.len(), expected.reserved.len());
            let reserved = held.iter().map(|held| held.reserved);
            assert!(reserved.eq(expected.reserved[before..].iter().copied()));
            let most = expected.reserved.iter().max().copied().unwrap_or(0);
            assert_eq!(within.most_reserved(), most);
        }
    });
    assert!(felt.get() > 100, "{}", felt.get());
}

#[test]
fn it_runs_out_only_where_the_driver_has_no_more_to_give() {
    let mut failures = 0;
    for seed in 1..=40 {
        let requests = requests(seed);
        for settings in all_settings() {
            let free = run(&requests, settings);
            let most = free.allocated.iter().max().copied().expect("requests");
            for share in [50, 90, 99, 101, 110] {
                let bytes = most / 100 * share;
                let limit = Limit::Capacity(bytes);
                let result = run(&requests, Settings { limit, ..settings });
                assert!(result.reserved.iter().all(|&reserved| reserved <= bytes));
                if let Some(failure) = result.failure {
                    failures += 1;
                    // Expandable segments grow by whole pages of 20 MiB.
                    let page = if settings.expandable_segments {
                        20 * MIB
                    } else {
                        0
                    };
                    assert!(failure.reserved + failure.tried + page > bytes);
                    assert_eq!(failure.request, result.allocated.len());
                } else {
                    assert!(share > 90, "less than is needed at once cannot be enough");
                }
            }
        }
    }
    assert!(failures > 100, "the limits bite");
}
