//! The allocator against PyTorch's own: recorded requests, replayed, must give the allocator's
//! own figures to the byte, and ask the driver for the same segments at the same requests.

use highwater::device::{Failure, Limit, Replay, Request, Settings, Timing};
use highwater::units::{Stream, Streams};

/// A figure that PyTorch's allocator reported.
enum Check {
    /// Before request `at`: current allocated and reserved, and their peaks since the last mark.
    Mark {
        at: usize,
        name: String,
        figures: [u64; 4],
    },
    /// After request `at` this much was reserved.
    Reserved { at: usize, bytes: u64 },
    /// Request `at` failed.
    OutOfMemory { at: usize },
}

struct Recorded {
    requests: Vec<Request>,
    storages: usize,
    checks: Vec<Check>,
    settings: Settings,
}

fn number(word: Option<&str>) -> u64 {
    word.and_then(|w| w.parse().ok()).expect("a number")
}

fn id(word: Option<&str>) -> u32 {
    u32::try_from(number(word)).expect("a storage number")
}

fn parse(text: &str) -> Recorded {
    let mut recorded = Recorded {
        requests: Vec::new(),
        storages: 0,
        checks: Vec::new(),
        settings: Settings::default(),
    };
    let mut reserved = 0u64;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("#") => recorded.settings = settings(line),
            Some("A") => {
                let id = id(words.next());
                let bytes = number(words.next());
                recorded.storages = recorded.storages.max(id as usize + 1);
                let at = recorded.requests.len();
                recorded.checks.push(Check::Reserved {
                    at,
                    bytes: reserved,
                });
                recorded.requests.push(Request::Alloc {
                    id,
                    bytes,
                    stream: Stream::MAIN,
                    used_on: Streams::NONE,
                });
            }
            Some("F") => recorded.requests.push(Request::Free(id(words.next()))),
            Some("S") => {
                let gains = matches!(words.next(), Some("alloc" | "map"));
                let bytes = number(words.next());
                reserved = if gains {
                    reserved + bytes
                } else {
                    reserved - bytes
                };
            }
            Some("M") => recorded.checks.push(Check::Mark {
                at: recorded.requests.len(),
                name: words.next().expect("a name").to_owned(),
                figures: std::array::from_fn(|_| number(words.next())),
            }),
            Some("O") => {
                let at = recorded.requests.len();
                recorded.checks.push(Check::OutOfMemory { at });
                let bytes = number(words.next());
                let id = u32::try_from(recorded.storages).expect("a storage number");
                recorded.storages += 1;
                recorded.requests.push(Request::Alloc {
                    id,
                    bytes,
                    stream: Stream::MAIN,
                    used_on: Streams::NONE,
                });
            }
            _ => {}
        }
    }
    recorded
}

/// Settings from the first line, as PyTorch's environment variable writes them.
fn settings(line: &str) -> Settings {
    let value = |key: &str| {
        let rest = &line[line.find(key)? + key.len()..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse::<u64>().ok()
    };
    let limit = value(" limit ");
    Settings {
        expandable_segments: line.contains("expandable_segments:True"),
        max_split_size: value("max_split_size_mb:").map(|mb| mb << 20),
        roundup_power2_divisions: [value("roundup_power2_divisions:").unwrap_or(0); 16],
        // The fixtures use tenths.
        garbage_collection_threshold: limit
            .zip(value("garbage_collection_threshold:0."))
            .map(|(limit, tenths)| limit * tenths / 10),
        limit: limit.map_or(Limit::None, Limit::Fraction),
        timing: Timing::default(),
    }
}

fn check(name: &str, text: &str) {
    let recorded = parse(text);
    let (mut allocated, mut reserved) = (Vec::new(), Vec::new());
    let mut replay = Replay::new(recorded.storages, recorded.settings);
    let done = recorded.requests.iter().try_for_each(|&request| {
        let held = replay.run(request)?;
        allocated.push(held.allocated);
        reserved.push(held.reserved);
        Ok(())
    });
    let failure: Option<Failure> = done.err();
    let mut since = 0;
    for check in &recorded.checks {
        match check {
            Check::Reserved { at, bytes } => {
                assert_eq!(
                    reserved.get(*at),
                    Some(bytes),
                    "{name}: reserved after request {at}: {:?}",
                    recorded.requests[*at]
                );
            }
            Check::Mark {
                at,
                name: mark,
                figures,
            } => {
                // Peaks restart from the current value when a mark is passed.
                let from = since.max(1) - 1;
                let peak = |of: &[u64]| of[from..*at].iter().max().copied().unwrap_or(0);
                let found = [
                    allocated[at - 1],
                    reserved[at - 1],
                    peak(&allocated),
                    peak(&reserved),
                ];
                assert_eq!(found, *figures, "{name}: figures at {mark}");
                since = *at;
            }
            Check::OutOfMemory { at } => {
                assert_eq!(failure.map(|f| f.request), Some(*at), "{name}: fails there");
                return;
            }
        }
    }
    assert_eq!(failure, None, "{name}: nothing fails");
    assert!(recorded.checks.len() > 100, "{name}: a real trace");
}

#[test]
fn recorded_traces_of_pytorch_replay_to_the_byte() {
    let folder = std::env::var("ALLOCATOR_TRACES").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/allocator").to_owned()
    });
    let mut seen = 0;
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures' folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a trace");
        check(&path.display().to_string(), &text);
        seen += 1;
    }
    assert!(seen > 0, "there are traces");
}
